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
 * @property {{ squares: string, text: string }[]} best  What is advised, the most likely first.
 * @property {{ squares: string, text: string }[]} never  What is not, with reasons and costs.
 * @property {string} warning  Empty where there is none.
 * @property {string} legend  What the notes on the board are.
 * @property {Map<number, string>} notes  By square, for the board.
 * @property {Map<number, string>} heard
 * @property {Map<number, string>} classes
 */

import { goalName } from "../../games/rules.js";
import { ofMatches, percent } from "../../match/numbers.js";
import { percentagePoints } from "../../match/scores.js";
import { LEAST_PLAYED_PROBABILITY, WORTH_MENTIONING, advise, offEquilibrium } from "../../play/move_costs.js";
import { reason } from "../../play/reason.js";

/** Of moves that are not advised but cost nothing. */
const EQUAL = "just as good, but the perfect bot never marks it";
const ASTRAY =
  "With your goal, the perfect bot never gets here against itself. How it would go on is arbitrary, and the costs " +
  "depend on it: they are a rough guide.";
const COSTS_LEGEND =
  "On the board: what each square costs in % of matches (0: nothing); 1 % is one match in a hundred.";
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
  const astray = seat !== null && offEquilibrium(judge, cursor, seat, goal) && played.some(costs);
  /** Whether a square is advised: what perfect players do, or what costs nothing where they never get. */
  const advised = (/** @type {Advice} */ move) => (astray ? !costs(move) : isPlayed(move));
  const best = advice.filter(advised).sort((one, other) => other.probability - one.probability);
  const others = advice.filter((move) => !advised(move));
  const to = lost || `To ${goalName(goal)}, `;
  return {
    heading: `${to}${astray ? "best now" : "the perfect bot marks"}:`,
    best: best.map((move) => ({ squares: called(move.squares), text: astray ? "costs nothing" : howOften(move) })),
    never: notAdvised(others, goal, digit).map(({ why, cost, squares }) => ({
      squares: called(squares),
      text: why === "" && cost === "" ? EQUAL : [astray ? "" : "never", why, cost].filter(Boolean).join("; "),
    })),
    warning: astray ? ASTRAY : "",
    legend: astray ? COSTS_LEGEND : LEGEND,
    notes: bySquare(advice, (move) =>
      isPlayed(move) && !astray ? percent(share(move), share(move) < 0.0995 ? 1 : 0) : costNote(move),
    ),
    heard: bySquare(advice, (move) => heard(move, astray)),
    classes: bySquare(advice, (move) => (advised(move) ? "hint-played" : costs(move) ? "hint-costs" : "hint-equal")),
  };
}

/** @param {Advice} move */
function isPlayed(move) {
  return move.probability >= LEAST_PLAYED_PROBABILITY;
}

/** @param {Advice} move */
function costs(move) {
  return move.cost >= WORTH_MENTIONING;
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

/** @param {Advice} move @param {boolean} astray */
function heard(move, astray) {
  if (isPlayed(move) && !astray) return `the perfect bot marks it in ${percent(share(move))} of cases`;
  return costs(move) ? `costs ${ofMatches(move.cost)}` : astray ? "costs nothing" : EQUAL;
}

/**
 * Moves that are not advised, joined where reason and cost are the same: rows of one's own first, then those with a
 * reason, the cheapest first.
 *
 * @param {Advice[]} moves
 * @param {Goal} goal
 * @param {(square: number) => number} digit
 * @returns {{ why: string, cost: string, squares: number[] }[]}
 */
function notAdvised(moves, goal, digit) {
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
