/** The card with a player's goal, which can be covered while somebody looks over the shoulder. */

import { goalName } from "../../games/rules.js";
import { h } from "../../parts/dom.js";
import { goalSign, namedGoal } from "../../parts/goal_sign.js";
import { capitalized } from "../../parts/words.js";
import { DeliberateButton } from "./deliberate_button.js";

/**
 * @typedef {object} GoalText
 * @property {string} who  Such as "You want" or "Ann wants".
 * @property {import("../../games/rules.js").Goal} goal
 * @property {string} toDo  What to do, in words.
 * @property {string} covered  What stands on the card while it is covered.
 * @property {string} show  What the button does that shows it, and the other way round.
 * @property {string} hide
 */

/** By which other elements find what the card says. */
const TEXT_ID = "goal-text";

/** One card, whose text is given to `render`. */
export class GoalCard {
  /**
   * @param {boolean} guarded  Whether somebody else may be looking, so that only a deliberate press shows the goal.
   * @param {(shown: boolean) => void} onToggle
   */
  constructor(guarded, onToggle) {
    this.guarded = guarded;
    this.shown = true;
    this.said = "";
    this.text = h("div", { class: "goal-text", id: TEXT_ID });
    this.toggle = new DeliberateButton("button quiet", () => onToggle(!this.shown));
    this.element = h("section", { class: "card goal-card", "aria-label": "Goal" }, this.text, this.toggle.element);
  }

  /** @param {GoalText} goal @param {boolean} shown */
  render(goal, shown) {
    this.shown = shown;
    const button = this.toggle.element;
    const said = shown ? `${goal.who} to ${goalName(goal.goal)}: ${goal.toDo}.` : goal.covered;
    if (this.guarded && (said !== this.said || button.hidden)) this.toggle.settle();
    this.said = said;
    button.hidden = false;
    button.textContent = shown ? "Cover" : "Show";
    button.setAttribute("aria-label", shown ? goal.hide : goal.show);
    this.element.classList.toggle("covered", !shown);
    this.text.replaceChildren(
      ...(shown
        ? [
            h("p", { class: "goal" }, `${goal.who} to `, namedGoal(goal.goal)),
            h("p", { class: "to-do" }, `${capitalized(goal.toDo)}.`),
          ]
        : [h("p", { class: "goal" }, goal.covered)]),
    );
  }

  /** After the round nothing is secret. @param {import("./result_words.js").GoalResult[]} results  By player. */
  open(results) {
    this.shown = true;
    this.toggle.element.hidden = true;
    this.element.classList.remove("covered");
    this.text.replaceChildren(
      ...results.map(({ goal, wanted, points, scored }) =>
        h(
          "p",
          { class: scored ? "result scored" : "result" },
          goalSign(goal),
          `${wanted}: `,
          h("strong", {}, points),
          ".",
        ),
      ),
    );
  }

  /** So that who comes to the element hears what the card says. @param {HTMLElement} element */
  describe(element) {
    element.setAttribute("aria-describedby", TEXT_ID);
  }
}
