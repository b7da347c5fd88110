/**
 * Walking a solved tree while the board stays as the person sees it.
 *
 * The tree keeps one of several symmetric moves. A cursor plays any move on the real board and carries a symmetry that
 * takes the real board to that of its node, so that neither ever jumps.
 */

import { EMPTY, SQUARES, SYMMETRIES, freeSquares, imageOf, keyOf, marked } from "./board.js";

/**
 * @typedef {import("./board.js").Board} Board
 * @typedef {import("./board.js").Symmetry} Symmetry
 * @typedef {import("./rules.js").Seat} Seat
 * @typedef {{ square: number, board: Board, node: number, symmetry: Symmetry }} Step
 */

/** A move that the board does not allow. */
export class IllegalMoveError extends Error {}

/** A position of a round: the squares played, as the person sees them, and where that is in the tree. */
export class Cursor {
  /**
   * Throws IllegalMoveError for moves that cannot be played in this order.
   *
   * @param {import("./tree.js").GameTree} tree
   * @param {readonly number[]} moves
   */
  constructor(tree, moves = []) {
    this.tree = tree;
    /** @type {Step[]} */
    this.steps = [{ square: 0, board: EMPTY, node: 0, symmetry: SQUARES }];
    for (const move of moves) this.play(move);
  }

  get #last() {
    return this.steps[this.steps.length - 1];
  }

  /** The squares played, in order, on the real board. */
  get moves() {
    return this.steps.slice(1).map((step) => step.square);
  }

  get board() {
    return this.#last.board;
  }

  /** The node of the position. After a leaf, which a forced outcome makes early, it stays that leaf. */
  get node() {
    return this.#last.node;
  }

  /** The nodes from the root to the position, one per move and the root, without repeating a leaf. */
  get nodes() {
    return [...new Set(this.steps.map((step) => step.node))];
  }

  /** Who moves next on the real board; null when the round is over. @returns {Seat | null} */
  get mover() {
    if (this.outcome !== null) return null;
    return this.steps.length % 2 === 1 ? 0 : 1;
  }

  /** How the round has ended on the real board, null while it goes on. */
  get outcome() {
    return this.tree.rules.outcome(this.board);
  }

  /** The outcome in which every continuation ends, null while that is open. */
  get forcedOutcome() {
    return this.tree.outcome(this.node);
  }

  /**
   * Mark a free square for the player whose turn it is. Throws IllegalMoveError, and changes nothing then.
   *
   * @param {number} square
   */
  play(square) {
    if (this.outcome !== null) throw new IllegalMoveError("the round is over");
    if (!freeSquares(this.board).includes(square)) {
      throw new IllegalMoveError(
        SQUARES.includes(square) ? `square ${square} is not free` : `${square} is not a square`,
      );
    }
    const { node, symmetry } =
      this.forcedOutcome === null ? this.#childOf(square) : { node: this.node, symmetry: this.#last.symmetry };
    this.steps.push({ square, board: marked(this.board, square), node, symmetry });
  }

  /** Take the last move back. Throws IllegalMoveError at the start of the round. */
  undo() {
    if (this.steps.length === 1) throw new IllegalMoveError("there is no move to take back");
    this.steps.pop();
  }

  /**
   * For every child of the node the real squares that lead to it, in increasing order; empty at a leaf.
   *
   * @returns {Map<number, number[]>}
   */
  squaresByChild() {
    /** @type {Map<number, number[]>} */
    const result = new Map(this.tree.children(this.node).map((child) => [child, []]));
    if (result.size > 0) {
      for (const square of freeSquares(this.board)) result.get(this.#childOf(square).node)?.push(square);
    }
    return result;
  }

  /**
   * The node that a move on the real board leads to, and the symmetry that takes the board there.
   *
   * @param {number} square
   * @returns {{ node: number, symmetry: Symmetry }}
   */
  #childOf(square) {
    const { symmetry } = this.#last;
    const before = imageOf(this.board, symmetry);
    const board = marked(before, symmetry[square - 1]);
    const children = new Map(
      this.tree.children(this.node).map((child) => [keyOf(marked(before, this.tree.square[child])), child]),
    );
    for (const turn of SYMMETRIES) {
      const node = children.get(keyOf(imageOf(board, turn)));
      if (node !== undefined) {
        const joined = symmetry.map((to) => turn[to - 1]);
        return { node, symmetry: joined };
      }
    }
    throw new Error(`no node for square ${square} after ${this.moves.join("")}`);
  }
}
