/** How the opponents move. */

import { freeSquares } from "../games/board.js";
import { drawOne, drawWeighted, randomNumber } from "./randomness.js";

/**
 * @typedef {import("../games/cursor.js").Cursor} Cursor
 * @typedef {import("../games/rules.js").Goal} Goal
 * @typedef {import("./round_bot.js").RoundBot} RoundBot
 * @typedef {(cursor: Cursor, goal: Goal) => number} MoveChooser  A square for the player whose turn it is.
 */

/**
 * A square by a strategy; of symmetric ones any with the same probability.
 *
 * @param {RoundBot} bot
 * @returns {MoveChooser}
 */
export function byStrategy(bot) {
  return (cursor, goal) => {
    const choices = bot.choices(cursor, goal);
    if (choices.length === 0) return anySquare(cursor);
    return drawOne(
      drawWeighted(
        choices,
        choices.map((choice) => choice.probability),
      ).squares,
    );
  };
}

/** Any free square. @param {Cursor} cursor */
export function anySquare(cursor) {
  return drawOne(freeSquares(cursor.board));
}

/**
 * As another one, but any free square so often.
 *
 * @param {MoveChooser} careful
 * @param {number} mistakes
 * @returns {MoveChooser}
 */
export function careless(careful, mistakes) {
  return (cursor, goal) => (randomNumber() < mistakes ? anySquare(cursor) : careful(cursor, goal));
}
