/** Numbers as people read them. */

/** Of a probability: 12.5 %. @param {number} probability @param {number} digits */
export function percent(probability, digits = 1) {
  return `${(100 * probability).toFixed(digits)}\u00a0%`;
}

/** Of a difference of match values: 1.25 % of matches. @param {number} difference */
export function ofMatches(difference) {
  return `${(50 * difference).toFixed(2)}\u00a0% of matches`;
}
