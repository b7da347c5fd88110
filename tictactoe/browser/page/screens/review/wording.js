/** Figures and names of a review, as people read them. */

import { percent } from "../../match/numbers.js";
import { percentagePoints, winPercentage } from "../../match/scores.js";

/** A change of match value in percentage points of matches, with its sign: +3.10. @param {number} difference */
export function signedPoints(difference) {
  const text = Math.abs(percentagePoints(difference)).toFixed(2);
  if (Number(text) === 0) return text;
  return `${difference < 0 ? "\u2212" : "+"}${text}`;
}

/** The chance to win the match that a match value stands for: 48.90 %. @param {number} value */
export function chance(value) {
  return percent(winPercentage(value) / 100, 2);
}

/** Of "the bot": "the bot\u2019s". @param {string} name */
export function possessive(name) {
  return `${name}\u2019s`;
}
