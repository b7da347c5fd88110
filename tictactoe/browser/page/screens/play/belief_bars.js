/** What the moves have told about both goals: two bars, in words and numbers, too. Closed until somebody wants help. */

import { GOALS, goalName } from "../../games/rules.js";
import { percent } from "../../match/numbers.js";
import { h } from "../../parts/dom.js";
import { goalClass, goalSign } from "../../parts/goal_sign.js";

/**
 * @typedef {import("../../play/round_bot.js").Belief} Belief
 * @typedef {object} BeliefState
 * @property {number} round  Its number: with each round the bars are closed.
 * @property {boolean} over  Whether the round is over; looking is no help then.
 * @property {boolean} looked  Whether they have been looked at while it was played.
 * @property {{ title: string, belief: Belief }[]} rows
 * @property {boolean} known  Whether the bot's row is by how this bot plays, else by how the perfect one does.
 * @property {boolean} lost  Whether a player has moved as the strategy, which is not refined, never does.
 */

const PERFECT = "If both of you played like the perfect bot, the moves so far would reveal this:";
const KNOWN =
  "Your goal, as a perfect player would guess it from the moves; the bot\u2019s goal, judged by how this bot plays:";
const NOT_REFINED =
  "This solution is not refined: after moves that it never makes, every goal is taken to be as likely as when it was drawn.";

/** A fold-out; what it shows is given to `render`. */
export class BeliefBars {
  /** @param {() => void} onLook  Called when it is opened. */
  constructor(onLook) {
    this.round = 0;
    this.summary = h("summary");
    this.content = h("div", { class: "folded beliefs" });
    this.element = h("details", { class: "fold beliefs-fold" }, this.summary, this.content);
    this.element.addEventListener("toggle", () => {
      if (this.element.open) onLook();
    });
  }

  /** @param {BeliefState} state */
  render({ round, over, looked, rows, known, lost }) {
    if (round !== this.round) this.element.open = false;
    this.round = round;
    this.summary.textContent = over || looked ? "What the moves tell" : "What the moves tell (counts as help)";
    this.content.replaceChildren(
      h("p", { class: "muted" }, known ? KNOWN : PERFECT),
      ...rows.map(({ title, belief }) =>
        h("div", { class: "belief" }, h("h2", {}, title), bar(belief), inWords(belief)),
      ),
      ...(lost ? [h("p", { class: "muted" }, NOT_REFINED)] : []),
    );
  }
}

/** @param {Belief} belief */
function bar(belief) {
  const parts = GOALS.map((goal) => {
    const part = h("span", { class: `part ${goalClass(goal)}` });
    part.style.flexGrow = String(belief[goal]);
    return part;
  });
  return h("div", { class: "bar", "aria-hidden": "true" }, ...parts);
}

/** @param {Belief} belief */
function inWords(belief) {
  const shares = GOALS.map((goal) => h("span", {}, goalSign(goal), `${goalName(goal)} ${percent(belief[goal])}`));
  return h("p", { class: "shares" }, ...shares.flatMap((share, index) => (index > 0 ? [", ", share] : [share])));
}
