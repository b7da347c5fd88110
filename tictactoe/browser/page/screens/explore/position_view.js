/** All that is shown of a position: board, what can be done, what is known, ways to get elsewhere and to share it. */

import { freeSquares } from "../../games/board.js";
import { GOALS } from "../../games/rules.js";
import { BoardView } from "../../parts/board_view.js";
import { h } from "../../parts/dom.js";
import { offEquilibrium } from "../../play/move_costs.js";
import { view } from "../../play/view.js";
import { boardState, caption } from "./board_notes.js";
import { choiceTable } from "./choice_table.js";
import { offTheWay, scoreWords, turnText } from "./explore_text.js";
import { beliefPanel, valuePanel } from "./knowledge_panels.js";
import { likeliestCourse, movesSoFar } from "./line_panel.js";
import { SettingsPanel } from "./settings_panel.js";
import { SharePanel } from "./share_panel.js";

/**
 * @typedef {import("../screen.js").App} App
 * @typedef {import("../../games/cursor.js").Cursor} Cursor
 * @typedef {import("../../games/rules.js").Goal} Goal
 * @typedef {import("../../play/round_bot.js").RoundBot} RoundBot
 * @typedef {import("../../play/view.js").View} View
 * @typedef {import("./place.js").Place} Place
 * @typedef {object} Ways  How to get elsewhere.
 * @property {(square: number) => void} play
 * @property {() => void} takeBack
 * @property {() => void} restart
 * @property {(seat: 0 | 1, goal: Goal | null) => void} chooseGoal
 * @property {(name: string) => void} chooseRules
 * @property {(text: string) => void} goToPasted  Throws RangeError for what is no position.
 * @property {(other: Partial<import("../../play/notation.js").Position>) => string} link  To here but for that.
 */

/** The view of one position after the other: `render` shows it in the place of the last one. */
export class PositionView {
  /** @param {App} app @param {Ways} ways */
  constructor(app, ways) {
    this.ways = ways;
    this.score = h("h1", {});
    this.match = h("p", { class: "muted" });
    this.turn = h("p", { class: "whose-turn" });
    this.board = new BoardView("Board", ways.play);
    this.caption = h("p", { class: "muted caption" });
    this.back = h("button", { class: "button", type: "button", onclick: ways.takeBack }, "Take back");
    this.restart = h("button", { class: "button", type: "button", onclick: ways.restart }, "Start of round");
    this.moves = h("div", { class: "moves-so-far" });
    this.settings = new SettingsPanel(app.catalogue, {
      chooseRules: ways.chooseRules,
      chooseGoal: ways.chooseGoal,
      linkToScore: (score) => ways.link({ score }),
    });
    this.share = new SharePanel(ways.goToPasted, app.announce);
    this.warning = h("div", { class: "off-the-way" });
    this.choices = h("section", { class: "card" });
    this.knowledge = h("section", { class: "card half" });
    this.values = h("section", { class: "card half" });
    this.course = h("section", { class: "card" });
    this.element = h(
      "div",
      { class: "shown" },
      h(
        "div",
        { class: "left" },
        h("div", {}, this.score, this.match, this.turn),
        this.board.element,
        this.caption,
        this.warning,
        h("div", { class: "buttons" }, this.back, this.restart),
        this.moves,
        this.settings.element,
      ),
      h("div", { class: "right" }, ...[this.choices, this.knowledge, this.values, this.course], this.share.element),
    );
  }

  /** What is known before the files are there, so that little jumps when they come. @param {Place} place */
  renderLoading(place) {
    this.#renderScore(place);
    this.element.classList.add("loading");
    this.turn.textContent = "Loading what perfect players do here.";
    this.board.render({ moves: place.position.moves, numbered: true });
  }

  /**
   * @param {Place} place
   * @param {RoundBot} bot
   * @param {Cursor} cursor
   * @param {string} link  To this position, in full.
   */
  render(place, bot, cursor, link) {
    const seen = view(bot, cursor, place.position.goals);
    const { rules } = cursor.tree;
    const focused = document.activeElement?.getAttribute("data-focus") ?? null;
    this.#renderScore(place);
    this.element.classList.remove("loading");
    this.turn.textContent = turnText(seen, cursor);
    this.board.render(boardState(seen, freeSquares(cursor.board)));
    this.caption.textContent = caption(seen);
    this.back.disabled = this.restart.disabled = seen.moves.length === 0;
    this.moves.replaceChildren(...movesSoFar(seen.moves, (moves) => this.ways.link({ moves })));
    this.settings.render(place, rules);
    this.warning.replaceChildren(...offTheWay(seen, rules, unplayed(bot, cursor)).map((text) => h("p", {}, text)));
    this.#renderPanels(seen, rules);
    this.share.render(place, link);
    if (focused !== null && !document.activeElement?.hasAttribute("data-focus")) this.#focusAgain(focused);
  }

  /** @param {Place} place */
  #renderScore({ solution, position }) {
    this.score.textContent = scoreWords(position.score);
    this.match.textContent = `in a match to ${solution.winningScore}. X moves first.`;
  }

  /** @param {View} seen @param {import("../../games/rules.js").Rules} rules */
  #renderPanels(seen, rules) {
    const linkTo = (/** @type {readonly number[]} */ moves) => this.ways.link({ moves });
    const mover = seen.toMove;
    const actions = {
      linkTo: (/** @type {number} */ square) => linkTo([...seen.moves, square]),
      chooseGoal: (/** @type {Goal | null} */ goal) => mover !== null && this.ways.chooseGoal(mover, goal),
    };
    const panels = /** @type {[HTMLElement, HTMLElement[]][]} */ ([
      [this.choices, choiceTable(seen, actions)],
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
}

/**
 * The goals of the mover with which a solution that is not refined never gets here; none where no goal leads here.
 *
 * @param {RoundBot} bot
 * @param {Cursor} cursor
 */
function unplayed(bot, cursor) {
  const { mover, node } = cursor;
  if (mover === null || bot.isLost(node, 0) || bot.isLost(node, 1)) return [];
  return GOALS.filter((goal) => offEquilibrium(bot, cursor, mover, goal));
}
