/** A position as a short text that anybody can read. No elements. */

import { SQUARES } from "../../games/board.js";
import { shownAt } from "../../parts/place.js";
import { SEATS, goalText } from "./explore_text.js";

const MARKS = ["\u274c", "\u2b55"];
const FREE = "\u2b1c";

/**
 * The board as a picture made of signs, and the question that it puts, if it is a riddle.
 *
 * @param {import("../../parts/place.js").Place} place
 * @param {boolean} withRules  Whether the rules are to be named.
 * @param {boolean} isRiddle
 */
export function shareText(place, withRules, isRiddle) {
  const { moves, goals } = place.position;
  const { match, score } = shownAt(place);
  const signs = SQUARES.map((square) => {
    const at = moves.indexOf(square);
    return at < 0 ? FREE : MARKS[at % 2];
  });
  const rows = [0, 3, 6].map((start) => signs.slice(start, start + 3).join(""));
  const seat = moves.length % 2;
  const goal = goals[seat];
  const wish = goal == null ? "" : ` and wants ${goalText(goal)}`;
  return [
    `Tic-Tac-Tell, X ${score[0]} : ${score[1]} O, to ${match}`,
    ...(withRules ? [`Rules: ${place.solution.data.rules.title}`] : []),
    ...rows,
    `${SEATS[seat]} moves next${wish}.${isRiddle ? " Which square?" : ""}`,
  ].join("\n");
}
