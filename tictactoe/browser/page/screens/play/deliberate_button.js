/**
 * A button that only a press of its own presses: not the second tap of a double tap, not a key that is held down, not a
 * finger that came down before the button was there. What stands behind it may be somebody else's secret.
 */

import { h } from "../../parts/dom.js";
import { DEAF } from "../../parts/double_tap.js";

/** `element` stands on the page; `settle` is called whenever it appears, or comes to mean something else. */
export class DeliberateButton {
  /** @param {string} className @param {() => void} onPress */
  constructor(className, onPress) {
    this.onPress = onPress;
    this.isDeaf = false;
    this.began = true;
    this.timer = 0;
    this.element = h("button", {
      class: className,
      type: "button",
      onpointerdown: () => {
        this.began = !this.isDeaf;
      },
      onkeydown: (event) => this.#keep(event, event.repeat),
      onkeyup: (event) => this.#keep(event, false),
      onclick: (event) => this.#press(event),
    });
  }

  /** Be deaf for a moment. */
  settle() {
    this.isDeaf = true;
    this.began = false;
    this.element.setAttribute("aria-disabled", "true");
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.isDeaf = false;
      this.element.removeAttribute("aria-disabled");
    }, DEAF);
  }

  /** @param {KeyboardEvent} event @param {boolean} repeated */
  #keep(event, repeated) {
    const presses = event.key === "Enter" || event.key === " ";
    if (presses && (repeated || this.isDeaf)) event.preventDefault();
  }

  /**
   * Keys and programs that read the page aloud click without a pointer: `detail` is 0 then.
   *
   * @param {MouseEvent} event
   */
  #press(event) {
    if (this.isDeaf || (event.detail > 0 && !this.began)) return;
    this.onPress();
  }
}
