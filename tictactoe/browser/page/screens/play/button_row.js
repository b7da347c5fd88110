/** The buttons below the board: the first one is the next step. */

import { h } from "../../parts/dom.js";

/** What stands there is given to `render`. */
export class ButtonRow {
  constructor() {
    this.element = h("div", { class: "actions" });
  }

  /** @param {HTMLElement[]} buttons @param {boolean} same  Whether they keep the keyboard's focus, by their order. */
  render(buttons, same) {
    const focused = [...this.element.children].findIndex((element) => element === document.activeElement);
    this.element.replaceChildren(...buttons);
    if (same) buttons[focused]?.focus();
  }

  /** Without a jump of the page. */
  focus() {
    this.element.querySelector("button")?.focus({ preventScroll: true });
  }

  /** Take the next step. */
  press() {
    this.element.querySelector("button")?.click();
  }
}
