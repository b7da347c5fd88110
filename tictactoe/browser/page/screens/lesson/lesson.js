/** A first round of twenty seconds that teaches the game by playing: a goal, two marks, the end, and who scores. */

import { BoardView } from "../../parts/board_view.js";
import { digitOf, squareOfKey } from "../../parts/keypad.js";
import { h, isOnControl } from "../../parts/dom.js";
import { namedGoal } from "../../parts/goal_sign.js";
import { prefersStillness } from "../../parts/motion.js";
import { LessonRound } from "./lesson_round.js";

/** Milliseconds until the bot answers. */
const PACE = 600;
const SAID = [
  "You are O. The bot, X, is one mark short of a row: stop it.",
  "Stopped! Now the bot is one mark short of another row: stop that one, too.",
];

/**
 * @param {import("../screen.js").App} app
 * @param {{ title: string, begin: () => void, choose: () => void }} then  What may follow: a match, called so, begun at
 *   once; or choosing one.
 * @returns {import("../screen.js").ShownLesson}
 */
export function lesson(app, then) {
  let round = new LessonRound();
  /** Of the bot's answer. */
  let timer = 0;
  const board = new BoardView("Board of the first round", play);
  const heading = h("h1", { id: "lesson-heading" });
  const told = h("div", { class: "told" });
  const buttons = h("div", { class: "actions" });
  const element = h(
    "section",
    { class: "lesson", "aria-labelledby": "lesson-heading" },
    h("div", { class: "lesson-head" }, heading, told),
    board.element,
    buttons,
  );

  function begin() {
    clearTimeout(timer);
    round = new LessonRound();
    render();
  }

  /** @param {number} square */
  function play(square) {
    round.mark(square);
    const waits = round.state === "going on";
    const still = prefersStillness();
    if (waits && !still) timer = setTimeout(answer, PACE);
    render();
    if (waits && still) answer();
  }

  function answer() {
    round.answer();
    render();
    tell();
  }

  function tell() {
    const last = round.moves.at(-1) ?? 0;
    const marked = round.moves.length % 2 === 1 ? `The bot marks ${digitOf(last)}.` : "";
    app.announce([marked, heading.textContent, ...[...told.children].map((one) => one.textContent)].join(" "));
  }

  function render() {
    const { state } = round;
    const over = state !== "going on";
    const tied = state === "tie";
    element.classList.toggle("point", tied);
    heading.replaceChildren(
      ...(over ? [tied ? "A point for you!" : "No point for you"] : ["Your secret goal: ", namedGoal(2)]),
    );
    told.replaceChildren(...(over ? why(tied) : now()));
    board.render({
      moves: round.moves,
      playable: round.isPersons ? round.free : [],
      classes: new Map(round.isPersons ? [[Number(round.moves.at(-1)), "fresh"]] : []),
      ghosts: tied ? round.rest : [],
    });
    buttons.replaceChildren(...(over ? next(tied) : [button("Skip", then.choose)]));
    if (!over) return;
    buttons.querySelector("button")?.focus({ preventScroll: true });
    if (tied) tell();
  }

  /** What is to be done while the round goes on. */
  function now() {
    return [
      h("p", {}, "You reach it if nobody gets three in a row."),
      h("p", {}, round.isPersons ? (SAID[round.made] ?? "Your turn.") : "The bot thinks\u2026"),
    ];
  }

  /** Why the round is over, and who scores. @param {boolean} tied */
  function why(tied) {
    const [win, tie] = ["win", "tie"].map((goal) => h("strong", {}, goal));
    if (!tied) {
      return [
        h("p", {}, "The bot has three in a row, so the round is over."),
        h("p", {}, "It wanted to ", win, ": a point for the bot. You wanted to ", tie, "."),
      ];
    }
    return [
      h("p", {}, "Nobody can get three in a row any more, so the round stops: a ", tie, ", as you wanted."),
      h("p", {}, "The bot wanted to ", win, ": no point. Every round brings new goals."),
    ];
  }

  /** @param {boolean} tied */
  function next(tied) {
    return tied
      ? [button(then.title, then.begin, true), button("Other matches", then.choose)]
      : [button("Try again", again, true), button(then.title, then.begin)];
  }

  function again() {
    begin();
    focus();
  }

  /** Put the keyboard's focus on the board, and say what is to be done. */
  function focus() {
    board.focus(3);
    tell();
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const square = squareOfKey(event);
    if (square !== null && round.isPersons && round.free.includes(square)) play(square);
    else if (event.key === "Escape") then.choose();
    else if (event.key === "Enter" && !isOnControl(event)) buttons.querySelector("button")?.click();
  }

  return { element, begin, focus, end: () => clearTimeout(timer), onKey };
}

/** @param {string} text @param {() => void} onclick @param {boolean} [main] */
function button(text, onclick, main = false) {
  return h("button", { class: main ? "button main" : "button", type: "button", onclick }, text);
}
