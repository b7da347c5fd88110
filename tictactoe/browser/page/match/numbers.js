/** Numbers as people read them. */

/** Of a probability: 12.5 %. @param {number} probability @param {number} digits */
export function percent(probability, digits = 1) {
  return `${(100 * probability).toFixed(digits)}\u00a0%`;
}

/** With its noun: 1 point, 2 points. @param {number} number @param {string} noun */
export function counted(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** With two digits, never less than it is: what "at most" stands before. @param {number} number */
export function roundedUp(number) {
  return (Math.ceil(Number((100 * number).toFixed(6))) / 100).toFixed(2);
}

/** Of a difference of match values, in points of winning chance: 1.25 points. @param {number} difference */
export function inPoints(difference) {
  return `${(50 * difference).toFixed(2)}\u00a0points`;
}
