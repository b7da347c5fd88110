/** What the board shows besides its marks: how often each goal marks a square, and what that costs. */

import { GOALS, goalName } from "../../games/rules.js";
import { percentagePoints } from "../../match/scores.js";
import { SEATS, costs, goalText, share } from "./explore_text.js";

/**
 * @typedef {import("../../games/rules.js").Goal} Goal
 * @typedef {import("../../play/view.js").View} View
 */

/** From how many points on a price has the next colour; below the first it has the one of small prices. */
const STEPS = [0.5, 2, 6, 15];
/** A bar of less would not be seen. */
const SEEN = 0.005;

/**
 * @param {View} view
 * @param {readonly number[]} free
 * @returns {import("../../parts/board_view.js").BoardState}
 */
export function boardState(view, free) {
  /** @type {Map<number, string>} */
  const notes = new Map();
  /** @type {Map<number, string>} */
  const heard = new Map();
  /** @type {Map<number, string>} */
  const classes = new Map();
  /** @type {Map<number, import("../../parts/board_view.js").Bar[]>} */
  const bars = new Map();
  const known = knownGoal(view);
  const goals = known === null ? GOALS : [known];
  view.choices.forEach(({ squares }, index) => {
    const of = goals.map((goal) => {
      const { cost, probability } = view.rows[goal].moves[index];
      return { goal, cost, often: probability / squares.length };
    });
    const free = of.filter(({ cost }) => cost === 0);
    const told = known === null ? of.map(inWords).join(", ") : `played: ${share(of[0].often)}`;
    const shade = known === null ? `fits-${free.length}` : priceShade(of[0].cost);
    for (const square of squares) {
      if (known !== null) notes.set(square, free.length > 0 ? "good" : `costs ${costs(of[0].cost)}`);
      heard.set(square, told);
      classes.set(square, shade);
      bars.set(
        square,
        of.filter(({ cost, often }) => cost === 0 || often >= SEEN),
      );
    }
  });
  return {
    moves: view.moves,
    playable: view.outcome === null ? free : [],
    notes,
    heard,
    classes,
    bars,
    numbered: true,
  };
}

/** @param {{ goal: Goal, cost: number, often: number }} bar */
function inWords({ goal, cost, often }) {
  return `${goalName(goal)} ${share(often)}${cost === 0 ? "" : ", which costs"}`;
}

/** Of who moves next; null where it is unknown, or nobody moves. @param {View} view */
function knownGoal(view) {
  return view.toMove === null ? null : view.goals[view.toMove];
}

/** The class of what has a price: its colour goes from good to bad. @param {number} cost  As in `Advice`. */
export function priceShade(cost) {
  const points = percentagePoints(cost);
  return cost === 0 ? "price-0" : `price-${1 + STEPS.filter((step) => points >= step).length}`;
}

/** What stands in the squares; empty where nothing does. @param {View} view */
export function caption(view) {
  if (view.choices.length === 0 || view.toMove === null) return "";
  const mover = SEATS[view.toMove];
  const goal = knownGoal(view);
  if (goal === null)
    return `Bars: how often a perfect ${mover} with that goal marks the square. Signs: the goals with which it costs nothing.`;
  const someCost = view.rows[goal].moves.some((cell) => cell.cost > 0);
  return [
    `The bar shows how often a perfect ${mover} marks the square.`,
    someCost
      ? `\u201ccosts\u201d: points of winning chance (of 100 matches) that ${mover} gives away there.`
      : `No square costs ${mover} anything if it wants ${goalText(goal)}.`,
  ].join(" ");
}
