/** What the player who moves next wants: four buttons in a row. */

import { GOALS, goalName } from "../../games/rules.js";
import { h } from "../../parts/dom.js";
import { goalSign } from "../../parts/goal_sign.js";
import { SEATS } from "./explore_text.js";

/** @typedef {import("../../games/rules.js").Goal} Goal */

/** The buttons of the position that `render` was given. */
export class GoalChoice {
  /** @param {(goal: Goal | null) => void} choose */
  constructor(choose) {
    this.choose = choose;
    this.element = h("div", { class: "goal-choice", role: "group" });
  }

  /** @param {0 | 1 | null} seat  Who moves next; null where the round is over. @param {Goal | null} chosen */
  render(seat, chosen) {
    this.element.hidden = seat === null;
    if (seat === null) return;
    const label = `${SEATS[seat]} wants`;
    this.element.setAttribute("aria-label", label);
    this.element.replaceChildren(
      h("span", { class: "muted", "aria-hidden": "true" }, label),
      ...GOALS.map((goal) => this.#button(goalName(goal), goal, chosen)),
      this.#button("?", null, chosen),
    );
  }

  /** @param {string} text @param {Goal | null} goal @param {Goal | null} chosen */
  #button(text, goal, chosen) {
    return h(
      "button",
      {
        class: "button",
        type: "button",
        "aria-pressed": String(goal === chosen),
        "aria-label": goal === null ? "not known" : `to ${text}`,
        "data-focus": `goal ${goal}`,
        onclick: () => this.choose(goal),
      },
      ...(goal === null ? [text] : [goalSign(goal), text]),
    );
  }
}
