/**
 * What match a person wants to play, kept for the next time. No elements.
 *
 * @typedef {import("../../loading/solution_loader.js").Catalogue} Catalogue
 * @typedef {import("../../loading/solution_loader.js").SolvedMatch} SolvedMatch
 * @typedef {import("../../play/referee.js").MatchRecord} MatchRecord
 * @typedef {typeof FIRST[number]} First
 * @typedef {object} Wish
 * @property {string} solution  Its name.
 * @property {number} winningScore
 * @property {[number, number]} points  To begin with, by player.
 * @property {boolean} people  Whether two people play at this device.
 * @property {string} opponent  The bot's name in the manifest.
 * @property {[string, string]} names  Of two people.
 * @property {First} first  Who moves first in the first round.
 * @property {boolean} takeback  Whether moves may be taken back.
 */

import { keep, keepData, recall, recallData } from "../../parts/settings.js";
import { wrongName } from "../../play/kept_match.js";
import { drawOne } from "../../play/randomness.js";

/** For somebody who has never played. */
const USUAL_LENGTH = 3;
const USUAL_OPPONENT = "rookie";
const TAUGHT = "taught";
/** By which the wish is kept. */
const KEPT = "wish";

/** At random, player 0, player 1. */
export const FIRST = /** @type {const} */ (["lot", "0", "1"]);

/** What somebody plays who has chosen nothing. @param {Catalogue} catalogue @returns {Wish} */
export function usualWish(catalogue) {
  const { first } = catalogue;
  return possible(first, {
    solution: first.name,
    winningScore: USUAL_LENGTH,
    points: [0, 0],
    people: false,
    opponent: USUAL_OPPONENT,
    names: ["Ann", "Bob"],
    first: "lot",
    takeback: false,
  });
}

/** Whether the first round, which teaches, is still to come. */
export function isNew() {
  return recall(TAUGHT) === null && recall(KEPT) === null;
}

/** The first round has been played, or skipped. */
export function keepTaught() {
  keep(TAUGHT, "yes");
}

/**
 * What was wished the last time, as far as it can be had; the rest as by default.
 *
 * @param {Catalogue} catalogue
 * @returns {Wish}
 */
export function recalledWish(catalogue) {
  const usual = usualWish(catalogue);
  const kept = /** @type {any} */ (recallData(KEPT) ?? {});
  const solution = typeof kept.solution === "string" ? catalogue.find(kept.solution) : null;
  const found = solution ?? catalogue.first;
  const names =
    Array.isArray(kept.names) && kept.names.length === 2 && wrongNames(kept.names) === "" ? kept.names : usual.names;
  return possible(found, {
    solution: found.name,
    winningScore: Number(kept.winningScore ?? usual.winningScore),
    points: Array.isArray(kept.points) ? [Number(kept.points[0]), Number(kept.points[1])] : usual.points,
    people: kept.people === true,
    opponent: String(kept.opponent ?? usual.opponent),
    names,
    first: FIRST.find((one) => one === kept.first) ?? usual.first,
    takeback: kept.takeback === true,
  });
}

/** @param {Wish} wish */
export function keepWish(wish) {
  keepData(KEPT, wish);
}

/**
 * The wish with what its solution has: at most its longest match, no points, the usual opponent in the place of others.
 *
 * @param {SolvedMatch} solution
 * @param {Wish} wish
 * @returns {Wish}
 */
export function possible(solution, wish) {
  const longest = solution.winningScore;
  const winningScore =
    Number.isInteger(wish.winningScore) && wish.winningScore >= 1
      ? Math.min(wish.winningScore, longest)
      : Math.min(USUAL_LENGTH, longest);
  const good = wish.points.every((one) => Number.isInteger(one) && one >= 0 && one < winningScore);
  const { opponents } = solution.data;
  const opponent =
    opponents.find(({ name }) => name === wish.opponent) ??
    opponents.find(({ name }) => name === USUAL_OPPONENT) ??
    opponents[0];
  return { ...wish, winningScore, points: good ? wish.points : [0, 0], opponent: opponent?.name ?? "" };
}

/** What is wrong with the names of two people; empty where they are good. @param {readonly unknown[]} names */
export function wrongNames(names) {
  const wrong = names.map(wrongName).find((text) => text !== "");
  if (wrong !== undefined) return wrong;
  return names[0] === names[1] ? "The two players need different names." : "";
}

/** A match as wished, before its first round. @param {Wish} wish @returns {MatchRecord} */
export function newMatch(wish) {
  const first = wish.first === "lot" ? drawOne(/** @type {const} */ ([0, 1])) : wish.first === "0" ? 0 : 1;
  const [mine, theirs] = wish.points;
  return {
    solution: wish.solution,
    winningScore: wish.winningScore,
    names: wish.people ? wish.names : ["You", "Bot"],
    opponent: wish.people ? null : wish.opponent,
    score: first === 0 ? [mine, theirs] : [theirs, mine],
    first,
    rounds: [],
    round: null,
    winner: null,
    takeback: wish.takeback,
  };
}
