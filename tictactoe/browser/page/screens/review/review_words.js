/**
 * A review in words: sentences about mistakes, what they cost, luck and skill, as the program in a terminal says them.
 * Their reader is "you". No elements.
 *
 * @typedef {import("../../play/luck.js").LuckParts} LuckParts
 * @typedef {import("../../play/review.js").Mistake} Mistake
 * @typedef {object} Speech  How squares and the other player are called.
 * @property {string} opponent  Such as "the bot".
 * @property {(square: number) => string} digit
 */

import { counted } from "../../match/numbers.js";
import { percentagePoints } from "../../match/scores.js";
import { either, reason } from "../../play/reason.js";
import { digitOf } from "../../parts/keypad.js";
import { beginning } from "../../parts/words.js";
import { possessive, signed } from "./wording.js";

export const NO_MISTAKES = "You made no mistakes.";
export const FORMULA =
  "Accuracy of a move: 100 \u00d7 (1 \u2212 its cost \u00f7 the cost of the worst move), so the best move has 100 and the worst 0. " +
  "Moves without a choice, and those where all squares are equally good, do not count. Accuracy is the mean of the rest.";

/** The marks of mistakes, and from how many points on. @type {readonly (readonly [string, number])[]} */
const MARKS = [
  ["??", 5],
  ["?", 2],
  ["?!", 0],
];
export const MARKS_IN_SHORT = "?? is a big mistake, ? a medium one, ?! a small one.";
const OF_WHAT = " of winning chance";

/** With the digits on the squares of this page. @param {string} opponent @returns {Speech} */
export function speechOnPage(opponent) {
  return { opponent, digit: (square) => String(digitOf(square)) };
}

/** The mark of a mistake: ?!, ? or ??. @param {number} cost  In match value. */
export function markOf(cost) {
  return MARKS.find(([, least]) => percentagePoints(cost) >= least)?.[0] ?? "";
}

/** What the marks mean. */
export function thresholds() {
  const [[worst, veryBad], [bad, middle], [doubtful]] = /** @type {[[string, number], [string, number], [string]]} */ (
    MARKS
  );
  const least = `${doubtful} costs less than ${middle}\u00a0points${OF_WHAT}`;
  const more = `${bad} ${middle}\u00a0points or more, ${worst} ${veryBad}\u00a0points or more`;
  return `Mistakes are marked: ${least}, ${more}.`;
}

/** What stands above mistakes, or where they would be. @param {number} count */
export function mistakesHeading(count) {
  if (count === 0) return "Your moves";
  return count > 1 ? "Your mistakes, worst first" : "Your mistake";
}

/**
 * A mistake, without its mark.
 *
 * @param {Mistake} mistake
 * @param {Speech} speech
 * @param {{ where?: string, short?: boolean, answers?: boolean }} told  where: the round, if it must be said. short:
 *   what costs are a part of has been said. answers: whether to say what was better.
 */
export function inWords(mistake, speech, { where = "", short = false, answers = true } = {}) {
  const { move } = mistake;
  const sentences = [
    whoMarked("you", move.number, speech.digit(move.square), where),
    `This cost you ${figure(move.cost)}${short ? "" : OF_WHAT}.`,
    answers ? better(mistake, speech) : "",
    why(mistake, speech),
  ];
  return sentences.filter(Boolean).join(" ");
}

/**
 * The sentence "Move 5: you marked 7.".
 *
 * @param {string} who
 * @param {number} number
 * @param {string} digit
 * @param {string} where
 */
export function whoMarked(who, number, digit, where = "") {
  return `${where === "" ? "Move" : `${where}, move`} ${number}: ${who} marked ${digit}.`;
}

/** The sentence "Square 8 was better.". @param {Mistake} mistake @param {Speech} speech */
export function better(mistake, speech) {
  const { best } = mistake.move;
  const [word, why] = comparison(mistake, speech);
  return `Square${best.length > 1 ? "s" : ""} ${either(best.map(speech.digit))} ${best.length > 1 ? "were" : "was"} ${word}${why}.`;
}

/** Of the better squares: "better" or "safer", and why, where that is short. @param {Mistake} mistake @param {Speech} speech */
function comparison(mistake, speech) {
  const { best, missedRow, betrays } = mistake.move;
  const each = best.length > 1 ? "each" : "it";
  if (missedRow) return ["better", `: ${each} completes your row`];
  return betrays && why(mistake, speech) === "" ? ["safer", `: ${each} tells less about your goal`] : ["better", ""];
}

/**
 * One sentence, or two, about a round: who scored, and what its worst mistake was.
 *
 * @param {readonly [boolean, boolean]} scored  You, then the other player.
 * @param {readonly Mistake[]} mistakes  Worst first.
 * @param {Speech} speech
 */
