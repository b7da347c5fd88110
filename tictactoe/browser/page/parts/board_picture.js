/** A board as a small picture, for paper and for tables: nothing to be played on. */

import { SQUARES } from "../games/board.js";
import { goalName } from "../games/rules.js";
import { svg } from "./dom.js";
import { goalShape } from "./goal_sign.js";

/** @typedef {import("../games/rules.js").Goal} Goal */

/**
 * @param {string} marks  Nine letters, square 1 first: X, O, or a point for a free square.
 * @param {ReadonlyMap<number, Goal[]>} [answers]  The goals that play in free squares: their signs stand there.
 */
export function boardPicture(marks, answers = new Map()) {
  return svg(
    "svg",
    { class: "board-picture", viewBox: "0 0 96 96", role: "img", "aria-label": spoken(marks, answers) },
    svg("path", { class: "grid", d: "M33 3V93M63 3V93M3 33H93M3 63H93" }),
    ...SQUARES.flatMap((square) => content(marks.charAt(square - 1), square, answers.get(square) ?? [])),
  );
}

/** @param {string} mark @param {number} square @param {Goal[]} goals */
function content(mark, square, goals) {
  const x = 18 + 30 * ((square - 1) % 3);
  const y = 18 + 30 * Math.floor((square - 1) / 3);
  if (mark === "X") return [svg("path", { class: "x", d: `M${x - 7} ${y - 7}l14 14m0 -14l-14 14` })];
  if (mark === "O") return [svg("circle", { class: "o", cx: x, cy: y, r: 8 })];
  const size = goals.length === 1 ? 18 : 11.5;
  const places = [[[0, 0]], [[-6.5, 0], [6.5, 0]], [[0, -6.5], [-6.5, 6.5], [6.5, 6.5]]][goals.length - 1] ?? []; // prettier-ignore
  return goals.map((goal, index) => {
    const [across, down] = places[index];
    return goalShape(goal, `translate(${x + across - size / 2} ${y + down - size / 2}) scale(${size / 24})`);
  });
}

/** @param {string} marks @param {ReadonlyMap<number, Goal[]>} answers */
function spoken(marks, answers) {
  const parts = SQUARES.filter((square) => marks.charAt(square - 1) !== ".").map(
    (square) => `${marks.charAt(square - 1)} on ${square}`,
  );
  for (const [square, goals] of answers) parts.push(`to ${goals.map(goalName).join(" and ")}: ${square}`);
  return parts.length > 0 ? parts.join(", ") : "empty board";
}
