/** Sharing a position: its link and its text, and going to one that somebody has sent. */

import { h } from "../../parts/dom.js";
import { commandFor, shownPosition } from "../../parts/place.js";
import { Copying, addressOfPage, opensHereAlone, sent } from "../../parts/sharing.js";
import { capitalized } from "../../parts/words.js";
import { shareText } from "./share_text.js";

/** @typedef {import("../../parts/place.js").Place} Place */

/** Buttons and fields about the position that `render` was given. */
export class SharePanel {
  /**
   * @param {import("../../loading/manifest.js").Manifest} manifest
   * @param {(text: string) => void} goTo  Called with what was pasted; throws RangeError for what is no position.
   * @param {(text: string) => void} announce
   */
  constructor(manifest, goTo, announce) {
    this.manifest = manifest;
    this.goTo = goTo;
    /** Empty where the page has no address that somebody else could open. */
    this.link = "";
    /** The link that does not show the answer; empty where there is nothing to find. */
    this.riddle = "";
    this.position = "";
    this.text = "";
    this.command = h("code", { class: "command" });
    this.example = h("b");
    this.copying = new Copying(announce);
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
    this.copyLink = button("Copy link", () => this.#copy(this.link, "The link", this.#reach()));
    this.copyRiddle = button("Copy link to the riddle", () => this.#copy(this.riddle, "The link", this.#reach()));
    /** Stands beside the board. */
    this.button = button("Share", () => this.#share());
    this.content = [
      h(
        "div",
        { class: "buttons" },
        this.copyRiddle,
        this.copyLink,
        button("Copy position", () => this.#copy(this.position, "The position")),
      ),
      h(
        "form",
        { class: "paste", onsubmit: (/** @type {Event} */ event) => this.#submit(event) },
        h("label", {}, h("span", { class: "muted" }, "Go to a position or a link"), this.field),
        h("button", { class: "button", type: "submit" }, "Go"),
      ),
      this.problem,
      h(
        "p",
        { class: "muted" },
        this.example,
        ": the points of X and O; what each wants (w to win, l to lose, t to tie, ? not known); the squares, in order.",
      ),
      h("p", { class: "muted in-terminal" }, "The same in the program for the terminal:"),
      this.command,
    ];
  }

  /**
   * @param {Place} place
   * @param {string} hash  Of this position, with its #.
   * @param {string} riddle  The same as a riddle; empty where it is none.
   */
  render(place, hash, riddle) {
    const page = addressOfPage(this.manifest);
    this.link = page && `${page}${hash}`;
    this.riddle = page && riddle && `${page}#riddle/${riddle.slice(1)}`;
    this.copyLink.hidden = this.link === "";
    this.copyLink.textContent = riddle ? "Copy link with the answer" : "Copy link";
    this.copyRiddle.hidden = this.riddle === "";
    this.position = shownPosition(place.position);
    this.text = shareText(place, place.solution.name !== this.manifest.solutions[0]?.name, riddle !== "");
    this.command.textContent = commandFor(place);
    this.example.textContent = this.position;
    this.copying.clear();
    this.#complain("");
  }

  /** What the link does not do, where it does not. */
  #reach() {
    return opensHereAlone(this.link) ? " It opens only on this computer." : "";
  }

  async #share() {
    const url = this.riddle || this.link;
    if (url !== "" && this.#reach() === "" && (await sent({ text: this.text, url }))) return;
    const tail = url || this.command.textContent;
    await this.#copy(`${this.text}\n${tail}`, "The position, as a text to send,", this.#reach());
  }

  /** @param {string} text @param {string} what @param {string} [reach] */
  #copy(text, what, reach = "") {
    return this.copying.copy(
      text,
      `${what} is copied${text.includes("\n") ? "" : `: ${text}`}.${reach}`,
      `This browser does not let the page copy. ${what} is selected here: copy it yourself.`,
    );
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
    this.problem.textContent = text && `${capitalized(text)}.`;
    this.field.setAttribute("aria-invalid", String(text !== ""));
  }
}
