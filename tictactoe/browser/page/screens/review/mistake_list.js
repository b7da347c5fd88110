/** Mistakes in words, worst first, each of them a link to its position. */

import { goalName } from "../../games/rules.js";
import { ofMatches } from "../../match/numbers.js";
import { addressOf } from "../../play/notation.js";
import { either, reason } from "../../play/reason.js";
import { h } from "../../parts/dom.js";
import { digitOf } from "../../parts/keypad.js";
import { positionPicture } from "./position_picture.js";

/**
 * @typedef {import("../../match/scores.js").Score} Score
 * @typedef {import("../../play/review.js").Mistake} Mistake
 */

/**
 * @param {readonly Mistake[]} mistakes
 * @param {string} opponent  Such as "the bot".
 * @param {string} solution  As `addressOf` takes it.
 * @param {boolean} tellRound  Whether they are of several rounds.
 * @returns {HTMLElement}
 */
export function mistakeList(mistakes, opponent, solution, tellRound = false) {
  if (mistakes.length === 0) return h("p", {}, "No mistakes: your moves cost nothing.");
  const items = mistakes.map((mistake) => h("li", {}, linkTo(mistake, opponent, solution, tellRound)));
  return h("div", {}, h("ol", { class: "mistakes" }, ...items), starNote(mistakes), scoreNote(mistakes));
}

/** @param {Mistake} mistake @param {string} opponent @param {string} solution @param {boolean} tellRound */
function linkTo({ played, move, goal, position }, opponent, solution, tellRound) {
  const why = reason(move.advice, goal, opponent, (square) => String(digitOf(square)), move.square);
  const better = either(move.best.map((square) => String(digitOf(square))));
  const row = move.missedRow ? ", which completes your row" : "";
  const where = tellRound ? `Round ${played.number}, you wanted to ${goalName(goal)}. ` : "";
  return h(
    "a",
    { class: "mistake", href: `#${addressOf(position, solution)}` },
    positionPicture(position.moves, move.square, move.best),
    h(
      "span",
      {},
      h("strong", {}, `${ofMatches(move.cost)}${move.offEquilibrium ? "*" : ""}`),
      ` ${where}Move ${move.number}: you marked ${digitOf(move.square)}. Better: ${better}${row}.`,
      why === "" ? null : ` Why: ${why}.`,
      " ",
      h("span", { class: "go" }, "Look at it"),
    ),
  );
}

/** @param {readonly Mistake[]} mistakes */
function starNote(mistakes) {
  if (!mistakes.some((mistake) => mistake.move.offEquilibrium)) return null;
  return h("p", { class: "muted" }, "* This solution is not refined: after such moves it may play badly.");
}

/** @param {readonly Mistake[]} mistakes */
function scoreNote(mistakes) {
  const first = mistakes[0];
  return first === undefined ? null : longerMatchNote(first.played.score, first.position.score);
}

/**
 * Where links lead to a score that is not the one that was played; null where they do not.
 *
 * @param {Score} played
 * @param {Score} solved
 */
export function longerMatchNote(played, solved) {
  if (played[0] === solved[0]) return null;
  return h(
    "p",
    { class: "muted" },
    "These positions are shown as in a longer match, at the score where both still need as many points.",
  );
}
