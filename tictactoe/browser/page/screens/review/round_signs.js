/** Who scored, round by round, as a row of small pictures whose shapes tell them apart, not only their colours. */

import { h, svg } from "../../parts/dom.js";
import { whoScored } from "./result_text.js";

/** @typedef {ReturnType<typeof whoScored>} Scorer */

/** @type {readonly Scorer[]} */
const ALL = ["mine", "theirs", "both", "nobody"];
const STAR = "M10 1.5l2.6 5.6 6.1 0.7 -4.5 4.2 1.2 6 -5.4 -3 -5.4 3 1.2 -6 -4.5 -4.2 6.1 -0.7z";

/**
 * @param {readonly import("./match_review.js").ReviewedRound[]} rounds
 * @param {import("../../play/referee.js").Player} player
 * @param {string} opponent  Such as "the bot".
 */
export function roundSigns(rounds, player, opponent) {
  const scorers = rounds.map(({ scored }) => whoScored(scored, player));
  const heard = `Who scored, round by round: ${scorers.map((one) => said(one, opponent)).join(", ")}`;
  return h("p", { class: "signs", role: "img", "aria-label": heard }, ...scorers.map(sign));
}

/** What the signs mean. @param {string} opponent */
export function signsExplained(opponent) {
  const parts = ALL.map((one) => h("span", {}, sign(one), ` ${said(one, opponent)}${one === "mine" ? " scored" : ""}`));
  return h("p", { class: "signs-explained muted" }, ...parts);
}

/** @param {Scorer} scorer @param {string} opponent */
function said(scorer, opponent) {
  return { mine: "you", theirs: opponent, both: "both", nobody: "nobody" }[scorer];
}

/** @param {Scorer} scorer */
function sign(scorer) {
  return svg("svg", { class: `sign ${scorer}`, viewBox: "0 0 20 20", "aria-hidden": "true" }, shape(scorer));
}

/** @param {Scorer} scorer */
function shape(scorer) {
  if (scorer === "mine") return svg("circle", { cx: 10, cy: 10, r: 8 });
  if (scorer === "both") return svg("path", { d: STAR });
  return svg("rect", { x: 3, y: 3, width: 14, height: 14, rx: 2 });
}
