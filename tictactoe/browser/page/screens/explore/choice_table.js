/** What the player whose turn it is can do: rows for each goal that it may have, a column for each move. */

import { h } from "../../parts/dom.js";
import { otherSeat } from "../../games/rules.js";
import { SEATS, costs, digits, goalText, share, wins } from "./explore_text.js";

/**
 * @typedef {import("../../games/rules.js").Goal} Goal
 * @typedef {import("../../play/view.js").View} View
 * @typedef {object} TableActions
 * @property {(square: number) => string} linkTo  The link to the position after a move.
 * @property {(goal: Goal | null) => void} chooseGoal  Called for the mover.
 */

/**
 * Nothing where the round is over; values alone where its end is certain.
 *
 * @param {View} view
 * @param {TableActions} actions
 * @returns {HTMLElement[]}
 */
export function choiceTable(view, actions) {
  const seat = view.toMove;
  if (seat === null || view.anyRow === null) return [];
  const mover = String(SEATS[seat]);
  const moves = view.anyRow.moves;
  const table = h(
    "table",
    { class: "choice-table" },
    h("caption", { class: "only-heard" }, `For each goal that ${mover} may have: what each move is worth and costs`),
    moves.length > 0 && h("thead", {}, headings(mover, moves, actions)),
    ...view.rows.map((row) => goalRows(row, view.goals[seat] ?? null, actions)),
    anyRow(view.anyRow),
  );
  const heading = h("h2", { id: "choices" }, `What ${mover} can do`);
  const place = h("div", { class: "scroll", role: "region", "aria-labelledby": "choices", tabindex: 0 }, table);
  return [heading, place, legend(mover, String(SEATS[otherSeat(seat)]), moves.length > 0)];
}

/** @param {string} mover @param {import("../../play/view.js").Share[]} moves @param {TableActions} actions */
function headings(mover, moves, actions) {
  const columns = moves.map(({ squares }) => {
    const same = squares.length > 1 ? `, the same as ${digits(squares.slice(1))}` : "";
    const label = `Play ${digits(squares.slice(0, 1))}${same}`;
    const link = { href: actions.linkTo(Number(squares[0])), "aria-label": label, "data-focus": `move ${squares[0]}` };
    return h("th", { scope: "col" }, h("a", link, digits(squares)));
  });
  return h("tr", {}, h("th", { scope: "col" }, mover), ...columns);
}

/**
 * @param {import("../../play/view.js").GoalRow} row
 * @param {Goal | null} known
 * @param {TableActions} actions
 */
function goalRows({ goal, value, moves }, known, actions) {
  const chosen = goal === known;
  const button = h(
    "button",
    {
      type: "button",
      class: "goal",
      "aria-pressed": String(chosen),
      "data-focus": `goal ${goal}`,
      onclick: () => actions.chooseGoal(chosen ? null : goal),
    },
    goalText(goal),
  );
  const group = h("tbody", { class: chosen ? "chosen" : null }, groupHeading(moves.length, button, value));
  if (moves.length > 0) {
    group.append(
      line(
        "plays",
        moves.map((cell) => playsCell(cell.probability)),
      ),
      line(
        "wins",
        moves.map((cell) => h("td", {}, wins(cell.value))),
      ),
      line(
        "costs",
        moves.map((cell) => h("td", { class: costs(cell.cost) === "0" ? "best" : null }, costs(cell.cost))),
      ),
    );
  }
  return group;
}

/** @param {import("../../play/view.js").AnyRow} row */
function anyRow({ value, moves }) {
  const group = h(
    "tbody",
    { class: "any" },
    groupHeading(moves.length, h("span", { class: "goal" }, "any goal"), value),
  );
  if (moves.length > 0)
    group.append(
      line(
        "plays",
        moves.map((move) => playsCell(move.probability)),
      ),
    );
  return group;
}

/** @param {number} numMoves @param {HTMLElement} name @param {number} value */
function groupHeading(numMoves, name, value) {
  const inside = h(
    "div",
    { class: "of-goal" },
    name,
    h("span", {}, "wins ", h("span", { class: "worth" }, wins(value))),
  );
  return h("tr", {}, h("th", { scope: "rowgroup", colspan: numMoves + 1 }, inside));
}

/** @param {"plays" | "wins" | "costs"} label @param {HTMLElement[]} cells */
function line(label, cells) {
  return h("tr", { class: label }, h("th", { scope: "row" }, label), ...cells);
}

/** @param {number} probability */
function playsCell(probability) {
  return h("td", { class: `often-${shade(probability)}` }, share(probability));
}

/** From 0 to 10, how dark what is played so often is drawn; 0 for never. @param {number} probability */
export function shade(probability) {
  return Math.ceil(10 * Math.min(probability, 1) - 1e-6);
}

/** What the words of the table mean. @param {string} mover @param {string} other @param {boolean} withMoves */
function legend(mover, other, withMoves) {
  const item = (/** @type {string} */ word, /** @type {string} */ text) =>
    h("div", {}, h("dt", {}, word), h("dd", {}, text));
  return h(
    "dl",
    { class: "legend" },
    item("wins", `% of matches ${mover} wins with that goal, not seeing ${other}'s.`),
    ...(withMoves
      ? [
          item("plays", `how often ${mover} makes the move; squares of a column are the same by symmetry.`),
          item("costs", "% of matches given away against the best move."),
        ]
      : []),
    item("any goal", "all goals, weighed by how likely each is."),
  );
}
