/** Before a round of two people at one device: each looks at the own goal alone. */

import { h } from "../../parts/dom.js";
import { namedGoal } from "../../parts/goal_sign.js";
import { otherPlayer } from "../../play/referee.js";
import { DeliberateButton } from "./deliberate_button.js";

/** @typedef {import("../../play/referee.js").Player} Player */

/**
 * The one who moves first looks last, and so has the device then. Between two goals stands a card without one.
 *
 * @param {import("./match_flow.js").MatchFlow} flow  With a round that is loaded.
 * @param {() => void} onDone
 * @param {(text: string) => void} announce
 */
export function handOver(flow, onDone, announce) {
  const { names, winningScore } = flow.match;
  const { round } = flow;
  const { rules } = flow.judge.tree;
  const where = `Round ${round.number} of a match to ${winningScore}`;
  const element = h("section", { class: "card hand-over" });
  const button = new DeliberateButton("button main", () => forward());
  /** @type {Player[]} */
  const order = [otherPlayer(round.first), round.first];
  let step = 0;

  function forward() {
    step += 1;
    if (step === 2 * order.length) onDone();
    else render();
  }

  function render() {
    const player = order[Math.floor(step / 2)];
    const [name, other] = [names[player], names[otherPlayer(player)]];
    const shown = step % 2 === 1;
    const goal = round.goals[player];
    element.classList.toggle("showing", shown);
    button.element.textContent = shown ? (step === 1 ? "Hide it" : "Hide it, and play") : `Show ${name}\u2019s goal`;
    const told = shown
      ? [
          h("h1", {}, `${name}\u2019s goal`),
          h("p", { class: "goal" }, `${name}, you want to `, namedGoal(goal), "."),
          h("p", {}, `You have to ${rules.toDo(goal, other)}.`),
        ]
      : [
          h("h1", {}, `Give the device to ${name}`),
          h("p", {}, `Only ${name} looks now. ${other} looks away.`),
          h("p", { class: "muted" }, `${where}: ${names[round.first]} moves first and is X.`),
        ];
    element.replaceChildren(...told, button.element);
    button.settle();
    button.element.focus();
    announce(told.map((part) => part.textContent).join(" "));
  }

  return { element, render };
}
