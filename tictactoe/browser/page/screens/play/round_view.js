/** A match on the screen: the board with all that belongs to the round, while it is played and when it is over. */

import { freeSquares } from "../../games/board.js";
import { h, isOnControl } from "../../parts/dom.js";
import { BoardView } from "../../parts/board_view.js";
import { DEAF } from "../../parts/double_tap.js";
import { face } from "../../parts/face.js";
import { keptHistory } from "../../parts/kept_history.js";
import { digitOf, squareOfKey } from "../../parts/keypad.js";
import { prefersStillness } from "../../parts/motion.js";
import { Pause } from "../../parts/pause.js";
import { keep } from "../../parts/settings.js";
import { play as playSound } from "../../parts/sound.js";
import { THE_BOT } from "../../parts/words.js";
import { standing } from "../../play/ending.js";
import { historyOf } from "../../play/history.js";
import { offeredNext } from "../../play/ladder.js";
import { BeliefBars } from "./belief_bars.js";
import { ButtonRow } from "./button_row.js";
import { celebrate } from "./celebration.js";
import { keyButton } from "./controls.js";
import { foldOut } from "./fold_out.js";
import { GoalCard } from "./goal_card.js";
import { GuessPanel } from "./guess_panel.js";
import { HintPanel } from "../../parts/hint_panel.js";
import { hint } from "../../play/hint_words.js";
import { BOT, PERSON } from "./match_flow.js";
import { resultPanel } from "./result_panel.js";
import { resultOf } from "./result_words.js";
import { COVERED, beliefsOf, boardOf, goalOf, isGoalOpen, tableOf } from "./round_facts.js";
import { newsWords, turnOf, turnWords } from "./round_words.js";
import { keysNote, rulesNote, sealNote } from "./rules_note.js";
import { ScoreBoard } from "./score_board.js";

/**
 * @typedef {import("../screen.js").App} App
 * @typedef {import("../../play/referee.js").Player} Player
 * @typedef {import("../../play/hint_words.js").Hint} Hint
 * @typedef {import("./match_flow.js").MatchFlow} MatchFlow
 * @typedef {import("./match_flow.js").Move} Move
 * @typedef {import("./result_words.js").Result} Result
 * @typedef {object} Actions  What belongs to others: where buttons lead that leave the round, and what reviews it.
 * @property {() => void} next  To the next round.
 * @property {() => void} again  To another match of the same kind.
 * @property {(opponent: string) => void} [against]  To one against another bot.
 * @property {() => void} leave
 * @property {import("../screen.js").RoundReview} review
 * @property {import("../screen.js").Verdict} [verdict]  What is said at once of the first move of practice.
 * @property {() => HTMLElement[]} [afterwards]  The buttons below a round that is over, in place of those of a match.
 */

/** Milliseconds that the bot takes for a move. */
const BOT_PACE = 330;
/** In place of the result, while a guess is waited for. */
const ASKED = "The round is over. What did the bot want?";
/** In letters, what a phone has room for when a round is over. */
const LONGEST = 165;
/** By the step of the hint that is shown, what the button does: none, the good squares, what all squares cost. */
const HINT_STEPS = ["Hint", "What do the others cost?", "Hide the hint"];

