/**
 * What the bot that adapts does in a round (the library's play/adaptive.py; docs/adaptive-bot.md has the proof).
 *
 * @typedef {import("../games/rules.js").Seat} Seat
 * @typedef {import("./adaptive_model.js").KnownPlayers} KnownPlayers
 * @typedef {import("./adaptive_model.js").SeenRound} SeenRound
 * @typedef {object} Asked  A round to be planned.
 * @property {Seat} seat  The bot's.
 * @property {Float64Array} strategy  The perfect one of both players.
 * @property {import("./expected_values.js").OutcomeValues} values
 * @property {number} value  Of the round between perfect players, to the bot.
 * @property {number} given  What the bot has been given so far, in match value.
 * @property {boolean} isLast  Whether somebody wins the match with the next point that is alone.
 * @typedef {object} Planned
 * @property {Float64Array | null} strategy  What the bot plays in its rows; null: the perfect one.
 * @property {number} risk  What the worst opponent takes from it.
 * @property {number} gain  What the model gives to it, more than to the perfect one.
 * @property {Float64Array} values  By node and the opponent's goal, what its best answer gets.
 * @property {Float64Array} odds  How likely the bot's plan comes there.
 */

import { otherSeat } from "../games/rules.js";
import { Model } from "./adaptive_model.js";
import { Facts, Frontier, behaviour } from "./restricted_response.js";

const LEAST_BUDGET = 1e-4;
const SHARE_AT_RISK = 0.4;

/**
 * What has been learnt from the rounds, and the plan of the next one; null where none is asked for.
 *
 * @param {KnownPlayers} players
 * @param {SeenRound[]} rounds
 * @param {Asked | null} asked
 * @returns {{ weights: number[], planned: Planned | null }}
 */
export function planRound(players, rounds, asked) {
  const model = new Model(players);
  for (const round of rounds) model.observe(round);
  return { weights: model.weights, planned: asked && planOf(players, rounds.length > 0 ? model : null, asked) };
}

/** @param {KnownPlayers} players @param {Model | null} model  null: nothing is known. @param {Asked} asked @returns {Planned} */
function planOf({ tree }, model, { seat, strategy, values, value, given, isLast }) {
  const facts = new Facts(tree, seat, strategy, values, value);
  const allowed = isLast ? given : SHARE_AT_RISK * given;
  let plan = facts.equilibrium;
  let gain = 0;
  if (model !== null) {
    const frontier = new Frontier(facts, model.reach(strategy, otherSeat(seat)));
    plan = frontier.plan(allowed > LEAST_BUDGET ? allowed : 0);
    gain = plan.gain - frontier.equilibriumGain;
  }
  return {
    strategy: model === null ? null : behaviour(tree, seat, plan.reach, strategy),
    risk: plan.risk,
    gain,
    values: facts.answers(plan.reach),
    odds: facts.odds(plan.reach),
  };
}
