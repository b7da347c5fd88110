/** Why it is better to move second, in numbers of the solution. */

import { winPercentage } from "../../match/scores.js";
import { h } from "../../parts/dom.js";
import { countScored } from "./rounds.js";

/**
 * @typedef {import("../../loading/solution_loader.js").SolvedMatch} SolvedMatch
 */

/**
 * @param {SolvedMatch} solution
 * @param {readonly import("./rounds.js").Round[] | null} rounds
 */
export function scoresChapter(solution, rounds) {
  const first = winPercentage(solution.value([0, 0]));
  const better = first < 50 ? "second" : "first";
  return h(
    "section",
    { "aria-labelledby": "learn-scores" },
    h("h2", { id: "learn-scores" }, first === 50 ? "Moving first or second" : `Why it is better to move ${better}`),
    rounds && h("p", {}, counted(rounds)),
    h(
      "p",
      {},
      `In a match to ${solution.winningScore} between two perfect players, whoever moves first in the first round `,
      `wins ${first.toFixed(2)}\u00a0% of the matches, the other player ${(100 - first).toFixed(2)}\u00a0%.`,
      alwaysSecond(solution) && " When the score is level, it is better to move second.",
    ),
    scoresTable(solution),
  );
}

/** @param {readonly import("./rounds.js").Round[]} rounds */
function counted(rounds) {
  const [x, o, both, nobody] = [
    countScored(rounds, true, false),
    countScored(rounds, false, true),
    countScored(rounds, true, true),
    countScored(rounds, false, false),
  ];
  const all = rounds.length;
  return [
    `Every pair of goals is as likely as any other. In ${o} of the ${all} perfect rounds only O scores,`,
    `in ${x} only X scores.`,
    `In ${both} both score, and in ${nobody} nobody does, which leaves them level.`,
    "O, who moves second, has seen one more move whenever it decides.",
  ].join(" ");
}

/** Whether with equal points it is always better to move second. @param {SolvedMatch} solution */
function alwaysSecond(solution) {
  return solution.data.scores.every(({ score, value }) => score[0] !== score[1] || value < 0);
}

/** @param {SolvedMatch} solution */
function scoresTable(solution) {
  const points = Array.from({ length: solution.winningScore }, (_, index) => index);
  return h(
    "div",
    { class: "wide" },
    h(
      "table",
      { class: "scores" },
      h(
        "caption",
        {},
        "How many of 100 matches between perfect players are won by the player who moves first next. ",
        "Rows: the points of that player; columns: the points of the other.",
      ),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("td", {}),
          ...points.map((second) =>
            h("th", { scope: "col" }, h("span", { class: "only-heard" }, "the other player has "), String(second)),
          ),
        ),
      ),
      h(
        "tbody",
        {},
        ...points.map((first) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, h("span", { class: "only-heard" }, "with points: "), String(first)),
            ...points.map((second) =>
              h(
                "td",
                { class: first === second && "level" },
                winPercentage(solution.value([first, second])).toFixed(1),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}
