/** The screen "Play". */

import { h } from "../../parts/dom.js";

/**
 * @param {import("../screen.js").App} app
 * @returns {import("../screen.js").Screen}
 */
export function playScreen(app) {
  const element = h("section", {}, h("h1", {}, "Play"), h("p", {}, `${app.catalogue.solutions.length} solutions`));
  return { title: "Play", element, show() {} };
}
