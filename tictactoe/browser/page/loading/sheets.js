/**
 * The sheets of paper to play by, which the program has made and measured. See tictactoe/browser/sheets.py.
 *
 * @typedef {import("../games/rules.js").GoalName} GoalName
 * @typedef {object} SheetPicture
 * @property {string} board  Nine letters, square 1 first: X, O, or a point.
 * @property {Partial<Record<GoalName, number[]>>} answers  By goal the squares to choose between.
 * @typedef {object} Sheet
 * @property {string} rules
 * @property {string} name
 * @property {Record<GoalName, string[]>} lists  By goal the names of lines, from the top.
 * @property {SheetPicture[]} pictures
 * @property {string[][]} rounds  By goal of the first mover, then of the second: the squares that they mark.
 * @property {Record<string, [number, number]>} costs  By score of a match to 5, in points of winning chance: moving
 *   first, second.
 * @property {[number, number]} match_costs  Of a whole match to 5: moving first in the first round, second.
 * @typedef {{ format: number, lines: Record<string, string>, sheets: Sheet[] }} Sheets
 */

import { damaged } from "./data_file.js";
import { readJson } from "./files.js";

const FORMAT = 1;

/** Rejects with DataError. @param {string} file @returns {Promise<Sheets>} */
export async function loadSheets(file) {
  const found = await readJson(file);
  if (found?.format !== FORMAT || !Array.isArray(found.sheets))
    throw damaged(file, "it is from another version of the page");
  return found;
}
