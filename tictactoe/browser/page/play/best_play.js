/**
 * What a position is worth to a player who plays best from there on, against a strategy and by a belief.
 *
 * The player knows its own goal and the strategy of the opponent, and believes of the opponent's goal what the moves
 * tell. This is the one measure for what moves cost: hints, reviews and explore use it. Beliefs and values of the whole
 * tree take some milliseconds; each is computed when it is first asked for.
 *
 * @typedef {import("../games/rules.js").Goal} Goal
 * @typedef {import("../games/rules.js").Seat} Seat
 * @typedef {import("../games/tree.js").GameTree} GameTree
 * @typedef {readonly [number, number, number]} Belief  How likely each goal of a player is, to one who knows the
 *   strategies and saw the moves.
 */

import { GOALS, otherSeat } from "../games/rules.js";
import { payoffsByOutcome } from "./expected_values.js";

/** A smaller cost counts as nothing, in match value: 0.01 points of winning chance. */
const NEGLIGIBLE_COST = 2e-4;

/** Best play against a strategy, from every position on, whatever has been played before. */
export class BestPlay {
  /**
   * @param {GameTree} tree
   * @param {Float64Array} strategy  num_nodes x 3: probability of the move into the node, by goal.
   * @param {import("./expected_values.js").OutcomeValues} values
   * @param {Float64Array | null} afterMistakes  num_nodes x 3: the weights that the goals of whoever made the move into
   *   the node have after it; zeros: the move tells what Bayes' rule says. null for a strategy that is not refined.
   */
  constructor(tree, strategy, values, afterMistakes) {
    this.tree = tree;
    this.strategy = strategy;
    this.values = values;
    this.afterMistakes = afterMistakes;
    /** By seat. @type {(Float64Array | undefined)[]} */
    this.beliefs = [];
    /** By seat. @type {(Float64Array | undefined)[]} */
    this.worth = [];
  }

  /**
   * How likely each goal of the player in `seat` is at a node.
   *
   * @param {number} node
   * @param {Seat} seat
   * @returns {Belief}
   */
  belief(node, seat) {
    const [win, lose, tie] = this.#beliefsAbout(seat).subarray(3 * node, 3 * node + 3);
    return [win, lose, tie];
  }

  /**
   * What the node is worth to the player in `seat` with this goal, in match value.
   *
   * @param {number} node
   * @param {Seat} seat
   * @param {Goal} goal
   */
  value(node, seat, goal) {
    return this.#worthTo(seat)[3 * node + goal];
  }

  /**
   * For each child of the node, how much less than by the best move the mover with this goal gets, in match value.
   * Never negative, and 0 below NEGLIGIBLE_COST.
   *
   * @param {number} node
   * @param {Goal} goal
   */
  costs(node, goal) {
    const seat = this.tree.owner(node);
    const values = this.tree.children(node).map((child) => this.value(child, seat, goal));
    const best = Math.max(...values);
    return values.map((value) => (best - value < NEGLIGIBLE_COST ? 0 : best - value));
  }

  /** @param {Seat} seat */
  #beliefsAbout(seat) {
    return (this.beliefs[seat] ??= beliefsByNode(this.tree, this.strategy, this.afterMistakes, seat));
  }

  /** @param {Seat} seat */
  #worthTo(seat) {
    return (this.worth[seat] ??= valuesTo(
      this.tree,
      this.strategy,
      this.values,
      this.#beliefsAbout(otherSeat(seat)),
      seat,
    ));
  }
}

/**
 * num_nodes x 3, by node and goal: what is believed of the player in `seat`. It follows Bayes' rule. A move that none
 * of the mover's goals plays is a mistake. What it tells stands in `afterMistakes`; zeros there: nothing. If the
 * strategy is not refined, the goals are then as likely as drawn.
 *
 * @param {GameTree} tree
 * @param {Float64Array} strategy
 * @param {Float64Array | null} afterMistakes
 * @param {Seat} seat
 */
