/**
 * What the moves of a player cost against the best ones.
 *
 * @typedef {import("../games/rules.js").Goal} Goal
 * @typedef {import("../games/rules.js").Seat} Seat
 * @typedef {import("../match/scores.js").Score} Score
 * @typedef {import("./move_costs.js").Advice} Advice
 * @typedef {import("./notation.js").Position} Position
 * @typedef {import("./referee.js").Player} Player
 * @typedef {import("./referee.js").RoundRecord} RoundRecord
 * @typedef {import("./round_bot.js").RoundBot} RoundBot
 */

import { Cursor } from "../games/cursor.js";
import { freeSquares, marked } from "../games/board.js";
import { goalName } from "../games/rules.js";
import { BestResponder } from "./best_responder.js";
import { advise, completesRow, offEquilibrium } from "./move_costs.js";
import { seatOf } from "./referee.js";

/** A move that tells so much more of its player's goal than another one is less safe. */
const TELLING = 0.1;

/**
 * What a move gave away, in match value, against the best move at its position.
 *
 * @typedef {object} MoveCost
 * @property {number} number  Of the move in the round, from 1.
 * @property {number} square
 * @property {number} cost  Never negative.
 * @property {number[]} best  The squares that cost nothing, in increasing order.
 * @property {Advice} advice  About the move.
 * @property {boolean} missedRow  Whether each of the best squares completes a row of the player, who wants that.
 * @property {boolean} betrays  Whether it tells clearly more of the player's goal than every best one, and lets the
 *   opponent complete no row at once, which would be the better reason.
 * @property {boolean} offEquilibrium  Whether the bot is not refined, and never gets here against itself.
 */

/**
 * The cost of every move of the player in `seat` that could still change the outcome of the round; see `advise`.
 * Throws IllegalMoveError for moves that cannot be played.
 *
 * @param {RoundBot} bot  Who judges them.
 * @param {readonly number[]} moves
 * @param {Seat} seat
 * @param {Goal} goal
 * @returns {MoveCost[]}
 */
function review(bot, moves, seat, goal) {
  const cursor = new Cursor(bot.tree);
  /** @type {MoveCost[]} */
  const result = [];
  moves.forEach((square, index) => {
    const advice = cursor.mover === seat ? advise(bot, cursor, goal) : [];
    const played = advice.find((move) => move.squares.includes(square));
    if (played !== undefined) {
      const best = advice.filter((move) => move.cost === 0);
      const after = marked(cursor.board, square);
      result.push({
        number: index + 1,
        square,
        cost: played.cost,
        best: best.flatMap((move) => move.squares).sort(),
        advice: played,
        missedRow: goalName(goal) === "win" && best.every((move) => move.completesRow) && !best.includes(played),
        betrays:
          best.every((move) => played.tells > move.tells + TELLING) &&
          !freeSquares(after).some((answer) => completesRow(after, answer)),
        offEquilibrium: offEquilibrium(bot, cursor, seat, goal),
      });
    }
    cursor.play(square);
  });
  return result;
}

/**
 * A move that cost something, of a player with this goal.
 *
 * @typedef {object} Mistake
 * @property {RoundRecord} played
 * @property {MoveCost} move
 * @property {Goal} goal
 * @property {boolean} isFixed  Whether the price is that against an opponent whose play is fixed.
 * @property {Position} position  Before the move, as that player saw it: the other's goal is unknown.
 */

/**
 * The moves of a player in these rounds that cost something, worst first.
 *
 * @param {readonly (readonly [RoundRecord, RoundBot])[]} rounds  Each with who judges it: the perfect player at its
 *   score, or the best responder.
 * @param {Player} player
 * @param {(score: Score) => Score} solvedScore  The score at which the solution has a round.
 * @param {number} given  So many moves of each round were there before it was played.
 * @param {number} [to]  The points of the match, as in `Position`.
 * @returns {Mistake[]}
 */
export function mistakes(rounds, player, solvedScore, given = 0, to) {
  /** @type {Mistake[]} */
  const result = [];
  for (const [played, bot] of rounds) {
    const seat = seatOf(played, player);
    const goal = played.goals[player];
    for (const move of review(bot, played.moves, seat, goal)) {
      if (move.cost === 0 || move.number <= given) continue;
      const moves = played.moves.slice(0, move.number - 1);
      const goals = /** @type {[Goal | null, Goal | null]} */ (seat === 0 ? [goal, null] : [null, goal]);
      result.push({
        played,
        move,
        goal,
        isFixed: bot instanceof BestResponder,
        position: { score: solvedScore(played.score), goals, moves, to },
      });
    }
  }
  return result.sort((one, other) => other.move.cost - one.move.cost);
}
