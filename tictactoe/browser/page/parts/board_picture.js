/** A board as a small picture, for paper and for tables: nothing to be played on. */

import { SQUARES } from "../games/board.js";
import { svg } from "./dom.js";

/**
 * @param {string} marks  Nine letters, square 1 first: X, O, or a point for a free square.
 * @param {ReadonlyMap<number, string>} [letters]  What stands in free squares.
 */
export function boardPicture(marks, letters = new Map()) {
  return svg(
    "svg",
    { class: "board-picture", viewBox: "0 0 96 96", role: "img", "aria-label": spoken(marks, letters) },
    svg("path", { class: "grid", d: "M33 3V93M63 3V93M3 33H93M3 63H93" }),
    ...SQUARES.map((square) => content(marks.charAt(square - 1), square, letters.get(square))),
  );
}

/** @param {string} mark @param {number} square @param {string | undefined} letters */
function content(mark, square, letters) {
  const x = 3 + 30 * ((square - 1) % 3);
  const y = 3 + 30 * Math.floor((square - 1) / 3);
  if (mark === "X") return svg("path", { class: "x", d: `M${x + 8} ${y + 8}l14 14m0 -14l-14 14` });
  if (mark === "O") return svg("circle", { class: "o", cx: x + 15, cy: y + 15, r: 8 });
  if (!letters) return null;
  const size = ["", "", " pair"][letters.length] ?? " narrow";
  return svg("text", { x: x + 15, y: y + 15, class: `letters${size}` }, letters);
}

/** @param {string} marks @param {ReadonlyMap<number, string>} letters */
function spoken(marks, letters) {
  const parts = SQUARES.filter((square) => marks.charAt(square - 1) !== ".").map(
    (square) => `${marks.charAt(square - 1)} on ${square}`,
  );
  for (const [square, text] of letters) parts.push(`${[...text].join(" and ")} play ${square}`);
  return parts.length > 0 ? parts.join(", ") : "empty board";
}
