/** Asking before a match that goes on is left. */

import { h } from "../../parts/dom.js";

/**
 * Ask, in front of all else.
 *
 * @param {string} score  How the match stands.
 * @param {() => void} onLeave
 */
export function askToLeave(score, onLeave) {
  ask(
    "Leave this match?",
    `The score is ${score}. You cannot continue this match later; Review keeps its finished
  rounds.`,
    [
      { text: "Keep playing", act: () => {} },
      { text: "Leave it", act: onLeave },
    ],
  );
}

/**
 * The same before a new match takes the place of one that goes on.
 *
 * @param {string} score  How the present one stands.
 * @param {() => void} goOn
 * @param {() => void} begin
 */
export function askToReplace(score, goOn, begin) {
  ask(
    "Give up your match?",
    `This match is unfinished: ${score}. A new one takes its place; Review keeps its finished rounds.`,
    [
      { text: "Continue it", act: goOn },
      { text: "Begin a new one", act: begin },
    ],
  );
}

/**
 * @param {string} heading
 * @param {string} text
 * @param {[Answer, Answer]} answers  The first one is the safe one.
 * @typedef {{ text: string, act: () => void }} Answer
 */
function ask(heading, text, answers) {
  const dialog = h("dialog", { class: "card leave", "aria-labelledby": "leave-heading" });
  const buttons = answers.map((answer, index) =>
    h(
      "button",
      {
        class: index === 0 ? "button main" : "button",
        type: "button",
        onclick: () => {
          dialog.close();
          answer.act();
        },
      },
      answer.text,
    ),
  );
  dialog.append(
    h("h2", { id: "leave-heading" }, heading),
    h("p", {}, text),
    h("div", { class: "actions" }, ...buttons),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
