/**
 * What the bot knows about a round: its strategy, what its results are worth, what moves tell.
 *
 * @typedef {import("../games/rules.js").Goal} Goal
 * @typedef {import("../games/rules.js").Seat} Seat
 * @typedef {import("../games/cursor.js").Cursor} Cursor
 * @typedef {import("./best_play.js").Belief} Belief
 * @typedef {{ squares: number[], probability: number }} Choice  Squares that are symmetric here; of all of them.
 */

import { GOALS } from "../games/rules.js";
import { BestPlay } from "./best_play.js";
import { expectedValues } from "./expected_values.js";

/** A strategy for a round and what it leads to. */
export class RoundBot {
  /**
   * @param {import("../games/tree.js").GameTree} tree
   * @param {Float64Array} strategy  num_nodes x 3: probability of the move into the node, by goal.
   * @param {import("./expected_values.js").OutcomeValues} values
   * @param {import("../match/scores.js").Score | null} score  In the solved match; null: it plays alike at every score.
   * @param {Float64Array | null} afterMistakes  Of a refined strategy, as `BestPlay` has it; null if it is not refined.
   */
  constructor(tree, strategy, values, score, afterMistakes = null) {
    this.tree = tree;
    this.strategy = strategy;
    this.values = values;
    this.score = score;
    this.isRefined = afterMistakes !== null;
    /** Best play against this strategy: beliefs, and what moves cost. */
    this.bestPlay = new BestPlay(tree, strategy, values, afterMistakes);
    /** @type {Float64Array | null} */
    this.computed = null;
    /** @type {Uint8Array | null} */
    this.reachable = null;
  }

  /** By how the players go on: num_nodes x 3. */
  get played() {
    return this.strategy;
  }

  /** num_nodes x 3 x 3, [node, first mover's goal, second mover's goal], to the first mover. */
  get expected() {
    this.computed ??= expectedValues(this.tree, this.played, this.values);
    return this.computed;
  }

  /**
   * What the first mover gets from a node on with this pair of goals.
   *
   * @param {number} node
   * @param {Goal} first
   * @param {Goal} second
   */
  value(node, first, second) {
    return this.expected[9 * node + 3 * first + second];
  }

  /**
   * How often a player with this goal makes the move into a node.
   *
   * @param {number} node
   * @param {Goal} goal
   */
  probability(node, goal) {
    return this.played[3 * node + goal];
  }

  /**
   * What the node is worth to the player in `seat` with this goal, if it plays best (`BestPlay.value`).
   *
   * @param {number} node
   * @param {Seat} seat
   * @param {Goal} goal
   */
  worth(node, seat, goal) {
    return this.bestPlay.value(node, seat, goal);
  }

  /** What each move costs the mover (`BestPlay.costs`). @param {number} node @param {Goal} goal @returns {number[]} */
  costs(node, goal) {
    return this.bestPlay.costs(node, goal);
  }

  /** What the round is worth to the first mover before goals are dealt. */
  get scoreValue() {
    const odds = this.tree.rules.goalProbabilities;
    let sum = 0;
    for (const one of GOALS) for (const other of GOALS) sum += odds[one] * odds[other] * this.value(0, one, other);
    return sum;
  }

  /** The outcomes in which the round can still end, from the node on. @param {number} node @returns {number[]} */
  possibleOutcomes(node) {
    this.reachable ??= reachableOutcomes(this.tree);
    const bits = this.reachable[node];
    return this.tree.rules.data.outcomes.map((_, outcome) => outcome).filter((outcome) => (bits >> outcome) & 1);
  }

  /**
   * The moves of a player with this goal whose turn it is, by their lowest square; none at a leaf.
   *
   * @param {Cursor} cursor
   * @param {Goal} goal
   * @returns {Choice[]}
   */
  choices(cursor, goal) {
    const moves = [...cursor.squaresByChild()].map(([child, squares]) => ({
      squares,
      probability: this.probability(child, goal),
    }));
    return moves.sort((one, other) => one.squares[0] - other.squares[0]);
  }

  /**
   * By player and goal, the product of the player's own probabilities on the way to a node.
   *
   * @param {number} node
   * @returns {[number[], number[]]}
   */
  ownReach(node) {
    /** @type {[number[], number[]]} */
    const reach = [
      [1, 1, 1],
      [1, 1, 1],
    ];
    for (let at = node; at > 0; at = this.tree.parent[at]) {
      const own = reach[this.tree.owner(this.tree.parent[at])];
      for (const goal of GOALS) own[goal] *= this.probability(at, goal);
    }
    return reach;
  }

  /**
   * How likely each goal of the player in `seat` is after the moves. After a mistake, as likely as drawn if the
   * strategy is not refined.
   *
   * @param {number} node
   * @param {Seat} seat
   * @returns {Belief}
   */
  belief(node, seat) {
    return this.bestPlay.belief(node, seat);
  }

  /**
   * Whether the strategy is not refined, and would not have made the moves of the player in `seat` with any goal that
   * can be drawn.
   *
   * @param {number} node
   * @param {Seat} seat
   */
  isLost(node, seat) {
    if (this.isRefined) return false;
    const odds = this.tree.rules.data.goal_odds;
    return !this.ownReach(node)[seat].some((reach, goal) => reach * odds[goal] > 0);
  }
}

/** A bit for every outcome that a node can still end in. @param {import("../games/tree.js").GameTree} tree */
function reachableOutcomes(tree) {
  const result = new Uint8Array(tree.numNodes);
  for (let node = tree.numNodes - 1; node >= 0; node -= 1) {
    const leaf = tree.outcome(node);
    if (leaf !== null) result[node] = 1 << leaf;
    const parent = tree.parent[node];
    if (parent >= 0) result[parent] |= result[node];
  }
  return result;
}
