/** The opponents that a person climbs, by face and name, with a sentence about the chosen one, and the others. */

import { h } from "../../parts/dom.js";
import { face } from "../../parts/face.js";
import { opponentText } from "../../parts/opponent_text.js";

/** @typedef {import("../../loading/manifest.js").SolutionData} SolutionData */

/**
 * @param {SolutionData} data
 * @param {string} chosen
 * @param {number} winningScore
 * @param {(name: string) => void} onChange
 */
export function opponentLadder(data, chosen, winningScore, onChange) {
  const found = data.opponents.find(({ name }) => name === chosen);
  return h(
    "fieldset",
    { class: "choice" },
    h("legend", {}, "Your opponent, from easy to hard"),
    rungs(data, data.ladder, chosen, onChange),
    h("p", { class: "chosen-text", id: "opponent-text" }, found === undefined ? "" : opponentText(found, winningScore)),
  );
}

/**
 * Those beside the ladder; null where there are none.
 *
 * @param {SolutionData} data
 * @param {string} chosen
 * @param {(name: string) => void} onChange
 */
export function otherOpponents(data, chosen, onChange) {
  const others = data.opponents.map(({ name }) => name).filter((name) => !data.ladder.includes(name));
  if (others.length === 0) return null;
  return h("fieldset", { class: "choice" }, h("legend", {}, "Other opponents"), rungs(data, others, chosen, onChange));
}

/** @param {SolutionData} data @param {string[]} names @param {string} chosen @param {(name: string) => void} onChange */
function rungs({ opponents }, names, chosen, onChange) {
  const rung = (/** @type {string} */ name) => {
    const id = `opponent-${name}`;
    const input = h("input", { type: "radio", id, name: "opponent", value: name, onchange: () => onChange(name) });
    input.checked = name === chosen;
    if (input.checked) input.setAttribute("aria-describedby", "opponent-text");
    const title = opponents.find((one) => one.name === name)?.title ?? name;
    return h("label", { for: id, class: "rung" }, input, face(name), h("span", { class: "rung-name" }, title));
  };
  return h("div", { class: "rungs" }, ...names.map(rung));
}
