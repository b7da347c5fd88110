/**
 * What is known of a position, as data: values, strategies, beliefs, likely play.
 *
 * Seats are X, who moves first, and O. A goal may be unknown. Then every number that depends on it is an average over
 * that player's goals, each weighed by what the moves have told about it.
 *
 * @typedef {import("../games/rules.js").Goal} Goal
 * @typedef {import("../games/rules.js").Seat} Seat
 * @typedef {import("./goal_grid.js").GoalRow} GoalRow
 * @typedef {import("./round_bot.js").Belief} Belief
 * @typedef {import("./round_bot.js").RoundBot} RoundBot
 * @typedef {readonly [Goal | null, Goal | null]} Goals  Of X and of O; null is unknown.
 * @typedef {{ squares: number[], probability: number }} Share  A move, by its symmetric squares, and how often.
 * @typedef {object} AnyRow  All goals of the mover, weighed by what is believed of them, whatever is known.
 * @property {number} value  Match value to the mover.
 * @property {Share[]} moves
 * @typedef {object} Line  The likeliest continuation.
 * @property {number[]} squares  On the real board.
 * @property {number} probability  Of all of it, for these goals; for an unknown one, those of a player who has drawn it
 *   by its weights, which change with every move.
 * @property {number} outcome
 * @typedef {object} View
 * @property {Goals} goals
 * @property {number[]} moves
 * @property {[number[][], number[][]]} lines  Of X and of O: the squares of each three in a row.
 * @property {Seat | null} toMove  null where the round is over.
 * @property {number | null} outcome  null while the round goes on.
 * @property {number | null} forcedOutcome  The one that is certain, null while it is open.
 * @property {number} expectedValue  Match value to X, for these goals.
 * @property {number[][]} valueByGoals  Match value to X, by X's goal and by O's.
 * @property {number} historyProbability  Of moves that are the same by symmetry, over all goals.
 * @property {[Belief | null, Belief | null]} beliefs  What one who knows the strategies and saw the moves thinks of
 *   each player's goal; null after moves that a strategy never makes that is not refined.
 * @property {[Belief, Belief]} observed  The same, but the odds of the draw in place of null.
 * @property {[Belief, Belief]} weights  What the numbers take for granted: 1 for a known goal, else as observed.
 * @property {GoalRow[]} rows
 * @property {AnyRow | null} anyRow  null where the round is over.
 * @property {Share[]} choices  What the mover does, by `weights`; none where the outcome is certain.
 * @property {Line | null} likeliestLine  null where the outcome is certain.
 */

import { linesOf } from "../games/board.js";
import { Cursor } from "../games/cursor.js";
import { GOALS } from "../games/rules.js";
import { goalRows } from "./goal_grid.js";

/** Moves whose probabilities differ by less are equally likely. */
const ROUNDING = 1e-6;
/** By goal, what is believed of a player who is known to have it. @type {readonly Belief[]} */
const CERTAIN = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

/**
 * What the bot knows of the position of the cursor when X and O have these goals.
 *
 * @param {RoundBot} bot
 * @param {Cursor} cursor
 * @param {Goals} goals
 * @returns {View}
 */
export function view(bot, cursor, goals) {
  const { node, mover } = cursor;
  /** @type {[Belief | null, Belief | null]} */
  const beliefs = [beliefOf(bot, node, 0), beliefOf(bot, node, 1)];
  /** @type {[Belief, Belief]} */
  const observed = [beliefs[0] ?? prior(bot), beliefs[1] ?? prior(bot)];
  const weights = weightsOf(goals, observed);
  const valueByGoals = GOALS.map((first) => GOALS.map((second) => bot.value(node, first, second)));
  const rows = goalRows(bot, cursor);
  return {
    goals,
    moves: cursor.moves,
    lines: [linesOf(cursor.board.first), linesOf(cursor.board.second)],
    toMove: mover,
    outcome: cursor.outcome,
    forcedOutcome: cursor.forcedOutcome,
    expectedValue: dot(
      weights[0],
      valueByGoals.map((byOther) => dot(weights[1], byOther)),
    ),
    valueByGoals,
    historyProbability: bot.ownReach(node).reduce((product, own) => product * dot(prior(bot), own), 1),
    beliefs,
    observed,
    weights,
    rows,
    anyRow: mover === null ? null : anyRow(rows, observed[mover]),
    choices: mover === null ? [] : sharesOf(bot, cursor, weights[mover]),
    likeliestLine: cursor.forcedOutcome === null ? likeliestLine(bot, cursor, weights) : null,
  };
}

