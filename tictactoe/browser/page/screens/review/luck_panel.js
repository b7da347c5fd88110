/** Luck and skill apart: a table with a signed bar for each part. */

import { h, svg } from "../../parts/dom.js";
import { capitalized } from "../../parts/words.js";
import { figures, luckAndSkill } from "./review_words.js";
import { possessive, signed } from "./wording.js";

/**
 * @typedef {import("../../play/luck.js").LuckParts} LuckParts
 */

/** Bars have a scale of at least so many points of winning chance, so that a trifle looks like one. */
const LEAST_SCALE = 5;

/** What luck is; {} is the opponent. */
const EXPLANATION = [
  "How many of 100 matches would you win if you played on as well as possible, and {} did the same, or played as it " +
    "always does? Every figure says how much that number changed.",
  "Luck of the deal: some goals suit you, others do not.",
  "Luck during play: often several moves are equally good, and a perfect player picks one at random. " +
    "Then the other player\u2019s hidden goal decides how good the move was.",
  "A mistake is a move that was worse than another one, judged by what its player could know. " +
    "Your mistakes cost you matches; mistakes of {} give you some. " +
    "Sometimes the hidden goal forgives a mistake: it counts all the same, and luck gives it back.",
  "In the long run luck evens out. What mistakes cost is lost.",
];

/**
 * @param {LuckParts} parts
 * @param {number} before  Match value to the person before what is told of.
 * @param {number} after
 * @param {string} opponent  Such as "the bot".
 * @returns {HTMLElement}
 */
export function luckPanel(parts, before, after, opponent) {
  const { start, goals, dice, mistakes, gifts, result } = figures(parts, before, after);
  const total = result - start;
  const scale = Math.max(LEAST_SCALE, ...[goals, dice, mistakes, gifts, total].map(Math.abs));
  const rows = [
    row("Luck of the deal", goals, scale),
    row("Luck during play", dice, scale),
    row("Your mistakes", mistakes, scale),
    ...(parts.isFixed ? [] : [row(capitalized(`${possessive(opponent)} mistakes`), gifts, scale)]),
    row("Together", total, scale, "total"),
  ];
  const [began, ...why] = luckAndSkill(parts, before, after, opponent);
  return h(
    "div",
    {},
    h("table", { class: "luck" }, h("caption", {}, began), h("tbody", {}, ...rows)),
    ...why.map((line) => h("p", {}, line)),
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
    h("td", { class: "figure" }, signed(value)),
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
    ...EXPLANATION.map((text) =>
      h(
        "p",
        {},
        text.replace("{}", () => opponent),
      ),
    ),
  );
}