/** All rounds of one match, one after the other, on one board. */
export class RoundView {
  /** @param {App} app @param {MatchFlow} flow  Prepared. @param {Actions} actions */
  constructor(app, flow, actions) {
    this.app = app;
    this.flow = flow;
    this.actions = actions;
    /** How much of the hint is shown, as in HINT_STEPS. */
    this.hintStep = 0;
    this.peeking = false;
    /** While it runs, nothing can be marked. */
    this.pause = new Pause();
    this.board = new BoardView("Board", (square) => this.#play(square));
    this.goal = new GoalCard(flow.isShared, (shown) => this.#uncover(shown));
    this.goal.describe(this.board.element);
    this.hints = new HintPanel();
    this.beliefs = new BeliefBars(() => this.#look());
    this.seal = h("div");
    /** What was marked last, while a guess of the bot's goal is waited for. @type {Move[]} */
    this.waiting = [];
    this.guess = new GuessPanel(flow, () => this.#reveal(this.waiting));
    this.heading = h("h1", { class: "only-heard" });
    this.score = new ScoreBoard();
    this.turn = h("p", { class: "turn" });
    this.why = h("p", { class: "why" });
    this.buttons = new ButtonRow();
    this.result = h("div");
    this.foot = h("div", { class: "foot" }, h("div", { class: "said" }, this.turn, this.why), this.buttons.element);
    this.element = this.#layout();
  }

  /** All elements, in their places. */
  #layout() {
    const { data } = this.flow.solution;
    const panels = this.flow.againstBot ? [this.hints.element, this.beliefs.element] : [];
    return h(
      "div",
      { class: data.rules.ends_with_line ? "table" : "table long-endings" },
      h("div", { class: "head" }, this.heading, this.score.element, this.goal.element),
      h("div", { class: "board-place" }, this.board.element),
      this.foot,
      h(
        "div",
        { class: "panels" },
        this.result,
        ...panels,
        foldOut(
          "rules-fold",
          "Rules and keys",
          false,
          ...rulesNote(data.rules, this.flow.match.winningScore),
          keysNote(),
          this.seal,
        ),
        h("button", { class: "button quiet", type: "button", onclick: () => this.actions.leave() }, "New match"),
      ),
    );
  }

  get #table() {
    return tableOf(this.flow, digitOf);
  }

  /**
   * Show how the match stands, and say it. The bot takes its time, though its move is kept already.
   *
   * @param {Move[]} moves  What has just been marked.
   */
  render(moves = []) {
    const { flow } = this;
    const answers = moves.at(-1)?.player === BOT && flow.againstBot && !prefersStillness();
    if (moves.length > Number(answers)) playSound("mark");
    if (answers) {
      this.#showBefore(moves);
      this.pause.start(BOT_PACE, () => {
        playSound("mark");
        this.#reveal(moves);
      });
    } else if (flow.isShared && moves.length === 0 && flow.round.moves.length === 0) {
      this.pause.start(DEAF, () => this.#renderBoard([], null)); // the tap that hid the goal marks nothing
      this.#reveal(moves);
    } else {
      this.#reveal(moves);
    }
  }

  /** While the bot takes its time for the last of these moves. @param {Move[]} moves */
  #showBefore(moves) {
    const { flow } = this;
    const begins = flow.round.moves.length === 1;
    if (begins) this.#show([]);
    this.hints.render(null, false);
    this.turn.textContent = begins ? "The bot moves first, as X." : "The bot\u2019s turn.";
    this.why.replaceChildren();
    const last = moves.length > 1 ? moves.slice(-2, -1) : [];
    this.#renderBoard(last, null, flow.round.moves.slice(0, -1));
  }

  /** @param {Move[]} moves */
  #reveal(moves) {
    const result = this.#show(moves);
    this.waiting = this.guess.asks ? moves : [];
    if (this.element.isConnected) {
      const news = newsWords(this.flow, this.#table, this.#turn, moves, this.goal.said);
      const judged = result === null && this.#verdict ? `${this.#verdict} ${news}` : news;
      this.app.announce(this.guess.asks ? ASKED : judged);
    }
    if (this.guess.asks) this.focus();
    if (result === null || moves.length === 0) return;
    this.focus();
    celebrate(this.flow, result.scored, this.element);
  }

  /** Show all of it, without a word; the result of the round, null while it goes on. @param {Move[]} moves */
  #show(moves) {
    const { flow } = this;
    const { asks } = this.guess;
    const result = flow.match.round === null && !asks ? resultOf(flow, this.#table) : null;
    this.heading.textContent = `Round ${flow.round.number} of a match to ${flow.match.winningScore}`;
    const { round } = flow;
    const standsAt = asks ? { ...flow.match, score: round.score, first: round.first } : flow.match;
    this.score.render({ match: standsAt, round }, result !== null && moves.length > 0 ? result.scored : [false, false]);
    this.element.classList.toggle("over", result !== null);
    if (flow.match.round === null) this.hintStep = 0;
    const shown = this.hintStep > 0 ? this.#hint() : null;
    if (result !== null) this.#renderResult(result);
    else if (asks) this.#renderQuestion();
    else this.#renderRound(moves, shown);
    this.hints.render(shown, this.hintStep === 2);
    this.#renderBoard(moves, shown);
    if (flow.againstBot) {
      this.beliefs.render(beliefsOf(flow));
      this.beliefs.element.hidden = asks;
      if (flow.keeps) this.seal.replaceChildren(sealNote(flow.round));
    }
    return result;
  }

  /** @param {Move[]} moves @param {Hint | null} shown */
  #renderRound(moves, shown) {
    const { flow } = this;
    const player = this.#reader;
    if (moves.length > 0) this.peeking = false;
    this.goal.render(goalOf(flow, player), flow.isShared ? this.peeking : isGoalOpen());
    this.turn.textContent = flow.notice || turnWords(flow, this.#table, this.#turn);
    this.why.textContent = shown === null ? this.#verdict || standing(flow.cursor, this.#table, false) : shown.sentence;
    this.result.replaceChildren();
    const last = shown?.others.length === 0;
    const hintLabel = HINT_STEPS[last ? HINT_STEPS.length - 1 : this.hintStep];
    const hintButton = keyButton(hintLabel, "h", () => this.#stepHint(), { pressed: this.hintStep > 0 });
    const backButton = keyButton("Take back", "u", () => this.#takeBack(), { disabled: !flow.canTakeBack });
    this.buttons.render([...(flow.againstBot ? [hintButton] : []), ...(flow.match.takeback ? [backButton] : [])], true);
  }

  /** The round is over, and nothing is told of it yet. */
  #renderQuestion() {
    this.goal.render(goalOf(this.flow, PERSON), isGoalOpen());
    this.turn.textContent = ASKED;
    this.why.textContent = "";
    this.result.replaceChildren(this.guess.question());
    this.buttons.render([], false);
  }

  /** Of the first move of practice, until the next one; empty otherwise. */
  get #verdict() {
    const { flow, actions } = this;
    const played = flow.round.moves.length - flow.given;
    if (actions.verdict === undefined || played < 1 || played > 2) return "";
    return actions.verdict(flow.judgeOf(PERSON), flow.round, PERSON, THE_BOT, flow.given);
  }

  /** @param {Result} result */
  #renderResult(result) {
    const { flow } = this;
    this.goal.open(result.goals);
    this.turn.textContent = result.headline;
    const { advice, element } = resultPanel(this.app, flow, this.actions.review);
    const told = [...result.happened, result.goesOn].filter(Boolean).join(" ");
    const brief = advice.replace(/(than \d)\b.*/, "$1."); // the reason stands below, too
    this.why.textContent = `${told} ${told.length + advice.length < LONGEST ? advice : brief}`.trim();
    this.result.replaceChildren(element, this.guess.note());
    this.buttons.render(this.actions.afterwards?.() ?? this.#ways(), false);
  }

  /** Where a person can go when a round of a match is over. */
  #ways() {
    if (this.flow.match.winner === null) {
      return [keyButton("Next round", "Enter", this.actions.next, { main: true })];
    }
    return [
      keyButton("Play again", "Enter", this.actions.again, { main: true }),
      ...this.#step(),
      h("a", { class: "button", href: "#review" }, "Review the match"),
    ];
  }

  /** To the next opponent of the ladder, or down to the one before, after some matches that went alike. */
  #step() {
    const { catalogue } = this.app;
    const { opponents, ladder } = this.flow.solution.data;
    const { matches } = historyOf(keptHistory(), (name) => catalogue.playable(name));
    const over = matches
      .map(({ match }) => match)
      .filter(({ winner, opponent }) => winner !== null && opponent !== null);
    const offered = this.flow.againstBot ? offeredNext(over, ladder) : null;
    const title = opponents.find(({ name }) => name === offered?.name)?.title;
    if (offered === null || title === undefined) return [];
    const text = `${offered.up ? "A step up" : "A step down"}: ${title}`;
    const onclick = () => this.actions.against?.(offered.name);
    return [h("button", { class: "button", type: "button", onclick }, face(offered.name), text)];
  }

