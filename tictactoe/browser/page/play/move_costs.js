/**
 * What each move is worth to a player who knows its own goal, the strategies and the moves so far, and why.
 *
 * @typedef {import("../games/board.js").Board} Board
 * @typedef {import("../games/cursor.js").Cursor} Cursor
 * @typedef {import("../games/rules.js").Goal} Goal
 * @typedef {import("../games/rules.js").Seat} Seat
 * @typedef {import("./round_bot.js").RoundBot} RoundBot
 */

/**
 * A move of the player whose turn it is, for one goal of that player. A good move is played, or costs nothing.
 *
 * @typedef {object} Advice
 * @property {number[]} squares  Those that are the same move by symmetry.
 * @property {number} probability  How often the strategy plays it, any of them.
 * @property {number} value  Match value to the mover, if it goes on with its best moves (`BestPlay.value`).
 * @property {number} cost  How much less that is than the best move's, never negative, and 0 if it is negligible
 *   (`BestPlay.costs`).
 * @property {number | null} outcome  The one that is certain after the move, null while that is open.
 * @property {boolean} completesRow  Whether the mover has three in a row by it, and had not before.
 * @property {number | null} opponentScores  How likely the opponent scores by `outcome`.
 * @property {boolean} possible  Whether the mover's goal can still come true.
 * @property {number} tells  How likely a perfect player holds the mover's goal then.
 * @property {number[]} answers  Where the opponent, who may well want that, could complete its first row at once,
 *   unless all that could make the mover score still can then.
 * @property {number[]} spoiling  The answers after which the round would go on, but the mover's goal were lost.
 * @property {boolean} forfeits  That the goal cannot come true, where a good move would leave it possible.
 * @property {number[]} avoidable  The answers that no good move allows.
 */

import { countMarks, freeSquares, hasLine, marked } from "../games/board.js";
import { GOALS, otherSeat } from "../games/rules.js";

/** What is played less often is not played. */
export const LEAST_PLAYED_PROBABILITY = 5e-4;
const MAY_WELL_BE = 0.2;

/**
 * Every move from the position for a mover with this goal, by its lowest square; none where all is decided.
 *
 * @param {RoundBot} bot  The perfect player.
 * @param {Cursor} cursor
 * @param {Goal} goal
 * @returns {Advice[]}
 */
export function advise(bot, cursor, goal) {
  const seat = cursor.mover;
  const groups = cursor.squaresByChild();
  if (seat === null || groups.size === 0) return [];
  const { rules } = cursor.tree;
  const belief = bot.belief(cursor.node, otherSeat(seat));
  const costs = bot.costs(cursor.node, goal);
  const first = cursor.tree.firstChild[cursor.node];
  const result = [...groups].map(([child, squares]) => {
    const outcome = cursor.tree.outcome(child);
    const answers = answersTo(bot, cursor, seat, goal, belief, squares);
    return {
      squares,
      probability: bot.probability(child, goal),
      value: bot.worth(child, seat, goal),
      cost: costs[child - first],
      outcome,
      completesRow: completesRow(cursor.board, squares[0]),
      opponentScores: outcome === null ? null : chanceToScore(rules, outcome, otherSeat(seat), belief),
      possible: ways(bot, child, seat, goal).size > 0,
      tells: bot.belief(child, seat)[goal],
      answers: [...answers.keys()].sort(),
      spoiling: [...answers.keys()].filter((square) => answers.get(square)).sort(),
      forfeits: false,
      avoidable: /** @type {number[]} */ ([]),
    };
  });
  return blamed(result).sort((one, other) => one.squares[0] - other.squares[0]);
}

/**
 * How near a move is to the best one, from 0 to 100: 100 x (1 - its cost / the worst move's cost). Null where all moves
 * cost nothing, the only one among them.
 *
 * @param {number} cost
 * @param {readonly number[]} costs  Of all moves.
 */
export function accuracyOf(cost, costs) {
  const worst = Math.max(...costs);
  return worst > 0 ? 100 * (1 - cost / worst) : null;
}

/** Of the moves that have one; null if there are none. @param {readonly (number | null)[]} accuracies */
export function meanAccuracy(accuracies) {
  const known = accuracies.filter((one) => one !== null);
  return known.length > 0 ? known.reduce((sum, one) => sum + one, 0) / known.length : null;
}

