/**
 * A kept match with all that its review tells. Only finished rounds are told of: the goals of the one being played stay
 * hidden.
 *
 * @typedef {import("../../games/tree.js").GameTree} GameTree
 * @typedef {import("../../loading/solution_loader.js").SolvedMatch} SolvedMatch
 * @typedef {import("../../match/scores.js").Score} Score
 * @typedef {import("../../play/luck.js").RoundLuck} RoundLuck
 * @typedef {import("../../play/referee.js").MatchRecord} MatchRecord
 * @typedef {import("../../play/referee.js").Player} Player
 * @typedef {import("../../play/referee.js").RoundRecord} RoundRecord
 * @typedef {import("../../play/review.js").Mistake} Mistake
 * @typedef {import("../../play/round_bot.js").RoundBot} RoundBot
 */

import { Cursor } from "../../games/cursor.js";
import { loadAdviser } from "../../loading/opponent_loader.js";
import { scoreInLongerMatch } from "../../match/scores.js";
import { canHaveBeenPlayed, matchOf } from "../../play/kept_match.js";
import { roundLuck } from "../../play/luck.js";
import { otherPlayer, scoredIn, seatOf } from "../../play/referee.js";
import { mistakes } from "../../play/review.js";

/** A match that cannot be reviewed, and why, as a sentence for the person. */
export class UnreadableMatchError extends Error {}

/**
 * @typedef {object} LoadedMatch
 * @property {MatchRecord} match
 * @property {SolvedMatch} solution
 * @property {GameTree} tree
 * @property {RoundBot[]} bots  By round, who judges it; see `loadBots`.
 * @property {boolean} isPractice  Whether the rounds are no match, but stand alone.
 * @property {number} given  So many moves of each round were there before it was played.
 */

/**
 * What was kept as a match, checked, with what judges it. Rejects with UnreadableMatchError where it is damaged or of
 * another page, and with DataError where a file cannot be had.
 *
 * @param {import("../../loading/solution_loader.js").Catalogue} catalogue
 * @param {unknown} kept
 * @returns {Promise<LoadedMatch>}
 */
export async function loadMatch(catalogue, kept) {
  const match = matchOf(kept, (name) => catalogue.playable(name));
  const solution = match === null ? null : catalogue.find(match.solution);
  if (match === null || solution === null) {
    throw new UnreadableMatchError("The match that this browser has kept is damaged, or was played on another page.");
  }
  const tree = await solution.loadTree();
  if (!canHaveBeenPlayed(match, tree)) {
    throw new UnreadableMatchError(
      "The match that this browser has kept is damaged: it cannot have been played like this.",
    );
  }
  return {
    match,
    solution,
    tree,
    bots: await loadBots(match, solution),
    isPractice: false,
    given: 0,
  };
}

/**
 * By round: the perfect player at its score, or the best responder to the bot whom the person met. Rejects with
 * DataError; throws RangeError for a score without one.
 *
 * @param {MatchRecord} match
 * @param {SolvedMatch} solution
 */
export function loadBots(match, solution) {
  return Promise.all(
    match.rounds.map(async (round) => {
      const perfect = await solution.loadRoundOfShorter(round.score, match.winningScore);
      return loadAdviser(solution, match.opponent, perfect, seatOf(round, 0));
    }),
  );
}

/**
 * A finished round, as one of its players lived through it.
 *
 * @typedef {object} ReviewedRound
 * @property {RoundRecord} record
 * @property {RoundBot} judge
 * @property {Score} solvedScore  The score at which the solution has the round.
 * @property {RoundLuck} luck
 * @property {Mistake[]} mistakes  Worst first.
 * @property {number | undefined} to  The points of the match, as in `Position`.
 * @property {[boolean, boolean]} scored  By player.
 * @property {[number, number]} points  After the round, by player, before two who both have enough go back.
 */

/** @param {LoadedMatch} loaded @param {Player} player @returns {ReviewedRound[]} */
export function reviewedRounds({ match, solution, tree, bots, given }, player) {
  const to = shorterMatch(match, solution);
  const solvedScore = (/** @type {Score} */ score) =>
    scoreInLongerMatch(score, match.winningScore, solution.winningScore);
  return match.rounds.map((record, index) => {
    const judge = bots[index];
    const outcome = /** @type {number} */ (new Cursor(tree, record.moves).forcedOutcome);
    const scored = scoredIn(record, tree.rules, outcome);
    /** @type {[number, number]} */
    const points = [Number(scored[0]), Number(scored[1])];
    points[record.first] += record.score[0];
    points[otherPlayer(record.first)] += record.score[1];
    return {
      record,
      judge,
      solvedScore: solvedScore(record.score),
      luck: roundLuck(judge, record, player, given),
      mistakes: mistakes([[record, judge]], player, solvedScore, given, to),
      to,
      scored,
      points,
    };
  });
}

/** The points of a match that is shorter than the solved one; undefined for another. @param {MatchRecord} match @param {SolvedMatch} solution */
export function shorterMatch({ winningScore }, solution) {
  return winningScore < solution.winningScore ? winningScore : undefined;
}

/** Of all rounds together, worst first. @param {readonly ReviewedRound[]} rounds */
export function allMistakes(rounds) {
  return rounds.flatMap((round) => round.mistakes).sort((one, other) => other.move.cost - one.move.cost);
}
