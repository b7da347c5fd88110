/** The card with a player's goal, which can be covered while somebody looks over the shoulder. */

import { goalName } from "../../games/rules.js";
import { h } from "../../parts/dom.js";

/**
 * @typedef {object} GoalText
 * @property {string} who  Such as "You want" or "Ann wants".
 * @property {import("../../games/rules.js").Goal} goal
 * @property {string} toDo  What to do, in words.
 * @property {string} covered  What stands on the card while it is covered.
 * @property {string} show  What the button says that shows it.
 * @property {string} hide
 */

/** One card, whose text is given to `render`. */
export class GoalCard {
  /** @param {(shown: boolean) => void} onToggle */
  constructor(onToggle) {
    this.shown = true;
    this.text = h("div", { class: "goal-text" });
    this.button = h("button", { class: "button quiet", type: "button", onclick: () => onToggle(!this.shown) });
    this.element = h("section", { class: "card goal-card", "aria-label": "Goal" }, this.text, this.button);
  }

  /** @param {GoalText} goal @param {boolean} shown */
  render(goal, shown) {
    this.shown = shown;
    this.button.hidden = false;
    this.button.textContent = shown ? goal.hide : goal.show;
    this.element.classList.toggle("covered", !shown);
    this.text.replaceChildren(
      ...(shown
        ? [
            h("p", { class: "goal" }, `${goal.who} to `, h("strong", {}, goalName(goal.goal))),
            h("p", {}, `${goal.toDo}.`),
          ]
        : [h("p", { class: "goal" }, goal.covered)]),
    );
  }

  /** After the round nothing is secret. @param {import("./result_words.js").GoalResult[]} results  By player. */
  open(results) {
    this.shown = true;
    this.button.hidden = true;
    this.element.classList.remove("covered");
    this.text.replaceChildren(
      ...results.map(({ wanted, points, scored }) =>
        h("p", { class: scored ? "result scored" : "result" }, `${wanted}: `, h("strong", {}, points), "."),
      ),
    );
  }
}
