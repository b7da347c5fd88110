/**
 * The board as nine buttons: to be looked at, heard, and played on by tap, click, digits or arrows.
 *
 * @typedef {object} BoardState  What it is to show.
 * @property {readonly number[]} moves  The squares played, X first.
 * @property {readonly number[]} [playable]  The squares that can be marked now.
 * @property {readonly (readonly number[])[]} [lines]  Three in a row, to be lit.
 * @property {ReadonlyMap<number, string>} [notes]  A few letters at the foot of a free square.
 * @property {ReadonlyMap<number, string>} [heard]  What is said of a square behind its number and mark.
 * @property {ReadonlyMap<number, string>} [classes]  Further classes of a square.
 * @property {boolean} [numbered]  Whether marks show the number of their move.
 */

import { SQUARES } from "../games/board.js";
import { h, svg } from "./dom.js";
import { digitOf } from "./keypad.js";

/** @type {Record<string, number>} */
const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -3, ArrowDown: 3 };

/** A board. `element` stands on the page; `render` makes it show something else. */
export class BoardView {
  /**
   * @param {string} label  What the board is, for a screen reader.
   * @param {(square: number) => void} onPlay  Called for squares that are playable.
   */
  constructor(label, onPlay) {
    this.onPlay = onPlay;
    /** @type {readonly number[]} */
    this.playable = [];
    this.squares = SQUARES.map((square) =>
      h("button", { class: "square", type: "button", "data-square": square, onclick: () => this.#choose(square) }),
    );
    this.element = h("div", { class: "board", role: "group", "aria-label": label }, ...this.squares);
    this.element.addEventListener("keydown", (event) => this.#step(event));
    this.#makeReachable(5);
  }

  /** @param {BoardState} state */
  render(state) {
    this.playable = state.playable ?? [];
    const lit = new Set((state.lines ?? []).flat());
    this.squares.forEach((element, index) => {
      const square = index + 1;
      const move = state.moves.indexOf(square);
      const mark = move < 0 ? "" : move % 2 === 0 ? "x" : "o";
      const note = state.notes?.get(square);
      const heard = state.heard?.get(square) ?? note;
      const spoken = mark ? `${mark.toUpperCase()}, move ${move + 1}` : "free";
      element.className = ["square", mark, state.classes?.get(square) ?? ""].filter(Boolean).join(" ");
      element.classList.toggle("last", move >= 0 && move === state.moves.length - 1);
      element.classList.toggle("in-line", lit.has(square));
      element.setAttribute("aria-label", [`Square ${digitOf(square)}`, spoken, heard].filter(Boolean).join(", "));
      element.setAttribute("aria-disabled", String(!this.playable.includes(square)));
      element.replaceChildren(
        ...(mark
          ? [picture(mark), ...(state.numbered ? [h("span", { class: "order" }, String(move + 1))] : [])]
          : [h("span", { class: "digit" }, String(digitOf(square)))]),
        ...(note && !mark ? [h("span", { class: "note" }, note)] : []),
      );
    });
  }

  /** Put the keyboard's focus on a square. @param {number} square */
  focus(square) {
    this.#makeReachable(square);
    this.squares[square - 1]?.focus();
  }

  /** @param {number} square */
  #choose(square) {
    this.#makeReachable(square);
    if (this.playable.includes(square)) this.onPlay(square);
  }

  /** One square at a time is reached by the tabulator key; arrows lead to the others. @param {number} square */
  #makeReachable(square) {
    this.squares.forEach((element, index) => {
      element.tabIndex = index + 1 === square ? 0 : -1;
    });
  }

  /** @param {KeyboardEvent} event */
  #step(event) {
    const step = STEPS[event.key];
    const at = this.squares.indexOf(/** @type {HTMLButtonElement} */ (event.target)) + 1;
    if (step === undefined || at === 0) return;
    event.preventDefault();
    const inRow = Math.abs(step) === 3 || Math.floor((at + step - 1) / 3) === Math.floor((at - 1) / 3);
    if (inRow && at + step >= 1 && at + step <= 9) this.focus(at + step);
  }
}

/** @param {string} mark */
function picture(mark) {
  const shape =
    mark === "x" ? svg("path", { d: "M22 22L78 78M78 22L22 78" }) : svg("circle", { cx: 50, cy: 50, r: 30 });
  return svg("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" }, shape);
}
