/** Whom one can play against, and how they have learnt. */

import { h } from "../../parts/dom.js";
import { face } from "../../parts/face.js";
import { opponentText } from "../../parts/opponent_text.js";

/** @param {import("../../loading/solution_loader.js").SolvedMatch} solution */
export function opponentsChapter(solution) {
  const learners = solution.data.opponents.some((opponent) => opponent.file !== null);
  return h(
    "section",
    { "aria-labelledby": "learn-opponents" },
    h("h2", { id: "learn-opponents" }, "The opponents, and how they learnt"),
    h(
      "p",
      {},
      "Nobody told the bot how to play. At first, it marked any square. Then it looked at every position with each ",
      "goal, worked out how much better each move would have been, and from then on made the better moves more ",
      "often, step by step, against itself. In the end, its last errors were removed by exact computation. Now nobody ",
      "can beat it in the long run.",
    ),
    learners &&
      h(
        "p",
        {},
        "The learners stopped on the way. The fewer steps they took, the more their moves reveal what they want.",
      ),
    h(
      "ul",
      { class: "opponents" },
      ...solution.data.opponents.map((one) =>
        h("li", {}, h("h3", {}, face(one.name), ` ${one.title}`), h("p", {}, opponentText(one, solution.winningScore))),
      ),
    ),
    h(
      "p",
      {},
      h("a", { class: "button main", href: "#play" }, "Play against one"),
      " ",
      h("a", { class: "button", href: "#0-0" }, "See what the bot thinks"),
    ),
  );
}
