/** What the browser has kept of riddles. It is read anew before anything is added, as another tab may have gone on. */

import { keepData, recallData } from "../../parts/settings.js";
import { daysOf, numberAt, withTried } from "../../play/riddle_days.js";

const DAYS = "riddles";
const PRACTISED = "riddles practised";

/** The number of today. */
export function today() {
  const now = new Date();
  return numberAt(now.getTime(), now.getTimezoneOffset());
}

export function keptDays() {
  return daysOf(recallData(DAYS));
}

/** @param {number} number @param {string} tried */
export function keepTried(number, tried) {
  const now = new Date();
  keepData(DAYS, withTried(keptDays(), number, tried, now.getTime(), now.getTimezoneOffset()));
}

/** The positions that have been solved in practice. @returns {Set<string>} */
export function practised() {
  const kept = recallData(PRACTISED);
  return new Set(Array.isArray(kept) ? kept.filter((one) => typeof one === "string") : []);
}

/** @param {string} position */
export function keepPractised(position) {
  keepData(PRACTISED, [...practised().add(position)]);
}
