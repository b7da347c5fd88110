/** Whose turn it is, and what has just happened, in words. No elements. */

import { beginning } from "../../parts/words.js";
import { standing } from "../../play/ending.js";
import { otherPlayer, seatOf } from "../../play/referee.js";
import { resultOf } from "./result_words.js";

/**
 * @typedef {import("../../play/ending.js").Table} Table
 * @typedef {import("../../play/referee.js").Player} Player
 * @typedef {import("./match_flow.js").MatchFlow} MatchFlow
 * @typedef {import("./match_flow.js").Move} Move
 */

const MARKS = ["X", "O"];

/**
 * What the other player has marked, and whose turn it is.
 *
 * @param {MatchFlow} flow
 * @param {Table} table
 * @param {Player} player  Whose turn it is.
 */
export function turnWords(flow, table, player) {
  const { round } = flow;
  const name = table.names[player];
  const mark = MARKS[seatOf(round, player)];
  const last = round.moves.at(-1);
  if (last === undefined)
    return `${name === "You" ? "Your turn: you move" : `${beginning(name)} moves`} first, as ${mark}.`;
  const turn = name === "You" ? "Your turn, you are" : `${beginning(name)}\u2019s turn,`;
  return `${beginning(table.names[otherPlayer(player)])} marked ${table.digit(last)}. ${turn} ${mark}.`;
}

/** Whose turn it is, alone. @param {string} name */
export function turnOf(name) {
  return name === "You" ? "Your turn." : `${beginning(name)}\u2019s turn.`;
}

/**
 * All that has changed by the moves, for those who hear the page.
 *
 * @param {MatchFlow} flow
 * @param {Table} table
 * @param {Player} player  Whose turn it is, where the round goes on.
 * @param {readonly Move[]} moves
 * @param {string} goal  What the card says of the goal: news to one who comes to the table.
 */
export function newsWords(flow, table, player, moves, goal) {
  const { match, round } = flow;
  const { names } = table;
  const told = round.moves.length <= moves.length ? [`Round ${round.number}.`] : [];
  const comes = moves.length === 0 || round.moves.length === 1;
  if (comes && !flow.isShared && match.round !== null) told.push(goal);
  for (const move of moves) {
    const name = names[move.player];
    told.push(`${beginning(name)} ${name === "You" ? "mark" : "marks"} ${table.digit(move.square)}.`);
  }
  if (match.round === null) {
    const { headline, goals, happened, goesOn } = resultOf(flow, table);
    told.push(...happened, ...goals.map(({ wanted, points }) => `${wanted}: ${points}.`), headline, goesOn);
  } else {
    told.push(standing(flow.cursor, table), flow.notice || turnOf(names[player]));
  }
  return told.filter(Boolean).join(" ");
}
