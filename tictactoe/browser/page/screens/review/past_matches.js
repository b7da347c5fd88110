/** The history, checked, and how accurate each match was, which is looked at when it is first needed. */

import { historyOf } from "../../play/history.js";
import { canHaveBeenPlayed } from "../../play/kept_match.js";
import { keepHistory, keptHistory } from "../../parts/kept_history.js";
import { lastMatch } from "../../parts/last_match.js";
import { seatOf } from "../../play/referee.js";
import { accuracies } from "./facts.js";
import { loadMatch, reviewedRounds } from "./match_review.js";

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

/**
 * The match that is played, or, before its first round is over, the last one as it was kept; null where there is none.
 *
 * @param {Catalogue} catalogue
 */
export function newestMatch(catalogue) {
  const match = lastMatch();
  const begun = /** @type {{ rounds?: unknown } | null} */ (match)?.rounds;
  const earlier = match === null || (Array.isArray(begun) && begun.length === 0);
  return (earlier ? keptMatches(catalogue).matches[0]?.match : null) ?? match;
}

/** @param {Catalogue} catalogue */
function keptMatches(catalogue) {
  return historyOf(keptHistory(), (name) => catalogue.playable(name));
}

/**
 * Look at the moves of matches against bots at which nobody has looked, and keep how accurate they were. Whether there
 * were any. Rejects with DataError.
 *
 * @param {Catalogue} catalogue
 * @param {readonly PastMatch[]} matches  Of `pastMatches`.
 */
export async function judgeMatches(catalogue, matches) {
  const open = matches.filter(({ match, accuracy }) => accuracy === null && match.opponent !== null);
  /** @type {Map<number, import("../../play/history.js").Accuracy>} */
  const found = new Map();
  for (const { time, match } of open) {
    /** @type {import("../../play/history.js").Accuracy} */
    const sums = Array.from({ length: 6 }, () => [0, 0]);
    for (const { record, luck } of reviewedRounds(await loadMatch(catalogue, match), 0)) {
      const pair = sums[3 * seatOf(record, 0) + record.goals[0]];
      for (const one of accuracies(luck, 0)) {
        pair[0] += one ?? 0;
        pair[1] += Number(one !== null);
      }
    }
    found.set(time, sums);
    await new Promise((resolve) => setTimeout(resolve)); // the page answers the person in between
  }
  if (found.size === 0) return false;
  // What another window has added in the meantime stays, and so does what is damaged, which the list goes on to count.
  const now = keptHistory();
  if (!Array.isArray(now)) return false;
  keepHistory(now.map((one) => (found.has(one?.time) ? { ...one, accuracy: found.get(one.time) } : one)));
  return true;
}
