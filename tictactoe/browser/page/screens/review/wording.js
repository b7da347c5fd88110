/** Figures and names of a review, as people read them. */

import { percent } from "../../match/numbers.js";
import { percentagePoints, winPercentage } from "../../match/scores.js";

/** Points of winning chance with their sign: +3.10. @param {number} points */
export function signed(points) {
  return `${Number(points.toFixed(2)) < 0 ? "\u2212" : "+"}${Math.abs(points).toFixed(2)}`;
}

/** The chance to win the match that a match value stands for: 48.90 %. @param {number} value */
export function chance(value) {
  return percent(winPercentage(value) / 100, 2);
}

/** Of a cost, in match value: 1.3 points. @param {number} cost */
export function price(cost) {
  return `${percentagePoints(cost).toFixed(1)}\u00a0points`;
}

/** Of "the bot": "the bot\u2019s". @param {string} name */
export function possessive(name) {
  return `${name}\u2019s`;
}
