/** What the player whose turn it is can do: rows for each goal that it may have, a column for each move. */

import { h } from "../../parts/dom.js";
import { goalSign } from "../../parts/goal_sign.js";
import { otherSeat } from "../../games/rules.js";
import { priceShade } from "./board_notes.js";
import { SEATS, costs, digits, goalText, share, wins } from "./explore_text.js";

/**
 * @typedef {import("../../games/rules.js").Goal} Goal
 * @typedef {import("../../play/view.js").View} View
 */

/**
 * Nothing where the round is over; values alone where its end is certain.
 *
 * @param {View} view
 * @param {(square: number) => string} linkTo  The link to the position after a move.
 * @returns {HTMLElement[]}
 */
export function choiceTable(view, linkTo) {
  const seat = view.toMove;
  if (seat === null || view.anyRow === null) return [];
  const mover = SEATS[seat];
  const moves = view.anyRow.moves;
  const table = h(
    "table",
    { class: "choice-table" },
    h("caption", { class: "only-heard" }, `For each goal that ${mover} may have: what each move is worth and costs`),
    moves.length > 0 && h("thead", {}, headings(mover, moves, linkTo)),
    ...view.rows.map((row) => goalRows(row, view.goals[seat])),
    anyRow(view.anyRow),
  );
  const place = h("div", { class: "scroll", role: "region", "aria-labelledby": "choices", tabindex: 0 }, table);
  return [place, legend(mover, SEATS[otherSeat(seat)], moves.length > 0)];
}

/**
 * @param {string} mover
 * @param {import("../../play/view.js").Share[]} moves
 * @param {(square: number) => string} linkTo
 */
function headings(mover, moves, linkTo) {
  const columns = moves.map(({ squares }) => {
    const label = `Play ${digits(squares)}${squares.length > 1 ? ", which are the same" : ""}`;
    const link = { href: linkTo(squares[0]), "aria-label": label, "data-focus": `move ${squares[0]}` };
    return h("th", { scope: "col" }, h("a", link, digits(squares)));
  });
  return h("tr", {}, h("th", { scope: "col" }, `${mover} marks`), ...columns);
}

/** @param {import("../../play/view.js").GoalRow} row @param {Goal | null} known */
function goalRows({ goal, value, moves }, known) {
  const chosen = goal === known;
  const chosenToo = chosen && h("span", { class: "only-heard" }, ", chosen");
  const name = h("span", { class: "goal" }, goalSign(goal), goalText(goal), chosenToo);
  const group = h("tbody", { class: chosen ? "chosen" : null }, groupHeading(moves.length, name, value));
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
        moves.map((cell) => h("td", { class: priceShade(cell.cost) }, costs(cell.cost))),
      ),
    );
  }
  return group;
}

/** @param {import("../../play/view.js").AnyRow} row */
function anyRow({ value, moves }) {
  const group = h("tbody", {}, groupHeading(moves.length, h("span", { class: "goal" }, "any goal"), value));
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
    h("span", { class: "muted" }, "wins ", h("span", { class: "worth" }, wins(value))),
  );
  return h("tr", {}, h("th", { scope: "rowgroup", colspan: numMoves + 1 }, inside));
}

/** @param {"plays" | "wins" | "costs"} label @param {HTMLElement[]} cells */
function line(label, cells) {
  return h("tr", { class: label }, h("th", { scope: "row" }, label), ...cells);
}

/** @param {number} probability */
function playsCell(probability) {
  return h("td", {}, share(probability));
}

/** What the words of the table mean. @param {string} mover @param {string} other @param {boolean} withMoves */
function legend(mover, other, withMoves) {
  const item = (/** @type {string} */ word, /** @type {string} */ text) =>
    h("div", {}, h("dt", {}, word), h("dd", {}, text));
  return h(
    "dl",
    { class: "legend" },
    item("wins", `the share of matches that ${mover} wins with that goal, without seeing ${other}'s.`),
    ...(withMoves
      ? [
          item("plays", `how often a perfect ${mover} makes the move; the squares of a column are mirror images.`),
          item("costs", "points of winning chance (of 100 matches) that the move loses compared with the best one."),
        ]
      : []),
    item("any goal", "the mean over all goals, weighted by how likely the moves make each."),
  );
}
