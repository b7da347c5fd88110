/** The screen "Review". */

import { h } from "../../parts/dom.js";

/**
 * @param {import("../screen.js").App} app
 * @returns {import("../screen.js").Screen}
 */
export function reviewScreen(app) {
  const element = h("section", {}, h("h1", {}, "Review"), h("p", {}, `${app.catalogue.solutions.length} solutions`));
  return { title: "Review", element, show() {} };
}
