/**
 * Squares, lines and symmetries of a tic-tac-toe board. Squares are numbered like a phone keypad: 1 to 9, row by row.
 *
 * @typedef {{ first: number, second: number }} Board  A bit per square and player; square 1 is bit 0.
 * @typedef {readonly number[]} Symmetry  At index s - 1 the square that square s goes to.
 */

export const SQUARES = [1, 2, 3, 4, 5, 6, 7, 8, 9];
export const LINES = [
  [1, 2, 3],
  [4, 5, 6],
  [7, 8, 9],
  [1, 4, 7],
  [2, 5, 8],
  [3, 6, 9],
  [1, 5, 9],
  [3, 5, 7],
];

/** @type {Board} */
export const EMPTY = { first: 0, second: 0 };

/** The eight symmetries of the square, the identity first. @type {readonly Symmetry[]} */
export const SYMMETRIES = symmetries();

/** @returns {Symmetry[]} */
function symmetries() {
  const quarterTurn = SQUARES.map((s) => ((s - 1) % 3) * 3 + 2 - Math.floor((s - 1) / 3) + 1);
  const mirror = SQUARES.map((s) => Math.floor((s - 1) / 3) * 3 + 2 - ((s - 1) % 3) + 1);
  const result = [];
  for (const start of [SQUARES, mirror]) {
    let image = start;
    for (let turn = 0; turn < 4; turn += 1) {
      result.push(image);
      image = image.map((square) => quarterTurn[square - 1]);
    }
  }
  return result;
}

/** The squares of a bit mask. @param {number} marks */
function squaresOf(marks) {
  return SQUARES.filter((square) => (marks >> (square - 1)) & 1);
}

/** @param {Board} board */
export function freeSquares(board) {
  return squaresOf(~(board.first | board.second));
}

/** @param {Board} board */
export function countMarks(board) {
  return squaresOf(board.first | board.second).length;
}

/**
 * The board after the player whose turn it is has marked a free square.
 *
 * @param {Board} board
 * @param {number} square
 * @returns {Board}
 */
export function marked(board, square) {
  const bit = 1 << (square - 1);
  return countMarks(board) % 2 === 0
    ? { first: board.first | bit, second: board.second }
    : { first: board.first, second: board.second | bit };
}

/**
 * The board with every mark moved by a symmetry.
 *
 * @param {Board} board
 * @param {Symmetry} symmetry
 * @returns {Board}
 */
export function imageOf(board, symmetry) {
  return { first: movedBits(board.first, symmetry), second: movedBits(board.second, symmetry) };
}

/**
 * @param {number} marks
 * @param {Symmetry} symmetry
 */
function movedBits(marks, symmetry) {
  let result = 0;
  symmetry.forEach((to, bit) => {
    result |= ((marks >> bit) & 1) << (to - 1);
  });
  return result;
}

/** One number for one board. @param {Board} board */
export function keyOf(board) {
  return board.first | (board.second << 9);
}

/** The lines, as squares, that the squares of a bit mask hold. @param {number} marks */
export function linesOf(marks) {
  return LINES.filter((line) => line.every((square) => (marks >> (square - 1)) & 1));
}

/** @param {number} marks */
export function hasLine(marks) {
  return LINES.some((line) => line.every((square) => (marks >> (square - 1)) & 1));
}

/**
 * Whether the first and whether the second mover has three in a row, for all ways to fill the board; each pair once.
 *
 * @param {Board} board
 * @returns {[boolean, boolean][]}
 */
export function finalLines(board) {
  const free = freeSquares(board);
  /** @type {Map<string, [boolean, boolean]>} */
  const found = new Map();
  for (let chosen = 0; chosen < 1 << free.length; chosen += 1) {
    const mine = free.filter((_, index) => (chosen >> index) & 1);
    if (mine.length !== Math.ceil((free.length - (countMarks(board) % 2)) / 2)) continue;
    const others = free.filter((_, index) => !((chosen >> index) & 1));
    /** @type {[boolean, boolean]} */
    const pair = [hasLine(board.first | bitsOf(mine)), hasLine(board.second | bitsOf(others))];
    found.set(pair.join(), pair);
  }
  return [...found.values()];
}

/** A bit for each square. @param {readonly number[]} squares */
export function bitsOf(squares) {
  return squares.reduce((bits, square) => bits | (1 << (square - 1)), 0);
}
