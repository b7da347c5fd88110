/**
 * The round of the first lesson: half played when it begins, with a bot that wants to win. The person is O and wants
 * to tie, so that two marks that stop the bot decide it. No elements.
 */

import { EMPTY, finalLines, freeSquares, hasLine, marked } from "../../games/board.js";

/**
 * @typedef {import("../../games/board.js").Board} Board
 * @typedef {"going on" | "tie" | "bot's row"} State
 */

/** The bot began, and would complete 3 5 7 with its next mark. */
const START = [5, 9, 6, 4, 7];
/** What the bot marks where it cannot complete a row, in this order. */
const WANTED = [2, 8, 1];

/** Its moves so far; squares, X first. */
export class LessonRound {
  constructor() {
    this.moves = [...START];
  }

  /** Whether it is the person's turn. */
  get isPersons() {
    return this.state === "going on" && this.moves.length % 2 === 1;
  }

  /** How many marks the person has made. */
  get made() {
    return Math.floor((this.moves.length - START.length + 1) / 2);
  }

  /** @returns {Board} */
  get board() {
    return boardOf(this.moves);
  }

  get free() {
    return freeSquares(this.board);
  }

  /** By the rules of every solved match: what is certain here is certain whether or not a row ends the round. */
  get state() {
    const { board } = this;
    if (hasLine(board.first)) return "bot's row";
    return finalLines(board).some((pair) => pair[0] || pair[1]) ? "going on" : "tie";
  }

  /** @param {number} square */
  mark(square) {
    this.moves.push(square);
  }

  /** The bot marks: it completes a row where it can. */
  answer() {
    const { free } = this;
    const completes = free.find((square) => hasLine(boardOf([...this.moves, square]).first));
    const wanted = completes ?? WANTED.find((square) => free.includes(square));
    if (wanted !== undefined) this.mark(wanted);
  }

  /** How the rest could be played, when it no longer matters. @returns {[number, "x" | "o"][]} */
  get rest() {
    return this.free.map((square, index) => [square, (this.moves.length + index) % 2 === 0 ? "x" : "o"]);
  }
}

/** @param {number[]} moves @returns {Board} */
function boardOf(moves) {
  return moves.reduce(marked, EMPTY);
}
