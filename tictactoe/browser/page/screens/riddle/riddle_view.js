/** One riddle: a position, three tries, then what each square costs, and why. */

import { freeSquares } from "../../games/board.js";
import { GOAL_NAMES, otherSeat } from "../../games/rules.js";
import { counted, inPoints, percent } from "../../match/numbers.js";
import { BoardView } from "../../parts/board_view.js";
import { h } from "../../parts/dom.js";
import { namedGoal } from "../../parts/goal_sign.js";
import { HintPanel } from "../../parts/hint_panel.js";
import { digitOf, squareOfKey } from "../../parts/keypad.js";
import { hint } from "../../play/hint_words.js";
import { advise } from "../../play/move_costs.js";
import { reason } from "../../play/reason.js";
import { TRIES, signsOf } from "../../play/riddle_days.js";

/**
 * @typedef {object} RiddleFrame  What stands around it, and where what is tried is kept.
 * @property {(over: boolean) => [string, string]} words  What stands above it, and a sentence below the board, which may be empty.
 * @property {() => string} tried  As in `RiddleDays`; empty before the first try.
 * @property {(tried: string) => void} keep
 * @property {(signs: string, tries: number, solved: boolean) => (Node | string)[]} afterwards  What follows the answer.
 */

const SEATS = ["X", "O"];
const COUNTS = ["No try", "One try", "Two tries", "Three tries"];
const ENDS = ["Solved on the first try.", "Solved on the second try.", "Solved on the third try."];

/** A view of a position that is a riddle. */
export class RiddleView {
  /**
   * @param {import("../screen.js").App} app
   * @param {import("../../parts/place.js").Place} place  With the goal of whose turn it is.
   * @param {import("../../play/round_bot.js").RoundBot} bot  The perfect player there.
   * @param {import("../../games/cursor.js").Cursor} cursor
   * @param {RiddleFrame} frame
   */
  constructor(app, place, bot, cursor, frame) {
    this.app = app;
    this.bot = bot;
    this.cursor = cursor;
    this.frame = frame;
    this.seat = /** @type {import("../../games/rules.js").Seat} */ (cursor.mover);
    this.goal = /** @type {import("../../games/rules.js").Goal} */ (place.position.goals[this.seat]);
    this.advice = advise(bot, cursor, this.goal);
    this.heading = h("h1", { tabindex: -1 });
    this.text = h("p", { class: "muted" });
    this.board = new BoardView("Board of the riddle", (square) => this.#try(square));
    this.said = h("p", { class: "turn" });
    this.why = h("p", { class: "why" });
    this.hints = new HintPanel();
    this.after = h("div", { class: "after" });
    const { score } = place.position;
    const [mine, theirs] = [score[this.seat], score[otherSeat(this.seat)]];
    const toDo = bot.tree.rules.toDo(this.goal, "the bot");
    this.element = h(
      "div",
      { class: "riddle-table" },
      h(
        "div",
        { class: "head" },
        this.heading,
        h("p", { class: "card wish" }, `You are ${SEATS[this.seat]} and want to `, namedGoal(this.goal), `: ${toDo}.`),
        h(
          "p",
          { class: "muted" },
          `You have ${counted(mine, "point")}, the bot ${theirs}, in a match to ${place.solution.winningScore}. The bot\u2019s goal is secret.`,
        ),
      ),
      h("div", { class: "board-place" }, this.board.element),
      h("div", { class: "foot" }, h("div", { class: "said" }, this.said, this.why)),
      h("div", { class: "panels" }, this.text, this.after, this.hints.element),
    );
    this.render();
  }

  /** Show what has been tried by now. */
  render() {
    const tried = this.frame.tried();
    const squares = [...tried.replace(/[^1-9]/g, "")].map(Number).filter((square) => this.#of(square) !== undefined);
    const costs = squares.map((square) => this.#of(square)?.cost ?? 0);
    const over = /[+-]$/.test(tried);
    const solved = tried.endsWith("+");
    [this.heading.textContent, this.text.textContent] = this.frame.words(over);
    const told = over ? hint(this.bot, this.cursor, this.goal, digitOf) : null;
    this.said.textContent = over
      ? solved
        ? (ENDS[squares.length - 1] ?? "Solved.")
        : "Not solved."
      : this.#left(squares);
    this.why.textContent = told === null ? this.#about(squares.at(-1)) : `${told.sentence} ${this.#tells()}`;
    const classes = new Map(told?.all.classes ?? []);
    for (const square of squares) classes.set(square, `${classes.get(square) ?? "hint-costs"} tried`);
    this.board.render({
      moves: this.cursor.moves,
      numbered: true,
      playable: over ? [] : freeSquares(this.cursor.board).filter((square) => !squares.includes(square)),
      notes:
        told?.all.notes ?? new Map(squares.map((square, index) => [square, `costs ${(50 * costs[index]).toFixed(1)}`])),
      heard: told?.all.heard ?? new Map(),
      classes,
    });
    this.hints.render(told, over);
    this.after.replaceChildren(...(over ? this.frame.afterwards(signsOf(costs), squares.length, solved) : []));
  }

  /** Put the keyboard's focus where it is told what this is. */
  focus() {
    this.heading.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const square = squareOfKey(event);
    if (square !== null && this.board.playable.includes(square)) this.#try(square);
  }

  /** @param {number} square */
  #of(square) {
    return this.advice.find(({ squares }) => squares.includes(square));
  }

  /** @param {number} square */
  #try(square) {
    const before = this.frame.tried(); // another tab may have tried more
    const move = this.#of(square);
    if (move !== undefined && !/[+-]$/.test(before) && !before.includes(String(square))) {
      const tried = before + square;
      this.frame.keep(tried + (move.cost === 0 ? "+" : tried.length >= TRIES ? "-" : ""));
    }
    this.render();
    this.app.announce(`${this.said.textContent} ${this.why.textContent}`.trim());
    if (/[+-]$/.test(this.frame.tried())) this.said.scrollIntoView({ block: "nearest" });
  }

  /** @param {number[]} squares */
  #left(squares) {
    if (squares.length === 0) return "Which square costs nothing? You have three tries.";
    return `Not that one. ${COUNTS[TRIES - squares.length]} left.`;
  }

  /** What is wrong with a square. @param {number | undefined} square */
  #about(square) {
    const move = square === undefined ? undefined : this.#of(square);
    if (square === undefined || move === undefined) return "";
    const why = reason(move, this.goal, "the bot", (other) => String(digitOf(other)), square);
    const cost = `${digitOf(square)} costs ${inPoints(move.cost)} of winning chance`;
    return why ? `${cost}: ${why}.` : `${cost}.`;
  }

  /** What the bot learns from the best square about the goal. */
  #tells() {
    const move = this.advice.find(({ cost }) => cost === 0);
    const [square] = move?.squares ?? [];
    if (square === undefined || move?.outcome !== null) return "";
    this.cursor.play(square);
    const belief = this.bot.belief(this.cursor.node, this.seat);
    this.cursor.undo();
    const likely = GOAL_NAMES.map((name, goal) => `${name} ${percent(belief[goal] ?? 0, 0)}`);
    return `What ${digitOf(square)} tells about your goal: ${likely.join(", ")}.`;
  }
}
