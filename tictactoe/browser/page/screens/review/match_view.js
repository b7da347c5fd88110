/** The review of a whole match: its rounds, what its mistakes cost, luck and skill. */

import { goalName } from "../../games/rules.js";
import { h } from "../../parts/dom.js";
import { addedParts } from "../../play/luck.js";
import { otherPlayer } from "../../play/referee.js";
import { luckPanel } from "./luck_panel.js";
import { allMistakes } from "./match_review.js";
import { mistakeList } from "./mistake_list.js";
import { capitalized } from "../../parts/words.js";
import { allInWords, figures, mistakesHeading, restInWords, thresholds } from "./review_words.js";
import { possessive, signed } from "./wording.js";

/**
 * @typedef {import("../../play/referee.js").Player} Player
 * @typedef {import("./match_review.js").ReviewedRound} ReviewedRound
 */

/** So many mistakes are told at once, the others where they are asked for. */
const SHOWN = 5;

/**
 * @param {ReviewedRound[]} rounds  Not empty.
 * @param {Player} player  Who is "you".
 * @param {string} opponent  Such as "the bot".
 * @param {string} solution  As `addressOf` takes it.
 * @returns {HTMLElement}
 */
export function matchView(rounds, player, opponent, solution) {
  const lucks = rounds.map((round) => round.luck);
  const [before, after] = [Number(lucks[0]?.before), Number(lucks.at(-1)?.after)];
  return h(
    "div",
    { class: "match-review" },
    h(
      "section",
      {},
      h("h2", {}, "The rounds"),
      h("p", { class: "muted" }, `Points after each round: yours, then ${possessive(opponent)}.`),
      h("ol", { class: "rounds" }, ...rounds.map((round) => h("li", {}, roundCard(round, player, opponent)))),
    ),
    mistakesOf(rounds, opponent, solution),
    h(
      "section",
      {},
      h("h2", {}, "Luck and skill"),
      luckPanel(addedParts(lucks.map((luck) => luck.parts)), before, after, opponent),
    ),
  );
}

/** @param {ReviewedRound} round @param {Player} player @param {string} opponent */
function roundCard({ record, luck, scored, points }, player, opponent) {
  const other = otherPlayer(player);
  const { goals, dice, mistakes, gifts } = figures(luck.parts, luck.before, luck.after);
  const cost = [`luck ${signed(goals + dice)}`, `your mistakes ${signed(mistakes)}`];
  if (gifts !== 0) cost.push(`${possessive(opponent)} mistakes ${signed(gifts)}`);
  const wanted = (/** @type {Player} */ whose) =>
    `wanted to ${goalName(record.goals[whose])}: ${scored[whose] ? "a point" : "no point"}.`;
  return h(
    "a",
    { class: "card", href: `#review/${record.number}` },
    h("strong", {}, `Round ${record.number}`),
    h("span", {}, `${points[player]} : ${points[other]}`),
    h("span", {}, `You ${wanted(player)}`),
    h("span", {}, `${capitalized(opponent)} ${wanted(other)}`),
    h("span", { class: "muted" }, `${record.moves.length} moves; ${cost.join(", ")}`),
  );
}

/** @param {ReviewedRound[]} rounds @param {string} opponent @param {string} solution */
function mistakesOf(rounds, opponent, solution) {
  const all = allMistakes(rounds);
  const rest = all.slice(SHOWN);
  return h(
    "section",
    {},
    h("h2", {}, mistakesHeading(all.length)),
    all.length === 0
      ? null
      : h("p", {}, `You are judged by what you could know then, against a perfect player. ${thresholds()}`),
    mistakeList(all.slice(0, SHOWN), opponent, solution, { tellRound: true }),
    rest.length === 0
      ? null
      : h(
          "details",
          {},
          h("summary", {}, restInWords(rest)),
          mistakeList(rest, opponent, solution, { tellRound: true, told: SHOWN }),
        ),
    all.length < 2 ? null : h("p", {}, allInWords(all)),
  );
}
