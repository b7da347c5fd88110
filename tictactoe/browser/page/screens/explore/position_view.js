/** All that is shown of a position: board, what can be done, what is known, ways to get elsewhere and to share it. */

import { freeSquares } from "../../games/board.js";
import { GOALS } from "../../games/rules.js";
import { BoardView } from "../../parts/board_view.js";
import { h } from "../../parts/dom.js";
import { offEquilibrium } from "../../play/move_costs.js";
import { view } from "../../play/view.js";
import { boardState, caption } from "./board_notes.js";
import { choiceTable } from "./choice_table.js";
import { shownAt } from "../../parts/place.js";
import { offTheWay, scoreWords, turnText } from "./explore_text.js";
import { GoalChoice } from "./goal_choice.js";
import { beliefPanel, valuePanel } from "./knowledge_panels.js";
import { likeliestCourse, movesSoFar } from "./line_panel.js";
import { Panel } from "./panel.js";
import { SettingsPanel } from "./settings_panel.js";
import { SharePanel } from "./share_panel.js";

/**
 * @typedef {import("../screen.js").App} App
 * @typedef {import("../../games/cursor.js").Cursor} Cursor
 * @typedef {import("../../games/rules.js").Goal} Goal
 * @typedef {import("../../play/round_bot.js").RoundBot} RoundBot
 * @typedef {import("../../play/view.js").View} View
 * @typedef {import("../../parts/place.js").Place} Place
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
    /** Who moves next, as `render` has shown it. @type {0 | 1 | null} */
    this.mover = null;
    this.score = h("h1", {});
    this.match = h("p", { class: "muted" });
    this.turn = h("p", { class: "whose-turn" });
    this.board = new BoardView("Board", ways.play);
    this.goals = new GoalChoice((goal) => this.mover !== null && ways.chooseGoal(this.mover, goal));
    this.caption = h("p", { class: "muted caption" });
    this.practice = h("a", { class: "button main" }, "Play from here");
    this.back = h("button", { class: "button", type: "button", onclick: ways.takeBack }, "Take back");
    const toStart = { class: "button", type: "button", "aria-label": "Restart the round", onclick: ways.restart };
    this.restart = h("button", toStart, "Restart");
    this.steps = h("div", { class: "steps" }, this.back, this.restart);
    this.settings = new SettingsPanel(app.catalogue, {
      chooseRules: ways.chooseRules,
      chooseGoal: ways.chooseGoal,
      linkToScore: (score) => ways.link({ score }),
    });
    this.share = new SharePanel(app.catalogue.manifest, ways.goToPasted, app.announce);
    this.warning = h("div", { class: "off-the-way" });
    this.choices = new Panel("choices", "Every move in numbers");
    this.knowledge = new Panel("beliefs", "What the moves tell");
    this.values = new Panel("values", "Goal against goal");
    this.course = new Panel("moves", "Move by move");
    this.setting = new Panel("settings", "Score, goals and rules");
    this.sharing = new Panel("share", "Links and positions");
    this.setting.render(this.settings.content);
    this.sharing.render(this.share.content);
    this.setting.element.classList.add("settings");
    const panels = [this.choices, this.knowledge, this.values, this.course, this.setting, this.sharing];
    this.element = h(
      "div",
      { class: "shown" },
      h(
        "div",
        { class: "left" },
        h("div", { class: "standing" }, this.score, this.match, this.turn),
        this.board.element,
        this.goals.element,
        this.caption,
        this.warning,
        h("div", {}, h("div", { class: "buttons" }, this.practice, this.share.button), this.share.copying.element),
        this.steps,
      ),
      h("div", { class: "right" }, ...panels.map(({ element }) => element)),
    );
  }

  /** What is known before the files are there, so that little jumps when they come. @param {Place} place */
  renderLoading(place) {
    this.#renderScore(place);
    this.element.classList.add("loading");
    this.turn.textContent = "Loading how perfect players move here.";
    this.board.render({ moves: place.position.moves, numbered: true });
  }

  /**
   * @param {Place} place
   * @param {RoundBot} bot
   * @param {Cursor} cursor
   */
  render(place, bot, cursor) {
    const seen = view(bot, cursor, place.position.goals);
    const { rules } = cursor.tree;
    const focused = document.activeElement?.getAttribute("data-focus") ?? null;
    this.#renderScore(place);
    this.element.classList.remove("loading");
    this.turn.textContent = turnText(seen, cursor);
    this.mover = seen.toMove;
    this.board.render(boardState(seen, freeSquares(cursor.board)));
    this.goals.render(seen.forcedOutcome === null ? seen.toMove : null, place.position.goals[seen.toMove ?? 0]);
    this.caption.textContent = caption(seen);
    this.practice.hidden = seen.forcedOutcome !== null;
    this.practice.setAttribute("href", `#play/${this.ways.link({}).slice(1)}`);
    this.steps.hidden = seen.moves.length === 0;
    this.settings.render(place, rules);
    this.warning.replaceChildren(...offTheWay(seen, rules, unplayed(bot, cursor)).map((text) => h("p", {}, text)));
    this.#renderPanels(seen, rules, bot.isRefined);
    this.share.render(place, this.ways.link({}), this.#riddle(seen, place.position.goals));
    if (focused !== null && !document.activeElement?.hasAttribute("data-focus")) this.#focusAgain(focused);
  }

  /**
   * The link to the position as a riddle, without the other goal. Empty where the goal of who moves is not known, or no
   * square costs anything.
   *
   * @param {View} seen
   * @param {import("../../play/notation.js").Position["goals"]} goals
   */
  #riddle(seen, [first, second]) {
    const goal = seen.toMove === 0 ? first : second;
    const row = seen.rows.find((one) => one.goal === goal);
    if (seen.toMove === null || !row?.moves.some(({ cost }) => cost > 0)) return "";
    return this.ways.link({ goals: seen.toMove === 0 ? [first, null] : [null, second] });
  }

  /** @param {Place} place */
  #renderScore(place) {
    const { match, score } = shownAt(place);
    this.score.textContent = scoreWords(score);
    this.match.textContent = `in a match to ${match}`;
  }

  /** @param {View} seen @param {import("../../games/rules.js").Rules} rules @param {boolean} isRefined */
  #renderPanels(seen, rules, isRefined) {
    const linkTo = (/** @type {readonly number[]} */ moves) => this.ways.link({ moves });
    this.choices.render(choiceTable(seen, (square) => linkTo([...seen.moves, square])));
    this.knowledge.render(beliefPanel(seen, isRefined));
    this.values.render(valuePanel(seen));
    this.course.render([...movesSoFar(seen.moves, linkTo), ...likeliestCourse(seen, rules, linkTo)]);
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
