/**
 * What the bot that adapts has been given and has gained, in match value, and what a person is told of it: the words of
 * the library's play/adaptive.py.
 *
 * @typedef {import("./referee.js").MatchRecord} MatchRecord
 * @typedef {import("./referee.js").RoundRecord} RoundRecord
 * @typedef {import("./adaptive_plan.js").Planned} Planned
 * @typedef {import("./referee.js").Account} Account
 */

/** Points of winning chance in match value. */
const POINTS = 50;
/** With fewer points nothing is told. */
const LEAST = 0.05;

/** Before the next round, or the present one. @param {MatchRecord} match @returns {Account} */
export function accountOf(match) {
  return match.rounds.at(-1)?.account ?? { given: 0, gained: 0 };
}

/** Whether the bot learns from a round: what is played with help counts for nothing. @param {RoundRecord} round */
export function countsFor({ hints, takenBack, looked }) {
  return hints === 0 && takenBack === 0 && looked !== true;
}

/**
 * After a round that was planned so. The person's gift is the sum over their moves of the best minus the chosen expected
 * value against the plan.
 *
 * @param {Account} before
 * @param {Planned} planned
 * @param {RoundRecord} round
 * @param {number[]} nodes  On the way, from the root on.
 * @param {import("../games/tree.js").GameTree} tree
 * @returns {Account}
 */
export function accountAfter(before, { risk, gain, values, odds }, round, nodes, tree) {
  const [goal] = round.goals;
  const seat = round.first === 0 ? 0 : 1;
  let gift = 0;
  for (const [index, child] of nodes.entries()) {
    const node = nodes[index - 1];
    if (node === undefined || tree.owner(node) !== seat) continue;
    gift += (values[3 * node + goal] - values[3 * child + goal]) / odds[3 * node + goal];
  }
  const given = Math.max(0, before.given - risk) + (countsFor(round) ? Math.max(0, gift) : 0);
  return { given, gained: before.gained + gain };
}

/**
 * After a round.
 *
 * @param {Account} account
 * @param {number[]} weights  How likely it is that the person plays like each of the known players, or like none of them.
 * @param {{ like: string }[]} known
 */
export function toldOf({ given }, weights, known) {
  const order = weights.map((_, index) => index).sort((one, other) => weights[other] - weights[one]);
  const [first, second] = order.map((index) => known[index]?.like ?? "nobody it knows");
  const most = weights[order[0]];
  const like = most < 0.5 ? `like ${first}, or like ${second}` : most < 0.9 ? `mostly like ${first}` : `like ${first}`;
  const points = POINTS * given < LEAST ? "nothing" : `${(POINTS * given).toFixed(1)} points`;
  return `Your mistakes have given the bot ${points} to risk so far. It thinks that you play ${like}.`;
}

/** After the match. @param {Account} account */
export function toldAtTheEnd({ gained }) {
  if (POINTS * gained < LEAST) return "The bot gained nothing by adapting to you.";
  return `If you play as the bot thinks, it gained ${(POINTS * gained).toFixed(1)} points of winning chance by adapting to you.`;
}
