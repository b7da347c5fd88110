/** Sharing a position: copying its link and its text, and going to one that somebody has sent. */

import { h } from "../../parts/dom.js";
import { commandFor, shownPosition } from "./place.js";

/** @typedef {import("./place.js").Place} Place */

/** Buttons and fields about the position that `render` was given. */
export class SharePanel {
  /**
   * @param {(text: string) => void} goTo  Called with what was pasted; throws RangeError for what is no position.
   * @param {(text: string) => void} announce
   */
  constructor(goTo, announce) {
    this.goTo = goTo;
    this.announce = announce;
    this.link = "";
    this.position = "";
    this.command = h("code", { class: "command" });
    this.example = h("b");
    this.told = h("p", { class: "copied" });
    this.unheld = h("input", { class: "unheld", readonly: true, "aria-label": "To copy" });
    this.unheld.hidden = true;
    this.field = h("input", {
      name: "position",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      placeholder: "4-3 w? 513",
      oninput: () => this.#complain(""),
    });
    this.problem = h("p", { class: "problem", role: "alert" });
    const button = (/** @type {string} */ text, /** @type {() => void} */ onclick) =>
      h("button", { class: "button", type: "button", onclick }, text);
    this.element = h(
      "section",
      { class: "card share", "aria-labelledby": "share" },
      h("h2", { id: "share" }, "Share"),
      h(
        "div",
        { class: "buttons" },
        button("Copy link", () => this.#copy(this.link, "The link")),
        button("Copy position", () => this.#copy(this.position, "The position")),
      ),
      this.told,
      this.unheld,
      h("p", { class: "muted in-terminal" }, "The same in the program for the terminal:"),
      this.command,
      h(
        "p",
        { class: "muted" },
        this.example,
        ": the points of X and O; what each wants (w to win, l to lose, t to tie, ? unknown); the squares, in order.",
      ),
      h(
        "form",
        { class: "paste", onsubmit: (/** @type {Event} */ event) => this.#submit(event) },
        h("label", {}, h("span", {}, "Go to a position or a link"), this.field),
        h("button", { class: "button", type: "submit" }, "Go"),
      ),
      this.problem,
    );
  }

  /** @param {Place} place @param {string} link */
  render(place, link) {
    this.link = link;
    this.position = shownPosition(place.position);
    this.command.textContent = commandFor(place);
    this.example.textContent = this.position;
    this.told.textContent = "";
    this.unheld.hidden = true;
    this.#complain("");
  }

  /** @param {string} text @param {string} what */
  async #copy(text, what) {
    this.unheld.hidden = true;
    try {
      await navigator.clipboard.writeText(text);
      this.#tell(`${what} is copied: ${text}`);
    } catch {
      this.unheld.value = text;
      this.unheld.hidden = false;
      this.unheld.focus();
      this.unheld.select();
      this.#tell(`This browser does not let the page copy. ${what} is selected here: copy it yourself.`);
    }
  }

  /** @param {string} text */
  #tell(text) {
    this.told.textContent = text;
    this.announce(text);
  }

  /** @param {Event} event */
  #submit(event) {
    event.preventDefault();
    try {
      this.goTo(this.field.value);
      this.field.value = "";
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#complain(error.message);
    }
  }

  /** @param {string} text */
  #complain(text) {
    this.problem.textContent = text && `${text[0]?.toUpperCase()}${text.slice(1)}.`;
    this.field.setAttribute("aria-invalid", String(text !== ""));
  }
}
