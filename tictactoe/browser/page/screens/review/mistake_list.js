/**
 * Mistakes in words, worst first, each of them with a way to play its position again, and to look at it. What was
 * better is told on request: whoever tries again finds it.
 */

import { addressOf } from "../../play/notation.js";
import { h } from "../../parts/dom.js";
import { namedGoal } from "../../parts/goal_sign.js";
import { positionPicture } from "./position_picture.js";
import { NO_MISTAKES, better, inWords, markOf, speechOnPage } from "./review_words.js";

/**
 * @typedef {import("../../play/notation.js").Position} Position
 * @typedef {import("../../play/review.js").Mistake} Mistake
 */

export const TRY_AGAIN = "Try again from here";

/**
 * @param {readonly Mistake[]} mistakes
 * @param {string} opponent  Such as "the bot".
 * @param {string} solution  As `addressOf` takes it.
 * @param {{ tellRound?: boolean, told?: number }} [options]  tellRound: whether they are of several rounds. told: how
 *   many others have been told before.
 * @returns {HTMLElement}
 */
export function mistakeList(mistakes, opponent, solution, { tellRound = false, told = 0 } = {}) {
  if (mistakes.length === 0) return h("p", {}, NO_MISTAKES);
  const speech = speechOnPage(opponent);
  const items = mistakes.map((mistake, index) => {
    const { played, goal } = mistake;
    const where = tellRound ? `Round ${played.number}` : "";
    const text = inWords(mistake, speech, { where, short: told + index > 0, answers: false });
    const wanted = tellRound ? [" You wanted to ", namedGoal(goal), "."] : [];
    return h("li", { class: "mistake" }, ...card(mistake, [text, ...wanted], better(mistake, speech), solution));
  });
  return h("div", {}, h("ol", { class: "mistakes" }, ...items), starNote(mistakes), fixedNote(mistakes));
}

/** @param {Mistake} mistake @param {(string | Node)[]} text @param {string} answer @param {string} solution */
function card({ move, position }, text, answer, solution) {
  return [
    positionPicture(position.moves, move.square),
    h("p", {}, h("strong", {}, `${markOf(move.cost)}${move.offEquilibrium ? "*" : ""}`), " ", ...text),
    h(
      "p",
      { class: "actions" },
      h("a", { class: "button", href: `#${placeToPlay(position, solution)}` }, TRY_AGAIN),
      h("a", { class: "button", href: `#${addressOf(position, solution)}` }, "Look at it"),
    ),
    h("details", {}, h("summary", {}, "What was better?"), h("p", {}, answer)),
  ];
}

/** The address at which a position is played against the bot. @param {Position} position @param {string} solution */
export function placeToPlay(position, solution) {
  return `play/${addressOf(position, solution)}`;
}

/** @param {readonly Mistake[]} mistakes */
function starNote(mistakes) {
  if (!mistakes.some((mistake) => mistake.move.offEquilibrium)) return null;
  return h("p", { class: "muted" }, "* This solution is not refined: after such moves it may play badly.");
}

/** @param {readonly Mistake[]} mistakes */
function fixedNote(mistakes) {
  if (!mistakes.some((mistake) => mistake.isFixed)) return null;
  return h(
    "p",
    { class: "muted" },
    "\u201cLook at it\u201d shows how perfect players play, not the best answers to this bot.",
  );
}
