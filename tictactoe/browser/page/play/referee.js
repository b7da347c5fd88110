/**
 * Rounds and matches being played, as plain data that can be kept. The two players are 0 and 1, whoever they are.
 *
 * @typedef {import("../games/rules.js").Goal} Goal
 * @typedef {import("../games/rules.js").Seat} Seat
 * @typedef {import("../match/scores.js").Score} Score
 * @typedef {0 | 1} Player
 * @typedef {{ given: number, gained: number }} Account  In match value, what a bot that adapts has been given to risk,
 *   and what it expects to have gained by that.
 * @typedef {object} RoundRecord
 * @property {number} number  From 1.
 * @property {Score} score  Of the player who moves first, then of the other.
 * @property {Player} first  Who moves first.
 * @property {[Goal, Goal]} goals  By player.
 * @property {string} commitment  The text that tells the goal of player 1; empty without one.
 * @property {string} [seal]  The SHA-256 of that text as it was shown before the first move; empty without one.
 * @property {number[]} moves
 * @property {number} takenBack  How often a move was taken back.
 * @property {number} hints  How often a hint was looked at.
 * @property {string} [hintedAt]  The moves at which the last of them was, one digit each.
 * @property {boolean} [looked]  Whether what the moves tell was looked at.
 * @property {boolean} [unplanned]  Whether a bot that adapts plays it perfectly, as its plan came too late.
 * @property {Account} [account]  After the round, of a bot that adapts.
 * @typedef {object} MatchRecord
 * @property {string} solution  The name of the solved match.
 * @property {number} winningScore
 * @property {[string, string]} names
 * @property {string | null} opponent  The name of the bot that player 1 is, null for two people.
 * @property {Score} score  Of the next or present round: of its first mover, then of the other.
 * @property {Player} first  Who moves first in it.
 * @property {RoundRecord[]} rounds  Those that are finished.
 * @property {RoundRecord | null} round  The one being played.
 * @property {Player | null} winner
 * @property {boolean} [takeback]  Whether moves may be taken back.
 * @property {boolean} [left]  Whether it was left for good before it was over.
 */

import { Cursor } from "../games/cursor.js";
import { continuation } from "../match/scores.js";
import { GOALS } from "../games/rules.js";
import { drawWeighted } from "./randomness.js";

/** @param {Player} player @returns {Player} */
export function otherPlayer(player) {
  return player === 0 ? 1 : 0;
}

/** @param {RoundRecord} round @param {Player} player @returns {Seat} */
export function seatOf(round, player) {
  return player === round.first ? 0 : 1;
}

/** By player. @param {MatchRecord} match @returns {[number, number]} */
export function pointsOf(match) {
  return match.first === 0 ? [match.score[0], match.score[1]] : [match.score[1], match.score[0]];
}

/**
 * Whose turn it is; null when the round is decided.
 *
 * @param {RoundRecord} round
 * @param {Cursor} cursor
 * @returns {Player | null}
 */
export function moverOf(round, cursor) {
  if (cursor.forcedOutcome !== null) return null;
  return cursor.moves.length % 2 === 0 ? round.first : otherPlayer(round.first);
}

/**
 * Goals for both players, drawn independently by the odds of the rules.
 *
 * @param {import("../games/rules.js").RulesData} rules
 * @returns {[Goal, Goal]}
 */
export function dealGoals(rules) {
  return [drawWeighted(GOALS, rules.goal_odds), drawWeighted(GOALS, rules.goal_odds)];
}

/**
 * The match with a new round to be played. Throws RangeError when the match is over or a round is being played.
 *
 * @param {MatchRecord} match
 * @param {[Goal, Goal]} goals
 * @param {string} commitment
 * @returns {MatchRecord}
 */
export function withNewRound(match, goals, commitment) {
  if (match.winner !== null || match.round !== null) throw new RangeError("no new round can be played now");
  const number = match.rounds.length + 1;
  const { score, first } = match;
  return { ...match, round: { number, score, first, goals, commitment, moves: [], takenBack: 0, hints: 0 } };
}

/**
 * Who scores when a round ends in an outcome, by player.
 *
 * @param {RoundRecord} round
 * @param {import("../games/rules.js").Rules} rules
 * @param {number} outcome
 * @returns {[boolean, boolean]}
 */
export function scoredIn(round, rules, outcome) {
  return [
    rules.isTrue(outcome, seatOf(round, 0), round.goals[0]),
    rules.isTrue(outcome, seatOf(round, 1), round.goals[1]),
  ];
}

/**
 * The match after the round that is being played, which must be decided. Throws RangeError otherwise.
 *
 * @param {MatchRecord} match
 * @param {import("../games/tree.js").GameTree} tree
 * @returns {MatchRecord}
 */
export function withRoundFinished(match, tree) {
  const { round } = match;
  const outcome = round === null ? null : new Cursor(tree, round.moves).forcedOutcome;
  if (round === null || outcome === null) throw new RangeError("no round is decided");
  const scored = scoredIn(round, tree.rules, outcome);
  const second = otherPlayer(round.first);
  const after = continuation(round.score, scored[round.first], scored[second], match.winningScore);
  const leader = after.sign > 0 ? round.first : second;
  const rounds = [...match.rounds, round];
  if (after.score !== null) return { ...match, rounds, round: null, score: after.score, first: leader };
  /** @type {Score} */
  const total = [round.score[0] + Number(scored[round.first]), round.score[1] + Number(scored[second])];
  return { ...match, rounds, round: null, score: total, first: round.first, winner: leader };
}

/**
 * The round without the last move of a player and what came after it; null where there is none.
 *
 * @param {RoundRecord} round
 * @param {Player} player
 * @returns {RoundRecord | null}
 */
export function withMoveTakenBack(round, player) {
  const seat = seatOf(round, player);
  const last = round.moves
    .map((_, index) => index)
    .filter((index) => index % 2 === seat)
    .at(-1);
  return last === undefined ? null : { ...round, moves: round.moves.slice(0, last), takenBack: round.takenBack + 1 };
}
