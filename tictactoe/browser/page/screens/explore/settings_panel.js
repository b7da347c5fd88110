/** What to look at: by which rules, at which score, with which goals. */

import { capitalized } from "../../parts/words.js";
import { GOALS } from "../../games/rules.js";
import { h } from "../../parts/dom.js";
import { SEATS, goalText, goalWord } from "./explore_text.js";
import { scoreMap } from "./score_map.js";

/**
 * @typedef {import("../../games/rules.js").Goal} Goal
 * @typedef {import("../../parts/place.js").Place} Place
 * @typedef {object} SettingsActions
 * @property {(name: string) => void} chooseRules  By the solution's name.
 * @property {(seat: 0 | 1, goal: Goal | null) => void} chooseGoal
 * @property {(score: import("../../match/scores.js").Score) => string} linkToScore
 */

/** The choices as fields, a map and the rules in words, of the position that `render` was given. */
export class SettingsPanel {
  /** @param {import("../../loading/solution_loader.js").Catalogue} catalogue @param {SettingsActions} actions */
  constructor(catalogue, actions) {
    this.actions = actions;
    const names = catalogue.solutions.map((solution) =>
      h("option", { value: solution.name }, capitalized(solution.data.rules.title)),
    );
    this.rules = h("select", { name: "rules", onchange: () => actions.chooseRules(this.rules.value) }, ...names);
    this.goals = /** @type {const} */ ([0, 1]).map((seat) => this.#goalChoice(seat));
    this.rulesText = h("div");
    this.scorePlace = h("div", { class: "scroll", role: "region", "aria-label": "All scores", tabindex: 0 });
    const labelled = (/** @type {string} */ label, /** @type {HTMLElement} */ field) =>
      h("label", {}, h("span", { class: "muted" }, label), field);
    this.content = [
      h(
        "div",
        { class: "choices-row" },
        ...this.goals.map((choice, seat) => labelled(`${SEATS[seat]} wants`, choice)),
        h("label", { class: "of-rules" }, h("span", { class: "muted" }, "Rules"), this.rules),
      ),
      this.scorePlace,
      h("details", {}, h("summary", {}, "These rules in words"), this.rulesText),
    ];
  }

  /** @param {0 | 1} seat */
  #goalChoice(seat) {
    const select = h(
      "select",
      { name: `goal-${SEATS[seat]}`, onchange: () => this.actions.chooseGoal(seat, goalOf(select.value)) },
      h("option", { value: "" }, "unknown"),
      ...GOALS.map((goal) => h("option", { value: goal }, goalText(goal))),
    );
    return select;
  }

  /** @param {Place} place @param {import("../../games/rules.js").Rules} rules */
  render(place, rules) {
    const { solution, position } = place;
    this.rules.value = solution.name;
    this.goals.forEach((select, seat) => {
      select.value = String(position.goals[seat] ?? "");
    });
    this.scorePlace.replaceChildren(...scoreMap(place, this.actions.linkToScore));
    this.rulesText.replaceChildren(
      h("p", {}, rules.data.text),
      h("ul", {}, ...GOALS.map((goal) => h("li", {}, `to ${goalWord(goal)}: ${rules.toDo(goal, "the other player")}`))),
      h("p", {}, "A player whose goal comes true scores a point; both can score. Then they swap seats."),
    );
  }
}

/** @param {string} value */
function goalOf(value) {
  return value === "" ? null : /** @type {Goal} */ (Number(value));
}
