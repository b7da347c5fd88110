/** The moves so far, and those that are likeliest to follow, each of them a link to its position. */

import { h } from "../../parts/dom.js";
import { digitOf } from "../../parts/keypad.js";
import { SEATS, share } from "./explore_text.js";

/**
 * Nothing at the start of a round.
 *
 * @param {readonly number[]} moves
 * @param {(moves: readonly number[]) => string} linkTo
 * @returns {HTMLElement[]}
 */
export function movesSoFar(moves, linkTo) {
  if (moves.length === 0) return [];
  const items = moves.map((_, index) => moveItem(moves, index, moves.slice(0, index + 1), linkTo));
  return [h("h3", { id: "so-far" }, "So far"), h("ol", { class: "move-list", "aria-labelledby": "so-far" }, ...items)];
}

/**
 * Nothing where the end is certain.
 *
 * @param {import("../../play/view.js").View} view
 * @param {import("../../games/rules.js").Rules} rules
 * @param {(moves: readonly number[]) => string} linkTo
 * @returns {HTMLElement[]}
 */
export function likeliestCourse(view, rules, linkTo) {
  const line = view.likeliestLine;
  if (line === null) return [];
  const all = [...view.moves, ...line.squares];
  const items = line.squares.map((_, index) => {
    const at = view.moves.length + index;
    return moveItem(all, at, all.slice(0, at + 1), linkTo);
  });
  const often =
    line.probability > 1 - 1e-12
      ? "The round always continues like this"
      : `In ${share(line.probability)} of cases the round continues like this`;
  const end = `${often}. Then ${rules.outcomeData(line.outcome).happened}, whatever follows.`;
  return [h("ol", { class: "move-list", "aria-labelledby": "course" }, ...items), h("p", { class: "course-end" }, end)];
}

/**
 * @param {readonly number[]} all
 * @param {number} index
 * @param {readonly number[]} until
 * @param {(moves: readonly number[]) => string} linkTo
 */
function moveItem(all, index, until, linkTo) {
  const seat = SEATS[index % 2];
  const digit = digitOf(all[index]);
  const link = {
    href: linkTo(until),
    "aria-label": `Move ${index + 1}: ${seat} ${digit}`,
    "data-focus": `at ${until.join("")}`,
  };
  return h("li", {}, h("a", link, h("span", { class: seat.toLowerCase() }, seat), ` ${digit}`));
}
