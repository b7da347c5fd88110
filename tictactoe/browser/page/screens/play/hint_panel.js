/** A hint in words; on the board stand its numbers. */

import { h } from "../../parts/dom.js";

/** @typedef {import("./hint_words.js").Hint} Hint */

/** Hidden until it is given a hint. */
export class HintPanel {
  constructor() {
    this.element = h("section", { class: "card hint-panel", "aria-label": "Hint", hidden: true });
  }

  /** @param {Hint | null} hint  null where none is looked at. */
  render(hint) {
    this.element.hidden = hint === null;
    if (hint === null) {
      this.element.replaceChildren();
      return;
    }
    this.element.replaceChildren(
      h("h2", {}, "Hint"),
      h("p", {}, hint.heading),
      list("best", hint.best),
      ...(hint.never.length > 0 ? [h("p", {}, "The other squares:"), list("never", hint.never)] : []),
      ...(hint.warning ? [h("p", { class: "muted" }, hint.warning)] : []),
      h("p", { class: "muted" }, hint.legend),
    );
  }
}

/** @param {string} kind @param {{ squares: string, text: string }[]} moves */
function list(kind, moves) {
  return h(
    "ul",
    { class: `moves ${kind}` },
    ...moves.map(({ squares, text }) => h("li", {}, h("b", {}, squares), ` ${text}`)),
  );
}
