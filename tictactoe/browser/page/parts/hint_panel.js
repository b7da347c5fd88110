/** The second step of a hint: what every move costs, as a list. */

import { h } from "./dom.js";

/** @typedef {import("../play/hint_words.js").Hint} Hint */

/** Hidden until there is something to say. */
export class HintPanel {
  constructor() {
    this.element = h("section", { class: "card hint-panel", "aria-label": "Hint", hidden: true });
  }

  /**
   * @param {Hint | null} hint  null where none is looked at.
   * @param {boolean} all  Whether it tells what moves cost.
   */
  render(hint, all) {
    const warning = hint?.warning ? [h("p", { class: "muted" }, hint.warning)] : [];
    this.element.hidden = hint === null || (!all && warning.length === 0);
    this.element.replaceChildren(
      ...(hint !== null && all
        ? [
            h("h2", {}, "What each square costs"),
            h(
              "ul",
              { class: "moves" },
              ...[...hint.good, ...hint.others].map(({ squares, text }) =>
                h("li", {}, h("b", {}, squares), h("span", {}, text)),
              ),
            ),
            h("p", { class: "muted" }, hint.legend),
          ]
        : []),
      ...warning,
    );
  }
}
