/** How a goal looks, everywhere: a colour, a sign and a shape. A reader who sees no colours tells them by the other two. */

import { GOAL_NAMES, goalName } from "../games/rules.js";
import { h, svg } from "./dom.js";

/** @typedef {import("../games/rules.js").Goal} Goal */

/** By goal: a triangle that stands, with a plus; one on its tip, with a minus; a square with an equals sign. */
const SHAPES = [
  "M12 1 23.5 22H.5zM10.7 10.5V14H7.2v2.6h3.5v3.5h2.6v-3.5h3.5V14h-3.5v-3.5z",
  "M12 23 .5 2h23zM6.5 6.2v2.7h11V6.2z",
  "M2 2v20h20V2zM6 7.3h12V10H6zM6 14h12v2.7H6z",
];

/** The class that gives an element the goal's colour, as --goal. @param {Goal} goal */
export function goalClass(goal) {
  return `of-${GOAL_NAMES[goal]}`;
}

/** The goal's sign, for the eye alone: its name stands or is heard beside it. @param {Goal} goal */
export function goalSign(goal) {
  return svg("svg", { class: "goal-sign", viewBox: "0 0 24 24", "aria-hidden": "true" }, goalShape(goal));
}

/** The same within a picture, 24 units wide. @param {Goal} goal @param {string} [transform]  To where it stands. */
export function goalShape(goal, transform) {
  return svg("path", { class: `goal-shape ${goalClass(goal)}`, d: SHAPES[goal], "fill-rule": "evenodd", transform });
}

/** The goal's name in its colour, behind its sign. @param {Goal} goal */
export function namedGoal(goal) {
  return h("span", { class: `named-goal ${goalClass(goal)}` }, goalSign(goal), goalName(goal));
}
