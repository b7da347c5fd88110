/** The matches that this browser has seen to their ends, or left, where it keeps them. */

import { withMatch } from "../play/history.js";
import { keepData, recall, recallData } from "./settings.js";

/** @typedef {import("../play/referee.js").MatchRecord} MatchRecord */

const KEPT = "history";

/** As it was kept: to be read by `historyOf`. @returns {unknown} */
export function keptHistory() {
  const kept = recallData(KEPT);
  return kept === null && recall(KEPT) !== null ? "damaged" : kept;
}

/** As text, which changes whenever the history does. */
export function historyText() {
  return recall(KEPT) ?? "";
}

/** Add a match that is over, or left. @param {MatchRecord} match */
export function rememberMatch(match) {
  keepHistory(withMatch(keptHistory(), match, Date.now()));
}

/** Add what is over of a match that is left before its end. @param {MatchRecord} match */
export function rememberLeft(match) {
  if (match.rounds.length > 0) rememberMatch({ ...match, round: null, left: true });
}

/** Where there is no room for all, the oldest go. @param {readonly unknown[]} matches  The newest first. */
export function keepHistory(matches) {
  let left = matches;
  while (!keepData(KEPT, left) && left.length > 1) left = left.slice(0, Math.floor(0.9 * left.length));
}
