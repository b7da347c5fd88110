/**
 * All matches that this browser has seen to their ends, or left: how they went by opponent, how accurate they were by
 * goal and seat and over time, and each of them.
 */

import { percent } from "../../match/numbers.js";
import { GOALS, goalName } from "../../games/rules.js";
import { h, svg } from "../../parts/dom.js";
import { MOST_KEPT, accuracyIn, tallies } from "../../play/history.js";
import { pointsOf } from "../../play/referee.js";
import { addressOfPast } from "./place.js";
import { accuracyText, measures } from "./facts.js";
import { titleOf } from "./result_text.js";

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
          h("h2", { id: "tallies-heading" }, "Your results"),
          h(
            "ul",
            { class: "tallies" },
            ...played.map((tally) => h("li", { class: "card" }, ...tallyOf(catalogue, tally))),
          ),
        ),
    accuracySection(matches),
    h(
      "section",
      { "aria-labelledby": "past-heading" },
      h("h2", { id: "past-heading" }, "Your matches"),
      matches.length === 0
        ? h("p", {}, "A match appears here when it is over, or when you leave it after a round.")
        : h("ol", { class: "past" }, ...matches.map((one) => h("li", {}, linkTo(catalogue, one)))),
      h("p", { class: "muted" }, `This browser keeps the last ${MOST_KEPT} matches and sends them nowhere.`),
    ),
  );
}

/** @param {number} damaged */
function leftOut(damaged) {
  return damaged === 1
    ? "One match in the list is damaged, or from another page. It is left out."
    : `${damaged} matches in the list are damaged, or from another page. They are left out.`;
}

/** @param {Catalogue} catalogue @param {Tally} tally */
function tallyOf(catalogue, { opponent, played, won, points, accuracy, best }) {
  const facts = [
    fact("Matches", String(played)),
    fact("Won", `${won} (${percent(won / played, 0)})`),
    fact("Points", `${points[0]} : ${points[1]}`),
    fact("Accuracy", best === null ? "\u2026" : accuracyText(accuracy)),
    fact(
      "Best match",
      best === null ? "\u2026" : h("a", { href: `#${addressOfPast(best.time)}` }, accuracyText(accuracyIn([best]))),
    ),
  ];
  return [h("h3", {}, titleFor(catalogue, opponent)), h("dl", {}, ...facts.flat())];
}

/**
 * By goal and seat, and match by match; null where no move has been looked at.
 *
 * @param {readonly PastMatch[]} matches  The newest first.
 */
function accuracySection(matches) {
  const values = matches.map((one) => accuracyIn([one])).filter((one) => one !== null);
  if (values.length === 0) return null;
  const cell = (/** @type {number} */ seat, /** @type {number} */ goal) =>
    h("td", {}, accuracyIn(matches, 3 * seat + goal)?.toFixed(0) ?? "\u2013");
  const row = (/** @type {import("../../games/rules.js").Goal} */ goal) =>
    h("tr", {}, h("th", { scope: "row" }, `to ${goalName(goal)}`), cell(0, goal), cell(1, goal));
  const heading = (/** @type {string} */ text) => h("th", { scope: "col" }, text);
  return h(
    "section",
    { class: "card accuracy", "aria-labelledby": "accuracy-heading" },
    h("h2", { id: "accuracy-heading" }, `Your accuracy: ${accuracyText(accuracyIn(matches))}`),
    values.length > 1 ? overTime(values.reverse()) : null,
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, heading("When you wanted"), heading("as X"), heading("as O"))),
      h("tbody", {}, ...GOALS.map(row)),
    ),
    measures(),
  );
}

/** A dot for each match, and the mean of the last five as a line. @param {number[]} values  The oldest first. */
function overTime(values) {
  const at = (/** @type {number} */ value, /** @type {number} */ index) =>
    `${(4 + (292 * index) / (values.length - 1)).toFixed(1)},${(96 - 0.92 * value).toFixed(1)}`;
  const means = values.map((_, index) => {
    const last = values.slice(Math.max(0, index - 4), index + 1);
    return last.reduce((sum, one) => sum + one, 0) / last.length;
  });
  const told = values.map((value) => value.toFixed(0)).join(", ");
  return h(
    "figure",
    { class: "over-time" },
    svg(
      "svg",
      { viewBox: "0 0 300 100", role: "img", "aria-label": `Accuracy match by match: ${told}` },
      svg("path", { class: "grid", d: "M0 4H300M0 50H300M0 96H300" }),
      svg("polyline", { points: means.map(at).join(" ") }),
      ...values.map((value, index) => {
        const [cx, cy] = at(value, index).split(",");
        return svg("circle", { cx, cy, r: 2.5 });
      }),
    ),
    h("figcaption", { class: "muted" }, "Match by match, from 0 to 100; the line is the mean of the last five."),
  );
}

/** @param {string} name @param {string | Node} value */
function fact(name, value) {
  return [h("dt", {}, name), h("dd", {}, value)];
}

/** @param {Catalogue} catalogue @param {PastMatch} past */
function linkTo(catalogue, past) {
  const { time, match } = past;
  const [mine, theirs] = pointsOf(match);
  const against = match.opponent === null ? match.names.join(" and ") : titleFor(catalogue, match.opponent);
  const result = match.winner === null ? "Left at" : match.opponent === null ? "" : match.winner === 0 ? "Won" : "Lost";
  const accuracy = accuracyIn([past]);
  const how = accuracy === null ? "" : `accuracy ${accuracy.toFixed(0)}`;
  return h(
    "a",
    { class: "card", href: `#${addressOfPast(time)}` },
    h("strong", {}, `${result} ${mine} : ${theirs}`.trim()),
    h("span", {}, against),
    h("span", { class: "muted" }, [dateOf(time), how].filter(Boolean).join(", ")),
  );
}

/** @param {Catalogue} catalogue @param {string} opponent */
function titleFor(catalogue, opponent) {
  return titleOf(catalogue.first, opponent);
}

/** @param {number} time */
function dateOf(time) {
  return new Date(time).toLocaleDateString(undefined, { year: "numeric", month: "short", day: "numeric" });
}
