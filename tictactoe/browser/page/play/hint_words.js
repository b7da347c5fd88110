/**
 * A hint: first which squares are good for the person's goal, then what the other ones cost, in words and as notes for
 * the board. Where all are equally good, what each tells about the goal. No elements.
 *
 * @typedef {import("../games/cursor.js").Cursor} Cursor
 * @typedef {import("../games/rules.js").Goal} Goal
 * @typedef {import("./move_costs.js").Advice} Advice
 * @typedef {import("./round_bot.js").RoundBot} RoundBot
 * @typedef {{ squares: string, text: string }} HintLine
 * @typedef {object} BoardNotes  By square, as a board shows them.
 * @property {Map<number, string>} notes
 * @property {Map<number, string>} heard
 * @property {Map<number, string>} classes
 * @typedef {object} Hint
 * @property {string} sentence  Which squares are good.
 * @property {HintLine[]} good  What the perfect bot marks, the most likely first, or what is best; and what is as good.
 * @property {HintLine[]} others  What costs something, with reasons.
 * @property {string} warning  Empty where there is none.
 * @property {string} legend  What costs are.
 * @property {BoardNotes} first  The good squares alone.
 * @property {BoardNotes} all  With what the others cost.
 */

import { goalName } from "../games/rules.js";
import { inPoints, percent } from "../match/numbers.js";
import { BestResponder } from "./best_responder.js";
import { LEAST_PLAYED_PROBABILITY, advise, offEquilibrium } from "./move_costs.js";
import { either, reason } from "./reason.js";

const EQUAL = "just as good";
/** Squares that tell nearly the same, in how likely the goal looks, are not told apart. */
const SAME = 0.01;
const NOT_REFINED = "This solution is not refined: after such moves it may play badly.";
const LEGEND = "1 point of winning chance is one match in a hundred.";
/** From how often on the perfect bot marks a square so. @type {[number, string][]} */
const HOW_OFTEN = [
  [1 - LEAST_PLAYED_PROBABILITY, "always"],
  [0.5, "mostly"],
  [0.1, "sometimes"],
  [0, "rarely"],
];

/**
 * @param {RoundBot} judge  The perfect player, or the best responder to an opponent whose play is known.
 * @param {Cursor} cursor  At a position where it is the person's turn.
 * @param {Goal} goal
 * @param {(square: number) => number} digit
 * @returns {Hint}
 */
export function hint(judge, cursor, goal, digit) {
  const advice = advise(judge, cursor, goal);
  const called = (/** @type {readonly number[]} */ squares) => squares.map(digit).sort().join(" ");
  const seat = cursor.mover;
  const played = advice.filter(isPlayed).sort((one, other) => other.probability - one.probability);
  const equal = advice.filter((move) => !isPlayed(move) && isGood(move));
  const good = [...played, ...equal];
  const others = advice.filter((move) => !isGood(move));
  const telling = others.length === 0 && tellsApart(advice);
  const likely = (/** @type {Advice} */ { tells }) => percent(tells, 0);
  const first = {
    notes: bySquare(good, (move) => (telling ? likely(move) : "good")),
    heard: bySquare(good, (move) => (telling ? `your goal then looks ${likely(move)} likely` : "good")),
    classes: bySquare(good, () => "hint-good"),
  };
  return {
    sentence: sentence(advice, goal, digit),
    good: [
      ...(judge instanceof BestResponder
        ? [{ squares: called(played.flatMap(({ squares }) => squares)), text: "best against this bot" }]
        : played.map((move) => ({ squares: called(move.squares), text: howOften(move) }))),
      ...(equal.length > 0 ? [{ squares: called(equal.flatMap(({ squares }) => squares)), text: EQUAL }] : []),
    ],
    others: joined(others, goal, digit).map(({ why, cost, squares }) => ({
      squares: called(squares),
      text: [why, cost].filter(Boolean).join("; "),
    })),
    warning: played.some(costs) && seat !== null && offEquilibrium(judge, cursor, seat, goal) ? NOT_REFINED : "",
    legend: LEGEND,
    first,
    all: {
      notes: bySquare(advice, (move) => (isGood(move) && !costs(move) ? "good" : costNote(move))),
      heard: bySquare(advice, (move) => (costs(move) ? `costs ${inPoints(move.cost)}` : "good")),
      classes: bySquare(advice, (move) => (isGood(move) ? "hint-good" : "hint-costs")),
    },
  };
}

