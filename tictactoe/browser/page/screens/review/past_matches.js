/** The history, checked, and what the mistakes of each match cost, which is looked at when it is first needed. */

import { historyOf } from "../../play/history.js";
import { canHaveBeenPlayed } from "../../play/kept_match.js";
import { keepHistory, keptHistory } from "../../parts/kept_history.js";
import { lastMatch } from "../../parts/last_match.js";
import { costOf, loadMatch, reviewedRounds } from "./match_review.js";

/**
 * @typedef {import("../../loading/solution_loader.js").Catalogue} Catalogue
 * @typedef {import("../../play/history.js").PastMatch} PastMatch
 */

/**
 * The matches that can have been played, and how many of the kept ones cannot. Rejects with DataError.
 *
 * @param {Catalogue} catalogue
 * @returns {Promise<{ matches: PastMatch[], damaged: number }>}
 */
export async function pastMatches(catalogue) {
  const { matches, damaged } = keptMatches(catalogue);
  const good = await Promise.all(
    matches.map(async ({ match }) => {
      const tree = await catalogue.find(match.solution)?.loadTree();
      return tree !== undefined && canHaveBeenPlayed(match, tree);
    }),
  );
  const left = matches.filter((_, index) => good[index]);
  return { matches: left, damaged: damaged + matches.length - left.length };
}

/** The match that was over at a time, null if there is none. @param {Catalogue} catalogue @param {number} time */
export function pastMatch(catalogue, time) {
  return keptMatches(catalogue).matches.find((one) => one.time === time)?.match ?? null;
}

/** The match that is played, or else the last one as it was kept, or null. @param {Catalogue} catalogue */
export function newestMatch(catalogue) {
  return lastMatch() ?? keptMatches(catalogue).matches[0]?.match ?? null;
}

/** @param {Catalogue} catalogue */
function keptMatches(catalogue) {
  return historyOf(keptHistory(), (name) => catalogue.playable(name));
}

/**
 * Look at the matches against bots whose mistakes nobody has looked at, and keep what they cost. Whether there were
 * any. Rejects with DataError.
 *
 * @param {Catalogue} catalogue
 * @param {readonly PastMatch[]} matches  Of `pastMatches`.
 */
export async function judgeMatches(catalogue, matches) {
  const open = matches.filter(({ match, cost }) => cost === null && match.opponent !== null);
  /** @type {Map<number, number>} */
  const costs = new Map();
  for (const { time, match } of open) {
    const loaded = await loadMatch(catalogue, match);
    costs.set(time, costOf(reviewedRounds(loaded, 0)));
    await new Promise((resolve) => setTimeout(resolve)); // the page answers the person in between
  }
  if (costs.size === 0) return false;
  // What another window has added in the meantime stays, and so does what is damaged, which the list goes on to count.
  const now = keptHistory();
  if (!Array.isArray(now)) return false;
  keepHistory(now.map((one) => (costs.has(one?.time) ? { ...one, cost: costs.get(one.time) } : one)));
  return true;
}