/** @param {RoundBot} bot @param {number} node @param {Seat} seat @returns {Belief | null} */
function beliefOf(bot, node, seat) {
  return bot.isLost(node, seat) ? null : bot.belief(node, seat);
}

/** How likely each goal is drawn. @param {RoundBot} bot @returns {Belief} */
function prior(bot) {
  return bot.tree.rules.goalProbabilities;
}

/** @param {Goals} goals @param {[Belief, Belief]} observed @returns {[Belief, Belief]} */
function weightsOf(goals, observed) {
  const [first, second] = goals;
  return [first === null ? observed[0] : CERTAIN[first], second === null ? observed[1] : CERTAIN[second]];
}

/**
 * @param {GoalRow[]} rows
 * @param {Belief} belief  About the mover's goal.
 * @returns {AnyRow}
 */
function anyRow(rows, belief) {
  const moves = rows[0]?.moves ?? [];
  return {
    value: dot(
      belief,
      rows.map((row) => row.value),
    ),
    moves: moves.map(({ squares }, index) => ({
      squares,
      probability: dot(
        belief,
        rows.map((row) => row.moves[index].probability),
      ),
    })),
  };
}

/**
 * How often each move is made by a player whose goals are weighed so, by its lowest square.
 *
 * @param {RoundBot} bot
 * @param {Cursor} cursor
 * @param {readonly number[]} weights
 * @returns {Share[]}
 */
function sharesOf(bot, cursor, weights) {
  const moves = [...cursor.squaresByChild()].map(([child, squares]) => ({
    squares,
    probability: dot(weights, probabilities(bot, child)),
  }));
  return moves.sort((one, other) => one.squares[0] - other.squares[0]);
}

/**
 * What follows when both players play their likeliest move each time, the first of those that are equally likely.
 *
 * @param {RoundBot} bot
 * @param {Cursor} cursor
 * @param {readonly [Belief, Belief]} weights
 * @returns {Line}
 */
function likeliestLine(bot, cursor, weights) {
  const walk = new Cursor(cursor.tree, cursor.moves);
  const goals = weights.map((own) => [...own]); // of each player, how likely, given the moves of the line
  let probability = 1;
  while (walk.forcedOutcome === null) {
    const moves = [...walk.squaresByChild()];
    const owner = bot.tree.owner(walk.node);
    const own = goals[owner];
    const mine = moves.map(([child]) => dot(own, probabilities(bot, child)));
    const most = Math.max(...mine);
    const likeliest = mine.findIndex((one) => one > most - ROUNDING);
    const [child, squares] = moves[likeliest];
    const share = mine[likeliest];
    probability *= share;
    goals[owner] = probabilities(bot, child).map((one, goal) => (one * own[goal]) / share);
    walk.play(squares[0]);
  }
  return { squares: walk.moves.slice(cursor.moves.length), probability, outcome: walk.forcedOutcome };
}

/** Of the move into a node, by goal. @param {RoundBot} bot @param {number} child */
function probabilities(bot, child) {
  return GOALS.map((goal) => bot.probability(child, goal));
}

/** @param {readonly number[]} weights @param {readonly number[]} numbers */
function dot(weights, numbers) {
  return weights.reduce((sum, weight, index) => sum + weight * numbers[index], 0);
}