/** With what is the fault of each move. @param {Advice[]} advice @returns {Advice[]} */
function blamed(advice) {
  const good = advice.filter((move) => move.probability >= LEAST_PLAYED_PROBABILITY || move.cost === 0);
  const hope = good.every((move) => move.possible);
  const anyway = new Set(good.flatMap((move) => move.answers));
  return advice.map((move) => ({
    ...move,
    forfeits: hope && !move.possible,
    avoidable: move.answers.filter((square) => !anyway.has(square)),
  }));
}

/**
 * Whether the bot is not refined, and with this goal, in `seat` against itself, never reaches the position. Its moves
 * from there on may cost something. Other perfect players may reach the position.
 *
 * @param {RoundBot} bot
 * @param {Cursor} cursor
 * @param {Seat} seat
 * @param {Goal} goal
 */
export function offEquilibrium(bot, cursor, seat, goal) {
  if (bot.isRefined) return false;
  const never = bot.isLost(cursor.node, seat) || bot.isLost(cursor.node, otherSeat(seat));
  return never || bot.belief(cursor.node, seat)[goal] < LEAST_PLAYED_PROBABILITY;
}

/**
 * @param {import("../games/rules.js").Rules} rules
 * @param {number} outcome
 * @param {Seat} seat
 * @param {readonly number[]} belief
 */
function chanceToScore(rules, outcome, seat, belief) {
  return likelihood(
    GOALS.filter((goal) => rules.isTrue(outcome, seat, goal)),
    belief,
  );
}

/** Of any of the goals. @param {readonly Goal[]} goals @param {readonly number[]} belief */
function likelihood(goals, belief) {
  return goals.map((goal) => belief[goal]).reduce((sum, one) => sum + one, 0);
}

/**
 * Whether the player whose turn it is has three in a row by marking the square, and had not before.
 *
 * @param {Board} board
 * @param {number} square
 */
export function completesRow(board, square) {
  const after = marked(board, square);
  return countMarks(board) % 2 === 0
    ? hasLine(after.first) && !hasLine(board.first)
    : hasLine(after.second) && !hasLine(board.second);
}

/**
 * The outcomes that are possible from a node on and make the goal of the player in `seat` come true.
 *
 * @param {RoundBot} bot
 * @param {number} node
 * @param {Seat} seat
 * @param {Goal} goal
 */
function ways(bot, node, seat, goal) {
  return new Set(bot.possibleOutcomes(node).filter((outcome) => bot.tree.rules.isTrue(outcome, seat, goal)));
}

/**
 * Where the other player could complete a first row after one of these squares, and whether that would spoil the goal
 * of the mover, who is in `seat`; see `Advice`. Only what may well be wanted, and takes a way to score from the mover,
 * or would if it had one.
 *
 * @param {RoundBot} bot
 * @param {Cursor} cursor
 * @param {Seat} seat
 * @param {Goal} goal
 * @param {readonly number[]} belief
 * @param {readonly number[]} squares
 * @returns {Map<number, boolean>}
 */
function answersTo(bot, cursor, seat, goal, belief, squares) {
  /** @type {Map<number, boolean>} */
  const found = new Map();
  const other = otherSeat(seat);
  for (const square of squares) {
    cursor.play(square);
    const { node, board } = cursor;
    const before = ways(bot, node, seat, goal);
    const rows = cursor.outcome === null ? freeSquares(board).filter((answer) => completesRow(board, answer)) : [];
    for (const answer of rows) {
      cursor.play(answer);
      let wanted = GOALS.filter((theirs) => ways(bot, cursor.node, other, theirs).size > 0);
      // A row that serves no goal may be wanted by who cannot score any more.
      if (wanted.length === 0) wanted = GOALS.filter((theirs) => ways(bot, node, other, theirs).size === 0);
      const after = ways(bot, cursor.node, seat, goal);
      const takesAway = after.size < before.size && [...after].every((outcome) => before.has(outcome));
      if (likelihood(wanted, belief) > MAY_WELL_BE && (before.size === 0 || takesAway)) {
        const spoils = before.size > 0 && after.size === 0 && cursor.outcome === null;
        found.set(answer, (found.get(answer) ?? false) || spoils);
      }
      cursor.undo();
    }
    cursor.undo();
  }
  return found;
}
