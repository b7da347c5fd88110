/** What the moves tell about both goals, and what the position is worth for each pair of them. */

import { GOALS, goalName } from "../../games/rules.js";
import { h } from "../../parts/dom.js";
import { goalClass, goalSign } from "../../parts/goal_sign.js";
import { SEATS, chance, goalText, goalWord, rarity, wins } from "./explore_text.js";

/** @typedef {import("../../play/view.js").View} View */

/**
 * How likely each goal of each player is, as bars and numbers, and how often one gets here.
 *
 * @param {View} view
 * @param {boolean} isRefined  Whether the solution knows how to go on after mistakes.
 * @returns {HTMLElement[]}
 */
export function beliefPanel(view, isRefined) {
  const cell = (
    /** @type {import("../../play/round_bot.js").Belief | null} */ belief,
    /** @type {import("../../games/rules.js").Goal} */ goal,
  ) => {
    const probability = belief?.[goal];
    if (probability === undefined) return h("td", { class: "belief-cell" }, "not known");
    const bar = h("span", { class: `belief-bar ${goalClass(goal)}`, "aria-hidden": "true" });
    bar.style.inlineSize = `${100 * probability}%`;
    return h("td", { class: "belief-cell" }, h("span", { class: "number" }, chance(probability)), bar);
  };
  const rows = GOALS.map((goal) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, goalSign(goal), `to ${goalName(goal)}`),
      ...view.beliefs.map((belief) => cell(belief, goal)),
    ),
  );
  const names = SEATS.map((seat) => h("th", { scope: "col", class: seat.toLowerCase() }, `${seat} wants`));
  const often = view.moves.length === 0 ? [] : [h("p", { class: "muted" }, historyText(view, isRefined))];
  return [
    h("p", { class: "muted" }, "What a player who knows perfect play concludes from the moves."),
    h(
      "table",
      { class: "beliefs", "aria-labelledby": "beliefs" },
      h("thead", {}, h("tr", {}, h("td", {}, h("span", { class: "only-heard" }, "Goal")), ...names)),
      h("tbody", {}, ...rows),
    ),
    ...often,
  ];
}

/** @param {View} view @param {boolean} isRefined */
function historyText(view, isRefined) {
  if (view.historyProbability === 0) {
    return isRefined
      ? "Two perfect players never get here: somebody has made a mistake. What is shown here is still right: the " +
          "bot has an answer to every mistake, and the best moves against that answer are computed."
      : "Two perfect players never get here: somebody has made a mistake.";
  }
  const often = rarity(view.historyProbability);
  const moves = "of rounds begin with these moves, or with the same moves turned or mirrored.";
  return `Between two perfect players ${often} ${moves}`;
}

/**
 * How many matches X wins for each pair of goals, and weighed by what the moves tell.
 *
 * @param {View} view
 * @returns {HTMLElement[]}
 */
export function valuePanel(view) {
  const [first, second] = view.goals;
  const shown = (/** @type {number | null} */ x, /** @type {number | null} */ o) => x === first && o === second;
  const cell = (/** @type {number} */ value, /** @type {boolean} */ here) =>
    h("td", { class: here ? "chosen" : null }, wins(value).replace("\u00a0%", ""));
  const weighed = (/** @type {(goal: number) => number} */ value, /** @type {number} */ seat) =>
    [0, 1, 2].reduce((sum, goal) => sum + view.observed[seat][goal] * value(goal), 0);
  const at = (/** @type {number} */ x, /** @type {number} */ o) => view.valueByGoals[x][o];
  const rows = GOALS.map((x) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, goalSign(x), goalWord(x)),
      ...GOALS.map((o) => cell(at(x, o), shown(x, o))),
      cell(
        weighed((o) => at(x, o), 1),
        shown(x, null),
      ),
    ),
  );
  const any = [
    ...GOALS.map((o) =>
      cell(
        weighed((x) => at(x, o), 0),
        shown(null, o),
      ),
    ),
    cell(
      weighed((x) => weighed((o) => at(x, o), 1), 0),
      shown(null, null),
    ),
  ];
  const names = [
    ...GOALS.map((goal) => h("th", { scope: "col" }, goalSign(goal), goalWord(goal))),
    h("th", { scope: "col" }, "any"),
  ];
  const table = h(
    "table",
    { class: "values", "aria-labelledby": "values" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col", rowspan: 2 }, "X wants"),
        h("th", { scope: "colgroup", colspan: names.length }, "O wants"),
      ),
      h("tr", {}, ...names),
    ),
    h("tbody", {}, ...rows, h("tr", {}, h("th", { scope: "row" }, "any"), ...any)),
  );
  return [
    h("p", { class: "muted" }, "How many of 100 matches X wins from here."),
    h("div", { class: "scroll", role: "region", "aria-labelledby": "values", tabindex: 0 }, table),
    h(
      "p",
      { class: "muted" },
      "Neither sees the other's goal. any: the mean over all goals, weighted by how likely the moves make each.",
    ),
    ...knownGoal(view),
  ];
}

/** What the mover gets for the opponent's goal that was given, which it cannot see. @param {View} view */
function knownGoal(view) {
  const seat = view.toMove;
  if (seat === null) return [];
  const other = view.goals[1 - seat];
  if (other == null) return [];
  const value = seat === 0 ? view.expectedValue : -view.expectedValue;
  const mover = SEATS[seat];
  const text = `If ${SEATS[1 - seat]} wants ${goalText(other)} (${mover} cannot see it), ${mover} wins ${wins(value)}.`;
  return [h("p", { class: "known-goal" }, text)];
}
