/**
 * The expected value of every node, for every pair of goals.
 *
 * @typedef {readonly [number, number, number, number]} OutcomeValues  Worth to the first mover, match value -1 to 1,
 *   when both score, only the first mover, only the second, neither.
 */

import { GOALS } from "../games/rules.js";

/**
 * Float64Array (num_nodes x 3 x 3), [node, first mover's goal, second mover's goal]: what the first mover gets, on
 * average, when both go on from the node by the strategy.
 *
 * @param {import("../games/tree.js").GameTree} tree
 * @param {Float64Array} strategy  num_nodes x 3: probability of the move into the node, by goal.
 * @param {OutcomeValues} values
 */
export function expectedValues(tree, strategy, values) {
  const payoffs = payoffsByOutcome(tree.rules, values);
  const result = new Float64Array(tree.numNodes * 9);
  for (let node = tree.numNodes - 1; node >= 0; node -= 1) {
    const leaf = tree.outcome(node);
    if (leaf !== null) result.set(payoffs.subarray(9 * leaf, 9 * leaf + 9), 9 * node);
    if (node === 0) break;
    addToParent(tree, strategy, result, node);
  }
  return result;
}

/**
 * @param {import("../games/tree.js").GameTree} tree
 * @param {Float64Array} strategy
 * @param {Float64Array} result
 * @param {number} node
 */
function addToParent(tree, strategy, result, node) {
  const parent = tree.parent[node];
  const firstMoves = tree.owner(parent) === 0;
  for (let first = 0; first < 3; first += 1) {
    for (let second = 0; second < 3; second += 1) {
      const weight = strategy[3 * node + (firstMoves ? first : second)];
      const at = 3 * first + second;
      result[9 * parent + at] += weight * result[9 * node + at];
    }
  }
}

/**
 * Float64Array (num_outcomes x 3 x 3), [outcome, first mover's goal, second mover's goal]: worth to the first mover.
 *
 * @param {import("../games/rules.js").Rules} rules
 * @param {OutcomeValues} values
 */
export function payoffsByOutcome(rules, values) {
  const result = new Float64Array(rules.data.outcomes.length * 9);
  for (let outcome = 0; outcome < rules.data.outcomes.length; outcome += 1) {
    for (const first of GOALS) {
      for (const second of GOALS) {
        const missed = (rules.isTrue(outcome, 0, first) ? 0 : 2) + (rules.isTrue(outcome, 1, second) ? 0 : 1);
        result[9 * outcome + 3 * first + second] = values[missed];
      }
    }
  }
  return result;
}
