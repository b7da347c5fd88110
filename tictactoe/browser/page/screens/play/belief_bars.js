/** What the moves have told about both goals: two bars, in words and numbers, too. */

import { GOAL_NAMES } from "../../games/rules.js";
import { percent } from "../../match/numbers.js";
import { h } from "../../parts/dom.js";

/** @typedef {import("../../play/round_bot.js").Belief} Belief */

const NOT_REFINED = "This solution is not refined: after moves that it never makes, goals are as likely as drawn.";

/** The two bars; what they show is given to `render`. */
export class BeliefBars {
  constructor() {
    this.element = h("div", { class: "beliefs" });
  }

  /**
   * @param {{ title: string, belief: Belief }[]} rows
   * @param {boolean} lost  Whether a player has moved as the strategy, which is not refined, never does.
   */
  render(rows, lost) {
    this.element.replaceChildren(
      h("p", { class: "muted" }, "What the perfect bot would conclude from the moves so far."),
      ...rows.map(({ title, belief }) =>
        h("div", { class: "belief" }, h("h2", {}, title), bar(belief), inWords(belief)),
      ),
      ...(lost ? [h("p", { class: "muted" }, NOT_REFINED)] : []),
    );
  }
}

/** @param {Belief} belief */
function bar(belief) {
  const parts = GOAL_NAMES.map((name, goal) => {
    const part = h("span", { class: `part ${name}` });
    part.style.flexGrow = String(belief[goal]);
    return part;
  });
  return h("div", { class: "bar", "aria-hidden": "true" }, ...parts);
}

/** @param {Belief} belief */
function inWords(belief) {
  const shares = GOAL_NAMES.map((name, goal) =>
    h("span", {}, h("i", { class: `key ${name}`, "aria-hidden": "true" }), `${name} ${percent(Number(belief[goal]))}`),
  );
  return h("p", { class: "shares" }, ...shares.flatMap((share, index) => (index > 0 ? [", ", share] : [share])));
}
