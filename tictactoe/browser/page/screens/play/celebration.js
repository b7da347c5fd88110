/** A person's point is heard, and when a person has won a match, a little paper falls over the table. */

import { h } from "../../parts/dom.js";
import { prefersStillness } from "../../parts/motion.js";
import { play as playSound } from "../../parts/sound.js";
import { PERSON } from "./match_flow.js";

const PIECES = 28;
/** Milliseconds until all of it has fallen, as in the style sheet. */
const FALL = 2600;
const COLOURS = ["x", "o", "good", "accent"];

/**
 * What comes of a round.
 *
 * @param {import("./match_flow.js").MatchFlow} flow  Whose round is just over.
 * @param {readonly [boolean, boolean]} scored
 * @param {HTMLElement} place  Where paper may fall.
 */
export function celebrate({ match, isShared }, scored, place) {
  if (match.winner !== null && (match.winner === PERSON || isShared)) {
    playSound("match");
    throwConfetti(place);
  } else if (scored[PERSON] || (isShared && scored[1])) playSound("point");
}

/** @param {HTMLElement} place  It is gone from there when it has fallen. */
function throwConfetti(place) {
  if (prefersStillness()) return;
  const pieces = Array.from({ length: PIECES }, (_, index) => {
    const piece = h("i", {});
    const { style } = piece;
    style.setProperty("--from", `${Math.round((100 * (index + Math.random())) / PIECES)}%`);
    style.setProperty("--drift", `${Math.round(8 * Math.random() - 4)}rem`);
    style.setProperty("--spin", `${Math.round(900 * Math.random() - 450)}deg`);
    style.setProperty("--late", `${Math.round(700 * Math.random())}ms`);
    style.setProperty("--paper", `var(--${COLOURS[index % COLOURS.length]})`);
    return piece;
  });
  const confetti = h("div", { class: "confetti", "aria-hidden": "true" }, ...pieces);
  place.append(confetti);
  setTimeout(() => confetti.remove(), FALL + 700);
}
