/** How a match went, in a line and, where it is sent, a row of signs. No elements. */

import { otherPlayer, pointsOf } from "../../play/referee.js";
import { meanAccuracy } from "../../play/move_costs.js";
import { accuracies } from "./facts.js";

/**
 * @typedef {import("../../play/referee.js").Player} Player
 * @typedef {import("./match_review.js").LoadedMatch} LoadedMatch
 * @typedef {import("./match_review.js").ReviewedRound} ReviewedRound
 */

const NAME = "Tic-Tac-Tell";
/** By who scored in a round: a green circle, a red square, a star, an empty square: shapes differ, too. */
const SIGNS = { mine: "\u{1F7E2}", theirs: "\u{1F7E5}", both: "\u2B50", nobody: "\u2B1C" };

/**
 * How a bot is called.
 *
 * @param {LoadedMatch["solution"]} solution
 * @param {string} opponent  Its name in options and files.
 */
export function titleOf(solution, opponent) {
  return solution.data.opponents.find(({ name }) => name === opponent)?.title ?? opponent;
}

/** Whom a player met: a bot by its title, or the other person. @param {LoadedMatch} loaded @param {Player} player */
export function otherName({ match, solution }, player) {
  return match.opponent === null ? match.names[otherPlayer(player)] : titleOf(solution, match.opponent);
}

/**
 * A sentence about the result: You lost 2 : 3 against Careless.
 *
 * @param {LoadedMatch} loaded
 * @param {Player} player
 */
export function headline(loaded, player) {
  const { match, isPractice } = loaded;
  const other = otherName(loaded, player);
  if (isPractice) return `Practice against ${other}.`;
  const points = pointsOf(match);
  const score = `${points[player]} : ${points[otherPlayer(player)]}`;
  if (match.left === true) return `You left the match against ${other} at ${score}.`;
  if (match.winner === null) return `The match against ${other} is not over: ${score}.`;
  return `You ${match.winner === player ? "won" : "lost"} ${score} against ${other}.`;
}

/**
 * Who scored in a round, as seen by a player.
 *
 * @param {readonly [boolean, boolean]} scored
 * @param {Player} player
 * @returns {keyof typeof SIGNS}
 */
export function whoScored(scored, player) {
  if (scored[player]) return scored[otherPlayer(player)] ? "both" : "mine";
  return scored[otherPlayer(player)] ? "theirs" : "nobody";
}

/**
 * What a person sends to friends about a match that is over; it tells no goal and no move.
 *
 * @param {LoadedMatch} loaded
 * @param {readonly ReviewedRound[]} rounds
 * @param {Player} player
 * @param {string} page  Its address; empty where others cannot open it.
 */
export function sharedText(loaded, rounds, player, page) {
  const { match } = loaded;
  const points = pointsOf(match);
  const what = match.winner === player ? "beat" : "lost to";
  const score = `${points[player]} : ${points[otherPlayer(player)]}`;
  const accuracy = meanAccuracy(rounds.flatMap(({ luck }) => accuracies(luck, player)));
  const how = accuracy === null ? "" : `, accuracy ${accuracy.toFixed(0)}`;
  return [
    `${NAME}: I ${what} ${otherName(loaded, player)} ${score}${how}`,
    rounds.map(({ scored }) => SIGNS[whoScored(scored, player)]).join(""),
    ...(page === "" ? [] : [page]),
  ].join("\n");
}
