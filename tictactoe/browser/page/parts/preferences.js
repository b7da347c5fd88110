/**
 * What the person prefers on every screen. The browser keeps it.
 *
 * @typedef {"theme" | "sound" | "keypad"} Preference
 */

import { keep, recall } from "./settings.js";

/** What there is to choose; the first is what nobody has chosen. @type {Record<Preference, readonly string[]>} */
export const CHOICES = { theme: ["system", "light", "dark"], sound: ["off", "on"], keypad: ["phone", "numpad"] };

/** @param {Preference} name @returns {string} */
export function prefers(name) {
  const kept = recall(name);
  return CHOICES[name].find((choice) => choice === kept) ?? CHOICES[name][0];
}

/** @param {Preference} name @param {string} choice  One of CHOICES[name]. */
export function prefer(name, choice) {
  keep(name, choice === CHOICES[name][0] ? null : choice);
}

/** Show the theme that the person prefers, in the colours of the browser's own bars, too. */
export function applyTheme() {
  const theme = prefers("theme");
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  for (const each of document.querySelectorAll('meta[name="theme-color"]')) {
    const own = each.getAttribute("media")?.includes("dark") ? "dark" : "light";
    each.setAttribute("content", (theme === "system" ? own : theme) === "dark" ? "#20232a" : "#fffdf8");
  }
}
