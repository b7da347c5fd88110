/** Why a move is a bad one, in words. */

import { percent } from "../match/numbers.js";
import { goalName } from "../games/rules.js";

const SURE = 0.995;

/**
 * Why a move is a bad one, where that is a short story; as what follows "this move ...". Empty where it is not.
 *
 * @param {import("./move_costs.js").Advice} move
 * @param {import("../games/rules.js").Goal} goal  Of the mover, who is "you".
 * @param {string} opponent  Such as "the bot".
 * @param {(square: number) => string} digit  How a square is called.
 * @param {number | null} square  The one of the move's squares that is meant, null for any.
 */
export function reason(move, goal, opponent, digit, square = null) {
  const lost = `you could no longer ${goalName(goal)}`;
  if (move.outcome !== null) return decided(move, opponent);
  if (move.forfeits) return move.completesRow ? `completes your row: ${lost}` : lost;
  const answers = move.avoidable.filter((answer) => answer !== square);
  if (answers.length === 0) return "";
  const spoilt = answers.every((answer) => move.spoiling.includes(answer)) ? `, after which ${lost}` : "";
  return `lets ${opponent} complete a row on ${either(answers.map(digit))}${spoilt}`;
}

/**
 * @param {import("./move_costs.js").Advice} move
 * @param {string} opponent
 */
function decided(move, opponent) {
  const what = move.completesRow ? "completes your row" : "decides the round";
  if (move.forfeits) return `${what}, no point for you`;
  const chance = move.opponentScores ?? 0;
  if (chance <= 0.2) return what;
  const joint = move.possible ? "but" : "and";
  const too = move.possible ? " too" : "";
  if (chance >= SURE) return `${what}, ${joint} ${opponent} then surely scores${too}`;
  return `${what}, ${joint} ${opponent} then scores${too}, ${percent(chance)} likely`;
}

/** As alternatives: 2, 4 or 6. @param {string[]} words */
export function either(words) {
  const sorted = [...words].sort();
  const last = sorted.pop();
  return sorted.length > 0 ? `${sorted.join(", ")} or ${last}` : `${last}`;
}
