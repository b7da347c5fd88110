/**
 * A hint: how a perfect player with the person's goal moves here, and what the other moves cost, in words and as notes
 * for the board. No elements.
 *
 * @typedef {import("../../games/cursor.js").Cursor} Cursor
 * @typedef {import("../../games/rules.js").Goal} Goal
 * @typedef {import("../../play/move_costs.js").Advice} Advice
 * @typedef {import("../../play/round_bot.js").RoundBot} RoundBot
 * @typedef {object} Hint
 * @property {string} heading
 * @property {{ squares: string, text: string }[]} best  What the perfect bot marks, the most likely first.
 * @property {{ squares: string, text: string }[]} never  What it never marks, with reasons and costs.
 * @property {string} warning  Empty where there is none.
 * @property {string} legend  What the notes on the board are.
 * @property {Map<number, string>} notes  By square, for the board.
 * @property {Map<number, string>} heard
 * @property {Map<number, string>} classes
 */

import { goalName } from "../../games/rules.js";
import { ofMatches, percent } from "../../match/numbers.js";
import { percentagePoints } from "../../match/scores.js";
import { LEAST_PLAYED_PROBABILITY, advise, offEquilibrium } from "../../play/move_costs.js";
import { reason } from "../../play/reason.js";

/** Of moves that the perfect bot never makes but that cost nothing. */
const EQUAL = "just as good, but the perfect bot never marks it";
/** The same, where a move costs something that the bot makes. */
const BETTER = "costs nothing, but the perfect bot never marks it";
const NOT_REFINED = "This solution is not refined: after such moves it may play badly.";
const LEGEND =
  "On the board: how often the perfect bot marks the square, or what it costs in % of matches (0: nothing); " +
  "1 % is one match in a hundred.";

/**
 * @param {RoundBot} judge  The perfect player.
 * @param {Cursor} cursor  At a position where it is the person's turn.
 * @param {Goal} goal
 * @param {(square: number) => number} digit
 * @returns {Hint}
 */
export function hint(judge, cursor, goal, digit) {
  const advice = advise(judge, cursor, goal);
  const played = advice.filter(isPlayed);
  const called = (/** @type {readonly number[]} */ squares) => squares.map(digit).sort().join(" ");
  const lost = advice.some((move) => move.possible) ? "" : `You can no longer ${goalName(goal)}; `;
  const seat = cursor.mover;
  const equal = played.some(costs) ? BETTER : EQUAL;
  const best = played.sort((one, other) => other.probability - one.probability);
  const others = advice.filter((move) => !isPlayed(move));
  const to = lost || `To ${goalName(goal)}, `;
  return {
    heading: `${to}the perfect bot marks:`,
    best: best.map((move) => ({ squares: called(move.squares), text: howOften(move) })),
    never: neverMade(others, goal, digit).map(({ why, cost, squares }) => ({
      squares: called(squares),
      text: why === "" && cost === "" ? equal : ["never", why, cost].filter(Boolean).join("; "),
    })),
    warning: played.some(costs) && seat !== null && offEquilibrium(judge, cursor, seat, goal) ? NOT_REFINED : "",
    legend: LEGEND,
    notes: bySquare(advice, (move) =>
      isPlayed(move) ? percent(share(move), share(move) < 0.0995 ? 1 : 0) : costNote(move),
    ),
    heard: bySquare(advice, (move) => heard(move, equal)),
    classes: bySquare(advice, (move) => (isPlayed(move) ? "hint-played" : costs(move) ? "hint-costs" : "hint-equal")),
  };
}

/** @param {Advice} move */
function isPlayed(move) {
  return move.probability >= LEAST_PLAYED_PROBABILITY;
}

/** @param {Advice} move */
function costs(move) {
  return move.cost > 0;
}

/** Of each of the symmetric squares. @param {Advice} move */
function share(move) {
  return move.probability / move.squares.length;
}

/** @param {Advice} move */
function howOften(move) {
  const each = move.squares.length > 1 ? ` (${percent(share(move))} each)` : "";
  return `${percent(move.probability)}${each}${costs(move) ? `; costs ${ofMatches(move.cost)}` : ""}`;
}

/** @param {Advice} move */
function costNote(move) {
  return costs(move) ? `\u2212${percentagePoints(move.cost).toFixed(percentagePoints(move.cost) < 10 ? 2 : 1)}` : "0";
}

/**
 * @param {Advice} move
 * @param {string} equal  What is said of a move that costs nothing and is never made.
 */
function heard(move, equal) {
  if (isPlayed(move)) return `the perfect bot marks it in ${percent(share(move))} of cases`;
  return costs(move) ? `costs ${ofMatches(move.cost)}` : equal;
}

/**
 * Moves that the perfect bot never makes, joined where reason and cost are the same: rows of one's own first, then
 * those with a reason, the cheapest first.
 *
 * @param {Advice[]} moves
 * @param {Goal} goal
 * @param {(square: number) => number} digit
 * @returns {{ why: string, cost: string, squares: number[] }[]}
 */
function neverMade(moves, goal, digit) {
  const told = moves.map((move) => ({
    move,
    why: costs(move) || move.completesRow ? reason(move, goal, "the bot", (square) => String(digit(square))) : "",
    cost: costs(move) ? `costs ${ofMatches(move.cost)}` : "",
  }));
  const order = (/** @type {typeof told[number]} */ { move, why }) =>
    `${Number(!move.completesRow)}${Number(!why)}${why}`;
  told.sort((one, other) => order(one).localeCompare(order(other)) || one.move.cost - other.move.cost);
  /** @type {{ why: string, cost: string, squares: number[] }[]} */
  const joined = [];
  for (const { move, why, cost } of told) {
    const last = joined.at(-1);
    if (last !== undefined && last.why === why && last.cost === cost) last.squares.push(...move.squares);
    else joined.push({ why, cost, squares: [...move.squares] });
  }
  return joined;
}

/**
 * @param {Advice[]} advice
 * @param {(move: Advice) => string} text
 * @returns {Map<number, string>}
 */
function bySquare(advice, text) {
  return new Map(advice.flatMap((move) => move.squares.map((square) => [square, text(move)])));
}