export function inShort(scored, mistakes, speech) {
  const [mine, theirs] = scored;
  const other = speech.opponent;
  const who =
    mine && theirs
      ? `You and ${other} scored`
      : mine
        ? "You scored"
        : theirs
          ? `${beginning(other)} scored`
          : "Nobody scored";
  return `${who}. ${advice(mistakes, speech)}`;
}

/**
 * The sentence "7 would have been safer than 3: it tells less about your goal.", or that there was no mistake.
 *
 * @param {readonly Mistake[]} mistakes  Worst first.
 * @param {Speech} speech
 */
export function advice(mistakes, speech) {
  if (mistakes.length === 0) return NO_MISTAKES;
  const { best, square } = mistakes[0].move;
  const [word, advantage] = comparison(mistakes[0], speech);
  const fault = reasonOf(mistakes[0], speech);
  const told = advantage || (fault && (fault.startsWith("you could") ? `, after which ${fault}` : `, which ${fault}`));
  return `${either(best.map(speech.digit))} would have been ${word} than ${speech.digit(square)}${told}.`;
}

/**
 * The sentence "Square 6 completes your row, no point for you."; empty where the reason is not short.
 *
 * @param {Mistake} mistake
 * @param {Speech} speech
 */
function why(mistake, speech) {
  const said = reasonOf(mistake, speech);
  if (said === "") return "";
  return `${said.startsWith("you could") ? "Then" : `Square ${speech.digit(mistake.move.square)}`} ${said}.`;
}

/** @param {Mistake} mistake @param {Speech} speech */
function reasonOf({ move, goal }, { opponent, digit }) {
  return reason(move.advice, goal, opponent, digit, move.square);
}

/** What is said of the move that was made in place of a mistake. @param {readonly Mistake[]} mistakes @param {Speech} speech */
export function onceMore(mistakes, speech) {
  if (mistakes.length === 0) return "That costs nothing: well played.";
  return `${markOf(mistakes[0].move.cost)} ${inWords(mistakes[0], speech)}`;
}

/** What is told in place of so many mistakes. @param {readonly Mistake[]} rest */
export function restInWords(rest) {
  return `${counted(rest.length, "more mistake")}: ${kinds(rest)}.`;
}

/** How many there are of each kind, the worst first: 1 ??, 3 ?!. @param {readonly Mistake[]} mistakes */
export function kinds(mistakes) {
  return MARKS.map(([mark]) => [mistakes.filter(({ move }) => markOf(move.cost) === mark).length, mark])
    .filter(([count]) => count)
    .map((kind) => kind.join(" "))
    .join(", ");
}

/**
 * The figures of luck and skill in points of winning chance, with the digits that are shown. They add up: start, goals,
 * dice, mistakes and gifts together are the result.
 *
 * @param {LuckParts} parts
 * @param {number} before  Match value to you.
 * @param {number} after
 */
export function figures(parts, before, after) {
  const [start, result] = [50 + rounded(before), 50 + rounded(after)];
  const [goals, mistakes, gifts] = [rounded(parts.goals), rounded(parts.mistakes), rounded(parts.gifts)];
  return { start, goals, dice: result - start - goals - mistakes - gifts, mistakes, gifts, result };
}

/**
 * Where you began and ended, what luck and what skill did. The figures add up.
 *
 * @param {LuckParts} parts
 * @param {number} before  Match value to you.
 * @param {number} after
 * @param {string} opponent
 * @returns {[string, string, string]}
 */
export function luckAndSkill(parts, before, after, opponent) {
  const { start, goals, dice, mistakes: own, gifts: others, result } = figures(parts, before, after);
  const points = (/** @type {number} */ value) => `${signed(value)}\u00a0points`;
  const theirs = possessive(opponent);
  return [
    `You began with ${percentText(start)} and ended with ${percentText(result)}. This is how:`,
    `Luck ${points(goals + dice)}${OF_WHAT}: the goals that were dealt, ` +
      (parts.isFixed
        ? `what a player could not know, and how ${opponent} moved.`
        : "and what a player could not know."),
    `Skill ${points(own + others)}: your mistakes` +
      (parts.isFixed ? `; ${theirs} play is fixed.` : ` ${points(own)}, ${theirs} ${points(others)}.`),
  ];
}

/** In points of winning chance, with the digits that are shown. @param {number} value */
function rounded(value) {
  return Number(percentagePoints(value).toFixed(2));
}

/** @param {number} points */
function percentText(points) {
  return `${points.toFixed(2)}\u00a0%`;
}

/** Of a cost. @param {number} cost */
function figure(cost) {
  return `${percentagePoints(cost).toFixed(2)}\u00a0points`;
}

/** Of a move in a list: its square and, of a mistake, its mark. @param {string} digit @param {number} cost */
export function withMark(digit, cost) {
  return cost > 0 ? `${digit}${markOf(cost)}` : digit;
}