  /** @param {Move[]} moves @param {Hint | null} shown @param {number[]} played  The marks that are seen. */
  #renderBoard(moves, shown, played = this.flow.round.moves) {
    const hint = shown === null ? null : this.hintStep === 2 ? shown.all : shown.first;
    const waiting = this.pause.runs && this.flow.isShared;
    this.board.render(boardOf(this.flow, { fresh: moves.at(-1), hint, waiting, played }));
  }

  /** Whose goal is on the card: the person's, or that of who is to move. @returns {Player} */
  get #reader() {
    return this.flow.isShared ? this.#turn : PERSON;
  }

  /** Whose turn it is. @returns {Player} */
  get #turn() {
    return this.flow.mover ?? PERSON;
  }

  #hint() {
    return hint(this.flow.judgeOf(PERSON), this.flow.cursor, this.flow.round.goals[PERSON], digitOf);
  }

  /** @param {number} square */
  #play(square) {
    this.hintStep = 0;
    const moves = this.flow.play(square);
    if (moves.length > 0) this.render(moves);
  }

  #takeBack() {
    if (this.pause.runs || !this.flow.takeBack()) return;
    this.hintStep = 0;
    this.peeking = false;
    this.#show([]);
    this.app.announce(`Taken back. ${turnOf(this.flow.match.names[this.#reader])}`);
    this.board.focus(5);
  }

  #stepHint() {
    if (this.pause.runs) return;
    const { sentence, good, others } = this.#hint();
    this.hintStep = this.hintStep === 0 ? 1 : this.hintStep === 1 && others.length > 0 ? 2 : 0;
    if (this.hintStep === 1) this.flow.countHint();
    this.#show([]);
    if (this.hintStep === 0) return;
    const all = [...good, ...others].map(({ squares, text }) => `${squares}: ${text}.`);
    this.app.announce(this.hintStep === 1 ? sentence : all.join(" "));
  }

  /** What the moves tell has been opened. */
  #look() {
    if (!this.flow.countLook()) return;
    if (!this.pause.runs) this.#show([]);
    this.app.announce("This counts as help in this round.");
  }

  /** @param {boolean} shown */
  #uncover(shown) {
    if (!this.flow.isShared) keep(COVERED, shown ? null : "yes");
    this.peeking = shown;
    if (this.pause.runs) return; // what comes next shows it
    this.#show([]);
    this.app.announce(this.goal.said);
  }

  /** Put the keyboard's focus where the next step is. */
  focus() {
    if (this.guess.asks && !this.pause.runs) {
      this.result.querySelector("h2")?.focus({ preventScroll: true }); // no answer: Enter may be held for the next round
      this.result.scrollIntoView({ block: "nearest" });
    } else if (this.flow.match.round === null && !this.pause.runs) {
      this.buttons.focus();
      this.foot.scrollIntoView({ block: "nearest" }); // with the sentence about why
    } else this.board.focus(5);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();
    const over = this.flow.match.round === null;
    const square = squareOfKey(event);
    if (this.pause.runs) return;
    if (square !== null && this.flow.canMark) {
      if (freeSquares(this.flow.cursor.board).includes(square)) this.#play(square);
      else this.app.announce(`${event.key} is taken.`);
    } else if (key === "h" && !over && this.flow.againstBot) this.#stepHint();
    else if (key === "g" && !over) this.app.announce(this.goal.said);
    else if (key === "u" && !over) this.#takeBack();
    else if (key === "enter" && over && !isOnControl(event)) this.buttons.press();
  }
}
