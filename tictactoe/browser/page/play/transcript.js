/**
 * Matches as the program's transcripts, which its command "review" reads; see docs/transcripts.md.
 *
 * @typedef {import("../games/tree.js").GameTree} GameTree
 * @typedef {import("./referee.js").MatchRecord} MatchRecord
 * @typedef {import("./referee.js").RoundRecord} RoundRecord
 */

import { Cursor } from "../games/cursor.js";
import { goalName } from "../games/rules.js";
import { scoreInLongerMatch } from "../match/scores.js";
import { commitmentHash } from "./commitment.js";
import { isCommitment } from "./kept_match.js";
import { otherPlayer, pointsOf, scoredIn } from "./referee.js";

export const FORMAT = "smbc-tictactoe transcript 3";

/**
 * Whether a match has all that its transcript needs: finished rounds, before each of which a bot committed to its goal,
 * and two different names.
 *
 * @param {MatchRecord} match
 */
export function hasTranscript({ opponent, names, rounds }) {
  const committed = rounds.every((round) => isCommitment(round.commitment, round));
  return opponent !== null && rounds.length > 0 && committed && names[0] !== names[1];
}

/**
 * The transcript of the finished rounds: JSON lines. Rounds that did not begin at 0-0 are told as practice at the
 * scores of the solution, as the program knows no match that begins elsewhere.
 *
 * @param {MatchRecord} match  One that `hasTranscript`.
 * @param {GameTree} tree
 * @param {number} solvedWinningScore  Of the solution that was played from.
 * @param {string} version  Of the program that made the page.
 * @returns {Promise<string>}
 */
export async function transcriptOf(match, tree, solvedWinningScore, version) {
  const practice = match.rounds[0]?.score.some((points) => points > 0) ?? false;
  const header = {
    format: FORMAT,
    version,
    names: match.names,
    seed: null,
    winning_score: practice ? null : match.winningScore,
    position: null,
    solution: null,
    solved_winning_score: solvedWinningScore,
    average_strategy: true,
    opponent: match.opponent,
    rules: tree.rules.name,
  };
  const rounds = await Promise.all(match.rounds.map((round) => lineWithHelp(match.names, round, tree)));
  if (practice) {
    for (const round of rounds) round.score = scoreInLongerMatch(round.score, match.winningScore, solvedWinningScore);
  }
  const footer = match.winner !== null && !practice ? [footerOf(match)] : [];
  return [header, ...rounds, ...footer].map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** @param {MatchRecord["names"]} names @param {RoundRecord} round @param {GameTree} tree */
async function lineWithHelp(names, round, tree) {
  const looked = round.looked === true;
  const help = round.hints > 0 || looked ? { help: { hints: round.hints, looked } } : {};
  const account = round.account === undefined ? {} : { account: round.account };
  return { ...(await roundLine(names, round, tree)), ...help, ...account };
}

/**
 * The line of a round. The outcome of one that goes on is null.
 *
 * @param {readonly [string, string]} names
 * @param {RoundRecord} round
 * @param {GameTree} tree
 */
export async function roundLine(names, round, tree) {
  const outcome = new Cursor(tree, round.moves).forcedOutcome;
  const scored = outcome === null ? [false, false] : scoredIn(round, tree.rules, outcome);
  return {
    round: round.number,
    score: round.score,
    first_mover: names[round.first],
    goals: [round.goals[round.first], round.goals[otherPlayer(round.first)]].map(goalName),
    moves: round.moves,
    outcome: outcome === null ? null : tree.rules.outcomeData(outcome).name,
    scored: names.filter((_, player) => scored[player]),
    commitment: { text: round.commitment, sha256: await commitmentHash(round.commitment) },
  };
}

/** The last line, of a match that is over. @param {MatchRecord} match */
export function footerOf(match) {
  return { winner: match.names[match.winner ?? 0], points: pointsOf(match) };
}