/**
 * Which squares are good; where all are, which hides the goal best.
 *
 * @param {Advice[]} advice
 * @param {Goal} goal
 * @param {(square: number) => number} digit
 */
function sentence(advice, goal, digit) {
  const squaresOf = (/** @type {Advice[]} */ moves) => moves.flatMap(({ squares }) => squares);
  const named = (/** @type {Advice[]} */ moves) => either(squaresOf(moves).map((square) => String(digit(square))));
  const good = advice.filter(isGood);
  const lost = advice.some((move) => move.possible) ? "" : `You can no longer ${goalName(goal)}. `;
  if (good.length < advice.length) {
    const bad = advice.filter((move) => !isGood(move));
    const squares =
      squaresOf(bad).length < squaresOf(good).length
        ? `any square but ${named(bad).replace(" or ", " and ")}`
        : named(good);
    return `${lost ? `${lost}Best now: ` : `To ${goalName(goal)}, mark `}${squares}.`;
  }
  if (squaresOf(advice).length === 1) return `${lost}Only ${named(advice)} is left.`;
  const all = `${lost}All free squares are equally good`;
  if (lost) return `${all}.`;
  if (!tellsApart(advice)) return `${all}, and reveal the same about your goal.`;
  const least = Math.min(...advice.map(({ tells }) => tells));
  const hiding = advice.filter(({ tells }) => tells - least < SAME);
  const hides = squaresOf(hiding).length > 1 ? "hide" : "hides";
  return `${all}. ${named(hiding)} ${hides} your goal best. Each square shows how likely the goal then looks.`;
}

/** Whether some moves tell more of a goal that can still come true than others. @param {Advice[]} advice */
function tellsApart(advice) {
  const tells = advice.map((move) => move.tells);
  return advice.some((move) => move.possible) && Math.max(...tells) - Math.min(...tells) >= SAME;
}

/** What the perfect bot marks, or what costs nothing. @param {Advice} move */
function isGood(move) {
  return isPlayed(move) || !costs(move);
}

/** @param {Advice} move */
function isPlayed(move) {
  return move.probability >= LEAST_PLAYED_PROBABILITY;
}

/** @param {Advice} move */
function costs(move) {
  return move.cost > 0;
}

/** @param {Advice} move */
function howOften(move) {
  const often = HOW_OFTEN.find(([least]) => move.probability >= least)?.[1] ?? "";
  const each = move.squares.length > 1 ? "one of these" : "it";
  return `the perfect bot ${often} marks ${each}${costs(move) ? `; costs ${inPoints(move.cost)}` : ""}`;
}

/** As short as a square is small. @param {Advice} move */
function costNote(move) {
  return move.cost / 2 < 0.001 ? "costs a little" : `costs ${(50 * move.cost).toFixed(1)}`;
}

/**
 * Moves that cost something, joined where reason and cost are the same: rows of one's own first, then those with a
 * reason, the cheapest first.
 *
 * @param {Advice[]} moves
 * @param {Goal} goal
 * @param {(square: number) => number} digit
 * @returns {{ why: string, cost: string, squares: number[] }[]}
 */
function joined(moves, goal, digit) {
  const told = moves.map((move) => ({
    move,
    why: reason(move, goal, "the bot", (square) => String(digit(square))),
    cost: `costs ${inPoints(move.cost)}`,
  }));
  const order = (/** @type {typeof told[number]} */ { move, why }) =>
    `${Number(!move.completesRow)}${Number(!why)}${why}`;
  told.sort((one, other) => order(one).localeCompare(order(other)) || one.move.cost - other.move.cost);
  /** @type {{ why: string, cost: string, squares: number[] }[]} */
  const result = [];
  for (const { move, why, cost } of told) {
    const last = result.at(-1);
    if (last !== undefined && last.why === why && last.cost === cost) last.squares.push(...move.squares);
    else result.push({ why, cost, squares: [...move.squares] });
  }
  return result;
}

/**
 * @param {Advice[]} advice
 * @param {(move: Advice) => string} text
 * @returns {Map<number, string>}
 */
function bySquare(advice, text) {
  return new Map(advice.flatMap((move) => move.squares.map((square) => [square, text(move)])));
}
