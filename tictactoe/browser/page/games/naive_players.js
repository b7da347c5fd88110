/** Two players as people are who are new to the game: they see rows, and nothing of what moves tell. */

import { countMarks, freeSquares, linesOf } from "./board.js";

/** The squares that these players may mark, each equally likely. @type {Record<string, import("./free_squares.js").Squares>} */
export const SQUARES_OF = {
  uniform: (board) => freeSquares(board),
  "naive-a": (board, goal) => squaresOf(true, board, goal),
  "naive-b": (board, goal) => squaresOf(false, board, goal),
};

/**
 * Of tictactoe/games/naive_players.py.
 *
 * @param {boolean} seesTheOther
 * @param {import("./board.js").Board} board
 * @param {import("./rules.js").Goal} goal
 */
function squaresOf(seesTheOther, board, goal) {
  const free = freeSquares(board);
  const [mine, others] = countMarks(board) % 2 === 0 ? [board.first, board.second] : [board.second, board.first];
  const [completes, blocks] = [completing(mine, free), completing(others, free)];
  if (goal === 0) return firstOf(completes, ...(seesTheOther ? [blocks, free.filter((one) => one === 5)] : []), free);
  const rest = without(free, completes);
  if (goal === 1) return seesTheOther ? without(rest, blocks) : rest;
  return firstOf(
    blocks.filter((square) => rest.includes(square)),
    rest,
  );
}

/** The squares that complete a row of these marks. @param {number} marks @param {number[]} free */
function completing(marks, free) {
  const before = linesOf(marks).length;
  return free.filter((square) => linesOf(marks | (1 << (square - 1))).length > before);
}

/** The first of the lists that is not empty. @param {number[][]} lists */
function firstOf(...lists) {
  return lists.find((list) => list.length > 0) ?? [];
}

/** All where nothing is left. @param {number[]} squares @param {number[]} others */
function without(squares, others) {
  return firstOf(
    squares.filter((square) => !others.includes(square)),
    squares,
  );
}
