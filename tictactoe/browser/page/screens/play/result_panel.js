/** A round that is over: how it went, what could have been played better, the help that was had. */

import { counted } from "../../match/numbers.js";
import { h } from "../../parts/dom.js";
import { PERSON } from "./match_flow.js";
import { helpWords } from "./result_words.js";

/** @typedef {import("../../play/referee.js").Player} Player */

/**
 * @param {import("../screen.js").App} app
 * @param {import("./match_flow.js").MatchFlow} flow  Whose last round is over.
 * @param {import("../screen.js").RoundReview} roundReview
 * @returns {{ advice: string, element: HTMLElement }}  advice: for who has played alone at this device; else empty.
 */
export function resultPanel(app, flow, roundReview) {
  const { match, round } = flow;
  const review = (/** @type {Player} */ player, /** @type {string} */ opponent) =>
    roundReview(app, flow, flow.judgeOf(player), round, player, opponent);
  const help = helpWords(round);
  const own = flow.isShared ? null : review(PERSON, flow.againstBot ? "the bot" : match.names[1]);
  const element = h(
    "section",
    { class: "card result-panel", "aria-labelledby": "result-heading" },
    h(
      "h2",
      { id: "result-heading" },
      match.winner === null
        ? `Round ${round.number} is over`
        : `The match is over after ${counted(match.rounds.length, "round")}`,
    ),
    ...(own === null
      ? match.names.map((name, player) => {
          const { advice, element } = review(/** @type {Player} */ (player), match.names[1 - player]);
          return h("details", { class: "fold" }, h("summary", {}, `${name}\u2019s moves`), h("p", {}, advice), element);
        })
      : [own.element]),
    ...(help ? [h("p", { class: "muted" }, help)] : []),
    ...(flow.planner === null ? [] : [adapting(flow.planner.told(match))]),
  );
  return { advice: own?.advice ?? "", element };
}

/** What the bot that adapts says, once it has thought about the round. @param {Promise<string>} told */
function adapting(told) {
  const element = h("p", { class: "adapting", role: "status" }, "The bot is thinking about how you play\u2026");
  told.then(
    (text) => (element.textContent = text),
    () => (element.textContent = ""),
  );
  return element;
}
