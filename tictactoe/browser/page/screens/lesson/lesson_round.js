/**
 * The rounds of the first lesson: half played when they begin, with a bot that wants to win and is X. No elements.
 *
 * In the first one the person wants to tie: two marks that stop the bot decide it. In the second one the person wants
 * to lose, so that the bot's row is a point for both; the bot can complete one whatever the person marks.
 */

import { EMPTY, finalLines, freeSquares, hasLine, marked } from "../../games/board.js";

/**
 * @typedef {import("../../games/board.js").Board} Board
 * @typedef {"going on" | "tie" | "row"} State  row: of the bot, as the person cannot have one before it is over.
 * @typedef {object} Script
 * @property {number[]} start  Squares, X first.
 * @property {number[]} wanted  What the bot marks where it cannot complete a row, in this order.
 * @property {import("../../games/rules.js").Goal} goal  The person's.
 */

/** The bot would complete 3 5 7, and 1 5 9, with its next mark. @type {readonly Script[]} */
export const SCRIPTS = [
  { start: [5, 9, 6, 4, 7], wanted: [2, 8, 1], goal: 2 },
  { start: [1, 2, 5], wanted: [7, 9, 4, 3], goal: 1 },
];

/** Its moves so far; squares, X first. */
export class LessonRound {
  /** @param {Script} script */
  constructor(script) {
    this.script = script;
    this.moves = [...script.start];
  }

  /** Whether it is the person's turn. */
  get isPersons() {
    return this.state === "going on" && this.moves.length % 2 === 1;
  }

  /** How many marks the person has made. */
  get made() {
    return Math.floor((this.moves.length - this.script.start.length + 1) / 2);
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
    if (hasLine(board.first)) return "row";
    return finalLines(board).some((pair) => pair[0] || pair[1]) ? "going on" : "tie";
  }

  /** Whether the person has reached the goal. */
  get isReached() {
    return this.state === (this.script.goal === 1 ? "row" : "tie");
  }

  /** @param {number} square */
  mark(square) {
    this.moves.push(square);
  }

  /** The bot marks: it completes a row where it can. */
  answer() {
    const { free } = this;
    const completes = free.find((square) => hasLine(boardOf([...this.moves, square]).first));
    const wanted = completes ?? this.script.wanted.find((square) => free.includes(square));
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
