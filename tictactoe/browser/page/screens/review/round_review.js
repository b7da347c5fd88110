/** What is told of a round as soon as it is over: a sentence, figures, and behind a fold its mistakes, luck and skill. */

import { Cursor } from "../../games/cursor.js";
import { h } from "../../parts/dom.js";
import { roundLuck } from "../../play/luck.js";
import { otherPlayer, scoredIn } from "../../play/referee.js";
import { mistakes } from "../../play/review.js";
import { factsOf, measures } from "./facts.js";
import { luckPanel } from "./luck_panel.js";
import { loadMatch, reviewedRounds, shorterMatch } from "./match_review.js";
import { mistakeList } from "./mistake_list.js";
import { advice, inShort, mistakesHeading, onceMore, speechOnPage } from "./review_words.js";

/**
 * @typedef {import("../../play/referee.js").Player} Player
 * @typedef {import("../../play/referee.js").RoundRecord} RoundRecord
 * @typedef {import("../../play/round_bot.js").RoundBot} RoundBot
 * @typedef {import("../screen.js").App} App
 * @typedef {import("./facts.js").Judged & { scored: readonly [boolean, boolean] }} Round
 */

/**
 * A finished round, reviewed for one of its players, who is "you"; of the last one of a match the figures are those of
 * the match.
 *
 * @type {import("../screen.js").RoundReview}
 */
export function roundReview(app, { solution, match, given }, judge, record, player, opponent) {
  const round = {
    scored: scoredIn(record, judge.tree.rules, Number(new Cursor(judge.tree, record.moves).forcedOutcome)),
    mistakes: found(judge, record, player, given, shorterMatch(match, solution)),
    luck: roundLuck(judge, record, player, given),
  };
  const figures = h("div", {}, factsOf([round], player));
  if (match.winner !== null) {
    loadMatch(app.catalogue, match)
      .then((loaded) => figures.replaceChildren(factsOf(reviewedRounds(loaded, player), player)))
      .catch(() => {}); // the figures of the round stay
  }
  const element = h(
    "div",
    { class: "round-review" },
    figures,
    h(
      "details",
      { class: "more" },
      h("summary", {}, "More about this round"),
      mistakesAndLuck(round, opponent, app.catalogue.addressName(solution), "h3"),
    ),
  );
  return { advice: advice(round.mistakes, speechOnPage(opponent)), element };
}

/**
 * What is said of the first move of a round from a position on.
 *
 * @type {import("../screen.js").Verdict}
 */
export function judgedAtOnce(judge, record, player, opponent, given) {
  const first = found(judge, record, player, given).filter(({ move }) => move.number === given + 1);
  return onceMore(first, speechOnPage(opponent));
}

/**
 * @param {RoundBot} judge
 * @param {RoundRecord} record
 * @param {Player} player
 * @param {number} given
 * @param {number} [to]
 */
function found(judge, record, player, given, to) {
  const { score } = judge;
  if (score === null) throw new RangeError("judge: a player who plays alike at every score");
  return mistakes([[record, judge]], player, () => score, given, to);
}

/** A round in a sentence. @param {Round} round @param {Player} player @param {string} opponent */
export function verdict({ scored, mistakes }, player, opponent) {
  const [mine, theirs] = [scored[player], scored[otherPlayer(player)]];
  return h("p", { class: "verdict" }, inShort([mine, theirs], mistakes, speechOnPage(opponent)));
}

/**
 * @param {Round} round
 * @param {string} opponent
 * @param {string} solution  As `addressOf` takes it.
 * @param {"h2" | "h3"} heading
 * @returns {HTMLElement}
 */
export function mistakesAndLuck({ mistakes, luck }, opponent, solution, heading) {
  return h(
    "div",
    { class: "mistakes-and-luck" },
    h(
      "section",
      {},
      h(heading, {}, mistakesHeading(mistakes.length)),
      mistakeList(mistakes, opponent, solution),
      measures(),
    ),
    luckFold(luckPanel(luck.parts, luck.before, luck.after, opponent)),
  );
}

/** For those who ask. @param {...(HTMLElement | null)} content */
export function luckFold(...content) {
  return h("details", { class: "of-luck" }, h("summary", {}, "Luck and skill"), ...content);
}
