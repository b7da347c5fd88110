/** Marking one of some free squares of the real board, while the tree keeps only one of several symmetric moves. */

import { EMPTY, SYMMETRIES, freeSquares, imageOf, keyOf, marked } from "./board.js";
import { GOALS } from "./rules.js";

/** @typedef {(board: import("./board.js").Board, goal: import("./rules.js").Goal) => readonly number[]} Squares */

/**
 * num_nodes x 3: each of these squares of the real board equally likely.
 *
 * @param {import("./tree.js").GameTree} tree
 * @param {Squares} squares  At least one, by the marks alone, and the images of each other where boards are.
 */
export function evenOverSquares(tree, squares) {
  const result = new Float64Array(3 * tree.numNodes).fill(1);
  const boards = [EMPTY];
  /** By the key of a board. @type {Map<number, Map<number, number[]>>} */
  const found = new Map();
  for (let node = 1; node < tree.numNodes; node += 1) {
    const parent = tree.parent[node];
    const board = boards[parent];
    boards.push(marked(board, tree.square[node]));
    const isWhole = tree.numChildren[parent] === 9 - tree.depth[parent];
    const shares = found.get(keyOf(board)) ?? sharesOn(board, squares, isWhole);
    found.set(keyOf(board), shares);
    result.set(shares.get(tree.square[node]) ?? [0, 0, 0], 3 * node);
  }
  return result;
}

/**
 * By free square and goal, the probability of it and of all the squares that lead to images of the same board.
 *
 * @param {import("./board.js").Board} board
 * @param {Squares} squares
 * @param {boolean} isWhole  Whether the tree has a move for every square.
 */
function sharesOn(board, squares, isWhole) {
  const chosen = GOALS.map((goal) => squares(board, goal));
  const free = freeSquares(board);
  const images = new Map(free.map((square) => [square, isWhole ? square : imageAfter(board, square)]));
  return new Map(
    free.map((square) => [
      square,
      chosen.map((all) => all.filter((one) => images.get(one) === images.get(square)).length / all.length),
    ]),
  );
}

/** One number for all images of the board after a move. @param {import("./board.js").Board} board @param {number} square */
function imageAfter(board, square) {
  const next = marked(board, square);
  return Math.min(...SYMMETRIES.map((symmetry) => keyOf(imageOf(next, symmetry))));
}
