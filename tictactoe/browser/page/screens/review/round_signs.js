/** Who scored, round by round, as a row of small pictures whose shapes tell them apart, not only their colours. */

import { h, svg } from "../../parts/dom.js";
import { whoScored } from "./result_text.js";

/** @typedef {ReturnType<typeof whoScored>} Scorer */

/** @type {readonly Scorer[]} */
const ALL = ["mine", "theirs", "both", "nobody"];
const HEARD = { mine: "you", theirs: "the other one", both: "both", nobody: "nobody" };
const EXPLAINED = { mine: "you scored", theirs: "the other one did", both: "both", nobody: "nobody" };
const STAR = "M10 1.5l2.6 5.6 6.1 0.7 -4.5 4.2 1.2 6 -5.4 -3 -5.4 3 1.2 -6 -4.5 -4.2 6.1 -0.7z";

/**
 * @param {readonly import("./match_review.js").ReviewedRound[]} rounds
 * @param {import("../../play/referee.js").Player} player
 */
export function roundSigns(rounds, player) {
  const scorers = rounds.map(({ scored }) => whoScored(scored, player));
  const heard = `Who scored, round by round: ${scorers.map((one) => HEARD[one]).join(", ")}`;
  return h("p", { class: "signs", role: "img", "aria-label": heard }, ...scorers.map(sign));
}

/** What the signs mean. */
export function signsExplained() {
  const parts = ALL.map((one) => h("span", {}, sign(one), ` ${EXPLAINED[one]}`));
  return h("p", { class: "signs-explained muted" }, ...parts);
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
