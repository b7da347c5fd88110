/** The review of a whole match: how it went, its rounds, what its mistakes cost, luck and skill. */

import { h } from "../../parts/dom.js";
import { namedGoal } from "../../parts/goal_sign.js";
import { addedParts } from "../../play/luck.js";
import { addressOfPage, opensHereAlone } from "../../parts/sharing.js";
import { capitalized } from "../../parts/words.js";
import { otherPlayer } from "../../play/referee.js";
import { factsOf, measures } from "./facts.js";
import { luckPanel } from "./luck_panel.js";
import { allMistakes } from "./match_review.js";
import { mistakeList } from "./mistake_list.js";
import { headline, sharedText } from "./result_text.js";
import { mistakesHeading, restInWords } from "./review_words.js";
import { luckFold, verdict } from "./round_review.js";
import { roundSigns, signsExplained } from "./round_signs.js";
import { shareButton } from "../../parts/share_button.js";
import { possessive } from "./wording.js";

/**
 * @typedef {import("../../play/referee.js").Player} Player
 * @typedef {import("./match_review.js").LoadedMatch} LoadedMatch
 * @typedef {import("./match_review.js").ReviewedRound} ReviewedRound
 * @typedef {object} Reader  Who reads a review, and where it is.
 * @property {Player} player  Who is "you".
 * @property {string} opponent  Such as "the bot".
 * @property {string} solution  As `addressOf` takes it.
 * @property {string} address  Of the match as a whole.
 */

/** So many mistakes are told at once, the others where they are asked for. */
const SHOWN = 5;

/**
 * @param {LoadedMatch} loaded
 * @param {ReviewedRound[]} rounds  Not empty.
 * @param {Reader} reader
 * @param {import("../screen.js").App} app
 * @returns {HTMLElement}
 */
export function matchView(loaded, rounds, reader, app) {
  const { opponent } = reader;
  const luck = wholeLuck(rounds, loaded.isPractice);
  return h(
    "div",
    { class: "match-review" },
    summary(loaded, rounds, reader, app),
    h(
      "section",
      { class: "of-rounds" },
      h("h2", {}, "The rounds"),
      h("p", { class: "muted" }, `Points after each round: yours, then ${possessive(opponent)}.`),
      h("ol", { class: "rounds" }, ...rounds.map((round) => h("li", {}, roundCard(round, reader)))),
    ),
    mistakesOf(rounds, reader),
    luckFold(
      loaded.isPractice && rounds.length > 1 ? h("p", {}, "On average over the rounds:") : null,
      luckPanel(luck.parts, luck.before, luck.after, opponent),
    ),
  );
}

/**
 * @param {LoadedMatch} loaded
 * @param {ReviewedRound[]} rounds
 * @param {Reader} reader
 * @param {import("../screen.js").App} app
 */
function summary(loaded, rounds, { player, opponent }, app) {
  const { match, solution, isPractice } = loaded;
  const page = addressOfPage(app.catalogue.manifest);
  const text = sharedText(loaded, rounds, player, opensHereAlone(page) ? "" : page);
  const what = isPractice ? "Each round counts on its own" : `A match to ${match.winningScore}`;
  return h(
    "section",
    { class: "card summary" },
    h("h2", {}, headline(loaded, player)),
    roundSigns(rounds, player, opponent),
    signsExplained(opponent),
    factsOf(rounds, player),
    measures(),
    h("p", { class: "muted" }, `${what}; ${solution.data.rules.title}.`),
    match.winner === null && match.left !== true && !isPractice
      ? h("p", { class: "muted" }, "The round that you are playing is not shown here yet.")
      : null,
    match.winner === null ? null : shareButton(text, app.announce),
  );
}

/**
 * Of all rounds: of a match from its beginning to its end, of practice on average.
 *
 * @param {readonly ReviewedRound[]} rounds
 * @param {boolean} isPractice
 */
function wholeLuck(rounds, isPractice) {
  const lucks = rounds.map((round) => round.luck);
  const parts = addedParts(lucks.map((luck) => luck.parts));
  if (!isPractice) return { parts, before: lucks[0].before, after: lucks[lucks.length - 1].after };
  const mean = (/** @type {number[]} */ values) => values.reduce((sum, one) => sum + one, 0) / values.length;
  const share = (/** @type {number} */ part) => part / rounds.length;
  return {
    parts: {
      goals: share(parts.goals),
      dice: share(parts.dice),
      mistakes: share(parts.mistakes),
      gifts: share(parts.gifts),
      isFixed: parts.isFixed,
    },
    before: mean(lucks.map((luck) => luck.before)),
    after: mean(lucks.map((luck) => luck.after)),
  };
}

/** @param {ReviewedRound} round @param {Reader} reader */
function roundCard(round, { player, opponent, address }) {
  const { record, scored, points } = round;
  const other = otherPlayer(player);
  const wanted = (/** @type {string} */ who, /** @type {Player} */ whose) =>
    h("span", {}, `${who} wanted to `, namedGoal(record.goals[whose]), `: ${scored[whose] ? "a point" : "no point"}.`);
  return h(
    "a",
    { class: "card", href: `#${address}/${record.number}` },
    h("strong", {}, `Round ${record.number}`),
    h("span", {}, `${points[player]} : ${points[other]}`),
    wanted("You", player),
    wanted(capitalized(opponent), other),
    verdict(round, player, opponent),
  );
}

/** @param {ReviewedRound[]} rounds @param {Reader} reader */
function mistakesOf(rounds, { opponent, solution }) {
  const all = allMistakes(rounds);
  const rest = all.slice(SHOWN);
  return h(
    "section",
    { class: "of-mistakes" },
    h("h2", {}, mistakesHeading(all.length)),
    all.length === 0 ? null : h("p", { class: "muted" }, `You are judged ${against(rounds)}.`),
    mistakeList(all.slice(0, SHOWN), opponent, solution, { tellRound: true }),
    rest.length === 0
      ? null
      : h(
          "details",
          {},
          h("summary", {}, restInWords(rest)),
          mistakeList(rest, opponent, solution, { tellRound: true, told: SHOWN }),
        ),
  );
}

/** By what moves are judged. @param {readonly ReviewedRound[]} rounds */
function against(rounds) {
  return rounds[0].luck.parts.isFixed ? "by the best answers to this bot" : "against a perfect player";
}
