/** The screen "Learn". */

import { h } from "../../parts/dom.js";

/**
 * @param {import("../screen.js").App} app
 * @returns {import("../screen.js").Screen}
 */
export function learnScreen(app) {
  const element = h("section", {}, h("h1", {}, "Learn"), h("p", {}, `${app.catalogue.solutions.length} solutions`));
  return { title: "Learn", element, show() {} };
}
