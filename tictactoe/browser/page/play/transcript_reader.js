/**
 * Reading transcripts, this page's and the program's; see docs/transcripts.md. What the program refuses is refused, and
 * the other way round: every claim about the play is checked.
 *
 * @typedef {import("../games/rules.js").Goal} Goal
 * @typedef {import("../games/tree.js").GameTree} GameTree
 * @typedef {import("./referee.js").MatchRecord} MatchRecord
 * @typedef {import("./referee.js").Player} Player
 * @typedef {import("./referee.js").RoundRecord} RoundRecord
 * @typedef {Record<string, unknown>} Content  Of a line.
 * @typedef {object} Header
 * @property {[string, string]} names
 * @property {number | null} winningScore  null for practice.
 * @property {string | null} position  Where practice begins.
 * @property {string} opponent
 * @property {string} rules
 */

import { Cursor } from "../games/cursor.js";
import { GOALS, goalName } from "../games/rules.js";
import { LONGEST_NAME, isAccount, isCommitment, isPair } from "./kept_match.js";
import { parsePosition } from "./notation.js";
import { withNewRound, withRoundFinished } from "./referee.js";
import { FORMAT, footerOf, roundLine } from "./transcript.js";
import { contentOf, same } from "./transcript_lines.js";

/**
 * By the name of a field: whether it is needed, and what it may be.
 *
 * @type {Record<string, [boolean, (value: unknown) => boolean]>}
 */
const FIELDS = {
  names: [true, areNames],
  seed: [true, orNull(isNumber)],
  winning_score: [false, orNull(isNumber)],
  position: [false, orNull(isPosition)],
  solution: [false, orNull((value) => typeof value === "string" && !value.includes("\0"))],
  solved_winning_score: [false, orNull(isNumber)],
  average_strategy: [false, (value) => typeof value === "boolean"],
  opponent: [false, (value) => typeof value === "string" && isPrintable(value)],
  rules: [false, (value) => typeof value === "string"],
  keypad: [false, (value) => value === "phone" || value === "numpad"],
  plain: [false, (value) => typeof value === "boolean"],
  earlier_rounds: [false, (value) => Array.isArray(value) && value.every(isPosition)],
  kept_at: [false, orNull(isNumber)],
};

/**
 * What was agreed, from the first line. Throws RangeError.
 *
 * @param {readonly string[]} lines
 * @returns {Header}
 */
export function headerOf(lines) {
  const content = contentOf(lines[0] ?? "", 1);
  const { format, version: _, ...about } = content;
  if (format !== FORMAT) throw wrong(1, "it is not a transcript");
  for (const name of Object.keys(about)) {
    if (!Object.hasOwn(FIELDS, name)) throw wrong(1, `${name.slice(0, 20)} does not belong there`);
  }
  for (const [name, [needed, isGood]] of Object.entries(FIELDS)) {
    if (Object.hasOwn(about, name) ? !isGood(about[name]) : needed) throw wrong(1, `${name} is wrong, or missing`);
  }
  const winningScore = /** @type {number | null} */ (about.winning_score ?? null);
  if (winningScore !== null && (winningScore < 1 || Number(about.seed ?? 0) < 0)) {
    throw wrong(1, "winning_score or seed is too small");
  }
  const { names, position = null, opponent = "perfect", rules = "three-in-a-row" } = /** @type {any} */ (about);
  return { names, winningScore, position, opponent, rules };
}

/**
 * The rounds that are over, played again. The match, in a transcript of one. Practice is told as a match that nobody has won; its
 * rounds have the scores of the solution. Rejects with RangeError, which names the line that is wrong.
 *
 * @param {readonly string[]} lines
 * @param {GameTree} tree  By the rules of the header.
 * @returns {Promise<MatchRecord>}  Of a solution without a name.
 */
export async function replayed(lines, tree) {
  const header = headerOf(lines);
  if (header.rules !== tree.rules.name) throw wrong(1, "it was played by other rules");
  const replaying = new Replaying(header, tree);
  for (const [index, line] of lines.entries()) {
    if (index === 0) continue;
    const content = contentOf(line, index + 1);
    try {
      await replaying.follow(content);
    } catch (error) {
      throw wrong(index + 1, error instanceof Error ? error.message : String(error));
    }
  }
  return replaying.match;
}

class Replaying {
  /** @param {Header} header @param {GameTree} tree */
  constructor(header, tree) {
    this.tree = tree;
    this.header = header;
    this.isPractice = header.winningScore === null;
    /** @type {MatchRecord} */
    this.match = {
      solution: "",
      winningScore: header.winningScore ?? 0,
      names: header.names,
      opponent: header.opponent,
      score: [0, 0],
      first: 0,
      rounds: [],
      round: null,
      winner: null,
    };
    this.abandoned = 0;
    this.ended = false;
  }

