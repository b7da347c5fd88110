/** The opponents by their names in the manifest. */

import { uniformOverSquares } from "../games/free_squares.js";
import { BestResponder, outcomeValuesAt } from "../play/best_responder.js";
import { scoreText } from "../match/scores.js";
import { anySquare, byStrategy, careless } from "../play/opponents.js";

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
 * @param {number} mistakes
 * @returns {Promise<import("../play/opponents.js").MoveChooser>}
 */
export async function loadOpponent(solution, name, perfect, mistakes) {
  const found = solution.data.opponents.find((opponent) => opponent.name === name);
  if (found === undefined) throw new RangeError(`no opponent is called ${name}`);
  if (found.file !== null) return byStrategy(await solution.loadLearner(found.file, SINGLE_ROUND));
  if (name === "uniform") return anySquare;
  return name === "careless" ? careless(byStrategy(perfect), mistakes) : byStrategy(perfect);
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
  return name === null || name === "perfect";
}

/**
 * Who judges the moves of a player in `seat` against the opponent of that name in a round: its best responder, or
 * `perfect` against the perfect player, another person (null), or whom the page does not know. Rejects with DataError.
 *
 * @param {import("./solution_loader.js").SolvedMatch} solution
 * @param {string | null} name
 * @param {import("../play/round_bot.js").RoundBot} perfect  Of the solution, at a score.
 * @param {number} mistakes
 * @param {import("../games/rules.js").Seat} seat
 * @returns {Promise<import("../play/round_bot.js").RoundBot>}
 */
export async function loadAdviser(solution, name, perfect, mistakes, seat) {
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
      : mixed(perfect, found.name === "uniform" ? 1 : mistakes);
  const outcomes = outcomeValuesAt(score, seat, solution.winningScore, valueAt);
  const responder = new BestResponder(perfect, strategy, outcomes, seat);
  responders.set(key, responder);
  if (responders.size > MOST_KEPT) responders.delete(String(responders.keys().next().value));
  return responder;
}

/**
 * How one plays who marks any free square so often, and is perfect otherwise.
 *
 * @param {import("../play/round_bot.js").RoundBot} perfect
 * @param {number} mistakes
 */
function mixed({ tree, strategy }, mistakes) {
  const uniform = uniformOverSquares(tree);
  return mistakes === 1 ? uniform : strategy.map((share, at) => (1 - mistakes) * share + mistakes * uniform[at]);
}
