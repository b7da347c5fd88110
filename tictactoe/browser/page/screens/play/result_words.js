/** What is said when a round or a match is over. No elements. */

import { ending } from "../../play/ending.js";
import { goalName } from "../../games/rules.js";
import { beginning } from "../../parts/words.js";
import { counted } from "../../match/numbers.js";
import { pointsOf, scoredIn } from "../../play/referee.js";

/**
 * @typedef {import("./match_flow.js").MatchFlow} MatchFlow
 * @typedef {import("../../play/ending.js").Table} Table
 * @typedef {object} GoalResult
 * @property {import("../../games/rules.js").Goal} goal
 * @property {string} wanted  What the player wanted, such as "You wanted to win".
 * @property {string} points  What came of it, in words.
 * @property {boolean} scored
 * @typedef {object} Result
 * @property {string} headline
 * @property {[boolean, boolean]} scored  By player.
 * @property {GoalResult[]} goals  By player.
 * @property {string[]} happened  Sentences.
 * @property {string} goesOn  Where both have reached the winning score; empty otherwise.
 */

/**
 * Of the round that was played last.
 *
 * @param {MatchFlow} flow
 * @param {Table} table
 * @returns {Result}
 */
export function resultOf(flow, table) {
  const { match, round, cursor } = flow;
  const { names } = table;
  const happened = ending(cursor, table);
  const scored = scoredIn(round, cursor.tree.rules, Number(cursor.forcedOutcome));
  const goals = names.map((name, player) => {
    const got = scored[player] === true;
    const goal = /** @type {import("../../games/rules.js").Goal} */ (round.goals[player]);
    return {
      goal,
      wanted: `${beginning(name)} wanted to ${goalName(goal)}`,
      points: got ? "a point" : "no point",
      scored: got,
    };
  });
  const last = match.winningScore - 1;
  const goesOn =
    scored[0] && scored[1] && round.score.every((points) => points === last)
      ? `Both reached ${match.winningScore}, so the match goes on from ${last} : ${last}.`
      : "";
  return {
    headline: match.winner === null ? whoScores(names, scored) : victory(names, match.winner),
    scored,
    goals,
    happened,
    goesOn,
  };
}

/** @param {readonly [string, string]} names @param {readonly [boolean, boolean]} scored */
function whoScores(names, scored) {
  if (scored[0] && scored[1]) return "Both score a point.";
  if (!scored[0] && !scored[1]) return "Nobody scores.";
  const name = scored[0] ? names[0] : names[1];
  return name === "You" ? "You score a point." : `${beginning(name)} scores a point.`;
}

/** @param {readonly [string, string]} names @param {import("../../play/referee.js").Player} winner */
function victory(names, winner) {
  const name = names[winner];
  return name === "You" ? "You win the match." : `${beginning(name)} wins the match.`;
}

/**
 * The help that the person had in a round; empty where there was none.
 *
 * @param {import("../../play/referee.js").RoundRecord} round
 */
export function helpWords({ hints, looked, takenBack }) {
  const help = [
    ...(hints > 0 ? [counted(hints, "hint")] : []),
    ...(looked === true ? ["a look at what the moves tell"] : []),
  ];
  const told = [
    ...(help.length > 0 ? [`With help: ${help.join(", and ")}.`] : []),
    ...(takenBack > 0 ? [`Moves taken back: ${takenBack}.`] : []),
  ];
  return told.join(" ");
}

/** Such as "You 3 : 2 Bot". @param {import("../../play/referee.js").MatchRecord} match */
export function scoreLine(match) {
  const [mine, theirs] = pointsOf(match);
  return `${match.names[0]} ${mine} : ${theirs} ${match.names[1]}`;
}
