/** All scores of the match, each with how many matches the player who moves first wins from there. */

import { h } from "../../parts/dom.js";
import { scoreText, winPercentage } from "../../match/scores.js";

/** @typedef {import("../../match/scores.js").Score} Score */

/**
 * @param {import("../../loading/solution_loader.js").SolvedMatch} solution
 * @param {Score} present
 * @param {(score: Score) => string} linkTo
 * @returns {HTMLElement[]}
 */
export function scoreMap(solution, present, linkTo) {
  const points = Array.from({ length: solution.winningScore }, (_, index) => index);
  const cell = (/** @type {Score} */ score) => {
    const won = winPercentage(solution.value(score));
    const here = scoreText(score) === scoreText(present);
    const attributes = {
      href: linkTo(score),
      class: `won-${Math.round(won / 10)}`,
      "aria-current": here ? "true" : null,
      "aria-label": `X ${score[0]}, O ${score[1]}: X wins ${won.toFixed(1)}%`,
      "data-focus": `score ${scoreText(score)}`,
    };
    return h("td", {}, h("a", attributes, won.toFixed(1)));
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
        "% of matches X wins between perfect players, by X's points (down) and O's (across). X moves first.",
      ),
      h("thead", {}, h("tr", {}, h("td"), ...names)),
      h("tbody", {}, ...rows),
    ),
  ];
}
