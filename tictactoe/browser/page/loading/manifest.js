/**
 * What the page has: solutions, scores, opponents, and the files that hold them. Made by the program, see
 * docs/page-data.md.
 *
 * @typedef {import("../match/scores.js").Score} Score
 * @typedef {import("../play/expected_values.js").OutcomeValues} OutcomeValues
 * @typedef {{ score: Score, value: number, outcome_values: OutcomeValues, file: string }} ScoreData
 * @typedef {object} OpponentData
 * @property {string} name
 * @property {string} title  What people read in its place: how strong it is.
 * @property {string} text  A sentence for somebody who has never played.
 * @property {Record<string, number>[]} plays  By its goal, how often it moves as which player: the perfect one, one of
 *   SQUARES_OF, or the learner of its file.
 * @property {number[]} simple_wins_by_length  Of 100 matches to 1, to 2 and so on, how many simple players win against
 *   it; empty where that is not known.
 * @property {number[]} perfect_wins_by_length  The same of the perfect opponent.
 * @property {string | null} file  Of the strategy of a learner, null for the others.
 * @typedef {object} SolutionData
 * @property {string} name  In addresses; such as "filled".
 * @property {string} fingerprint
 * @property {import("../games/rules.js").RulesData} rules
 * @property {{ file: string, fingerprint: string }} tree
 * @property {number} winning_score
 * @property {ScoreData[]} scores
 * @property {string} responses  The file with what the best responders to the opponents win.
 * @property {OpponentData[]} opponents  The hardest first.
 * @property {(import("../play/adaptive_model.js").Known & { like: string })[]} adaptive  Whom the bot that adapts knows,
 *   and how a person is told that they play like them.
 * @property {string[]} ladder  The names of those that a person climbs, the easiest first.
 * @typedef {object} Manifest
 * @property {number} format
 * @property {string} program
 * @property {boolean} offline  Whether the page is to keep itself for use without a network.
 * @property {string | null} address  Of the page, where its builder has told it; such as "https://example.org/game/".
 * @property {string | null} stun  A server that tells browsers how they are reached from elsewhere, such as
 *   "stun.example.org:3478"; null: none is asked.
 * @property {string[]} goals
 * @property {string} sheets  The file of sheets to play by, see loading/sheets.js.
 * @property {string | null} riddles  The file of riddles, see loading/riddles.js; null where the page has none.
 * @property {SolutionData[]} solutions
 */

import { DataError } from "./data_file.js";

const FORMAT = 1;

/**
 * The manifest that a text holds. Throws DataError.
 *
 * @param {string} text
 * @returns {Manifest}
 */
export function parseManifest(text) {
  let found;
  try {
    found = JSON.parse(text);
  } catch {
    throw new DataError("The page's list of files is damaged. Load the page again.");
  }
  if (found?.format !== FORMAT || !Array.isArray(found.solutions) || found.solutions.length === 0) {
    throw new DataError("The page's list of files is from another version. Load the page again.");
  }
  return found;
}
