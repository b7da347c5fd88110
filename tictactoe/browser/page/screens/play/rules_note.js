/** The rules in words, with the odds of the goals where these are not even; keys, and the bot's seal. */

import { GOAL_NAMES } from "../../games/rules.js";
import { counted, percent } from "../../match/numbers.js";
import { h } from "../../parts/dom.js";

/**
 * @param {import("../../games/rules.js").RulesData} rules
 * @param {number} winningScore
 * @returns {HTMLElement[]}
 */
export function rulesNote(rules, winningScore) {
  const sum = rules.goal_odds.reduce((total, one) => total + one, 0);
  const even = new Set(rules.goal_odds).size === 1;
  const back = winningScore - 1;
  const shares = GOAL_NAMES.map((name, goal) => `${name} ${percent(rules.goal_odds[goal] / sum, 0)}`).join(", ");
  return [
    h("p", {}, `${rules.text} A round stops as soon as its result is certain.`),
    h(
      "p",
      {},
      "Before each round, each player is given a secret goal: to win, to lose or to tie. Whoever reaches it scores " +
        `a point; both can. The first to reach ${counted(winningScore, "point")} wins the match; if both ` +
        `get there together, the score goes back to ${back}\u00a0:\u00a0${back}. Whoever moves second in a round ` +
        "moves first in the next.",
    ),
    ...(even ? [] : [h("p", {}, `Goals are not drawn equally often: ${shares}.`)]),
  ];
}

/**
 * The seal of the bot's goal, for those who want to check that it does not change; Review opens it.
 *
 * @param {import("../../play/referee.js").RoundRecord} round
 */
export function sealNote({ seal }) {
  if (!seal) {
    return h(
      "p",
      { class: "commitment" },
      "The bot cannot seal its goal here, because that needs a page loaded over https. " +
        "Its goal is still dealt before you move.",
    );
  }
  return h(
    "p",
    { class: "commitment" },
    "The bot\u2019s goal was sealed before your first move; Review opens the seal after the round. SHA-256: ",
    h("code", { class: "seal" }, seal),
  );
}

/** What keys do, in words; hidden where the device is touched. */
export function keysNote() {
  return h(
    "p",
    { class: "muted", hidden: matchMedia("(hover: none)").matches },
    "With a keyboard: a digit marks its square, and ? lists all keys.",
  );
}
