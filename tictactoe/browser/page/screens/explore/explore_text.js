/** How the screen writes: numbers, goals, outcomes, whose turn it is. */

/**
 * @typedef {import("../../games/rules.js").Goal} Goal
 * @typedef {import("../../games/rules.js").Rules} Rules
 * @typedef {import("../../play/view.js").View} View
 */

import { countMarks, finalLines } from "../../games/board.js";
import { GOALS, goalName, otherSeat } from "../../games/rules.js";
import { counted } from "../../match/numbers.js";
import { percentagePoints, winPercentage } from "../../match/scores.js";
import { digitOf } from "../../parts/keypad.js";

export const SEATS = ["X", "O"];

const SPACE = "\u00a0";

/** How often, in whole percent; never and always are said so. @param {number} probability */
export function share(probability) {
  if (probability < 1e-12) return "never";
  if (probability > 1 - 1e-12) return "always";
  if (probability < 0.005) return `<1${SPACE}%`;
  return probability > 0.995 ? `>99${SPACE}%` : `${(100 * probability).toFixed(0)}${SPACE}%`;
}

/** How likely something is, in whole percent. @param {number} probability */
export function chance(probability) {
  return { never: "ruled out", always: "certain" }[share(probability)] ?? share(probability);
}

/** A match value as % of matches won. @param {number} value */
export function wins(value) {
  return `${winPercentage(value)
    .toFixed(2)
    .replace(/^-0\.00$/, "0.00")}${SPACE}%`;
}

/** What a move costs, in points of winning chance; 0 for a best move alone. @param {number} cost  As in `Advice`. */
export function costs(cost) {
  return cost === 0 ? "0" : percentagePoints(cost).toFixed(2);
}

/** How often, in % with two digits that count. @param {number} probability */
export function rarity(probability) {
  const percent = 100 * probability;
  if (percent === 0) return "none";
  return percent < 0.01 ? `less than 0.01${SPACE}%` : `${percent.toFixed(percent < 10 ? 2 : 0)}${SPACE}%`;
}

/** @param {Goal} goal */
export function goalWord(goal) {
  return goalName(goal).toUpperCase();
}

/** As what somebody wants: to WIN. @param {Goal} goal */
export function goalText(goal) {
  return `to ${goalWord(goal)}`;
}

/** Squares as the digits of the person's board. @param {readonly number[]} squares */
export function digits(squares) {
  return squares.map(digitOf).join(" ");
}

/**
 * Who has three in a row, whose turn it is and what both want; or how the round ends, and who scores.
 *
 * @param {View} view
 * @param {import("../../games/cursor.js").Cursor} cursor
 */
export function turnText(view, cursor) {
  const { rules } = cursor.tree;
  const seat = view.toMove;
  const certain = view.outcome ?? view.forcedOutcome;
  if (certain !== null) {
    const end = `${happened(view, cursor, certain)}. ${points(view, rules, certain)}`;
    return seat === null ? `The round is over: ${end}` : `${SEATS[seat]} moves next, but the end is certain: ${end}`;
  }
  if (seat === null) throw new RangeError("a round that is over has an outcome");
  const there = lineTexts(view, "has ")
    .map((text) => `${text} in a row`)
    .join(", ");
  const soFar = there ? `${there}; the round goes on. ` : "";
  return `${soFar}${SEATS[seat]} moves next.${wantedText(view, seat)}`;
}

/** @param {View} view @param {import("../../games/rules.js").Seat} seat */
function wantedText(view, seat) {
  const [mine, others] = [view.goals[seat], view.goals[otherSeat(seat)]];
  const other = SEATS[otherSeat(seat)];
  const seen = others == null ? "" : ` ${other} wants ${goalText(others)}, which ${SEATS[seat]} cannot see.`;
  return `${mine == null ? "" : ` It wants ${goalText(mine)}.`}${seen}`;
}

