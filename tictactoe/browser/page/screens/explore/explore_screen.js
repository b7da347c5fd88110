/** The screen "Explore": any position of any score, what each move is worth there, and the way to the others. */

import { failureNotice } from "../../parts/failure.js";
import { h } from "../../parts/dom.js";
import { squareOfKey } from "../../parts/keypad.js";
import { lastMoveText } from "./explore_text.js";
import { addressOfPlace, changed, cursorAt, pastedAddress, placeAt, shownPosition } from "../../parts/place.js";
import { capitalized } from "../../parts/words.js";
import { PositionView } from "./position_view.js";

/**
 * @typedef {import("../screen.js").App} App
 * @typedef {import("../../games/rules.js").Goal} Goal
 * @typedef {import("../../play/notation.js").Position} Position
 * @typedef {import("../../parts/place.js").Place} Place
 */

/** @param {App} app @returns {import("../screen.js").Screen} */
export function exploreScreen(app) {
  return new ExploreScreen(app);
}

class ExploreScreen {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.title = "Explore";
    /** The address that was asked for last: what is loaded for another one is not shown. */
    this.address = "";
    /** What is shown; null while nothing is. @type {Place | null} */
    this.place = null;
    this.shown = new PositionView(app, {
      play: (square) => this.#play(square),
      takeBack: () => this.#takeBack(),
      restart: () => this.#goTo({ moves: [] }),
      chooseGoal: (seat, goal) => this.#chooseGoal(seat, goal),
      chooseRules: (name) => this.#chooseRules(name),
      goToPasted: (text) => this.#goToPasted(text),
      link: (other) => this.#link(other),
    });
    this.element = h("section", { class: "explore", "aria-label": "Explore" });
  }

  /** @param {string} address */
  async show(address) {
    this.address = address;
    try {
      const place = placeAt(this.app.catalogue, address);
      this.title = shownPosition(place.position);
      if (this.place === null) this.#showLoading(place);
      const bot = await place.solution.loadRound(place.position.score);
      if (address === this.address) this.#showPosition(place, bot);
    } catch (error) {
      if (address !== this.address) return;
      if (error instanceof RangeError) this.#showProblem(error.message, null);
      else this.#showFailure(error, () => this.show(address));
    }
  }

  hide() {
    this.address = "";
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const square = squareOfKey(event);
    if (square !== null) this.#play(square);
    else if (event.key === "Backspace") this.#takeBack();
    else return;
    event.preventDefault();
  }

  /** @param {Place} place */
  #showLoading(place) {
    this.element.replaceChildren(this.shown.element);
    this.shown.renderLoading(place);
  }

  /** @param {Place} place @param {import("../../play/round_bot.js").RoundBot} bot */
  #showPosition(place, bot) {
    const { cursor, problem } = cursorAt(bot.tree, place.position.moves);
    if (problem !== null) {
      this.#showProblem(problem, changed(place, { moves: cursor.moves }));
      return;
    }
    const before = this.place;
    this.place = place;
    this.shown.render(place, bot, cursor);
    if (before !== null) {
      const last = cursor.moves.at(-1);
      const played = last === undefined ? "" : lastMoveText(cursor.board, last);
      this.app.announce(`${played} ${this.shown.turn.textContent}`.trim());
    }
  }

  /** @param {string} text @param {Place | null} before  Where the moves lead that can be played. */
  #showProblem(text, before) {
    this.title = "No position";
    const way = (/** @type {string} */ name, /** @type {Place} */ place) =>
      h("a", { class: "button", href: `#${addressOfPlace(this.app.catalogue, place)}` }, name);
    this.#showOnly([
      h("h1", {}, "There is no position at this address"),
      h("p", { class: "notice", role: "alert" }, `${capitalized(text)}.`),
      h(
        "p",
        { class: "buttons" },
        before && way("Play the moves as far as possible", before),
        way("Go to the start of a match", placeAt(this.app.catalogue, "0-0")),
      ),
    ]);
  }

  /** @param {unknown} error @param {() => void} again */
  #showFailure(error, again) {
    const button = h("button", { class: "button main", type: "button", onclick: again }, "Try again");
    this.#showOnly([failureNotice(error), h("p", { class: "buttons" }, button)]);
  }

  /** @param {HTMLElement[]} notices  In place of everything else. */
  #showOnly(notices) {
    this.place = null;
    this.element.replaceChildren(h("div", { class: "wrong-address" }, ...notices));
  }

  /** @param {Partial<Position>} other */
  #address(other) {
    return this.place === null ? "0-0" : addressOfPlace(this.app.catalogue, changed(this.place, other));
  }

  /** @param {Partial<Position>} other */
  #link(other) {
    return `#${this.#address(other)}`;
  }

  /** @param {Partial<Position>} other */
  #goTo(other) {
    this.app.go(this.#address(other));
  }

  /** @param {number} square */
  #play(square) {
    if (this.place !== null && this.shown.board.playable.includes(square)) {
      this.#goTo({ moves: [...this.place.position.moves, square] });
    }
  }

  #takeBack() {
    const moves = this.place?.position.moves ?? [];
    if (moves.length > 0) this.#goTo({ moves: moves.slice(0, -1) });
  }

  /** @param {0 | 1} seat @param {Goal | null} goal */
  #chooseGoal(seat, goal) {
    if (this.place === null) return;
    const [first, second] = this.place.position.goals;
    this.#goTo({ goals: seat === 0 ? [goal, second] : [first, goal] });
  }

  /** The same position by other rules, as far as its moves can be played by them. @param {string} name */
  async #chooseRules(name) {
    const solution = this.app.catalogue.find(name);
    if (this.place === null || solution === null) return;
    const { position } = this.place;
    try {
      const { cursor } = cursorAt(await solution.loadTree(), position.moves);
      const place = { solution, position: { ...position, moves: cursor.moves } };
      this.app.go(addressOfPlace(this.app.catalogue, place));
    } catch (error) {
      this.#showFailure(error, () => this.show(this.address));
    }
  }

  /** @param {string} text */
  #goToPasted(text) {
    this.app.go(pastedAddress(this.app.catalogue, this.place?.solution ?? this.app.catalogue.first, text));
  }
}
