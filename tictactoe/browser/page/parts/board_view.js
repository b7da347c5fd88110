/**
 * The board as nine buttons: to be looked at, heard, and played on by tap, click, digits or arrows.
 *
 * @typedef {readonly [number, "x" | "o"]} Ghost  A square, and the mark that would come there.
 * @typedef {{ line: number[], mark: string, coming: boolean }} Strike  Three in a row, drawn through.
 * @typedef {{ goal: import("../games/rules.js").Goal, often: number }} Bar  often: 0 to 1.
 * @typedef {object} BoardState  What it is to show.
 * @property {readonly number[]} moves  The squares played, X first.
 * @property {readonly number[]} [playable]  The squares that can be marked now.
 * @property {readonly Ghost[]} [ghosts]  The rest of a round that is decided, in order: marks that nobody has made.
 *   They appear one after the other.
 * @property {ReadonlyMap<number, string>} [notes]  A few letters at the foot of a free square.
 * @property {ReadonlyMap<number, string>} [heard]  What is said of a square behind its number and mark.
 * @property {ReadonlyMap<number, string>} [classes]  Further classes of a square; "fresh" draws its mark.
 * @property {ReadonlyMap<number, readonly Bar[]>} [bars]  By free square, how often goals play there: a sign and a bar
 *   for each. They are not heard.
 * @property {boolean} [numbered]  Whether marks show the number of their move.
 */

import { SQUARES, bitsOf, linesOf } from "../games/board.js";
import { h, svg } from "./dom.js";
import { goalClass, goalSign } from "./goal_sign.js";
import { digitOf } from "./keypad.js";

/** @type {Record<string, number>} */
const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -3, ArrowDown: 3 };
/** Seconds between two ghosts, at most, and for all of them. */
const GHOST_PACE = 0.3;
const ALL_GHOSTS = 0.9;

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
    /** What stands in each square: what stays there is not made again, as it would be drawn again. @type {string[]} */
    this.contents = [];
    this.struck = "";
    this.squares = SQUARES.map((square) =>
      h("button", {
        class: "square",
        type: "button",
        "data-square": square,
        onclick: () => this.#choose(square),
      }),
    );
    this.strikes = svg("svg", { class: "strikes", viewBox: "0 0 300 300", "aria-hidden": "true" });
    this.element = h("div", { class: "board", role: "group", "aria-label": label }, ...this.squares, this.strikes);
    this.element.addEventListener("keydown", (event) => this.#step(event));
    this.#makeReachable(5);
  }

  /** @param {BoardState} state */
  render(state) {
    this.playable = state.playable ?? [];
    const ghosts = state.ghosts ?? [];
    const strikes = strikesOf(state.moves, ghosts);
    const lit = new Set(strikes.filter(({ coming }) => !coming).flatMap(({ line }) => line));
    this.element.style.setProperty("--ghost-pace", `${Math.min(GHOST_PACE, ALL_GHOSTS / (ghosts.length + 1))}s`);
    this.element.style.setProperty("--ghosts", String(ghosts.length));
    this.squares.forEach((element, index) => {
      const square = index + 1;
      const move = state.moves.indexOf(square);
      const mark = move < 0 ? "" : move % 2 === 0 ? "x" : "o";
      const turn = ghosts.findIndex(([at]) => at === square);
      const ghost = move < 0 ? (ghosts[turn]?.[1] ?? "") : "";
      const note = mark || ghost ? "" : (state.notes?.get(square) ?? "");
      const seen = [digitOf(square), note].filter(Boolean).join(" ");
      const heard = (state.heard?.get(square) ?? "") === note ? "" : (state.heard?.get(square) ?? "");
      const free = ghost ? `free, ${ghost.toUpperCase()} could come here` : "free";
      const spoken = mark ? `${mark.toUpperCase()}, move ${move + 1}` : free;
      const classes = ["square", mark || ghost, ghost && "ghost", state.classes?.get(square)];
      element.className = classes.filter(Boolean).join(" ");
      element.classList.toggle("last", move >= 0 && move === state.moves.length - 1);
      element.classList.toggle("in-line", lit.has(square));
      element.style.setProperty("--turn", String(Math.max(turn, 0)));
      element.setAttribute("aria-label", [`Square ${seen}`, spoken, heard].filter(Boolean).join(", "));
      element.setAttribute("aria-disabled", String(!this.playable.includes(square)));
      const bars = mark || ghost ? [] : (state.bars?.get(square) ?? []);
      this.#fill(square, mark || ghost, mark && state.numbered ? String(move + 1) : "", note, bars);
    });
    this.#strike(strikes);
  }

  /** @param {number} square @param {string} mark @param {string} order @param {string} note @param {readonly Bar[]} bars */
  #fill(square, mark, order, note, bars) {
    const digit = String(digitOf(square));
    const content = [mark, order, note, digit, JSON.stringify(bars)].join("|");
    if (this.contents[square] === content) return;
    this.contents[square] = content;
    this.squares[square - 1]?.replaceChildren(
      mark ? picture(mark) : h("span", { class: "digit" }, digit),
      ...(order ? [h("span", { class: "order" }, order)] : []),
      ...(bars.length > 0 ? [barsOf(bars)] : []),
      ...(note ? [" ", h("span", { class: "note" }, note)] : []),
    );
  }

  /** @param {Strike[]} strikes */
  #strike(strikes) {
    const struck = JSON.stringify(strikes);
    if (this.struck === struck) return;
    this.struck = struck;
    this.strikes.replaceChildren(
      ...strikes.map(({ line, mark, coming }) =>
        svg("path", { class: `of-${mark}${coming ? " coming" : ""}`, d: through(line), pathLength: 1 }),
      ),
    );
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

