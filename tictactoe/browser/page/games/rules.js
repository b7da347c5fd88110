/**
 * The rules of a round, all of them data: how every board ends, which goals are true then, odds and words.
 *
 * @typedef {import("./board.js").Board} Board
 * @typedef {"win" | "lose" | "tie"} GoalName
 * @typedef {0 | 1 | 2} Goal  To win, to lose, to tie, as seen from the player's own seat.
 * @typedef {0 | 1} Seat  Who moves first, X, and who moves second, O.
 * @typedef {{ name: string, goals_true: [Goal[], Goal[]], happened: string, briefly: string }} OutcomeData
 * @typedef {object} RulesData  As `rules` stands in the manifest.
 * @property {string} name  Such as "filled", or "filled 2:1:1".
 * @property {string} title  What sets them apart, in few words.
 * @property {[number, number, number]} goal_odds  win : lose : tie.
 * @property {boolean} ends_with_line
 * @property {string} text
 * @property {Record<GoalName, string>} to_do  What follows "you want to"; {} is the opponent.
 * @property {OutcomeData[]} outcomes
 */

/** @type {readonly Goal[]} */
export const GOALS = [0, 1, 2];

/** @type {readonly GoalName[]} */
export const GOAL_NAMES = ["win", "lose", "tie"];

/** The rules of a round, those of the manifest and of the table of its data file. */
export class Rules {
  /**
   * @param {RulesData} data
   * @param {Int8Array} outcomes  By board, see `indexOf`: an index into data.outcomes, -1 while the round goes on.
   */
  constructor(data, outcomes) {
    this.data = data;
    this.outcomes = outcomes;
    const [win, lose, tie] = data.goal_odds;
    const sum = win + lose + tie;
    /** How likely each goal is drawn. @type {readonly [number, number, number]} */
    this.goalProbabilities = [win / sum, lose / sum, tie / sum];
  }

  get name() {
    return this.data.name;
  }

  /** How a round with this board has ended: an index into data.outcomes, null while it goes on. @param {Board} board */
  outcome(board) {
    const found = this.outcomes[indexOf(board)];
    return found < 0 ? null : found;
  }

  /**
   * Whether the goal of the player in a seat comes true with an outcome.
   *
   * @param {number} outcome
   * @param {Seat} seat
   * @param {Goal} goal
   */
  isTrue(outcome, seat, goal) {
    return this.outcomeData(outcome).goals_true[seat].includes(goal);
  }

  /** @param {number} outcome */
  outcomeData(outcome) {
    const found = this.data.outcomes[outcome];
    if (found === undefined) throw new RangeError(`no outcome ${outcome} by the rules ${this.name}`);
    return found;
  }

  /**
   * What a player has to do, as what follows "you want to".
   *
   * @param {Goal} goal
   * @param {string} opponent
   */
  toDo(goal, opponent) {
    return this.data.to_do[goalName(goal)].replace("{}", () => opponent);
  }
}

/** @param {Goal} goal */
export function goalName(goal) {
  return GOAL_NAMES[goal];
}

/** @param {Seat} seat @returns {Seat} */
export function otherSeat(seat) {
  return seat === 0 ? 1 : 0;
}

/** Digits in base 3 are the squares: 0 free, 1 the first mover's, 2 the second mover's. @param {Board} board */
function indexOf(board) {
  let index = 0;
  for (let bit = 8; bit >= 0; bit -= 1) {
    index = 3 * index + ((board.first >> bit) & 1) + 2 * ((board.second >> bit) & 1);
  }
  return index;
}
