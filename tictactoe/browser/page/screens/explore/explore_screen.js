/** The screen "Explore": any position of any score, what each move is worth there, and the way to the others. */

import { freeSquares } from "../../games/board.js";
import { otherSeat } from "../../games/rules.js";
import { offEquilibrium } from "../../play/advice.js";
import { positionText } from "../../play/notation.js";
import { view } from "../../play/view.js";
import { BoardView } from "../../parts/board_view.js";
import { h } from "../../parts/dom.js";
import { failureNotice } from "../../parts/failure.js";
import { squareOfKey } from "../../parts/keypad.js";
import { boardState, caption } from "./board_notes.js";
import { choiceTable } from "./choice_table.js";
import { lastMoveText, offTheWay, scoreWords, turnText } from "./explore_text.js";
import { beliefPanel, valuePanel } from "./knowledge_panels.js";
import { likeliestCourse, movesSoFar } from "./line_panel.js";
import { addressOfPlace, changed, cursorAt, pastedAddress, placeAt } from "./place.js";
import { SettingsPanel } from "./settings_panel.js";
import { SharePanel } from "./share_panel.js";

/**
 * @typedef {import("../screen.js").App} App
 * @typedef {import("../../games/cursor.js").Cursor} Cursor
 * @typedef {import("../../games/rules.js").Goal} Goal
 * @typedef {import("../../play/round_bot.js").RoundBot} RoundBot
 * @typedef {import("./place.js").Place} Place
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
    /** @type {Place | null} */
    this.place = null;
    this.heading = h("h1", {});
    this.score = h("p", { class: "muted score" });
    this.turn = h("p", { class: "turn" });
    this.board = new BoardView("Board", (square) => this.#play(square));
    this.caption = h("p", { class: "muted caption" });
    this.moves = h("div", { class: "moves-so-far" });
    this.back = h("button", { class: "button", type: "button", onclick: () => this.#takeBack() }, "Take back");
    this.restart = h("button", { class: "button", type: "button", onclick: () => this.#goTo({ moves: [] }) }, "Start of round");
    this.settings = new SettingsPanel(app.catalogue, {
      chooseRules: (name) => this.#chooseRules(name),
      chooseGoal: (seat, goal) => this.#chooseGoal(seat, goal),
      linkToScore: (score) => this.#link({ score }),
    });
    this.share = new SharePanel((text) => this.#goToPasted(text), app.announce);
    this.choices = h("section", { class: "card", "aria-label": "Moves" });
    this.warning = h("div", { class: "off-the-way" });
    this.knowledge = h("section", { class: "card", "aria-label": "What the moves tell" });
    this.values = h("section", { class: "card", "aria-label": "Values" });
    this.course = h("section", { class: "card", "aria-label": "Likeliest course" });
    this.shown = h(
      "div",
      { class: "shown" },
      h(
        "div",
        { class: "left" },
        h("div", { class: "where" }, this.heading, this.score, this.turn),
        this.board.element,
        this.caption,
        h("div", { class: "buttons" }, this.back, this.restart),
        this.moves,
        this.settings.element,
      ),
      h("div", { class: "right" }, this.warning, this.choices, this.knowledge, this.values, this.course, this.share.element),
    );
    this.problem = h("div", { class: "wrong-address" });
    this.element = h("section", { class: "explore", "aria-label": "Explore" }, this.problem, this.shown);
  }

  /** @param {string} address */
  async show(address) {
    this.address = address;
    try {
      const place = placeAt(this.app.catalogue, address);
      this.title = positionText(place.position);
      if (this.place === null) this.#showLoading(place);
      const bot = await place.solution.loadRound(place.position.score);
      if (address !== this.address) return;
      const { cursor, problem } = cursorAt(bot.tree, place.position.moves);
      if (problem !== null) this.#showProblem(problem, changed(place, { moves: cursor.moves }));
      else this.#render(place, bot, cursor);
    } catch (error) {
      if (address !== this.address) return;
      if (error instanceof RangeError) this.#showProblem(error.message, null);
      else this.#showOnly([failureNotice(error)]);
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

  /** @param {string} text @param {Place | null} before  Where the moves lead that can be played. */
  #showProblem(text, before) {
    this.title = "No position";
    const start = placeAt(this.app.catalogue, "0-0");
    const way = (/** @type {string} */ name, /** @type {Place} */ place) =>
      h("a", { class: "button", href: `#${addressOfPlace(this.app.catalogue, place)}` }, name);
    this.#showOnly([
      h("h1", {}, "This address is no position"),
      h("p", { class: "notice", role: "alert" }, `${text[0]?.toUpperCase()}${text.slice(1)}.`),
      h(
        "p",
        { class: "buttons" },
        before && way(`Go to ${positionText(before.position)}`, before),
        way("Start of a match", start),
      ),
    ]);
  }

  /** @param {HTMLElement[]} notices  In place of everything else. */
  #showOnly(notices) {
    this.place = null;
    this.shown.hidden = true;
    this.problem.replaceChildren(...notices);
  }

  /** @param {Place} place */
  #showPosition({ solution, position }) {
    this.problem.replaceChildren();
    this.shown.hidden = false;
    this.heading.textContent = scoreWords(position.score);
    this.score.textContent = `in a match to ${solution.winningScore}. X moves first.`;
  }

  /** What is known before the files are there, so that nothing jumps when they come. @param {Place} place */
  #showLoading(place) {
    this.#showPosition(place);
    this.shown.classList.add("loading");
    this.turn.textContent = "Loading what perfect players do here.";
    this.board.render({ moves: place.position.moves, numbered: true });
  }

  /** @param {Place} place @param {RoundBot} bot @param {Cursor} cursor */
  #render(place, bot, cursor) {
    const seen = view(bot, cursor, place.position.goals);
    const { rules } = cursor.tree;
    const focused = document.activeElement?.getAttribute("data-focus") ?? null;
    const before = this.place;
    this.place = place;
    this.#showPosition(place);
    this.shown.classList.remove("loading");
    this.turn.textContent = turnText(seen, cursor);
    this.board.render(boardState(seen, freeSquares(cursor.board)));
    this.caption.textContent = caption(seen);
    this.moves.replaceChildren(...movesSoFar(seen.moves, (moves) => this.#link({ moves })));
    this.back.disabled = this.restart.disabled = seen.moves.length === 0;
    this.settings.render(place, rules);
    this.warning.replaceChildren(...offTheWay(seen, rules, unplayed(bot, cursor)).map((text) => h("p", {}, text)));
    this.#renderPanels(seen, rules);
    this.share.render(place, `${location.href.split("#")[0]}#${this.#address({})}`);
    if (focused !== null && !document.activeElement?.hasAttribute("data-focus")) this.#focusAgain(focused);
    if (before !== null) this.app.announce([...(seen.moves.length > 0 ? [lastMoveText(cursor.board, Number(seen.moves.at(-1)))] : []), turnText(seen, cursor)].join(" "));
  }

  /** @param {import("../../play/view.js").View} seen @param {import("../../games/rules.js").Rules} rules */
  #renderPanels(seen, rules) {
    const linkTo = (/** @type {readonly number[]} */ moves) => this.#link({ moves });
    const mover = seen.toMove;
    const panels = /** @type {[HTMLElement, HTMLElement[]][]} */ ([
      [
        this.choices,
        choiceTable(seen, {
          linkTo: (square) => linkTo([...seen.moves, square]),
          chooseGoal: (goal) => mover !== null && this.#chooseGoal(mover, goal),
        }),
      ],
      [this.knowledge, beliefPanel(seen)],
      [this.values, valuePanel(seen)],
      [this.course, likeliestCourse(seen, rules, linkTo)],
    ]);
    for (const [panel, content] of panels) {
      panel.replaceChildren(...content);
      panel.hidden = content.length === 0;
    }
  }

  /** A link that was followed is drawn anew: its heir has the keyboard's focus, or the board. @param {string} key */
  #focusAgain(key) {
    const heir = this.element.querySelector(`[data-focus="${key}"]`);
    if (heir instanceof HTMLElement) heir.focus({ preventScroll: true });
    else this.board.focus(this.board.playable[0] ?? 5);
  }

  /** @param {Partial<import("../../play/notation.js").Position>} other */
  #address(other) {
    return this.place === null ? "0-0" : addressOfPlace(this.app.catalogue, changed(this.place, other));
  }

  /** @param {Partial<import("../../play/notation.js").Position>} other */
  #link(other) {
    return `#${this.#address(other)}`;
  }

  /** @param {Partial<import("../../play/notation.js").Position>} other */
  #goTo(other) {
    this.app.go(this.#address(other));
  }

  /** @param {number} square */
  #play(square) {
    if (this.place !== null && this.board.playable.includes(square)) {
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
      this.app.go(addressOfPlace(this.app.catalogue, { solution, position: { ...position, moves: cursor.moves } }));
    } catch (error) {
      this.#showOnly([failureNotice(error)]);
    }
  }

  /** @param {string} text */
  #goToPasted(text) {
    this.app.go(pastedAddress(this.app.catalogue, this.place?.solution ?? this.app.catalogue.first, text));
  }
}

/** The goals of the mover with which a perfect player does not come here. @param {RoundBot} bot @param {Cursor} cursor */
function unplayed(bot, cursor) {
  const seat = cursor.mover;
  if (seat === null || bot.belief(cursor.node, seat) === null || bot.belief(cursor.node, otherSeat(seat)) === null) return [];
  return /** @type {Goal[]} */ ([0, 1, 2]).filter((goal) => offEquilibrium(bot, cursor, seat, goal));
}
