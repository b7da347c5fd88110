/** A small picture of a position in which a move was a mistake, with what was marked. */

import { svg } from "../../parts/dom.js";

/**
 * @param {readonly number[]} moves  Before the mistake.
 * @param {number} square  What was marked.
 * @returns {Element}
 */
export function positionPicture(moves, square) {
  const marks = [...moves, square].map((one, index) => markAt(one, index % 2 === 0, index === moves.length));
  const lines = svg("path", { class: "grid", d: "M10 1V29M20 1V29M1 10H29M1 20H29" });
  return svg("svg", { class: "position-picture", viewBox: "0 0 30 30", "aria-hidden": "true" }, lines, ...marks);
}

/** @param {number} square @param {boolean} isX @param {boolean} isMistake */
function markAt(square, isX, isMistake) {
  const [x, y] = middle(square);
  const group = isMistake ? "mistaken" : isX ? "x" : "o";
  if (!isX) return svg("circle", { class: group, cx: x, cy: y, r: 2.8 });
  return svg("path", { class: group, d: `M${x - 2.5} ${y - 2.5}l5 5m0 -5l-5 5` });
}

/** @param {number} square @returns {[number, number]} */
function middle(square) {
  return [5 + 10 * ((square - 1) % 3), 5 + 10 * Math.floor((square - 1) / 3)];
}
