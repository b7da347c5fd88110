/** "What does it want?": a guess of the bot's goal before it is shown, for who wants to, and how good guesses are. */

import { GOALS, goalName } from "../../games/rules.js";
import { counted, percent } from "../../match/numbers.js";
import { h } from "../../parts/dom.js";
import { keepData, recallData } from "../../parts/settings.js";
import { LEVELS, guessesOf, oddsOf, pointsFor, summaryOf, withGuess } from "../../play/guesses.js";
import { BOT } from "./match_flow.js";
import { beliefsOf } from "./round_facts.js";

/** @typedef {import("./match_flow.js").MatchFlow} MatchFlow */

const KEPT = "guesses";
const HOW =
  "Points go from 0 (sure and wrong) to 100 (sure and right); a third for each goal always gets 67. " +
  "In the long run it pays best to say how sure you really are.";

/** Asks, and tells what came of it. */
export class GuessPanel {
  /** @param {MatchFlow} flow @param {() => void} onShown  Called when the goal may be shown. */
  constructor(flow, onShown) {
    this.flow = flow;
    this.onShown = onShown;
    /** The guess that has just been made. @type {import("../../play/guesses.js").Guess | null} */
    this.last = null;
  }

  /** Whether the round is over, and its goals are to wait for a guess. */
  get asks() {
    const { match, againstBot, keeps } = this.flow;
    if (match.round !== null || !againstBot || !keeps) return false;
    const { on, seen } = kept();
    return on && seen !== this.#name;
  }

  /** Of the round, as no other one has it. */
  get #name() {
    const { seal, number, score, moves } = this.flow.round;
    return seal || `${number} ${score.join("-")} ${moves.join("")}`;
  }

  /** The question. */
  question() {
    const button = (/** @type {0 | 1 | 2 | null} */ said, /** @type {number} */ sure, /** @type {string} */ text) =>
      h(
        "button",
        {
          class: "button",
          type: "button",
          "aria-label": said === null ? text : `${goalName(said)}, ${text}`,
          onclick: () => this.#guess(said, sure),
        },
        text,
      );
    return h(
      "section",
      { class: "card guess", "aria-labelledby": "guess-heading" },
      h("h2", { id: "guess-heading", tabindex: -1 }, "What did the bot want?"),
      h("p", { class: "muted" }, "How sure are you? The other two goals share the rest."),
      ...GOALS.map((goal) =>
        h(
          "div",
          { class: "guess-row", role: "group", "aria-label": goalName(goal) },
          h("b", { "aria-hidden": "true" }, goalName(goal)),
          ...LEVELS.map((level) => button(goal, level, percent(level / 100, 0))),
        ),
      ),
      h(
        "div",
        { class: "actions" },
        button(null, 50, "No idea"),
        h("button", { class: "button quiet", type: "button", onclick: () => this.#show() }, "Just show it"),
      ),
    );
  }

  /** @param {0 | 1 | 2 | null} said @param {number} sure */
  #guess(said, sure) {
    if (!this.asks) {
      this.onShown(); // another tab has answered
      return;
    }
    const { flow } = this;
    const moves = [...(beliefsOf(flow).rows.at(-1)?.belief ?? [])];
    this.last = { said, percent: sure, goal: flow.round.goals[BOT], moves };
    keepData(KEPT, withGuess(kept(), this.last));
    this.#show();
  }

  #show() {
    keepData(KEPT, { ...kept(), seen: this.#name });
    this.onShown();
  }

  /** What is said below a round whose goals are shown. */
  note() {
    const { againstBot, keeps } = this.flow;
    if (!againstBot || !keeps) return "";
    const { on, list } = kept();
    const guess = this.last;
    this.last = null;
    const note = h("div", { class: "guess-note" });
    const turn = () => {
      keepData(KEPT, { ...kept(), on: !on, seen: this.#name });
      note.replaceWith(this.note());
    };
    const text = on ? "Stop guessing" : "Guess the bot\u2019s goal after each round";
    note.append(
      ...(guess === null ? [] : [h("p", { class: "guessed" }, resultWords(guess))]),
      ...(on && list.length > 0 ? [tableOf(list)] : []),
      h("button", { class: "button quiet", type: "button", onclick: turn }, text),
    );
    return note;
  }
}

function kept() {
  return guessesOf(recallData(KEPT));
}

/** @param {import("../../play/guesses.js").Guess} guess */
function resultWords(guess) {
  const { said, goal, moves } = guess;
  const told =
    said === null
      ? "You had no idea"
      : `You said ${goalName(said)}, ${percent(guess.percent / 100, 0)} sure: ${said === goal ? "right" : "wrong"}`;
  const [mine, theirs] = [oddsOf(guess), moves].map((odds) => counted(Math.round(pointsFor(odds, goal)), "point"));
  return `${told}, ${mine}. By the moves, ${goalName(goal)} was ${percent(moves[goal] ?? 0, 0)} likely: ${theirs}.`;
}

/** @param {readonly import("../../play/guesses.js").Guess[]} list */
function tableOf(list) {
  const { mine, moves, levels } = summaryOf(list);
  return h(
    "details",
    { class: "fold" },
    h("summary", {}, `Your guesses: ${mine.toFixed(0)} points on average`),
    h(
      "div",
      { class: "folded" },
      h(
        "p",
        {},
        `This is after ${counted(list.length, "round")}. Guesses from the moves alone get ${moves.toFixed(0)}.`,
      ),
      h(
        "ul",
        {},
        ...levels.map((level) =>
          h("li", {}, `${percent(level.percent / 100, 0)} sure: right ${level.right} of ${counted(level.all, "time")}`),
        ),
      ),
      h("p", { class: "muted" }, HOW),
    ),
  );
}
