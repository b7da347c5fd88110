/** The rules in the comic's words, and a round to try them out. */

import { GOALS, goalName } from "../../games/rules.js";
import { h } from "../../parts/dom.js";
import { namedGoal } from "../../parts/goal_sign.js";
import { roundToTry } from "./round_to_try.js";

const COMIC = "https://www.smbc-comics.com/comic/incomplete";

/**
 * @param {import("../screen.js").App} app
 * @param {import("../../loading/solution_loader.js").SolvedMatch} solution
 * @param {import("../../games/tree.js").GameTree} tree
 */
export function rulesChapter(app, solution, tree) {
  const { rules } = solution.data;
  const points = solution.winningScore;
  return h(
    "section",
    { "aria-labelledby": "learn-rules" },
    h("h2", { id: "learn-rules" }, "The rules"),
    h(
      "p",
      {},
      "This is tic-tac-toe, but nobody knows what the other player wants. It comes from ",
      h("a", { href: COMIC, rel: "noreferrer" }, "a comic"),
      rules.ends_with_line
        ? ", where the board is always filled; here three in a row ends a round, as usual."
        : ", whose words these rules follow.",
    ),
    h(
      "div",
      { class: "beside" },
      h(
        "div",
        {},
        h(
          "ol",
          {},
          h("li", {}, goalsDrawn(rules.goal_odds)),
          h("li", {}, `Play tic-tac-toe. ${rules.text}`),
          h(
            "li",
            {},
            "Then show your goals. If yours came true, you score a point. ",
            "Both of you can score in the same round, or neither.",
          ),
          h(
            "li",
            {},
            points === 1
              ? "The first player to score alone wins the match. Until then, play on, and take turns at moving first."
              : `Take turns at moving first. The first to reach ${points} points wins the match. ` +
                  "If both get there together, play on until one of you is ahead.",
          ),
        ),
        h("h3", {}, "The three goals"),
        h(
          "dl",
          { class: "goals" },
          ...GOALS.flatMap((goal) => [
            h("dt", {}, "To ", namedGoal(goal)),
            h("dd", {}, `${rules.to_do[goalName(goal)].replace("{}", "the other player")}.`),
          ]),
        ),
        h("p", {}, "So watch out: your best move may be the one that lets the other player have three in a row."),
        h("p", {}, h("a", { class: "button", href: "#play/lesson" }, "Play the first round again")),
      ),
      roundToTry(app, tree),
    ),
  );
}

/** @param {[number, number, number]} odds */
function goalsDrawn(odds) {
  if (odds.every((one) => one === odds[0])) {
    return "Both of you roll a die in secret. 1 or 2: your goal is to win. 3 or 4: to tie. 5 or 6: to lose.";
  }
  const parts = GOALS.map((goal) => `to ${goalName(goal)} (${odds[goal]})`).join(", ");
  return `Both of you draw a goal in secret, in these proportions: ${parts}.`;
}
