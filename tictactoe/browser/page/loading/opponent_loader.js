/** The opponents by their names in the manifest. */

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
