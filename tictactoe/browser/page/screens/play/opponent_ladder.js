/** The opponents that a person climbs, by face and name, the others behind a fold, and a sentence about the chosen one. */

import { h } from "../../parts/dom.js";
import { face } from "../../parts/face.js";
import { opponentText } from "../../parts/opponent_text.js";

/**
 * @param {import("../../loading/manifest.js").SolutionData} data
 * @param {string} chosen
 * @param {number} winningScore
 * @param {(name: string) => void} onChange
 */
export function opponentLadder({ opponents, ladder }, chosen, winningScore, onChange) {
  const found = opponents.find(({ name }) => name === chosen);
  const rung = (/** @type {string} */ name) => {
    const id = `opponent-${name}`;
    const input = h("input", { type: "radio", id, name: "opponent", value: name, onchange: () => onChange(name) });
    input.checked = name === chosen;
    if (input.checked) input.setAttribute("aria-describedby", "opponent-text");
    const title = opponents.find((one) => one.name === name)?.title ?? name;
    return h("label", { for: id, class: "rung" }, input, face(name), h("span", { class: "rung-name" }, title));
  };
  const others = opponents.map(({ name }) => name).filter((name) => !ladder.includes(name));
  return h(
    "fieldset",
    { class: "choice" },
    h("legend", {}, "Your opponent, from easy to hard"),
    h("div", { class: "rungs" }, ...ladder.map(rung)),
    h("p", { class: "chosen-text", id: "opponent-text" }, found === undefined ? "" : opponentText(found, winningScore)),
    others.length > 0 &&
      h(
        "details",
        { class: "fold other-opponents", open: others.includes(chosen) },
        h("summary", {}, "Other opponents"),
        h("div", { class: "rungs" }, ...others.map(rung)),
      ),
  );
}
