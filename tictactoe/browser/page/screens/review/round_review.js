/** What is told of a round as soon as it is over: its mistakes, and luck and skill. */

import { h } from "../../parts/dom.js";
import { roundLuck } from "../../play/luck.js";
import { mistakes } from "../../play/review.js";
import { luckPanel } from "./luck_panel.js";
import { mistakeList } from "./mistake_list.js";
import { mistakesHeading, thresholds } from "./review_words.js";

/**
 * @typedef {import("../../loading/solution_loader.js").SolvedMatch} SolvedMatch
 * @typedef {import("../../play/luck.js").RoundLuck} RoundLuck
 * @typedef {import("../../play/referee.js").Player} Player
 * @typedef {import("../../play/referee.js").RoundRecord} RoundRecord
 * @typedef {import("../../play/review.js").Mistake} Mistake
 * @typedef {import("../../play/round_bot.js").RoundBot} RoundBot
 * @typedef {import("../screen.js").App} App
 */

/**
 * A finished round, reviewed for one of its players, who is "you". Its headings are of the third level.
 *
 * Throws RangeError for a `judge` of no score.
 *
 * @param {App} app
 * @param {SolvedMatch} solution
 * @param {RoundBot} judge  At the score of the round in the solution: as `loadAdviser` gives it.
 * @param {RoundRecord} record
 * @param {Player} player
 * @param {string} opponent  How the other player is called: "the bot", or a name.
 * @returns {HTMLElement}
 */
export function roundReview(app, solution, judge, record, player, opponent = "the other player") {
  const { score } = judge;
  if (score === null) throw new RangeError("judge: a player who plays alike at every score");
  const found = mistakes([[record, judge]], player, () => score);
  const luck = roundLuck(judge, record, player);
  return mistakesAndLuck(found, luck, opponent, app.catalogue.addressName(solution), "h3");
}

/**
 * @param {readonly Mistake[]} found
 * @param {RoundLuck} luck
 * @param {string} opponent
 * @param {string} solution  As `addressOf` takes it.
 * @param {"h2" | "h3"} heading
 * @returns {HTMLElement}
 */
export function mistakesAndLuck(found, luck, opponent, solution, heading) {
  return h(
    "div",
    { class: "round-review" },
    h(
      "section",
      {},
      h(heading, {}, mistakesHeading(found.length)),
      mistakeList(found, opponent, solution),
      found.length === 0 ? null : h("p", { class: "muted" }, thresholds()),
    ),
    h("section", {}, h(heading, {}, "Luck and skill"), luckPanel(luck.parts, luck.before, luck.after, opponent)),
  );
}
