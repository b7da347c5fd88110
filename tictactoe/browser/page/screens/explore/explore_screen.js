/** The screen "Explore". */

import { h } from "../../parts/dom.js";

/**
 * @param {import("../screen.js").App} app
 * @returns {import("../screen.js").Screen}
 */
export function exploreScreen(app) {
  const element = h("section", {}, h("h1", {}, "Explore"), h("p", {}, `${app.catalogue.solutions.length} solutions`));
  return { title: "Explore", element, show() {} };
}