/**
 * Every three in a row, and whether it is one that only the ghosts complete.
 *
 * @param {readonly number[]} moves
 * @param {readonly Ghost[]} ghosts
 * @returns {Strike[]}
 */
function strikesOf(moves, ghosts) {
  return ["x", "o"].flatMap((mark, seat) => {
    const here = moves.filter((_, index) => index % 2 === seat);
    const then = ghosts.filter(([, theirs]) => theirs === mark).map(([square]) => square);
    const there = linesOf(bitsOf(here));
    return linesOf(bitsOf([...here, ...then])).map((line) => ({ line, mark, coming: !there.includes(line) }));
  });
}

/** A stroke through a row, from edge to edge. @param {readonly number[]} line */
function through(line) {
  const [from, , to] = line;
  const [x, y] = [((from - 1) % 3) * 100 + 50, Math.floor((from - 1) / 3) * 100 + 50];
  const [toX, toY] = [((to - 1) % 3) * 100 + 50, Math.floor((to - 1) / 3) * 100 + 50];
  const [stepX, stepY] = [0.18 * (toX - x), 0.18 * (toY - y)];
  return `M${x - stepX} ${y - stepY}L${toX + stepX} ${toY + stepY}`;
}

/** @param {readonly Bar[]} bars */
function barsOf(bars) {
  const rows = bars.map(({ goal, often }) => {
    const bar = h("i", { class: "often" });
    bar.style.inlineSize = `${100 * often}%`;
    return h("span", { class: `row-of-goal ${goalClass(goal)}` }, goalSign(goal), h("span", { class: "scale" }, bar));
  });
  return h("span", { class: "bars", "aria-hidden": "true" }, ...rows);
}

/** @param {string} mark */
function picture(mark) {
  const strokes = mark === "x" ? ["M22 22L78 78", "M78 22L22 78"] : ["M50 20A30 30 0 1 0 50.01 20"];
  return svg(
    "svg",
    { viewBox: "0 0 100 100", "aria-hidden": "true" },
    ...strokes.map((d) => svg("path", { d, pathLength: 1 })),
  );
}
