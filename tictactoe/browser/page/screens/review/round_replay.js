/** A finished round, move by move: the board, the chance to win after every move, and what each move cost. */

import { linesOf } from "../../games/board.js";
import { Cursor } from "../../games/cursor.js";
import { winPercentage } from "../../match/scores.js";
import { BoardView } from "../../parts/board_view.js";
import { h } from "../../parts/dom.js";
import { digitOf } from "../../parts/keypad.js";
import { addressOf } from "../../play/notation.js";
import { otherPlayer } from "../../play/referee.js";
import { longerMatchNote } from "./mistake_list.js";
import { inWords, markOf, speechOnPage, whoMarked, withMark } from "./review_words.js";
import { ValueChart } from "./value_chart.js";
import { chance } from "./wording.js";

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
    /** After how many moves it stands. */
    this.step = 0;
    this.board = new BoardView("The board after the chosen move", () => {});
    this.text = h("p", { class: "step" });
    this.explore = h("a", {}, "Explore this position");
    this.chart = new ValueChart(this.#points(), (index) => this.show(Math.max(0, index - 1)));
    this.moves = this.#texts().map(([text, figure], step) => {
      const kind = this.mistakes.has(step) ? "move mistake" : "move";
      return h(
        "button",
        { type: "button", class: kind, onclick: () => this.show(step) },
        h("span", {}, `${text} `),
        h("span", {}, figure),
      );
    });
    this.back = h("button", { type: "button", class: "button", onclick: () => this.show(this.step - 1) }, "Back");
    this.next = h("button", { type: "button", class: "button", onclick: () => this.show(this.step + 1) }, "Next");
    this.element = h(
      "section",
      { class: "replay", "aria-label": "The round, move by move" },
      h(
        "div",
        {},
        this.board.element,
        this.text,
        h("div", { class: "steps" }, this.back, this.explore, this.next),
        round.mistakes.length > 0 ? null : longerMatchNote(round.record.score, round.solvedScore),
      ),
      h(
        "div",
        {},
        h("h2", {}, "Your chance to win the match"),
        this.chart.element,
        h("p", { class: "muted" }, "With the goals that were dealt, if both went on perfectly. Tap to go there."),
        h("ol", { class: "moves" }, ...this.moves.map((move) => h("li", {}, move))),
      ),
    );
    this.#render();
  }

  /** Show the board after so many moves; anything beyond the ends is an end. @param {number} step */
  show(step) {
    const wanted = Math.min(Math.max(step, 0), this.round.record.moves.length);
    if (wanted === this.step) return;
    this.step = wanted;
    this.#render();
    this.announce(this.text.textContent ?? "");
  }

  /** Arrows, Home and End. @param {KeyboardEvent} event */
  onKey(event) {
    const end = this.round.record.moves.length;
    /** @type {Record<string, number>} */
    const steps = { ArrowLeft: this.step - 1, ArrowRight: this.step + 1, Home: 0, End: end };
    const wanted = event.ctrlKey || event.metaKey || event.altKey ? undefined : steps[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    this.show(wanted);
  }

  #render() {
    const { record, perfect, solvedScore } = this.round;
    const moves = record.moves.slice(0, this.step);
    const { board } = new Cursor(perfect.tree, moves);
    const mistake = this.mistakes.get(this.step)?.move;
    const better = mistake?.best ?? [];
    /** @type {Map<number, string>} */
    const classes = new Map(better.map((square) => [square, "better"]));
    if (mistake) classes.set(mistake.square, "mistaken");
    this.board.render({
      moves,
      numbered: true,
      lines: [...linesOf(board.first), ...linesOf(board.second)],
      notes: new Map(better.map((square) => [square, "better"])),
      classes,
    });
    this.text.textContent = this.#sentence();
    const goals = /** @type {const} */ ([record.goals[record.first], record.goals[otherPlayer(record.first)]]);
    this.explore.setAttribute("href", `#${addressOf({ score: solvedScore, goals, moves }, this.solution)}`);
    this.chart.mark(this.step + 1);
    this.back.setAttribute("aria-disabled", String(this.step === 0));
    this.next.setAttribute("aria-disabled", String(this.step === record.moves.length));
    this.moves.forEach((move, step) => {
      if (step === this.step) move.setAttribute("aria-current", "step");
      else move.removeAttribute("aria-current");
    });
  }

  /** What happened last. */
  #sentence() {
    const move = this.round.luck.moves[this.step - 1];
    if (move === undefined) return "Before the first move";
    const mistake = this.mistakes.get(this.step);
    if (mistake) return `${markOf(mistake.move.cost)} ${inWords(mistake, speechOnPage(this.opponent))}`;
    return whoMarked(this.#who(move), move.number, String(digitOf(move.square)));
  }

  /** Of every step, for the list of moves: what happened, and the chance then. @returns {[string, string][]} */
  #texts() {
    const { luck } = this.round;
    const after = luck.moves.map((move) => {
      const mark = `${move.number}. ${move.number % 2 === 1 ? "X" : "O"}`;
      return /** @type {[string, string]} */ ([
        `${mark}: ${this.#who(move)} marked ${withMark(String(digitOf(move.square)), move.cost)}`,
        chance(move.value),
      ]);
    });
    return [["The goals are dealt", chance(luck.dealt)], ...after];
  }

  /** @param {MoveLuck} move */
  #who(move) {
    return move.mover === this.player ? "you" : this.opponent;
  }

  #points() {
    const { luck } = this.round;
    const point = (
      /** @type {string} */ label,
      /** @type {string} */ told,
      /** @type {number} */ value,
      mistake = false,
    ) => ({
      label,
      told,
      chance: winPercentage(value) / 100,
      mistake,
    });
    return [
      point("before", "before the round", luck.before),
      point("goals", "with these goals", luck.dealt),
      ...luck.moves.map(({ number, value }) =>
        point(String(number), `after move ${number}`, value, this.mistakes.has(number)),
      ),
    ];
  }
}
