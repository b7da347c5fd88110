/** All scores of the match, each with how many matches the player who moves first wins from there. */

import { h } from "../../parts/dom.js";
import { scoreInLongerMatch, scoreText, winPercentage } from "../../match/scores.js";
import { shownAt } from "../../parts/place.js";

/** @typedef {import("../../match/scores.js").Score} Score */

/**
 * @param {import("../../parts/place.js").Place} place
 * @param {(score: Score) => string} linkTo
 * @returns {HTMLElement[]}
 */
export function scoreMap(place, linkTo) {
  const { solution } = place;
  const shown = shownAt(place);
  const points = Array.from({ length: shown.match }, (_, index) => index);
  const cell = (/** @type {Score} */ score) => {
    const solved = scoreInLongerMatch(score, shown.match, solution.winningScore);
    const won = winPercentage(solution.value(solved));
    const here = scoreText(score) === scoreText(shown.score);
    const attributes = {
      href: linkTo(solved),
      "aria-current": here ? "true" : null,
      "aria-label": `${inShort(won)}: X ${score[0]}, O ${score[1]}: X wins ${won.toFixed(1)}\u00a0%`,
      "data-focus": `score ${scoreText(score)}`,
    };
    const link = h("a", attributes, inShort(won));
    link.style.setProperty("--winner", `var(--${won > 50 ? "x" : "o"}) ${0.7 * Math.abs(won - 50)}%`);
    return h("td", {}, link);
  };
  const rows = points.map((first) =>
    h("tr", {}, h("th", { scope: "row" }, `X ${first}`), ...points.map((second) => cell([first, second]))),
  );
  const names = points.map((second) => h("th", { scope: "col" }, `O ${second}`));
  return [
    h(
      "table",
      { class: "score-map" },
      h(
        "caption",
        {},
        "How many of 100 matches X wins from there if both play perfectly. Rows: X's points; columns: O's.",
      ),
      h("thead", {}, h("tr", {}, h("td", {}, h("span", { class: "only-heard" }, "Points")), ...names)),
      h("tbody", {}, ...rows),
    ),
  ];
}

/** In few digits, so that they can be read on a phone. @param {number} percent */
function inShort(percent) {
  if (percent > 0 && percent < 0.5) return "<1";
  return percent < 100 && percent > 99.5 ? ">99" : percent.toFixed(0);
}
