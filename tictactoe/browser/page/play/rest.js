/** The rest of a round that is decided: what nobody has to play any more. */

import { freeSquares, marked } from "../games/board.js";

/**
 * Moves from the position to the end of the round; none where it has ended. It takes as long as any:
 * nobody could have put the end off.
 *
 * @param {import("../games/cursor.js").Cursor} cursor  Whose outcome is certain.
 * @returns {[number, "x" | "o"][]}  Squares, and who would mark them.
 */
export function restOf(cursor) {
  const { rules } = cursor.tree;
  /** @param {import("../games/board.js").Board} board @returns {number[]} */
  const longest = (board) => {
    if (rules.outcome(board) !== null) return [];
    const ways = freeSquares(board).map((square) => [square, ...longest(marked(board, square))]);
    return ways.reduce((best, way) => (way.length > best.length ? way : best));
  };
  const played = cursor.moves.length;
  return longest(cursor.board).map((square, index) => [square, (played + index) % 2 === 0 ? "x" : "o"]);
}
