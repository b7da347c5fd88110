/** What is said while a round is loaded. */

import { h } from "../../parts/dom.js";

/** Milliseconds; what loads faster needs no word about it. */
export const PATIENCE = 150;

export function loading() {
  return h("p", { class: "card loading", role: "status" }, "Loading how the bot plays\u2026");
}
