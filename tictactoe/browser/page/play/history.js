/**
 * The matches that were played to their ends, or left after a round, the newest first. What a browser has kept of them
 * may be damaged, or of another page: nothing is trusted.
 *
 * @typedef {import("./kept_match.js").Playable} Playable
 * @typedef {import("./referee.js").MatchRecord} MatchRecord
 * @typedef {object} PastMatch
 * @property {number} time  When it was over or left, in milliseconds since 1970; no two have the same.
 * @property {MatchRecord} match
 * @property {Accuracy | null} accuracy  Of player 0; null: not looked at yet.
 * @typedef {[sum: number, count: number][]} Accuracy  By 3 * seat + goal: the accuracies of the moves that made a
 *   difference, added, and how many these were.
 */

import { isPair, matchOf } from "./kept_match.js";
import { pointsOf } from "./referee.js";

export const MOST_KEPT = 100;
/** The last moment that a Date knows. */
const LAST_TIME = 8.64e15;

/**
 * What has the form of past matches, and how much has not. Whether they can have been played is for `canHaveBeenPlayed`
 * to say.
 *
 * @param {unknown} kept
 * @param {(solution: string) => Playable | null} find  As `matchOf` takes it.
 * @returns {{ matches: PastMatch[], damaged: number }}
 */
export function historyOf(kept, find) {
  if (!Array.isArray(kept)) return { matches: [], damaged: kept === null ? 0 : 1 };
  /** @type {PastMatch[]} */
  const matches = [];
  for (const entry of kept.slice(0, MOST_KEPT)) {
    const match = matchOf(entry?.match, find);
    const { time, accuracy = null } = entry ?? {};
    const isGood =
      match !== null &&
      (match.winner !== null || (match.left === true && match.round === null)) &&
      match.rounds.length > 0 &&
      Number.isInteger(time) &&
      time > 0 &&
      time <= LAST_TIME &&
      (accuracy === null || isAccuracy(accuracy)) &&
      matches.every((other) => other.time > time);
    if (isGood) matches.push({ time, match, accuracy });
  }
  return { matches, damaged: Math.min(kept.length, MOST_KEPT) - matches.length };
}

/** @param {unknown} kept @returns {kept is Accuracy} */
function isAccuracy(kept) {
  const isGood = (/** @type {any} */ pair) =>
    isPair(pair, (number) => typeof number === "number" && number >= 0) && pair[0] <= 100 * pair[1] && pair[1] < 1e6;
  return Array.isArray(kept) && kept.length === 6 && kept.every(isGood);
}

/**
 * What is to be kept with one match more. The same match twice in a row, as two windows may end it, counts once.
 *
 * @param {unknown} kept
 * @param {MatchRecord} match  One that is over, or left.
 * @param {number} now
 * @returns {unknown[]}
 */
export function withMatch(kept, match, now) {
  const before = Array.isArray(kept) ? kept.slice(0, MOST_KEPT) : [];
  const newest = before[0];
  if (JSON.stringify(newest?.match?.rounds) === JSON.stringify(withoutSeals(match).rounds)) return before;
  const time = Math.max(now, (Number.isInteger(newest?.time) ? Math.min(newest.time, LAST_TIME - 1) : 0) + 1);
  return [{ time, match: withoutSeals(match), accuracy: null }, ...before].slice(0, MOST_KEPT);
}

/** Seals follow from the commitments, and would take much of the room. @param {MatchRecord} match */
function withoutSeals(match) {
  return { ...match, rounds: match.rounds.map(({ seal: _, ...round }) => round) };
}

/**
 * How the matches against one opponent went.
 *
 * @typedef {object} Tally
 * @property {string} opponent  Its name.
 * @property {number} played
 * @property {number} won
 * @property {[number, number]} points  Of the person, and of the opponent.
 * @property {number | null} accuracy  Of all moves that made a difference; null without one, or while one is unknown.
 * @property {PastMatch | null} best  The match with the highest accuracy; null while one is unknown.
 */

/**
 * Of matches against bots that were played to their ends, by opponent, in the order in which they were met last.
 *
 * @param {readonly PastMatch[]} matches
 * @returns {Tally[]}
 */
export function tallies(matches) {
  const over = matches.filter(({ match }) => match.winner !== null);
  const names = new Set(over.map(({ match }) => match.opponent));
  return [...names]
    .filter((name) => name !== null)
    .map((opponent) => {
      const own = over.filter(({ match }) => match.opponent === opponent);
      const points = own.map(({ match }) => pointsOf(match));
      const known = own.every(({ accuracy }) => accuracy !== null);
      const most = Math.max(...own.map((one) => accuracyIn([one]) ?? 0));
      return {
        opponent,
        played: own.length,
        won: own.filter(({ match }) => match.winner === 0).length,
        points: [sum(points.map(([mine]) => mine)), sum(points.map(([, theirs]) => theirs))],
        accuracy: known ? accuracyIn(own) : null,
        best: known ? (own.find((one) => (accuracyIn([one]) ?? 0) === most) ?? null) : null,
      };
    });
}

/**
 * The mean of the moves that made a difference in these matches, by seat and goal if they are given; null without any.
 *
 * @param {readonly PastMatch[]} matches
 * @param {number | null} at  3 * seat + goal.
 */
export function accuracyIn(matches, at = null) {
  const pairs = matches.flatMap(({ accuracy }) => accuracy ?? []).filter((_, index) => at === null || index % 6 === at);
  const count = sum(pairs.map(([, number]) => number));
  return count === 0 ? null : sum(pairs.map(([total]) => total)) / count;
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, one) => total + one, 0);
}
