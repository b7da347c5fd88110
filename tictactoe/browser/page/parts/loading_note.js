/** What is said while a round is loaded, and when anything is said of loading. */

import { h } from "./dom.js";

/** Milliseconds; what loads faster needs no word about it. */
export const PATIENCE = 150;

/** A line in place of the round. */
export function loadingNote() {
  return h("p", { class: "card loading", role: "status" }, "Loading the bot\u2019s strategy\u2026");
}
