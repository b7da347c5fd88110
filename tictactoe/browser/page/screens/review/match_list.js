/** All matches that this browser has seen to their ends, or left: how they went by opponent, and each of them. */

import { percent } from "../../match/numbers.js";
import { h } from "../../parts/dom.js";
import { MOST_KEPT, tallies } from "../../play/history.js";
import { pointsOf } from "../../play/referee.js";
import { addressOfPast } from "./place.js";
import { titleOf } from "./result_text.js";
import { price } from "./wording.js";

/**
 * @typedef {import("../../loading/solution_loader.js").Catalogue} Catalogue
 * @typedef {import("../../play/history.js").PastMatch} PastMatch
 * @typedef {import("../../play/history.js").Tally} Tally
 */

/**
 * @param {Catalogue} catalogue
 * @param {readonly PastMatch[]} matches
 * @param {number} damaged  How many are left out.
 * @returns {HTMLElement}
 */
export function matchList(catalogue, matches, damaged) {
  const played = tallies(matches);
  return h(
    "div",
    { class: "match-list" },
    damaged === 0 ? null : h("p", { class: "notice" }, leftOut(damaged)),
    played.length === 0
      ? null
      : h(
          "section",
          { "aria-labelledby": "tallies-heading" },
          h("h2", { id: "tallies-heading" }, "How you do"),
          h(
            "ul",
            { class: "tallies" },
            ...played.map((tally) => h("li", { class: "card" }, ...tallyOf(catalogue, tally))),
          ),
        ),
    h(
      "section",
      { "aria-labelledby": "past-heading" },
      h("h2", { id: "past-heading" }, "Your matches"),
      matches.length === 0
        ? h("p", {}, "A match comes here when it is over, or left after a round.")
        : h("ol", { class: "past" }, ...matches.map((one) => h("li", {}, linkTo(catalogue, one)))),
      h("p", { class: "muted" }, `This browser keeps the last ${MOST_KEPT} matches, and sends them nowhere.`),
    ),
  );
}

/** @param {number} damaged */
function leftOut(damaged) {
  return damaged === 1
    ? "One match of the list is damaged, or of another page. It is left out."
    : `${damaged} matches of the list are damaged, or of another page. They are left out.`;
}

/** @param {Catalogue} catalogue @param {Tally} tally */
function tallyOf(catalogue, { opponent, played, won, points, cost, best }) {
  const facts = [
    fact("Matches", String(played)),
    fact("Won", `${won} (${percent(won / played, 0)})`),
    fact("Points", `${points[0]} : ${points[1]}`),
    fact("Lost to mistakes, per match", cost === null ? "\u2026" : price(cost)),
    fact(
      "Best match",
      best === null || best.cost === null
        ? "\u2026"
        : h("a", { href: `#${addressOfPast(best.time)}` }, gaveAway(best.cost)),
    ),
  ];
  return [h("h3", {}, titleFor(catalogue, opponent)), h("dl", {}, ...facts.flat())];
}

/** @param {string} name @param {string | Node} value */
function fact(name, value) {
  return [h("dt", {}, name), h("dd", {}, value)];
}

/** @param {Catalogue} catalogue @param {PastMatch} past */
function linkTo(catalogue, { time, match, cost }) {
  const [mine, theirs] = pointsOf(match);
  const against = match.opponent === null ? match.names.join(" and ") : titleFor(catalogue, match.opponent);
  const result = match.winner === null ? "Left at" : match.opponent === null ? "" : match.winner === 0 ? "Won" : "Lost";
  const given = match.opponent === null || cost === null ? "" : gaveAway(cost);
  return h(
    "a",
    { class: "card", href: `#${addressOfPast(time)}` },
    h("strong", {}, `${result} ${mine} : ${theirs}`.trim()),
    h("span", {}, against),
    h("span", { class: "muted" }, [dateOf(time), given].filter(Boolean).join(", ")),
  );
}

/** @param {Catalogue} catalogue @param {string} opponent */
function titleFor(catalogue, opponent) {
  return titleOf(catalogue.first, opponent);
}

/** @param {number} cost  In match value. */
function gaveAway(cost) {
  return cost === 0 ? "no mistakes" : `gave away ${price(cost)}`;
}

/** @param {number} time */
function dateOf(time) {
  return new Date(time).toLocaleDateString(undefined, { year: "numeric", month: "short", day: "numeric" });
}
