/** What the board shows besides its marks: what it costs to mark each square. */

import { GOAL_NAMES, goalName } from "../../games/rules.js";
import { percentagePoints } from "../../match/scores.js";
import { SEATS, costs, goalText, share } from "./explore_text.js";

/** @typedef {import("../../play/view.js").View} View */

/** From how many points on a price has the next colour; below the first it has the one of small prices. */
const STEPS = [0.5, 2, 6, 15];

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
  const known = knownGoal(view);
  view.choices.forEach(({ squares, probability }, index) => {
    const told =
      known === null ? byGoals(view, index) : byPrice(view.rows[known].moves[index].cost, probability / squares.length);
    for (const square of squares) {
      notes.set(square, told.note);
      heard.set(square, told.heard);
      classes.set(square, told.shade);
    }
  });
  return {
    moves: view.moves,
    playable: view.outcome === null ? free : [],
    notes,
    heard,
    classes,
    numbered: true,
  };
}

/** Of who moves next; null where it is unknown, or nobody moves. @param {View} view */
function knownGoal(view) {
  return view.toMove === null ? null : view.goals[view.toMove];
}

/** @param {number} cost @param {number} each  How often one of the squares is marked. */
function byPrice(cost, each) {
  const often = share(each);
  const played = { never: "", always: "always played" }[often] ?? `played ${often}`;
  const price = cost === 0 ? "good" : `costs ${costs(cost)}`;
  return {
    note: [price, played].filter(Boolean).join("\n"),
    heard: "",
    shade: priceShade(cost),
  };
}

/** With which goals the move costs nothing. @param {View} view @param {number} index */
function byGoals(view, index) {
  const fits = view.rows.filter((row) => row.moves[index].cost === 0).map(({ goal }) => goalName(goal));
  const named = fits.join(", ") || "no goal";
  const note = fits.length === GOAL_NAMES.length ? "any goal" : named;
  return { note, heard: "good for these goals", shade: `fits-${fits.length}` };
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
    return `Each square says for which goals of ${mover} it costs nothing. Choose a goal to see the prices.`;
  const someCost = view.rows[goal].moves.some((cell) => cell.cost > 0);
  const mixed = view.choices.some(({ squares, probability }) => share(probability / squares.length).includes("%"));
  return [
    someCost
      ? `\u201ccosts\u201d: points of winning chance that ${mover} gives away there, of 100 matches.`
      : `No square costs ${mover} anything if it wants ${goalText(goal)}.`,
    ...(mixed ? [`\u201cplayed\u201d: how often a perfect ${mover} marks it.`] : []),
  ].join(" ");
}
