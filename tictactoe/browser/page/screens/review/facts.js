/** What a round or a match has shown, in figures: accuracy, mistakes by kind, the chance to win before and after. */

import { percent } from "../../match/numbers.js";
import { winPercentage } from "../../match/scores.js";
import { h } from "../../parts/dom.js";
import { meanAccuracy } from "../../play/move_costs.js";
import { FORMULA, MARKS_IN_SHORT, kinds, thresholds } from "./review_words.js";

/**
 * @typedef {import("../../play/luck.js").RoundLuck} RoundLuck
 * @typedef {import("../../play/review.js").Mistake} Mistake
 * @typedef {{ luck: RoundLuck, mistakes: readonly Mistake[] }} Judged  A round, for the player whose luck it is.
 */

/**
 * The accuracies of a player's moves; null for those that made no difference.
 *
 * @param {RoundLuck} luck
 * @param {import("../../play/referee.js").Player} player  Whose luck it is.
 */
export function accuracies(luck, player) {
  return luck.moves.filter(({ mover }) => mover === player).map(({ accuracy }) => accuracy);
}

/** As people read it: 82 of 100. @param {number | null} accuracy */
export function accuracyText(accuracy) {
  return accuracy === null ? "nothing to choose" : `${accuracy.toFixed(0)} of 100`;
}

/**
 * @param {readonly Judged[]} rounds  Of one, the chance to win is told, too.
 * @param {import("../../play/referee.js").Player} player
 * @returns {HTMLElement}
 */
export function factsOf(rounds, player) {
  const accuracy = meanAccuracy(rounds.flatMap(({ luck }) => accuracies(luck, player)));
  const [{ luck }] = rounds;
  const chance = (/** @type {number} */ value) => percent(winPercentage(value) / 100, 0);
  const mistakes = kinds(rounds.flatMap((round) => round.mistakes));
  const facts = [
    ["Accuracy", accuracyText(accuracy)],
    ["Mistakes", mistakes || "none"],
    ...(rounds.length === 1 ? [["Chance with best play", `${chance(luck.before)} \u2192 ${chance(luck.after)}`]] : []),
  ];
  return h(
    "div",
    {},
    h("dl", { class: "facts" }, ...facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
    mistakes && h("p", {}, MARKS_IN_SHORT),
  );
}

/** How all that is measured. */
export function measures() {
  return h(
    "details",
    { class: "measures" },
    h("summary", {}, "How is this measured?"),
    h("p", {}, FORMULA),
    h("p", {}, `${thresholds()} A point is one match in a hundred. You are judged by what you could know at the time.`),
  );
}
