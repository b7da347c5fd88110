/** Who knows an opponent's strategy by heart and answers best, in a round and in those that follow. */

import { GOALS, otherSeat } from "../games/rules.js";
import { continuation } from "../match/scores.js";
import { RoundBot } from "./round_bot.js";

/** Moves whose values are this near to each other are equally good. */
const ROUNDING = 1e-9;

/** It judges moves against that opponent, whose play is fixed: an opponent's move costs nothing. */
export class BestResponder extends RoundBot {
  /**
   * @param {RoundBot} perfect  At the score of the round.
   * @param {Float64Array} strategy  The opponent's.
   * @param {import("./expected_values.js").OutcomeValues} values  By what the responder makes of later rounds.
   * @param {import("../games/rules.js").Seat} seat  The responder's.
   */
  constructor(perfect, strategy, values, seat) {
    super(perfect.tree, strategy, values, perfect.score);
    this.perfect = perfect;
    this.seat = seat;
    this.isRefined = true;
    /** @type {Float64Array | null} */
    this.both = null;
  }

  /** @override */
  get played() {
    this.both ??= this.#answers();
    return this.both;
  }

  /**
   * What the responder's moves tell is told as a perfect player sees it.
   *
   * @override
   * @param {number} node
   * @param {0 | 1} seat
   */
  belief(node, seat) {
    return seat === this.seat ? this.perfect.belief(node, seat) : super.belief(node, seat);
  }

  /**
   * Of the opponent: if both go on as they do.
   *
   * @override
   * @param {number} node
   * @param {import("../games/rules.js").Seat} seat
   * @param {import("../games/rules.js").Goal} goal
   */
  worth(node, seat, goal) {
    if (seat === this.seat) return super.worth(node, seat, goal);
    const likely = this.belief(node, this.seat);
    const value = (/** @type {import("../games/rules.js").Goal} */ other) =>
      seat === 0 ? this.value(node, goal, other) : -this.value(node, other, goal);
    let sum = 0;
    for (const other of GOALS) sum += likely[other] * value(other);
    return sum;
  }

  /** @override @param {number} node @param {import("../games/rules.js").Goal} goal */
  costs(node, goal) {
    const costs = super.costs(node, goal);
    return this.tree.owner(node) === this.seat ? costs : costs.map(() => 0);
  }

  /** The best moves in the responder's seat, equally good ones alike, and the opponent's strategy. */
  #answers() {
    const { tree, seat } = this;
    const result = this.strategy.slice();
    for (let node = 0; node < tree.numNodes; node += 1) {
      if (tree.outcome(node) !== null || tree.owner(node) !== seat) continue;
      const children = tree.children(node);
      for (const goal of GOALS) {
        const values = children.map((child) => this.bestPlay.value(child, seat, goal));
        const most = Math.max(...values);
        const good = values.map((value) => most - value <= ROUNDING);
        const share = 1 / good.filter(Boolean).length;
        children.forEach((child, at) => (result[3 * child + goal] = good[at] ? share : 0));
      }
    }
    return result;
  }
}

/**
 * What the results of a round are worth to its first mover: both score, the first alone, the second alone, nobody.
 *
 * @param {import("../match/scores.js").Score} score
 * @param {import("../games/rules.js").Seat} seat  The responder's.
 * @param {number} winningScore
 * @param {(score: import("../match/scores.js").Score, seat: import("../games/rules.js").Seat) => number} valueAt  What
 *   a later round is worth to the responder.
 * @returns {import("./expected_values.js").OutcomeValues}
 */
export function outcomeValuesAt(score, seat, winningScore, valueAt) {
  const sign = seat === 0 ? 1 : -1;
  const [both, first, second, nobody] = [3, 2, 1, 0].map((scored) => {
    const next = continuation(score, scored >= 2, scored % 2 === 1, winningScore);
    return next.score === null ? next.sign : sign * valueAt(next.score, otherSeat(seat));
  });
  return [both, first, second, nobody];
}