  /** Throws an error for a line that does not follow. @param {Content} content */
  async follow(content) {
    if (this.ended) throw new RangeError("it comes after the end");
    if (!this.isPractice && Object.hasOwn(content, "winner")) {
      this.ended = true;
      if (this.match.winner === null || !same(content, footerOf(this.match))) throw new RangeError("the end is wrong");
      return;
    }
    const first = this.match.names.indexOf(/** @type {string} */ (content.first_mover));
    if (first !== 0 && first !== 1) throw new RangeError("first_mover is not a player");
    const round = this.#begun(content, first);
    const cursor = new Cursor(this.tree);
    for (const square of round.moves) {
      if (cursor.forcedOutcome !== null) throw new RangeError("the round is decided before its last move");
      cursor.play(square);
    }
    const { review: _, help, account, ...compared } = content;
    if (help !== undefined && !isHelp(help)) throw new RangeError("help is wrong");
    if (account !== undefined && !isAccount(account)) throw new RangeError("account is wrong");
    const abandoned = Object.hasOwn(content, "abandoned") && content.abandoned !== false;
    const expected = await roundLine(this.match.names, round, this.tree);
    if (!same(compared, abandoned ? { ...expected, abandoned: true } : expected)) {
      throw new RangeError("score, goals, moves, result or commitment do not match");
    }
    this.#count(
      { ...round, ...(help && { hints: help.hints, looked: help.looked }), ...(account && { account }) },
      cursor.forcedOutcome !== null,
      abandoned,
    );
  }

  /** @param {RoundRecord} round @param {boolean} isOver @param {boolean} abandoned */
  #count(round, isOver, abandoned) {
    if (abandoned) {
      if (this.isPractice || isOver) throw new RangeError("only a round of an unfinished match can be abandoned");
      this.abandoned += 1;
      this.match = { ...this.match, round: null };
    } else if (!isOver) this.ended = true;
    else if (this.isPractice) this.match = { ...this.match, rounds: [...this.match.rounds, round] };
    else this.match = withRoundFinished({ ...this.match, round }, this.tree);
  }

  /** The round of a line, as it claims to have been played. @param {Content} content @param {Player} first */
  #begun(content, first) {
    const { goals, moves } = content;
    if (!isPair(goals, (goal) => GOALS.some((one) => goalName(one) === goal))) throw new RangeError("goals are wrong");
    if (!Array.isArray(moves) || !moves.every(isNumber)) throw new RangeError("moves are wrong");
    const bySeat = /** @type {string[]} */ (goals).map((goal) => GOALS.find((one) => goalName(one) === goal));
    const both = /** @type {[Goal, Goal]} */ (first === 0 ? bySeat : [bySeat[1], bySeat[0]]);
    const text = /** @type {any} */ (content.commitment)?.text;
    if (!this.isPractice && this.match.rounds.length + this.abandoned === 0) this.match = { ...this.match, first };
    const dealt = withNewRound({ ...this.match, round: null }, both, text).round;
    if (dealt === null || !isCommitment(text, dealt)) throw new RangeError("the commitment is to another goal");
    const round = { ...dealt, moves: /** @type {number[]} */ (moves) };
    return this.isPractice ? this.#practised(round, first, content.score) : round;
  }

  /** @param {RoundRecord} round @param {Player} first @param {unknown} score @returns {RoundRecord} */
  #practised(round, first, score) {
    if (!isPair(score, isNumber)) throw new RangeError("score is wrong");
    const points = /** @type {[number, number]} */ (score);
    const start = this.header.position === null ? null : parsePosition(this.header.position).position;
    const goesOn =
      start === null || same([start.score, start.moves], [points, round.moves.slice(0, start.moves.length)]);
    if (!goesOn) throw new RangeError("it does not continue from the position");
    return { ...round, score: points, first };
  }
}

/** @param {number} line @param {string} what */
function wrong(line, what) {
  return new RangeError(`line ${line}: ${what}`);
}

/** Fractions are no numbers here: `contentOf` made texts of them. @param {unknown} value @returns {value is number} */
function isNumber(value) {
  return typeof value === "number";
}

/** @param {(value: unknown) => boolean} isGood @returns {(value: unknown) => boolean} */
function orNull(isGood) {
  return (value) => value === null || isGood(value);
}

/**
 * What the person has looked at in a round, as this page writes it.
 *
 * @param {unknown} help
 * @returns {help is { hints: number, looked: boolean }}
 */
function isHelp(help) {
  const { hints, looked, ...others } = /** @type {any} */ (help ?? {});
  return isNumber(hints) && hints >= 0 && typeof looked === "boolean" && Object.keys(others).length === 0;
}

/** @param {string} text */
function isPrintable(text) {
  return /^(?:[^\p{C}\p{Z}]| )*$/u.test(text);
}

/** @param {unknown} names */
function areNames(names) {
  const isName = (/** @type {unknown} */ name) =>
    typeof name === "string" && isPrintable(name) && /^[^ ]+( [^ ]+)*$/.test(name) && [...name].length <= LONGEST_NAME;
  return isPair(names, isName) && /** @type {any} */ (names)[0] !== /** @type {any} */ (names)[1];
}

/** @param {unknown} text */
function isPosition(text) {
  try {
    parsePosition(/** @type {string} */ (text));
    return true;
  } catch {
    return false;
  }
}
