/** Marking any free square of the real board, while the tree keeps only one of several symmetric moves. */

import { EMPTY, SYMMETRIES, freeSquares, imageOf, keyOf, marked } from "./board.js";

/**
 * num_nodes x 3: every free square of the real board equally likely, whatever the goal.
 *
 * @param {import("./tree.js").GameTree} tree
 */
export function uniformOverSquares(tree) {
  const result = new Float64Array(3 * tree.numNodes).fill(1);
  const boards = [EMPTY];
  /** By the key of a board. @type {Map<number, Map<number, number>>} */
  const found = new Map();
  for (let node = 1; node < tree.numNodes; node += 1) {
    const parent = tree.parent[node];
    const board = boards[parent];
    boards.push(marked(board, tree.square[node]));
    const free = 9 - tree.depth[parent];
    let count = 1;
    if (tree.numChildren[parent] !== free) {
      const images = found.get(keyOf(board)) ?? numImages(board);
      found.set(keyOf(board), images);
      count = images.get(tree.square[node]) ?? 0;
    }
    result.fill(count / free, 3 * node, 3 * node + 3);
  }
  return result;
}

/**
 * By free square how many of them, itself included, lead to images of the same board.
 *
 * @param {import("./board.js").Board} board
 */
function numImages(board) {
  const free = freeSquares(board);
  const after = free.map((square) => {
    const next = marked(board, square);
    return Math.min(...SYMMETRIES.map((symmetry) => keyOf(imageOf(next, symmetry))));
  });
  return new Map(free.map((square, at) => [square, after.filter((one) => one === after[at]).length]));
}
