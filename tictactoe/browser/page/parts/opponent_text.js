/** What is said of an opponent: how it plays, and how strong it is. */

/**
 * The strength is that in matches to so many points, where it is known.
 *
 * @param {import("../loading/manifest.js").OpponentData} opponent
 * @param {number} winningScore
 */
export function opponentText({ text, perfect_wins_by_length: wins }, winningScore) {
  const won = wins[winningScore - 1];
  return won === undefined ? text : `${text} The perfect bot beats it in ${won} of 100 matches to ${winningScore}.`;
}
