/** The opponents as a ladder of bars, from easy to perfect, with a sentence about the one that is chosen. */

import { h } from "../../parts/dom.js";
import { opponentText } from "../../parts/opponent_text.js";

/**
 * @param {readonly import("../../loading/manifest.js").OpponentData[]} opponents  The strongest first.
 * @param {string} chosen
 * @param {number} winningScore
 * @param {(name: string) => void} onChange
 */
export function opponentLadder(opponents, chosen, winningScore, onChange) {
  const fromEasy = [...opponents].reverse();
  const at = fromEasy.findIndex(({ name }) => name === chosen);
  const found = fromEasy[at];
  const rungs = fromEasy.map(({ name, title }, step) => {
    const id = `opponent-${name}`;
    const input = h("input", { type: "radio", id, name: "opponent", value: name, onchange: () => onChange(name) });
    input.checked = step === at;
    if (input.checked) input.setAttribute("aria-describedby", "opponent-text");
    const bar = h("span", { class: "bar", "aria-hidden": "true" });
    bar.style.blockSize = `${(3 * (step + 1)) / fromEasy.length}rem`;
    return h(
      "label",
      { for: id, class: step <= at ? "rung reached" : "rung" },
      input,
      bar,
      h("span", { class: "rung-name" }, title),
    );
  });
  return h(
    "fieldset",
    { class: "choice" },
    h("legend", {}, "Your opponent"),
    h("div", { class: "rungs" }, ...rungs),
    h("p", { class: "chosen-text", id: "opponent-text" }, found === undefined ? "" : opponentText(found, winningScore)),
  );
}
