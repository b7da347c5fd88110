/** How the screen writes: numbers, goals, outcomes, whose turn it is. */

/**
 * @typedef {import("../../games/rules.js").Goal} Goal
 * @typedef {import("../../games/rules.js").Rules} Rules
 * @typedef {import("../../play/view.js").View} View
 */

import { countMarks, finalLines } from "../../games/board.js";
import { GOALS, goalName, otherSeat } from "../../games/rules.js";
import { percentagePoints, winPercentage } from "../../match/scores.js";
import { digitOf } from "../../parts/keypad.js";

export const SEATS = ["X", "O"];

/** A probability, in whole percent; never 0 % for what is played. @param {number} probability */
export function share(probability) {
  return probability > 1e-12 && probability < 0.005 ? "<1%" : `${(100 * probability).toFixed(0)}%`;
}

/** A match value as % of matches won. @param {number} value */
export function wins(value) {
  return `${winPercentage(value)
    .toFixed(2)
    .replace(/^-0\.00$/, "0.00")}%`;
}

/** What a move costs, in % of matches; 0 for a best move alone. @param {number} cost  As in `Advice`. */
export function costs(cost) {
  return cost === 0 ? "0" : percentagePoints(cost).toFixed(2);
}

/** How often, in % with two digits that count. @param {number} probability */
export function rarity(probability) {
  const percent = 100 * probability;
  if (percent === 0) return "0%";
  return percent < 0.01 ? "less than 0.01%" : `${percent.toFixed(percent < 10 ? 2 : 0)}%`;
}

/** @param {Goal} goal */
export function goalWord(goal) {
  return goalName(goal).toUpperCase();
}

/** As what somebody wants: to WIN. @param {Goal} goal */
export function goalText(goal) {
  return `to ${goalWord(goal)}`;
}

/** Squares as the digits of the person's board. @param {readonly number[]} squares */
export function digits(squares) {
  return squares.map(digitOf).join(" ");
}

/**
 * Who has three in a row, whose turn it is and what both want; or how the round ends, and who scores.
 *
 * @param {View} view
 * @param {import("../../games/cursor.js").Cursor} cursor
 */
export function turnText(view, cursor) {
  const { rules } = cursor.tree;
  const seat = view.toMove;
  const certain = view.outcome ?? view.forcedOutcome;
  if (certain !== null) {
    const end = `${happened(view, cursor, certain)}. ${points(view, rules, certain)}`;
    return seat === null
      ? `The round is over: ${end}`
      : `${SEATS[seat]} moves next, but the end is certain, whatever is played: ${end}`;
  }
  if (seat === null) throw new RangeError("a round that is over has an outcome");
  const there = lineTexts(view, "has ")
    .map((text) => `${text} in a row`)
    .join(", ");
  const soFar = there ? `${there}; the round goes on. ` : "";
  return `${soFar}${SEATS[seat]} moves next. ${wantedText(view, seat)}`;
}

/** @param {View} view @param {import("../../games/rules.js").Seat} seat */
function wantedText(view, seat) {
  const [mine, others] = [view.goals[seat], view.goals[otherSeat(seat)]];
  const other = SEATS[otherSeat(seat)];
  if (mine == null && others == null) return "Both goals are unknown.";
  const first = mine == null ? `Its goal is unknown` : `It wants ${goalText(mine)}`;
  return `${first}; ${other} ${others == null ? "has an unknown goal" : `wants ${goalText(others)}`}.`;
}

/**
 * What the board shows in the end, and the lines that are there.
 *
 * @param {View} view
 * @param {import("../../games/cursor.js").Cursor} cursor
 * @param {number} outcome
 */
function happened(view, cursor, outcome) {
  const there = lineTexts(view).join(", ");
  const lines = there ? ` (${view.outcome === null ? "so far " : ""}${there})` : "";
  return `${outcomeText(cursor, outcome)}${lines}`;
}

/**
 * What the board shows in the end; by rules that count three in a row of both as a tie, whether it is one of these.
 *
 * @param {import("../../games/cursor.js").Cursor} cursor
 * @param {number} outcome
 */
function outcomeText(cursor, outcome) {
  const data = cursor.tree.rules.outcomeData(outcome);
  if (data.name !== "tie" || cursor.tree.rules.data.ends_with_line) return data.happened;
  const ends = finalLines(cursor.board);
  if (ends.every(([first, second]) => first && second)) return "both have three in a row, which is a tie";
  return ends.every(([first, second]) => !first && !second) ? "nobody has three in a row" : data.happened;
}

/** Of each player who has three in a row, which squares. @param {View} view @param {string} has */
function lineTexts(view, has = "") {
  return view.lines.flatMap((own, seat) =>
    own.length > 0 ? [`${SEATS[seat]} ${has}${own.map(digits).join(" and ")}`] : [],
  );
}

/** Who scores and why, or with what goal. @param {View} view @param {Rules} rules @param {number} outcome */
function points(view, rules, outcome) {
  const fitting = rules.outcomeData(outcome).goals_true;
  if (fitting.every((goals) => goals.length === 0)) return "Nobody scores, whatever they want.";
  const said = SEATS.map((name, seat) => {
    const [goals, known] = [fitting[seat] ?? [], view.goals[seat]];
    if (goals.length === 0) return `${name} does not score, whatever it wants`;
    if (known == null) return `${name} scores if it wants ${goals.map(goalText).join(" or ")}`;
    return `${name} wants ${goalText(known)} and ${goals.includes(known) ? "scores" : "does not score"}`;
  });
  return `${said.join("; ")}.`;
}

/**
 * Sentences about a position that a solution which is not refined never reaches, or not with every goal, and about
 * goals that nobody draws; none for others.
 *
 * @param {View} view
 * @param {Rules} rules
 * @param {readonly Goal[]} unplayed  Goals of the mover with which such a solution does not come here.
 */
export function offTheWay(view, rules, unplayed) {
  const nowhere = SEATS.filter((_, seat) => view.beliefs[seat] === null);
  const texts = [];
  if (nowhere.length > 0) {
    texts.push(
      `The perfect bot never gets here: whatever ${nowhere.join(" and ")} wants, it would have played otherwise. ` +
        "This solution is not refined: after moves that it never makes, goals are as likely as drawn.",
    );
  } else if (unplayed.length > 0 && view.toMove !== null && view.forcedOutcome === null) {
    texts.push(
      `The perfect bot as ${SEATS[view.toMove]} that wants ${unplayed.map(goalText).join(" or ")} never gets here. ` +
        "This solution is not refined: after such moves it may play badly.",
    );
  }
  const never = GOALS.filter((goal) => rules.data.goal_odds[goal] === 0).map(goalWord);
  if (never.length > 0) texts.push(`Nobody draws ${never.join(" or ")}: the bot may play badly for it.`);
  return texts;
}

/** The points of both players in words. @param {import("../../match/scores.js").Score} score */
export function scoreWords([first, second]) {
  return `X has ${first} point${first === 1 ? "" : "s"}, O ${second}`;
}

/**
 * Who made the last move, for those who hear the page.
 *
 * @param {import("../../games/board.js").Board} board  After it.
 * @param {number} square
 */
export function lastMoveText(board, square) {
  return `${SEATS[(countMarks(board) + 1) % 2]} on ${digitOf(square)}.`;
}
