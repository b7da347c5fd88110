/** Luck and skill apart: a table with a signed bar for each part. */

import { h, svg } from "../../parts/dom.js";
import { totalOf } from "../../play/luck.js";
import { capitalized } from "../../parts/words.js";
import { chance, possessive, signedPoints } from "./wording.js";

/**
 * @typedef {import("../../play/luck.js").LuckParts} LuckParts
 */

/** Bars have a scale of at least so much match value, so that a trifle looks like one. */
const LEAST_SCALE = 0.1;

/** What luck is; {} is the opponent. */
const EXPLANATION = [
  "How many of 100 matches would you win, if both of you went on perfectly? " +
    "Every figure says how much that number changed. It rises when the goals that are drawn suit you: that is luck.",
  "So is the second figure. Often several moves are equally good, and perfect players draw one of them by lot. " +
    "How it then meets the goal that the other player hides, nobody could know.",
  "A mistake is a move that was worse than another one, judged by what its player could know then. " +
    "Yours cost you matches; those of {} give you some. One that the hidden goal happens to forgive " +
    "counts as much: luck gives it back. In the long run luck evens out, and mistakes are what is lost.",
];

/**
 * @param {LuckParts} parts
 * @param {number} before  Match value to the person before what is told of.
 * @param {number} after
 * @param {string} opponent  Such as "the bot".
 * @param {string} what  Such as "this round".
 * @returns {HTMLElement}
 */
export function luckPanel(parts, before, after, opponent, what) {
  const total = totalOf(parts);
  const scale = Math.max(LEAST_SCALE, total, ...Object.values(parts).map(Math.abs), -total);
  const rows = [
    row("Luck: the goals that were drawn", parts.goals, scale),
    row("Luck: how moves met hidden goals", parts.dice, scale),
    row("Your mistakes", parts.mistakes, scale),
    row(capitalized(`${possessive(opponent)} mistakes`), parts.gifts, scale),
    row("Together", total, scale, "total"),
  ];
  const change =
    `In ${what} your chance to win the match went from ${chance(before)} to ${chance(after)}, ` +
    "if both of you go on perfectly.";
  return h(
    "div",
    {},
    h(
      "table",
      { class: "luck" },
      h("caption", {}, "What each was worth to you, in matches out of 100:"),
      h("tbody", {}, ...rows),
    ),
    h("p", {}, change),
    explanation(opponent),
  );
}

/**
 * @param {string} label
 * @param {number} value
 * @param {number} scale
 * @param {string | null} kind  A class of the row.
 */
function row(label, value, scale, kind = null) {
  return h(
    "tr",
    { class: kind },
    h("th", { scope: "row" }, label),
    h("td", { class: "bar" }, bar(value / scale)),
    h("td", { class: "figure" }, signedPoints(value)),
  );
}

/** From the middle to the right, or to the left. @param {number} part  From -1 to 1. */
function bar(part) {
  const length = 50 * Math.abs(part);
  return svg(
    "svg",
    { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: part < 0 ? "minus" : "plus", x: part < 0 ? 50 - length : 50, y: 1, width: length, height: 8 }),
    svg("path", { class: "middle", d: "M50 0V10" }),
  );
}

/** @param {string} opponent */
function explanation(opponent) {
  return h(
    "details",
    { class: "luck-explained" },
    h("summary", {}, "What is luck here?"),
    ...EXPLANATION.map((text) => h("p", {}, text.replace("{}", opponent))),
  );
}
