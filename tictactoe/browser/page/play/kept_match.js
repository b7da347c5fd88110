/**
 * Matches that a browser has kept. What it kept may be damaged, or of another version of the page: nothing is trusted.
 *
 * @typedef {import("./referee.js").MatchRecord} MatchRecord
 * @typedef {import("./referee.js").Player} Player
 * @typedef {import("./referee.js").RoundRecord} RoundRecord
 * @typedef {import("../games/tree.js").GameTree} GameTree
 * @typedef {{ winning_score: number, opponents: { name: string }[] }} Playable  A solved match, as the manifest has it.
 */

import { SQUARES } from "../games/board.js";
import { Cursor } from "../games/cursor.js";
import { GOAL_NAMES } from "../games/rules.js";
import { withNewRound, withRoundFinished } from "./referee.js";

/** In characters, as the library counts them, too. */
export const LONGEST_NAME = 20;

/**
 * The record of a match that something has the form of; null where it has not. Whether it can have been played is for
 * `canHaveBeenPlayed` to say.
 *
 * @param {unknown} kept
 * @param {(solution: string) => Playable | null} find  The solved match of that name, null where the page has none.
 * @returns {MatchRecord | null}
 */
export function matchOf(kept, find) {
  const data = /** @type {any} */ (kept);
  const playable = typeof data?.solution === "string" ? find(data.solution) : null;
  if (playable === null || !isWhole(data.winningScore, 1, playable.winning_score)) return null;
  const good =
    isPair(data.names, (name) => wrongName(name) === "") &&
    (data.opponent === null || playable.opponents.some(({ name }) => name === data.opponent)) &&
    isScore(data.score, data.winner === null ? data.winningScore - 1 : data.winningScore) &&
    isPlayer(data.first) &&
    (data.winner === null || (isPlayer(data.winner) && data.round === null)) &&
    (data.left === undefined || typeof data.left === "boolean") &&
    Array.isArray(data.rounds) &&
    [...data.rounds, ...(data.round === null ? [] : [data.round])].every((round) => isRound(round, data.winningScore));
  return good ? data : null;
}

/**
 * Whether the rounds can have been played as they are recorded, one after the other, up to where the match stands.
 *
 * @param {MatchRecord} match
 * @param {GameTree} tree
 */
export function canHaveBeenPlayed(match, tree) {
  const start = match.rounds[0] ?? match.round ?? match;
  /** @type {MatchRecord} */
  let played = { ...match, score: start.score, first: start.first, rounds: [], round: null, winner: null };
  try {
    for (const round of match.rounds) {
      if (!follows(played, round) || isDecided(round.moves.slice(0, -1), tree)) return false;
      played = withRoundFinished({ ...played, round }, tree);
    }
    if (match.round !== null && (!follows(played, match.round) || isDecided(match.round.moves, tree))) return false;
  } catch {
    return false;
  }
  return same([played.score, played.first, played.winner], [match.score, match.first, match.winner]);
}

/** Whether the round is the next one of the match. @param {MatchRecord} match @param {RoundRecord} round */
function follows(match, round) {
  const next = withNewRound(match, round.goals, round.commitment).round;
  return next !== null && same([next.number, next.score, next.first], [round.number, round.score, round.first]);
}

/** @param {number[]} moves @param {GameTree} tree */
function isDecided(moves, tree) {
  return new Cursor(tree, moves).forcedOutcome !== null;
}

/** @param {any} round @param {number} winningScore */
function isRound(round, winningScore) {
  return (
    isWhole(round?.number, 1, 1e6) &&
    isScore(round.score, winningScore - 1) &&
    isPlayer(round.first) &&
    isPair(round.goals, (goal) => isWhole(goal, 0, GOAL_NAMES.length - 1)) &&
    (round.commitment === "" || isCommitment(round.commitment, round)) &&
    (round.seal === undefined || typeof round.seal === "string") &&
    Array.isArray(round.moves) &&
    round.moves.every((/** @type {unknown} */ square) => isWhole(square, 1, SQUARES.length)) &&
    isWhole(round.takenBack, 0, 1e6) &&
    isWhole(round.hints, 0, 1e6) &&
    (round.hintedAt === undefined || typeof round.hintedAt === "string") &&
    (round.looked === undefined || typeof round.looked === "boolean") &&
    (round.unplanned === undefined || typeof round.unplanned === "boolean") &&
    (round.account === undefined || isAccount(round.account))
  );
}

/**
 * Match values: a round gives at most twice five.
 *
 * @param {any} account
 * @returns {account is import("./referee.js").Account}
 */
export function isAccount(account) {
  const isValue = (/** @type {unknown} */ one) => Number.isFinite(one) && Math.abs(Number(one)) <= 1e6;
  return isValue(account?.given) && account.given >= 0 && isValue(account.gained);
}

/** Whether a text commits player 1 to the goal of this round. @param {unknown} text @param {RoundRecord} round */
export function isCommitment(text, round) {
  const start = `smbc-tictactoe round ${round.number} goal ${GOAL_NAMES[round.goals[1]]} nonce `;
  return typeof text === "string" && text.startsWith(start) && /^[0-9a-f]{2,64}$/.test(text.slice(start.length));
}

/**
 * Why no player can be called so; empty for a good name. The library's reader of transcripts takes the same names.
 *
 * @param {unknown} name
 */
export function wrongName(name) {
  if (typeof name !== "string" || name.trim() === "") return "Both players need a name.";
  if (/\p{Extended_Pictographic}.*\u200d/u.test(name)) {
    return "A name cannot have an emoji that is made of several; choose a simple one.";
  }
  if (/\p{C}/u.test(name)) return "A name cannot have invisible characters.";
  if (!/^\S+( \S+)*$/.test(name)) return "A name can have only single spaces, between words.";
  if ([...name].length <= LONGEST_NAME) return "";
  return /\p{Extended_Pictographic}|\p{RI}|\p{M}/u.test(name)
    ? `A name has at most ${LONGEST_NAME} characters, and some in this one count as several.`
    : `A name has at most ${LONGEST_NAME} characters.`;
}

/** @param {unknown} score @param {number} winningScore */
function isScore(score, winningScore) {
  return isPair(score, (points) => isWhole(points, 0, winningScore));
}

/** @param {unknown} pair @param {(item: unknown) => boolean} isGood */
export function isPair(pair, isGood) {
  return Array.isArray(pair) && pair.length === 2 && pair.every(isGood);
}

/** @param {unknown} player @returns {player is Player} */
function isPlayer(player) {
  return player === 0 || player === 1;
}

/** @param {unknown} number @param {number} least @param {number} most */
function isWhole(number, least, most) {
  return typeof number === "number" && Number.isInteger(number) && number >= least && number <= most;
}

/** @param {unknown} one @param {unknown} other */
function same(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}
