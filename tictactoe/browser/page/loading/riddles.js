/**
 * The positions of the riddles, which benchmarks/riddles.py has chosen. What is right at each is computed when it is shown.
 *
 * @typedef {"decline" | "lose" | "hide" | "punish"} Theme
 * @typedef {object} Riddles
 * @property {number} version  Another one where the same number means another riddle.
 * @property {string[]} days  As the program writes positions; the first is that of the first day.
 * @property {Record<Theme, string[]>} practice
 */

import { damaged } from "./data_file.js";
import { readJson } from "./files.js";

/** @type {Theme[]} */
export const THEMES = ["decline", "lose", "hide", "punish"];

/** Rejects with DataError. @param {string} file @returns {Promise<Riddles>} */
export async function loadRiddles(file) {
  const found = await readJson(file);
  const isList = (/** @type {unknown} */ list) => Array.isArray(list) && list.length > 0;
  if (![found?.days, ...THEMES.map((theme) => found?.practice?.[theme])].every(isList))
    throw damaged(file, "it is from another version of the page");
  return found;
}