function beliefsByNode(tree, strategy, afterMistakes, seat) {
  const drawn = tree.rules.goalProbabilities;
  const weights = new Float64Array(3 * tree.numNodes);
  for (const goal of GOALS) weights[goal] = drawn[goal] > 0 ? 1 : 0;
  for (let node = 1; node < tree.numNodes; node += 1) {
    const parent = tree.parent[node];
    const own = tree.owner(parent) === seat;
    const told = own && afterMistakes !== null && any(afterMistakes, node);
    for (const goal of GOALS) {
      const before = weights[3 * parent + goal];
      const share = own ? strategy[3 * node + goal] : 1;
      weights[3 * node + goal] = told ? afterMistakes[3 * node + goal] : before * share;
    }
    if (any(weights, node)) continue;
    const from = afterMistakes === null ? 0 : parent;
    weights.copyWithin(3 * node, 3 * from, 3 * from + 3);
  }
  for (let at = 0; at < weights.length; at += 3) {
    for (const goal of GOALS) weights[at + goal] *= drawn[goal];
    const sum = weights[at] + weights[at + 1] + weights[at + 2];
    for (const goal of GOALS) weights[at + goal] /= sum;
  }
  return weights;
}

/** Whether a goal has a weight at a node. @param {Float64Array} weights @param {number} node */
function any(weights, node) {
  return weights[3 * node] !== 0 || weights[3 * node + 1] !== 0 || weights[3 * node + 2] !== 0;
}

/**
 * num_nodes x 3, by node and the player's goal: what the player in `seat` gets.
 *
 * @param {GameTree} tree
 * @param {Float64Array} strategy
 * @param {import("./expected_values.js").OutcomeValues} values
 * @param {Float64Array} beliefs  About the opponent.
 * @param {Seat} seat
 */
function valuesTo(tree, strategy, values, beliefs, seat) {
  const payoffs = payoffsByOutcome(tree.rules, values);
  const result = new Float64Array(3 * tree.numNodes);
  for (let node = tree.numNodes - 1; node >= 0; node -= 1) {
    const leaf = tree.outcome(node);
    if (leaf !== null) setLeaf(result, node, payoffs.subarray(9 * leaf, 9 * leaf + 9), beliefs, seat);
    else if (tree.owner(node) === seat) setMost(result, node, tree);
    else setMean(result, node, tree, strategy, beliefs);
  }
  return result;
}

/**
 * @param {Float64Array} result
 * @param {number} node
 * @param {Float64Array} payoffs  To the first mover, by the first mover's goal and the second's.
 * @param {Float64Array} beliefs
 * @param {Seat} seat
 */
function setLeaf(result, node, payoffs, beliefs, seat) {
  for (const goal of GOALS) {
    let sum = 0;
    for (const other of GOALS) {
      sum += (seat === 0 ? payoffs[3 * goal + other] : -payoffs[3 * other + goal]) * beliefs[3 * node + other];
    }
    result[3 * node + goal] = sum;
  }
}

/** What the best move gets. @param {Float64Array} result @param {number} node @param {GameTree} tree */
function setMost(result, node, tree) {
  const first = tree.firstChild[node];
  for (const goal of GOALS) {
    let most = -Infinity;
    for (let child = first; child < first + tree.numChildren[node]; child += 1) {
      most = Math.max(most, result[3 * child + goal]);
    }
    result[3 * node + goal] = most;
  }
}

/**
 * What the opponent's moves leave on average.
 *
 * @param {Float64Array} result
 * @param {number} node
 * @param {GameTree} tree
 * @param {Float64Array} strategy
 * @param {Float64Array} beliefs
 */
function setMean(result, node, tree, strategy, beliefs) {
  const first = tree.firstChild[node];
  for (let child = first; child < first + tree.numChildren[node]; child += 1) {
    let odds = 0;
    for (const other of GOALS) odds += beliefs[3 * node + other] * strategy[3 * child + other];
    for (const goal of GOALS) result[3 * node + goal] += odds * result[3 * child + goal];
  }
}
