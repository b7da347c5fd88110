/** The match that was begun last, where this browser keeps it. */

import { keepData, recall, recallData } from "./settings.js";

/** @typedef {import("../play/referee.js").MatchRecord} MatchRecord */

const KEPT = "match";

/** As it was kept: to be read by `matchOf`. @returns {unknown} */
export function lastMatch() {
  return recallData(KEPT);
}

/** As text, whatever it is; null where none is kept. */
export function lastMatchText() {
  return recall(KEPT);
}

/** Whether the browser keeps it. @param {MatchRecord | null} match  null forgets it. */
export function keepLastMatch(match) {
  return keepData(KEPT, match);
}
