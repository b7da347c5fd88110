/**
 * Guesses of the bot's goal after a round, and their score.
 *
 * A guess gives each goal a probability, and has 100 points less 50 for the sum of its squared errors: Brier's score,
 * turned round. It is proper: who says what they believe gets the most in the long run.
 *
 * @typedef {import("../games/rules.js").Goal} Goal
 * @typedef {readonly number[]} Odds  By goal.
 * @typedef {object} Guess
 * @property {Goal | null} said  null: no idea, a third each.
 * @property {number} percent  How sure.
 * @property {Goal} goal  What it was.
 * @property {Odds} moves  What the moves told.
 * @typedef {object} Guesses
 * @property {boolean} on  Whether the person wants to guess.
 * @property {string} seen  The round whose goal has been shown last, by its name.
 * @property {Guess[]} list  The oldest first.
 */

import { GOALS } from "../games/rules.js";

/** How sure one can say to be, in percent. */
export const LEVELS = [50, 70, 90];
const MOST_KEPT = 500;

/** From 0, sure and wrong, to 100, sure and right. @param {Odds} odds @param {Goal} goal */
export function pointsFor(odds, goal) {
  return 100 - 50 * odds.reduce((sum, one, other) => sum + (one - Number(other === goal)) ** 2, 0);
}

/** What a guess says; the rest is shared by the other two. @param {Pick<Guess, "said" | "percent">} guess @returns {Odds} */
export function oddsOf({ said, percent }) {
  if (said === null) return [1 / 3, 1 / 3, 1 / 3];
  return GOALS.map((goal) => (goal === said ? percent / 100 : (1 - percent / 100) / 2));
}

/** What can be read of what a browser has kept. @param {unknown} kept @returns {Guesses} */
export function guessesOf(kept) {
  const { on, seen, list } = /** @type {any} */ (kept ?? {});
  return {
    on: on === true,
    seen: typeof seen === "string" ? seen : "",
    list: Array.isArray(list) ? list.filter(isGuess) : [],
  };
}

/** @param {any} guess @returns {guess is Guess} */
function isGuess(guess) {
  const isOdds = (/** @type {unknown} */ one) => typeof one === "number" && one >= 0 && one <= 1;
  return (
    (guess?.said === null || GOALS.includes(guess?.said)) &&
    LEVELS.includes(guess.percent) &&
    GOALS.includes(guess.goal) &&
    Array.isArray(guess.moves) &&
    guess.moves.length === GOALS.length &&
    guess.moves.every(isOdds)
  );
}

/** With one more. @param {Guesses} guesses @param {Guess} guess @returns {Guesses} */
export function withGuess(guesses, guess) {
  return { ...guesses, list: [...guesses.list, guess].slice(-MOST_KEPT) };
}

/**
 * How well they did: points in the mean, those of the moves, and by how sure they were how many came true.
 *
 * @param {readonly Guess[]} list  Not empty.
 */
export function summaryOf(list) {
  const mean = (/** @type {number[]} */ points) => points.reduce((sum, one) => sum + one, 0) / points.length;
  return {
    mine: mean(list.map((guess) => pointsFor(oddsOf(guess), guess.goal))),
    moves: mean(list.map(({ moves, goal }) => pointsFor(moves, goal))),
    levels: LEVELS.map((percent) => {
      const those = list.filter((guess) => guess.said !== null && guess.percent === percent);
      return { percent, all: those.length, right: those.filter(({ said, goal }) => said === goal).length };
    }).filter(({ all }) => all > 0),
  };
}
