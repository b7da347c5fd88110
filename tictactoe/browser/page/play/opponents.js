/** How the opponents move. */

import { freeSquares } from "../games/board.js";
import { drawOne, drawWeighted } from "./randomness.js";

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

/** One of some squares. @param {import("../games/free_squares.js").Squares} squares @returns {MoveChooser} */
export function bySquares(squares) {
  return (cursor, goal) => drawOne(squares(cursor.board, goal));
}

/**
 * As one of several, drawn for every move.
 *
 * @param {{ choose: MoveChooser, share: number }[][]} byGoal  How often it moves as whom, by its goal.
 * @returns {MoveChooser}
 */
export function mixed(byGoal) {
  return (cursor, goal) => {
    const mix = byGoal[goal];
    return drawWeighted(
      mix,
      mix.map(({ share }) => share),
    ).choose(cursor, goal);
  };
}
