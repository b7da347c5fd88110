/** What the moves have told about both goals: two bars, in words and numbers, too. */

import { GOAL_NAMES } from "../../games/rules.js";
import { percent } from "../../match/numbers.js";
import { h } from "../../parts/dom.js";

/** @typedef {import("../../play/round_bot.js").Belief} Belief */

/** The two bars; what they show is given to `render`. */
export class BeliefBars {
  constructor() {
    this.element = h("div", { class: "beliefs" });
  }

  /** @param {{ title: string, belief: Belief | null }[]} rows */
  render(rows) {
    this.element.replaceChildren(
      h("p", { class: "muted" }, "What the perfect bot would conclude from the moves so far."),
      ...rows.map(({ title, belief }) =>
        h("div", { class: "belief" }, h("h2", {}, title), bar(belief), inWords(belief)),
      ),
    );
  }
}

/** @param {Belief | null} belief */
function bar(belief) {
  const parts = GOAL_NAMES.map((name, goal) => {
    const part = h("span", { class: `part ${name}` });
    part.style.flexGrow = String(belief === null ? 0 : belief[goal]);
    return part;
  });
  return h("div", { class: "bar", "aria-hidden": "true" }, ...parts);
}

/** @param {Belief | null} belief */
function inWords(belief) {
  if (belief === null) return h("p", { class: "shares" }, "Anything: the perfect bot never moves so.");
  const shares = GOAL_NAMES.map((name, goal) =>
    h("span", {}, h("i", { class: `key ${name}`, "aria-hidden": "true" }), `${name} ${percent(Number(belief[goal]))}`),
  );
  return h("p", { class: "shares" }, ...shares.flatMap((share, index) => (index > 0 ? [", ", share] : [share])));
}