/**
 * What the board shows in the end, and the lines that are there.
 *
 * @param {View} view
 * @param {import("../../games/cursor.js").Cursor} cursor
 * @param {number} outcome
 */
function happened(view, cursor, outcome) {
  const there = lineTexts(view).join(", ");
  const lines = there ? ` (${view.outcome === null ? "so far " : ""}${there})` : "";
  return `${outcomeText(cursor, outcome)}${lines}`;
}

/**
 * What the board shows in the end; by rules that count three in a row of both as a tie, whether it is one of these.
 *
 * @param {import("../../games/cursor.js").Cursor} cursor
 * @param {number} outcome
 */
function outcomeText(cursor, outcome) {
  const data = cursor.tree.rules.outcomeData(outcome);
  if (data.name !== "tie" || cursor.tree.rules.data.ends_with_line) return data.happened;
  const ends = finalLines(cursor.board);
  if (ends.every(([first, second]) => first && second)) return "both have three in a row, which is a tie";
  return ends.every(([first, second]) => !first && !second) ? "nobody has three in a row" : data.happened;
}

/** Of each player who has three in a row, which squares. @param {View} view @param {string} has */
function lineTexts(view, has = "") {
  return view.lines.flatMap((own, seat) =>
    own.length > 0 ? [`${SEATS[seat]} ${has}${own.map(digits).join(" and ")}`] : [],
  );
}

/** Who scores and why, or with what goal. @param {View} view @param {Rules} rules @param {number} outcome */
function points(view, rules, outcome) {
  const fitting = rules.outcomeData(outcome).goals_true;
  if (fitting.every((goals) => goals.length === 0)) return "Nobody scores, whatever they want.";
  const said = SEATS.map((name, seat) => {
    const [goals, known] = [fitting[seat] ?? [], view.goals[seat]];
    if (goals.length === 0) return `${name} does not score, whatever it wants`;
    if (known == null) return `${name} scores if it wants ${goals.map(goalText).join(" or ")}`;
    return `${name} wants ${goalText(known)} and ${goals.includes(known) ? "scores" : "does not score"}`;
  });
  return `${said.join("; ")}.`;
}

/**
 * Sentences about a position that a solution which is not refined never reaches, or not with every goal, and about
 * goals that nobody is dealt; none for others.
 *
 * @param {View} view
 * @param {Rules} rules
 * @param {readonly Goal[]} unplayed  Goals of the mover with which such a solution does not come here.
 */
export function offTheWay(view, rules, unplayed) {
  const nowhere = SEATS.filter((_, seat) => view.beliefs[seat] === null);
  const texts = [];
  if (nowhere.length > 0) {
    texts.push(
      `Perfect players never get here: whatever ${nowhere.join(" and ")} wants, it would have moved differently. ` +
        "For these rules, this page knows only perfect play: from here on, its moves and costs may be " +
        "wrong, and each goal is taken to be as likely as when it was dealt.",
    );
  } else if (unplayed.length > 0 && view.toMove !== null && view.forcedOutcome === null) {
    texts.push(
      `A perfect ${SEATS[view.toMove]} that wants ${unplayed.map(goalText).join(" or ")} never gets here. ` +
        "For that goal, the moves and costs shown here may be wrong.",
    );
  }
  const never = GOALS.filter((goal) => rules.data.goal_odds[goal] === 0).map(goalWord);
  if (never.length > 0)
    texts.push(`Nobody is dealt the goal ${never.join(" or ")}: what is shown for it may be wrong.`);
  return texts;
}

/** The points of both players in words. @param {import("../../match/scores.js").Score} score */
export function scoreWords([first, second]) {
  return `X has ${counted(first, "point")}, O ${second}`;
}

/**
 * Who made the last move, for those who hear the page.
 *
 * @param {import("../../games/board.js").Board} board  After it.
 * @param {number} square
 */
export function lastMoveText(board, square) {
  return `${SEATS[(countMarks(board) + 1) % 2]} on ${digitOf(square)}.`;
}
