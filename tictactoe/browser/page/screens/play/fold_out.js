/** Something that can be folded away; whether it is open is remembered. */

import { h } from "../../parts/dom.js";
import { keep, recall } from "../../parts/settings.js";

/**
 * @param {string} name  Of the setting that remembers.
 * @param {string | Node} summary
 * @param {boolean} open  As long as nothing is remembered.
 * @param {...Node} content
 */
export function foldOut(name, summary, open, ...content) {
  const setting = `fold ${name}`;
  const wanted = recall(setting);
  const element = h("details", { class: `fold ${name}`, open: wanted === null ? open : wanted === "open" });
  element.append(h("summary", {}, summary), h("div", { class: "folded" }, ...content));
  element.addEventListener("toggle", () => {
    if (element.open !== (recall(setting) === null ? open : recall(setting) === "open")) {
      keep(setting, element.open ? "open" : "closed");
    }
  });
  return element;
}
