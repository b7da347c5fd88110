/** A round that is over: how it ended, who scored, and what could have been played better. */

import { h } from "../../parts/dom.js";
import { PERSON } from "./match_flow.js";

/** @typedef {import("../../play/referee.js").Player} Player */

/**
 * @param {import("../screen.js").App} app
 * @param {import("./match_flow.js").MatchFlow} flow  Whose last round is over.
 * @param {import("./result_words.js").Result} result
 * @param {import("../screen.js").RoundReview} roundReview
 */
export function resultPanel(app, flow, result, roundReview) {
  const { match, round } = flow;
  const review = (/** @type {Player} */ player, /** @type {string} */ opponent) =>
    roundReview(app, flow.solution, flow.judge, round, player, opponent);
  const counted = [
    ...(round.hints > 0 ? [`Hints looked at: ${round.hints}.`] : []),
    ...(round.takenBack > 0 ? [`Moves taken back: ${round.takenBack}.`] : []),
  ];
  return h(
    "section",
    { class: "card result-panel", "aria-labelledby": "result-heading" },
    h("h2", { id: "result-heading" }, `Round ${round.number} is over`),
    h("p", {}, [...result.happened, result.goesOn].filter(Boolean).join(" ")),
    ...(match.winner === null ? [] : [h("p", {}, `The match is over after ${roundsIn(match.rounds.length)}.`)]),
    ...(counted.length > 0 ? [h("p", { class: "muted" }, counted.join(" "))] : []),
    ...(flow.againstBot
      ? [review(PERSON, "the bot")]
      : match.names.map((name, player) =>
          h(
            "details",
            { class: "fold" },
            h("summary", {}, `${name}\u2019s moves`),
            review(/** @type {Player} */ (player), /** @type {string} */ (match.names[1 - player])),
          ),
        )),
  );
}

/** @param {number} count */
function roundsIn(count) {
  return count === 1 ? "1 round" : `${count} rounds`;
}
