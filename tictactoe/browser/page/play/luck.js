/**
 * Luck and skill apart: how a player's chance to win the match changed in a round, and by what.
 *
 * Before the round it is the value of the score; once the goals are drawn, the perfect player's value for that pair of
 * goals; and so after every move, up to the value of the score that follows. Each change is split in parts:
 *
 * - goals: from the value of the score to that of the pair of goals that was drawn;
 * - mistakes: what the player's moves cost (`BestPlay.costs`); not positive;
 * - gifts: what the opponent's moves cost the opponent; not negative, and 0 if its play is fixed (`BestResponder`);
 * - dice: the rest of every move's change: which of the good moves was taken, and how it met the goal that its player
 *   could not see. Between perfect players it is 0 on average.
 *
 * The parts sum to the whole change exactly, as every one is a difference of two neighbouring values.
 *
 * Beside that stands what the player could know at the time (`BestPlay.value`): its own goal, and what the moves told
 * of the other one. That falls by the cost at every mistake of the player, and at no other move of the player.
 *
 * @typedef {import("./referee.js").Player} Player
 * @typedef {import("./referee.js").RoundRecord} RoundRecord
 * @typedef {import("./round_bot.js").RoundBot} RoundBot
 * @typedef {{ goals: number, dice: number, mistakes: number, gifts: number, isFixed: boolean }} LuckParts  In match
 *   value to the player; isFixed: whether the opponent's play is.
 */

import { Cursor } from "../games/cursor.js";
import { BestResponder } from "./best_responder.js";
import { accuracyOf } from "./move_costs.js";
import { otherPlayer, seatOf } from "./referee.js";

/**
 * One move of a round.
 *
 * @typedef {object} MoveLuck
 * @property {number} number  From 1.
 * @property {number} square
 * @property {Player} mover
 * @property {number} cost  To the mover, as in `BestPlay.costs`.
 * @property {number | null} accuracy  As in `accuracyOf`.
 * @property {number} dice  To the reviewed player.
 * @property {number} value  Match value to the reviewed player after the move, for the goals that were drawn.
 * @property {number} known  The same, as that player could know it then.
 */

/**
 * A round as one of its players lived through it. All values are match values to that player.
 *
 * @typedef {object} RoundLuck
 * @property {number} before  Before the goals were drawn.
 * @property {number} dealt  When they were drawn, before the first move.
 * @property {number} after  After the last move.
 * @property {number} known  As the player could know it when the goals were drawn: its own alone.
 * @property {MoveLuck[]} moves
 * @property {LuckParts} parts  Their sum is after - before.
 */

/**
 * Throws IllegalMoveError for moves that cannot be played.
 *
 * @param {RoundBot} bot  At the score of the round: the perfect player, or the best responder in the player's seat.
 * @param {RoundRecord} round
 * @param {Player} player
 * @param {number} given  So many moves were there before the players came; they tell nothing of luck and skill.
 * @returns {RoundLuck}
 */
export function roundLuck(bot, round, player, given = 0) {
  const seat = seatOf(round, player);
  const sign = seat === 0 ? 1 : -1;
  const [first, second] = [round.goals[round.first], round.goals[otherPlayer(round.first)]];
  const cursor = new Cursor(bot.tree, round.moves.slice(0, given));
  const value = () => sign * bot.value(cursor.node, first, second);
  const known = () => bot.worth(cursor.node, seat, round.goals[player]);
  const dealt = value();
  const before = given > 0 ? dealt : sign * bot.scoreValue;
  /** @type {LuckParts} */
  const parts = { goals: dealt - before, dice: 0, mistakes: 0, gifts: 0, isFixed: bot instanceof BestResponder };
  let last = dealt;
  const knownFirst = known();
  const moves = round.moves.slice(given).map((square, place) => {
    const index = given + place;
    const mover = index % 2 === 0 ? round.first : otherPlayer(round.first);
    const { node } = cursor;
    cursor.play(square);
    const now = value();
    const costs = cursor.node === node ? [0] : bot.costs(node, round.goals[mover]);
    const cost = cursor.node === node ? 0 : costs[cursor.node - bot.tree.firstChild[node]];
    const dice = now - last + (mover === player ? cost : -cost);
    last = now;
    parts.dice += dice;
    if (mover === player) parts.mistakes -= cost;
    else parts.gifts += cost;
    const accuracy = accuracyOf(cost, costs);
    return { number: index + 1, square, mover, cost, accuracy, dice, value: now, known: known() };
  });
  return { before, dealt, after: last, known: knownFirst, moves, parts };
}

/** The parts of several rounds together. @param {readonly LuckParts[]} rounds @returns {LuckParts} */
export function addedParts(rounds) {
  const result = { goals: 0, dice: 0, mistakes: 0, gifts: 0, isFixed: rounds.some((one) => one.isFixed) };
  for (const one of rounds) {
    result.goals += one.goals;
    result.dice += one.dice;
    result.mistakes += one.mistakes;
    result.gifts += one.gifts;
  }
  return result;
}
