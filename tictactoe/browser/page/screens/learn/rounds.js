/**
 * The nine rounds, one for each pair of goals, that two players with the exact sheet play.
 *
 * @typedef {import("../../games/rules.js").Goal} Goal
 * @typedef {object} Round
 * @property {[Goal, Goal]} goals  Of X and of O.
 * @property {number[]} moves
 * @property {number} outcome
 * @property {[boolean, boolean]} scored  Whether X and whether O scores.
 */

import { Cursor } from "../../games/cursor.js";
import { GOALS } from "../../games/rules.js";
import { damaged } from "../../loading/data_file.js";

/**
 * By X's goal, then by O's. Throws DataError for rounds that cannot be played.
 *
 * @param {import("../../games/tree.js").GameTree} tree
 * @param {string[][]} texts
 * @returns {Round[]}
 */
export function roundsOf(tree, texts) {
  return GOALS.flatMap((first) =>
    GOALS.map((second) => {
      const moves = [...(texts[first]?.[second] ?? "")].map(Number);
      const outcome = new Cursor(tree, moves).forcedOutcome;
      if (outcome === null) throw damaged("a round of the sheet", "it is not finished");
      const scored = /** @type {[boolean, boolean]} */ ([
        tree.rules.isTrue(outcome, 0, first),
        tree.rules.isTrue(outcome, 1, second),
      ]);
      return { goals: [first, second], moves, outcome, scored };
    }),
  );
}

/** How many moves all the rounds begin with. @param {readonly Round[]} rounds */
export function commonMoves(rounds) {
  const [one] = rounds;
  if (one === undefined) return 0;
  const differs = one.moves.findIndex((square, index) => rounds.some((round) => round.moves[index] !== square));
  return differs < 0 ? one.moves.length : differs;
}

/** Of the rounds, how many end so. @param {readonly Round[]} rounds @param {boolean} first @param {boolean} second */
export function countScored(rounds, first, second) {
  return rounds.filter(({ scored }) => scored[0] === first && scored[1] === second).length;
}
