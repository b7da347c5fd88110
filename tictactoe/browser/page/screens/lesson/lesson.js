/**
 * Two rounds that teach the game by playing, of twenty and fifteen seconds: in the first one the person stops the bot,
 * in the second one it has to let the bot have its row, and both score.
 */

import { BoardView } from "../../parts/board_view.js";
import { digitOf, squareOfKey } from "../../parts/keypad.js";
import { h, isOnControl } from "../../parts/dom.js";
import { namedGoal } from "../../parts/goal_sign.js";
import { prefersStillness } from "../../parts/motion.js";
import { LessonRound, SCRIPTS } from "./lesson_round.js";

/** Milliseconds until the bot answers. */
const PACE = 600;
/** By round: what the goal takes, and by the marks that the person has made, what to do. */
const SAID = [
  {
    toDo: "You reach it if nobody gets three in a row.",
    turns: [
      "You are O. The bot, X, is one mark short of a row: stop it.",
      "Stopped! Now the bot is one mark short of another row: stop that one, too.",
    ],
  },
  {
    toDo: "You reach it if the bot gets three in a row.",
    turns: [
      "The bot wants to win and is one mark short of a row. This time, leave the row open: mark another square.",
      "You stopped the row that you needed. Luckily the bot has two more: leave one of them open.",
    ],
  },
];

/**
 * @param {import("../screen.js").App} app
 * @param {{ title: string, begin: () => void, choose: () => void }} then  What may follow: a match, called so, begun at
 *   once; or choosing one.
 * @returns {import("../screen.js").ShownLesson}
 */
export function lesson(app, then) {
  /** Which of the two is played. */
  let number = 0;
  let round = new LessonRound(SCRIPTS[0]);
  /** Of the bot's answer. */
  let timer = 0;
  const board = new BoardView("Board of the first rounds", play);
  const heading = h("h1", { id: "lesson-heading" });
  const told = h("div", { class: "told" });
  const buttons = h("div", { class: "actions" });
  const element = h(
    "section",
    { class: "lesson", "aria-labelledby": "lesson-heading" },
    h("div", { class: "head" }, heading, told),
    h("div", { class: "board-place" }, board.element),
    h("div", { class: "foot" }, buttons),
  );

  /** @param {number} which */
  function begin(which) {
    clearTimeout(timer);
    number = which;
    round = new LessonRound(SCRIPTS[which]);
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
    const { state, isReached } = round;
    const over = state !== "going on";
    const { goal } = round.script;
    element.classList.toggle("point", isReached);
    const result = isReached ? (goal === 1 ? "A point for both of you!" : "A point for you!") : "No point for you";
    heading.replaceChildren(...(over ? [result] : ["Your secret goal: ", namedGoal(goal)]));
    told.replaceChildren(...(over ? why() : now()));
    board.render({
      moves: round.moves,
      playable: round.isPersons ? round.free : [],
      classes: new Map(round.isPersons ? [[Number(round.moves.at(-1)), "fresh"]] : []),
      ghosts: state === "tie" ? round.rest : [],
    });
    buttons.replaceChildren(...(over ? next() : [button("Skip", then.choose)]));
    if (!over) return;
    buttons.querySelector("button")?.focus({ preventScroll: true });
    if (state === "tie") tell();
  }

  /** What is to be done while the round goes on. */
  function now() {
    const { toDo, turns } = SAID[number];
    return [
      h("p", {}, toDo),
      h("p", {}, round.isPersons ? (turns[round.made] ?? "Your turn.") : "The bot is thinking\u2026"),
    ];
  }

  /** Why the round is over, and who scores. */
  function why() {
    const [win, lose, tie] = [namedGoal(0), namedGoal(1), namedGoal(2)];
    if (number === 1) {
      return [
        h(
          "p",
          {},
          "The bot wanted to ",
          win,
          " and has three in a row. You wanted to ",
          lose,
          ", so both of you score.",
        ),
        h(
          "p",
          {},
          "Nobody told the bot your goal, but a row left open ",
          h("b", {}, "tells"),
          " a lot. Hence the name, Tic-Tac-",
          h("b", {}, "Tell"),
          ": watch what the moves tell.",
        ),
      ];
    }
    if (round.state === "row") {
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

  function next() {
    if (!round.isReached) return [button("Try again", () => again(0), true), button(then.title, then.begin)];
    if (number === 0) return [button("Now lose on purpose", () => again(1), true), button(then.title, then.begin)];
    return [button(then.title, then.begin, true), button("Other matches", then.choose)];
  }

  /** @param {number} which */
  function again(which) {
    begin(which);
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

  return { element, begin: () => begin(0), focus, end: () => clearTimeout(timer), onKey };
}

/** @param {string} text @param {() => void} onclick @param {boolean} [main] */
function button(text, onclick, main = false) {
  return h("button", { class: main ? "button main" : "button", type: "button", onclick }, text);
}
