/** What the board, the goal's card and the bars of a round show, from the match. No elements. */

import { freeSquares } from "../../games/board.js";
import { THE_BOT } from "../../parts/words.js";
import { recall } from "../../parts/settings.js";
import { BestResponder } from "../../play/best_responder.js";
import { otherPlayer, seatOf } from "../../play/referee.js";
import { restOf } from "../../play/rest.js";
import { BOT, PERSON } from "./match_flow.js";

/**
 * @typedef {import("../../play/referee.js").Player} Player
 * @typedef {import("./match_flow.js").MatchFlow} MatchFlow
 * @typedef {import("./match_flow.js").Move} Move
 */

export const COVERED = "goal covered";

/**
 * Who sits there, as sentences call them.
 *
 * @param {MatchFlow} flow
 * @param {(square: number) => number | string} digit
 * @returns {import("../../play/ending.js").Table}
 */
export function tableOf({ match, round, againstBot }, digit) {
  return { names: againstBot ? ["You", THE_BOT] : match.names, first: round.first, digit };
}

/**
 * @param {MatchFlow} flow
 * @param {object} view
 * @param {Move | undefined} view.fresh  The move whose mark is to be drawn.
 * @param {import("../../play/hint_words.js").BoardNotes | null} view.hint
 * @param {boolean} view.waiting  Whether nothing can be marked now.
 * @param {number[]} [view.played]  The marks that are seen, where these are not all.
 * @returns {import("../../parts/board_view.js").BoardState}
 */
export function boardOf(flow, { fresh, hint, waiting, played = flow.round.moves }) {
  const { cursor, canMark, match } = flow;
  const seen = played.length === cursor.moves.length;
  /** @type {[number, string][]} */
  const drawn = fresh === undefined ? [] : [[fresh.square, "fresh"]];
  return {
    moves: played,
    playable: !canMark || !seen || waiting ? [] : freeSquares(cursor.board),
    ghosts: seen && match.round === null ? restOf(cursor) : [],
    classes: new Map([...(hint?.classes ?? []), ...drawn]),
    ...(hint === null ? {} : { notes: hint.notes, heard: hint.heard }),
  };
}

/** @param {MatchFlow} flow @param {Player} player  Whose goal it is. @returns {import("./goal_card.js").GoalText} */
export function goalOf(flow, player) {
  const { names } = flow.match;
  const goal = flow.round.goals[player];
  const opponent = flow.againstBot ? "the bot" : names[otherPlayer(player)];
  const whose = !flow.isShared ? "your" : `${names[player]}\u2019s`;
  return {
    who: !flow.isShared ? "You want" : `${names[player]} wants`,
    goal,
    toDo: flow.judge.tree.rules.toDo(goal, opponent),
    covered: !flow.isShared ? "Your goal is covered." : `${whose} goal is covered.`,
    show: `Show ${whose} goal`,
    hide: `Cover ${whose} goal`,
  };
}

/** Whether a person who plays against the bot sees the own goal. */
export function isGoalOpen() {
  return recall(COVERED) !== "yes";
}

/** @param {MatchFlow} flow  Against a bot. @returns {import("./belief_bars.js").BeliefState} */
export function beliefsOf(flow) {
  const { cursor, match, round } = flow;
  const { node } = cursor;
  const judge = flow.judgeOf(PERSON);
  return {
    round: round.number,
    over: match.round === null,
    looked: round.looked === true,
    rows: [
      { title: "About your goal", belief: judge.belief(node, seatOf(round, PERSON)) },
      { title: "About the bot\u2019s goal", belief: judge.belief(node, seatOf(round, BOT)) },
    ],
    known: judge instanceof BestResponder,
    lost: judge.isLost(node, 0) || judge.isLost(node, 1),
  };
}
