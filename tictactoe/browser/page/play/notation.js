/**
 * Positions as text that people can send each other, and as the address of the page.
 *
 * @typedef {import("../games/rules.js").Goal} Goal
 * @typedef {import("../match/scores.js").Score} Score
 * @typedef {object} Position
 * @property {Score} score  Of the player who moves first, then of the other.
 * @property {readonly [Goal | null, Goal | null]} goals  In the same order; null is unknown.
 * @property {readonly number[]} moves  The squares played.
 * @property {number | undefined} [to]  The points of the match that is shown, where that is shorter than the solved one: both
 *   players then have so many points fewer as the match is shorter.
 */

import { GOALS } from "../games/rules.js";
import { parseScore, scoreText } from "../match/scores.js";

const GOAL_LETTERS = "wlt";
/** The digit of a numpad on each square, at index square - 1. It leads back, too. */
export const NUMPAD = [7, 8, 9, 4, 5, 6, 1, 2, 3];

/** @param {readonly [Goal | null, Goal | null]} goals */
function lettersOf(goals) {
  return goals.map((goal) => (goal === null ? "?" : GOAL_LETTERS[goal])).join("");
}

/** As every command of the program takes it: 4-3 w? 513. @param {Position} position */
export function positionText(position) {
  return `${scoreText(position.score)} ${lettersOf(position.goals)} ${position.moves.join("") || "-"}`;
}

/**
 * The part of the page's address behind the #: 4-3/w?/513, or filled/4-3/w?/513 for a solution that is not the first,
 * or 4-3/w?/513/to-3 where a match to 3 is shown.
 * A "?" is written "x", which no program that finds links in texts leaves out.
 *
 * @param {Position} position
 * @param {string} solution  Its name, empty for the first one of the page.
 */
export function addressOf(position, solution = "") {
  const parts = [scoreText(position.score), lettersOf(position.goals).replaceAll("?", "x"), position.moves.join("")];
  while (parts.length > 1 && (parts.at(-1) === "" || parts.at(-1) === "xx")) parts.pop();
  return [...(solution ? [solution] : []), ...parts, ...(position.to ? [`to-${position.to}`] : [])].join("/");
}

/**
 * Read what `addressOf` or `positionText` wrote, also as the program prints it: with the word "Position" before it, a
 * remark in parentheses after it, or an "n" before squares that are numbered as on a numpad. Throws RangeError saying
 * which part is wrong. Whether there is such a score, and the moves can be played, is not looked at.
 *
 * @param {string} text
 * @returns {{ position: Position, solution: string }}
 */
export function parsePosition(text) {
  const parts = unwrapped(text)
    .split(/[/ ]+/)
    .filter((part) => part !== "");
  const to = Number(/^to-(\d{1,9})$/.exec(parts.at(-1) ?? "")?.[1] ?? 0);
  if (to > 0) parts.pop();
  const solution = parts.length > 0 && !/^\d/.test(parts[0]) ? parts[0] : "";
  const [points = solution, goals = "??", moves = "-", ...rest] = solution ? parts.slice(1) : parts;
  const score = parseScore(points);
  if (!/^[wlt?x]{2}$/i.test(goals)) {
    throw new RangeError(`"${goals}" are not two goals: write w, l or t for each player, ? if unknown, such as w?`);
  }
  if (!/^(-|n?[1-9]+)$/i.test(moves) || new Set(moves).size < moves.length) {
    throw new RangeError(`"${moves}" are not moves: write different squares from 1 to 9, such as 513`);
  }
  if (rest.length > 0) throw new RangeError(`"${rest.join(" ")}" comes after the moves, where nothing belongs`);
  const [first, second] = [...goals.toLowerCase()].map(goalOf);
  const digits = [...moves].map(Number).filter((digit) => digit > 0);
  return {
    position: {
      score,
      goals: [first, second],
      moves: /^n/i.test(moves) ? digits.map((digit) => NUMPAD[digit - 1]) : digits,
      to: to || undefined,
    },
    solution,
  };
}

/** Without what a screen, or an address, puts around a position. @param {string} text */
function unwrapped(text) {
  const around = [/^\((.+)\)$/, /^position:? (.+)$/i, /^([^(]+) \(.*\)$/, /^#(.*)$/];
  return around.reduce((left, pattern) => pattern.exec(left)?.[1] ?? left, text.trim().replace(/\s+/g, " "));
}

/** @param {string} letter @returns {Goal | null} */
function goalOf(letter) {
  return GOALS.find((goal) => GOAL_LETTERS[goal] === letter) ?? null;
}
