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
  const isWanted = () => (recall(setting) ?? (open ? "open" : "closed")) === "open";
  const element = h("details", { class: `fold ${name}`, open: isWanted() });
  element.append(h("summary", {}, summary), h("div", { class: "folded" }, ...content));
  element.addEventListener("toggle", () => {
    if (element.open !== isWanted()) keep(setting, element.open ? "open" : "closed");
  });
  return element;
}
