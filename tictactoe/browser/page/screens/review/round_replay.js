/** A finished round, move by move: the board, the chance to win after every move, and what each move cost. */

import { Cursor } from "../../games/cursor.js";
import { percentagePoints, winPercentage } from "../../match/scores.js";
import { BoardView } from "../../parts/board_view.js";
import { h } from "../../parts/dom.js";
import { namedGoal } from "../../parts/goal_sign.js";
import { digitOf } from "../../parts/keypad.js";
import { addressOf } from "../../play/notation.js";
import { otherPlayer } from "../../play/referee.js";
import { TRY_AGAIN, placeToPlay } from "./mistake_list.js";
import { inWords, markOf, speechOnPage, whoMarked, withMark } from "./review_words.js";
import { ValueChart } from "./value_chart.js";
import { chance, price, signed } from "./wording.js";

/**
 * @typedef {import("../../play/luck.js").MoveLuck} MoveLuck
 * @typedef {import("../../play/referee.js").Player} Player
 * @typedef {import("../../play/review.js").Mistake} Mistake
 * @typedef {import("./match_review.js").ReviewedRound} ReviewedRound
 */

/** A round to go through: by buttons, the list of moves, the chart, or keys. */
export class RoundReplay {
  /**
   * @param {ReviewedRound} round
   * @param {Player} player  Who is "you".
   * @param {string} opponent  Such as "the bot".
   * @param {string} solution  As `addressOf` takes it.
   * @param {(text: string) => void} announce
   */
  constructor(round, player, opponent, solution, announce) {
    this.round = round;
    this.player = player;
    this.opponent = opponent;
    this.solution = solution;
    this.announce = announce;
    /** @type {Map<number, Mistake>} */
    this.mistakes = new Map(round.mistakes.map((mistake) => [mistake.move.number, mistake]));
    /** So many moves were there before the players came. */
    this.given = round.record.moves.length - round.luck.moves.length;
    /** After how many moves it stands. */
    this.step = this.given;
    this.board = new BoardView("The board after the chosen move", () => {});
    this.text = h("p", { class: "step" });
    this.again = h("a", { class: "button" });
    this.explore = h("a", { class: "button" }, "Explore");
    this.chart = new ValueChart(this.#points(), (index) => this.show(this.given + index));
    this.moves = this.#rows().map(({ text, price, figure }, index) => {
      const step = this.given + index;
      const kind = this.mistakes.has(step) ? "move mistake" : "move";
      return h(
        "button",
        { type: "button", class: kind, onclick: () => this.show(step) },
        h("span", { class: "what" }, `${text} `),
        h("span", { class: "price" }, price === "" ? "" : `${price} `),
        h("span", { class: "figure" }, figure),
      );
    });
    this.back = h("button", { type: "button", class: "button", onclick: () => this.show(this.step - 1) }, "Back");
    this.next = h("button", { type: "button", class: "button main", onclick: () => this.show(this.step + 1) }, "Next");
    this.element = h(
      "section",
      { class: "replay", "aria-label": "The round, move by move" },
      h(
        "div",
        {},
        this.board.element,
        this.text,
        h("div", { class: "steps" }, this.back, this.next),
        h("div", { class: "steps" }, this.again, this.explore),
      ),
      h(
        "div",
        { class: "card" },
        h("h2", {}, "Your chance to win the match"),
        this.chart.element,
        h("p", { class: "muted" }, aboutLine(this.opponent, this.mistakes.size > 0)),
        h("ol", { class: "moves" }, ...this.moves.map((move) => h("li", {}, move))),
      ),
    );
    this.#render();
  }

  /** Show the board after so many moves; anything beyond the ends is an end. @param {number} step */
  show(step) {
    const wanted = Math.min(Math.max(step, this.given), this.round.record.moves.length);
    if (wanted === this.step) return;
    this.step = wanted;
    this.#render();
    this.announce(this.text.textContent ?? "");
  }

  /** Arrows, Home and End. @param {KeyboardEvent} event */
  onKey(event) {
    const end = this.round.record.moves.length;
    /** @type {Record<string, number>} */
    const steps = { ArrowLeft: this.step - 1, ArrowRight: this.step + 1, Home: this.given, End: end };
    const wanted = event.ctrlKey || event.metaKey || event.altKey ? undefined : steps[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    this.show(wanted);
  }

  #render() {
    const { record, solvedScore, to } = this.round;
    const moves = record.moves.slice(0, this.step);
    const mistake = this.mistakes.get(this.step)?.move;
    const better = mistake?.best ?? [];
    /** @type {Map<number, string>} */
    const classes = new Map(better.map((square) => [square, "better"]));
    if (mistake) classes.set(mistake.square, "mistaken");
    this.board.render({
      moves,
      numbered: true,
      notes: new Map(better.map((square) => [square, "better"])),
      classes,
    });
    this.text.replaceChildren(...this.#sentence());
    const goals = /** @type {const} */ ([record.goals[record.first], record.goals[otherPlayer(record.first)]]);
    this.explore.setAttribute("href", `#${addressOf({ score: solvedScore, goals, moves, to }, this.solution)}`);
    this.#renderAgain();
    this.chart.mark(this.step - this.given);
    this.back.setAttribute("aria-disabled", String(this.step === this.given));
    this.next.setAttribute("aria-disabled", String(this.step === record.moves.length));
    this.moves.forEach((move, index) => {
      if (this.given + index === this.step) move.setAttribute("aria-current", "step");
      else move.removeAttribute("aria-current");
    });
  }

  /** Where the person can play on from here, or, at a mistake, from before it. */
  #renderAgain() {
    const { record, solvedScore, judge, to } = this.round;
    const mistaken = this.mistakes.has(this.step);
    const moves = record.moves.slice(0, mistaken ? this.step - 1 : this.step);
    const goal = record.goals[this.player];
    /** @type {[typeof goal | null, typeof goal | null]} */
    const goals = record.first === this.player ? [goal, null] : [null, goal];
    this.again.setAttribute("href", `#${placeToPlay({ score: solvedScore, goals, moves, to }, this.solution)}`);
    this.again.textContent = mistaken ? TRY_AGAIN : "Play from here";
    this.again.hidden = new Cursor(judge.tree, moves).forcedOutcome !== null;
  }

  /** What happened last. */
  #sentence() {
    const move = this.round.luck.moves[this.step - this.given - 1];
    if (move === undefined) return this.#start();
    const mistake = this.mistakes.get(this.step);
    if (mistake) return [`${markOf(mistake.move.cost)} ${inWords(mistake, speechOnPage(this.opponent))}`];
    return [whoMarked(this.#who(move), move.number, String(digitOf(move.square)))];
  }

  /** Who the person is, before the first move. */
  #start() {
    const { record } = this.round;
    const mark = record.first === this.player ? "X" : "O";
    return [h("span", {}, `You were ${mark} and wanted to `, namedGoal(record.goals[this.player]), ".")];
  }

  /**
   * Of every step, for the list of moves: what happened, what a mistake of the person cost, and the chance then.
   *
   * @returns {{ text: string, price: string, figure: string }[]}
   */
  #rows() {
    const { luck } = this.round;
    const after = luck.moves.map((move) => {
      const text = `${move.number}. ${move.number % 2 === 1 ? "X" : "O"}: ${this.#who(move)} marked `;
      const marked = withMark(String(digitOf(move.square)), move.cost);
      return { text: text + marked, price: this.#price(move), figure: chance(move.known) };
    });
    return [{ text: "The goals are dealt", price: "", figure: chance(luck.known) }, ...after];
  }

  /** What a mistake of the person cost; empty for another move. @param {MoveLuck} move */
  #price(move) {
    return this.mistakes.has(move.number) ? signed(-percentagePoints(move.cost)) : "";
  }

  /** @param {MoveLuck} move */
  #who(move) {
    return move.mover === this.player ? "you" : this.opponent;
  }

  /**
   * The last one is when the goals are shown, and points are counted.
   *
   * @returns {import("./value_chart.js").ChartPoint[]}
   */
  #points() {
    const { luck } = this.round;
    const at = (/** @type {number} */ value) => winPercentage(value) / 100;
    return [
      { label: "0", told: "with your goal", chance: at(luck.known), cost: "" },
      ...luck.moves.map((move) => ({
        label: String(move.number),
        told: `after move ${move.number}`,
        chance: at(move.known),
        cost: this.mistakes.has(move.number) ? `\u2212${price(move.cost)}` : "",
      })),
      { label: "end", told: "when the goals were shown", chance: at(luck.after), cost: "" },
    ];
  }
}

/** What the line is. @param {string} opponent @param {boolean} mistakes  Whether there are any. */
function aboutLine(opponent, mistakes) {
  const fall = mistakes ? "Where the line falls in red, your move gave something away. " : "";
  const steps = mistakes ? "Every other step" : "Every step";
  return (
    "This is what you could know: your own goal, and what the moves revealed. " +
    `${fall}${steps} brings news: a move of ${opponent}, or the end, when the goals are shown. Tap to go there.`
  );
}
