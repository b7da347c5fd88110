/** The rules of a round, each as a board that is over, with a sentence about those that are chosen. */

import { boardPicture } from "../../parts/board_picture.js";
import { capitalized } from "../../parts/words.js";
import { h, svg } from "../../parts/dom.js";

/** @typedef {import("../../games/rules.js").RulesData} RulesData */

/** Nine letters, square 1 first: a row that ends the round at once, and a full board with rows of both. */
const AT_ONCE = "XXX...O.O";
const FILLED = "XXXOXXOOO";

/**
 * @param {readonly { name: string, data: { rules: RulesData } }[]} solutions
 * @param {string} chosen
 * @param {(name: string) => void} onChange
 */
export function rulesChoice(solutions, chosen, onChange) {
  const options = solutions.map(({ name, data }) => {
    const id = `rules-${name}`;
    const input = h("input", { type: "radio", id, name: "rules", value: name, onchange: () => onChange(name) });
    input.checked = name === chosen;
    if (input.checked) input.setAttribute("aria-describedby", "rules-text");
    return h(
      "label",
      { for: id, class: "tile" },
      input,
      h("span", { class: "over-picture", "aria-hidden": "true" }, overPicture(data.rules)),
      h("span", {}, capitalized(data.rules.title)),
    );
  });
  const text = solutions.find(({ name }) => name === chosen)?.data.rules.text ?? "";
  return h(
    "fieldset",
    { class: "choice" },
    h("legend", {}, "When a round ends"),
    h("div", { class: "tiles" }, ...options),
    h("p", { class: "only-heard", id: "rules-text" }, text),
  );
}

/** A little board that is over. @param {RulesData} rules */
export function overPicture(rules) {
  const picture = boardPicture(rules.ends_with_line ? AT_ONCE : FILLED);
  picture.append(svg("path", { class: "row", d: "M6 18H90" }));
  if (!rules.ends_with_line) picture.append(svg("path", { class: "row", d: "M6 78H90" }));
  return picture;
}
