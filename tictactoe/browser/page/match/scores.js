/**
 * Scores of a match and what follows a round.
 *
 * @typedef {readonly [number, number]} Score  Points before a round: of the player who moves first in it, of the other.
 */

/**
 * What follows a round in which the given players scored: another round at `score`, whose first mover is the player who
 * moved first before if `sign` is 1, else the other; or, where `score` is null, the end of the match, which the player
 * who moved first has won if `sign` is 1, else lost.
 *
 * @param {Score} score
 * @param {boolean} firstScores
 * @param {boolean} secondScores
 * @param {number} winningScore
 * @returns {{ sign: 1 | -1, score: Score | null }}
 */
export function continuation(score, firstScores, secondScores, winningScore) {
  const first = score[0] + Number(firstScores);
  const second = score[1] + Number(secondScores);
  if (first >= winningScore && second >= winningScore) return { sign: -1, score: [winningScore - 1, winningScore - 1] };
  if (first >= winningScore) return { sign: 1, score: null };
  if (second >= winningScore) return { sign: -1, score: null };
  return { sign: -1, score: [second, first] };
}

/**
 * The score of a longer match at which as many points are missing.
 *
 * @param {Score} score
 * @param {number} winningScore
 * @param {number} longer  The winning score of the longer match.
 * @returns {Score}
 */
export function scoreInLongerMatch(score, winningScore, longer) {
  return [score[0] + longer - winningScore, score[1] + longer - winningScore];
}

/** As an address and a position have it: 4-3. @param {Score} score */
export function scoreText(score) {
  return `${score[0]}-${score[1]}`;
}

/**
 * The score that a text such as 4-3 names; whether a match has it is not looked at. Throws RangeError for another text.
 *
 * @param {string} text
 * @returns {Score}
 */
export function parseScore(text) {
  const found = /^(\d+)-(\d+)$/.exec(text);
  if (found === null) throw new RangeError(`"${text}" is not a score: write both players' points, such as 4-3`);
  return [Number(found[1].slice(0, 9)), Number(found[2].slice(0, 9))];
}

/** The percentage of matches won by the player to whom a match value, from -1 to 1, belongs. @param {number} value */
export function winPercentage(value) {
  return 50 * (1 + value);
}

/** A difference of match values in points of winning chance, matches of a hundred. @param {number} difference */
export function percentagePoints(difference) {
  return 50 * difference;
}
