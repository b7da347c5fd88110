/** A round from a position on, to try something: its match, which nobody keeps, and what is said of it. No elements. */

import { GOALS } from "../../games/rules.js";
import { cursorAt, shownAt } from "../../parts/place.js";
import { loadAdviser } from "../../loading/opponent_loader.js";
import { drawWeighted } from "../../play/randomness.js";
import { BOT, MatchFlow, PERSON } from "./match_flow.js";
import { recalledWish } from "./wish.js";

/**
 * @typedef {import("../../loading/solution_loader.js").Catalogue} Catalogue
 * @typedef {import("../../parts/place.js").Place} Place
 * @typedef {object} Practice
 * @property {MatchFlow} flow
 * @property {string} opponent  How it is called.
 * @property {string} dealt  How the bot's goal came about.
 */

/**
 * A round at the place, for the person whose turn it is there, against the opponent of the last match. A goal that the
 * place leaves open is dealt as likely as the moves so far tell of the opponent. Throws RangeError where the
 * round is over, or the moves cannot be played; rejects with DataError.
 *
 * @param {Catalogue} catalogue
 * @param {Place} place
 * @returns {Promise<Practice>}
 */
export async function practiceAt(catalogue, place) {
  const { solution, position } = place;
  const { moves } = position;
  const { match: winningScore, score } = shownAt(place);
  const judge = await solution.loadRound(position.score);
  const { cursor, problem } = cursorAt(judge.tree, moves);
  if (problem !== null) throw new RangeError(problem);
  const { mover } = cursor;
  if (mover === null || cursor.forcedOutcome !== null)
    throw new RangeError("here the round is over: nothing is left to try");
  const { opponents } = solution.data;
  const wanted = recalledWish(catalogue).opponent;
  const opponent = opponents.find(({ name }) => name === wanted) ?? opponents[0];
  const adviser = await loadAdviser(solution, opponent.name, judge, mover);
  const dealt = /** @type {const} */ ([0, 1]).map(
    (seat) => position.goals[seat] ?? drawWeighted(GOALS, adviser.belief(cursor.node, seat)),
  );
  const first = mover === 0 ? PERSON : BOT;
  const [firstGoal, secondGoal] = dealt;
  const round = {
    number: 1,
    score,
    first,
    goals: /** @type {[0 | 1 | 2, 0 | 1 | 2]} */ (first === PERSON ? [firstGoal, secondGoal] : [secondGoal, firstGoal]),
    commitment: "",
    moves: [...moves],
    takenBack: 0,
    hints: 0,
  };
  const match = {
    solution: solution.name,
    winningScore,
    names: /** @type {[string, string]} */ (["You", "Bot"]),
    opponent: opponent.name,
    score,
    first,
    rounds: [],
    round,
    winner: null,
    takeback: true,
  };
  const flow = new MatchFlow(catalogue, /** @type {import("../../play/referee.js").MatchRecord} */ (match), false);
  await flow.prepare();
  return { flow, opponent: opponent.title, dealt: dealtWords(place, mover, adviser === judge) };
}

/**
 * How the goal of the bot came about, which the person does not see.
 *
 * @param {Place} place
 * @param {0 | 1} mover
 * @param {boolean} isPerfect
 */
function dealtWords({ position }, mover, isPerfect) {
  if (position.goals[1 - mover] !== null) return "The bot\u2019s goal is the one that this position gives.";
  const hasMoved = position.moves.length > Number(mover === 0);
  return hasMoved
    ? "The bot\u2019s goal is dealt again each time, according to what its moves so far " +
        (isPerfect ? "would reveal about a perfect player." : "reveal about one who plays like this.")
    : "The bot\u2019s goal is dealt as in any round.";
}
