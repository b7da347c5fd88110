/** What the board shows besides its marks: how often each square is played and what playing there costs. */

import { SEATS, costs, goalText, share } from "./explore_text.js";
import { shade } from "./choice_table.js";

/**
 * @param {import("../../play/view.js").View} view
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
  const known = view.toMove === null ? null : view.goals[view.toMove];
  const cells = known == null ? [] : view.rows[known]?.moves;
  view.choices.forEach(({ squares, probability }, index) => {
    const each = probability / squares.length;
    const cost = costs(cells?.[index]?.cost ?? 0);
    for (const square of squares) {
      notes.set(square, cost === "0" ? share(each) : `${share(each)}\ncosts ${cost}`);
      heard.set(square, `played ${share(each)} of the time${cost === "0" ? "" : `, costs ${cost} % of matches`}`);
      classes.set(square, `often-${shade(each)}`);
    }
  });
  return {
    moves: view.moves,
    playable: view.outcome === null ? free : [],
    lines: view.lines.flat(),
    notes,
    heard,
    classes,
    numbered: true,
  };
}

/** What the numbers in the squares mean; empty where there are none. @param {import("../../play/view.js").View} view */
export function caption(view) {
  if (view.choices.length === 0 || view.toMove === null) return "";
  const goal = view.goals[view.toMove] ?? null;
  const mover = SEATS[view.toMove];
  if (goal === null)
    return `% in a square: how often a perfect ${mover} plays there, its goal unknown. Mark one to go on.`;
  const plays = `% in a square: how often a perfect ${mover} plays there, if it wants ${goalText(goal)}.`;
  const anyCosts = view.rows[goal]?.moves.some((cell) => costs(cell.cost) !== "0");
  return anyCosts
    ? `${plays} costs: % of matches given away by that. Mark one to go on.`
    : `${plays} Mark one to go on.`;
}
