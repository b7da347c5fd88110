/** The opponents by their names in the manifest. */

import { evenOverSquares } from "../games/free_squares.js";
import { SQUARES_OF } from "../games/naive_players.js";
import { GOALS } from "../games/rules.js";
import { BestResponder, outcomeValuesAt } from "../play/best_responder.js";
import { scoreText } from "../match/scores.js";
import { bySquares, byStrategy, mixed } from "../play/opponents.js";

/** The opponent who plays a round's solution, and the name of that player in `plays`. */
const PERFECT = "perfect";

/**
 * What a learner's round is worth: it has learnt on one round on its own.
 *
 * @type {import("../play/expected_values.js").OutcomeValues}
 */
const SINGLE_ROUND = [0, 1, -1, 0];

/**
 * How the opponent of that name moves in a round whose perfect player is `perfect`. Rejects with DataError where its
 * file cannot be used; throws RangeError for a name that the solution does not have.
 *
 * @param {import("./solution_loader.js").SolvedMatch} solution
 * @param {string} name
 * @param {import("../play/round_bot.js").RoundBot} perfect
 * @returns {Promise<import("../play/opponents.js").MoveChooser>}
 */
export async function loadOpponent(solution, name, perfect) {
  const found = solution.data.opponents.find((opponent) => opponent.name === name);
  if (found === undefined) throw new RangeError(`no opponent is called ${name}`);
  if (found.file !== null) return byStrategy(await solution.loadLearner(found.file, SINGLE_ROUND));
  const choose = (/** @type {string} */ player) =>
    player === PERFECT ? byStrategy(perfect) : bySquares(SQUARES_OF[player]);
  return mixed(
    found.plays.map((mix) => Object.entries(mix).map(([player, share]) => ({ choose: choose(player), share }))),
  );
}

/**
 * The last ones that were asked for: a match has about so many, of some megabytes each.
 *
 * @type {Map<string, BestResponder>}
 */
const responders = new Map();
const MOST_KEPT = 12;

/** Whether the perfect player judges moves against the opponent; null: a person. @param {string | null} name */
export function isPerfect(name) {
  return name === null || name === PERFECT;
}

/**
 * Who judges the moves of a player in `seat` against the opponent of that name in a round: its best responder, or
 * `perfect` against the perfect player, another person (null), or whom the page does not know. Rejects with DataError.
 *
 * @param {import("./solution_loader.js").SolvedMatch} solution
 * @param {string | null} name
 * @param {import("../play/round_bot.js").RoundBot} perfect  Of the solution, at a score.
 * @param {import("../games/rules.js").Seat} seat
 * @returns {Promise<import("../play/round_bot.js").RoundBot>}
 */
export async function loadAdviser(solution, name, perfect, seat) {
  const found = solution.data.opponents.find((opponent) => opponent.name === name);
  const { score } = perfect;
  if (found === undefined || isPerfect(name) || score === null) return perfect;
  const values = (await solution.loadResponses()).get(found.name);
  if (values === undefined) return perfect;
  const key = `${solution.name} ${scoreText(score)} ${name} ${seat}`;
  const kept = responders.get(key);
  if (kept !== undefined) return kept;
  const { scores } = solution.data;
  const valueAt = (/** @type {readonly number[]} */ next, /** @type {0 | 1} */ whose) =>
    values[whose * scores.length + scores.findIndex((one) => one.score.join() === next.join())];
  const strategy =
    found.file !== null
      ? (await solution.loadLearner(found.file, SINGLE_ROUND)).strategy
      : strategyOf(found.plays, perfect);
  const outcomes = outcomeValuesAt(score, seat, solution.winningScore, valueAt);
  const responder = new BestResponder(perfect, strategy, outcomes, seat);
  responders.set(key, responder);
  if (responders.size > MOST_KEPT) responders.delete(String(responders.keys().next().value));
  return responder;
}

/**
 * num_nodes x 3: how one plays who moves so often as these players.
 *
 * @param {import("./manifest.js").OpponentData["plays"]} plays
 * @param {import("../play/round_bot.js").RoundBot} perfect
 */
function strategyOf(plays, { tree, strategy }) {
  const result = new Float64Array(strategy.length);
  const players = new Set(plays.flatMap((mix) => Object.keys(mix)));
  for (const player of players) {
    const played = player === PERFECT ? strategy : evenOverSquares(tree, SQUARES_OF[player]);
    for (const goal of GOALS) {
      const share = plays[goal][player] ?? 0;
      for (let at = goal; share > 0 && at < result.length; at += 3) result[at] += share * played[at];
    }
  }
  return result;
}
