/** What is said of an opponent: how it plays, and how strong it is. */

/**
 * The strength is that in matches to so many points, where it is known.
 *
 * @param {import("../loading/manifest.js").OpponentData} opponent
 * @param {number} winningScore
 */
export function opponentText({ text, simple_wins_by_length: simple, perfect_wins_by_length: perfect }, winningScore) {
  const [won, best] = [simple[winningScore - 1], perfect[winningScore - 1]];
  if (best === undefined) return text;
  if (won === undefined)
    return `${text} In the long run nobody wins more than ${best} of 100 matches to ${winningScore}.`;
  return `${text} Simple players win ${won} of 100 matches to ${winningScore}, a perfect one ${best}.`;
}
