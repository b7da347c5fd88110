/** Before a round of two people at one device: each looks at the own goal alone. */

import { goalName } from "../../games/rules.js";
import { h } from "../../parts/dom.js";
import { otherPlayer } from "../../play/referee.js";

/** @typedef {import("../../play/referee.js").Player} Player */

/**
 * The one who moves first looks last, and so has the device then.
 *
 * @param {import("./match_flow.js").MatchFlow} flow  With a round that is loaded.
 * @param {() => void} onDone
 */
export function handOver(flow, onDone) {
  const { names } = flow.match;
  const { round } = flow;
  const { rules } = flow.judge.tree;
  const element = h("section", { class: "card hand-over", "aria-live": "polite" });
  const button = h("button", { class: "button main", type: "button", onclick: () => forward() });
  /** @type {Player[]} */
  const order = [otherPlayer(round.first), round.first];
  let step = 0;

  function forward() {
    step += 1;
    if (step === 2 * order.length) onDone();
    else render();
  }

  function render() {
    const player = /** @type {Player} */ (order[Math.floor(step / 2)]);
    const [name, other] = [names[player], names[otherPlayer(player)]];
    const shown = step % 2 === 1;
    const goal = round.goals[player];
    button.textContent = shown
      ? step === 1
        ? `Hide it, and give the device to ${other}`
        : "Hide it, and play"
      : `Show ${name}\u2019s goal`;
    element.replaceChildren(
      h("h1", {}, `Round ${round.number}: ${name}\u2019s goal`),
      shown
        ? h(
            "p",
            { class: "goal" },
            `${name}, you want to `,
            h("strong", {}, goalName(goal)),
            `: ${rules.toDo(goal, other)}.`,
          )
        : h("p", {}, `Only ${name} should look now; ${other} looks away.`),
      h(
        "p",
        { class: "muted" },
        `${names[round.first]} moves first and is X. The match is to ${flow.match.winningScore}; ${rules.data.title}.`,
      ),
      button,
    );
    button.focus();
  }

  return { element, render };
}
