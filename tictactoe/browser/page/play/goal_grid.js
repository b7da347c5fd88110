/**
 * What the player whose turn it is knows: for each goal that it may have, what its moves are worth and cost.
 *
 * @typedef {import("../games/cursor.js").Cursor} Cursor
 * @typedef {import("../games/rules.js").Goal} Goal
 * @typedef {import("./round_bot.js").RoundBot} RoundBot
 * @typedef {object} Cell  A move for one goal of the mover.
 * @property {number[]} squares  Those that are the same move by symmetry.
 * @property {number} probability  How often it is played, any of them.
 * @property {number} value  Match value to the mover, if it goes on with its best moves.
 * @property {number} cost  How much less that is than the best move's; see `Advice`.
 * @typedef {object} GoalRow  One goal that the mover may have.
 * @property {Goal} goal
 * @property {number} value  Of the position, match value to the mover, if it goes on with its best moves.
 * @property {Cell[]} moves  By their lowest square; none where the outcome is certain.
 */

import { GOALS } from "../games/rules.js";

/**
 * The rows for winning, losing and tying; none where the round is over.
 *
 * @param {RoundBot} bot
 * @param {Cursor} cursor
 * @returns {GoalRow[]}
 */
export function goalRows(bot, cursor) {
  const { node, mover, tree } = cursor;
  if (mover === null) return [];
  const groups = [...cursor.squaresByChild()].sort(([, one], [, other]) => one[0] - other[0]);
  return GOALS.map((goal) => {
    const costs = bot.costs(node, goal);
    const moves = groups.map(([child, squares]) => ({
      squares,
      probability: bot.probability(child, goal),
      value: bot.worth(child, mover, goal),
      cost: costs[child - tree.firstChild[node]],
    }));
    return { goal, value: bot.worth(node, mover, goal), moves };
  });
}
