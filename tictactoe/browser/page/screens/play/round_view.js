/** A match on the screen: the board with all that belongs to the round, while it is played and when it is over. */

import { capitalized } from "../../parts/words.js";
import { freeSquares, linesOf } from "../../games/board.js";
import { h } from "../../parts/dom.js";
import { BoardView } from "../../parts/board_view.js";
import { digitOf, squareOfKey } from "../../parts/keypad.js";
import { keep, recall } from "../../parts/settings.js";
import { standing } from "../../play/ending.js";
import { otherPlayer, seatOf } from "../../play/referee.js";
import { BeliefBars } from "./belief_bars.js";
import { CommitmentNote } from "./commitment_note.js";
import { keyButton } from "./controls.js";
import { foldOut } from "./fold_out.js";
import { GoalCard } from "./goal_card.js";
import { HintPanel } from "./hint_panel.js";
import { hint } from "./hint_words.js";
import { BOT, PERSON } from "./match_flow.js";
import { resultPanel } from "./result_panel.js";
import { resultOf, scoreLine } from "./result_words.js";
import { newsWords, turnOf, turnWords } from "./round_words.js";
import { keysNote, rulesNote } from "./rules_note.js";

/**
 * @typedef {import("../screen.js").App} App
 * @typedef {import("../../play/ending.js").Table} Table
 * @typedef {import("../../play/referee.js").Player} Player
 * @typedef {import("./match_flow.js").MatchFlow} MatchFlow
 * @typedef {import("./match_flow.js").Move} Move
 * @typedef {object} Actions  What belongs to others: where buttons lead that leave the round, and what reviews it.
 * @property {() => void} next  To the next round.
 * @property {() => void} again  To another match of the same kind.
 * @property {() => void} leave
 * @property {import("../screen.js").RoundReview} review
 * @property {() => HTMLElement[]} [afterwards]  The buttons below a round that is over, in place of those of a match.
 */

const COVERED = "goal covered";

/** All rounds of one match, one after the other, on one board. */
export class RoundView {
  /** @param {App} app @param {MatchFlow} flow  Prepared. @param {Actions} actions */
  constructor(app, flow, actions) {
    this.app = app;
    this.flow = flow;
    this.actions = actions;
    this.hinted = false;
    this.peeking = false;
    this.board = new BoardView("Board", (square) => this.#play(square));
    this.goal = new GoalCard((shown) => this.#uncover(shown));
    this.hints = new HintPanel();
    this.beliefs = new BeliefBars();
    this.seal = new CommitmentNote();
    this.heading = h("h1", { class: "only-heard" });
    this.score = h("p", { class: "score" });
    this.turn = h("p", { class: "turn" });
    this.buttons = h("div", { class: "actions" });
    this.result = h("div", { class: "result-place" });
    this.element = this.#layout();
  }

  /** All elements, in their places. */
  #layout() {
    const { data } = this.flow.solution;
    const lines = 1 + Number(!data.rules.ends_with_line) + Number(!this.flow.againstBot);
    const panels = this.flow.againstBot
      ? [
          this.hints.element,
          foldOut("beliefs-fold", "What the moves tell", true, this.beliefs.element),
          this.seal.element,
        ]
      : [];
    return h(
      "div",
      { class: `table lines-${lines}` },
      h("div", { class: "head" }, this.heading, this.score, this.goal.element, this.turn),
      h("div", { class: "board-place" }, this.board.element, this.buttons),
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
        ),
        h("button", { class: "button quiet", type: "button", onclick: () => this.actions.leave() }, "New match"),
      ),
    );
  }

  /** @returns {Table} */
  get #table() {
    return { names: this.flow.match.names, first: this.flow.round.first, digit: digitOf };
  }

  /** Show how the match stands, and say it. @param {Move[]} moves  What has just been marked. */
  render(moves = []) {
    this.#show(moves);
    this.app.announce(newsWords(this.flow, this.#table, this.#reader, moves));
  }

  /** @param {Move[]} moves */
  #show(moves) {
    const { flow } = this;
    const over = flow.match.round === null;
    this.heading.textContent = `Round ${flow.round.number} of a match to ${flow.match.winningScore}`;
    this.score.replaceChildren(
      h("strong", {}, scoreLine(flow.match)),
      h("span", { class: "muted" }, `Round ${flow.round.number} \u00b7 to ${flow.match.winningScore}`),
    );
    this.element.classList.toggle("over", over);
    if (over) this.#renderResult();
    else this.#renderRound(moves);
    const shown = this.hinted ? this.#hint() : null;
    this.hints.render(shown);
    this.#renderBoard(moves, shown);
    if (flow.againstBot) {
      const { node } = flow.cursor;
      const rows = [
        { title: "About your goal", belief: flow.judge.belief(node, seatOf(flow.round, PERSON)) },
        { title: "About the bot\u2019s goal", belief: flow.judge.belief(node, seatOf(flow.round, BOT)) },
      ];
      this.beliefs.render(rows, flow.judge.isLost(node, 0) || flow.judge.isLost(node, 1));
      this.seal.render(flow.round, over);
    }
  }

  /** @param {Move[]} moves */
  #renderRound(moves) {
    const { flow } = this;
    const player = this.#reader;
    const { names } = flow.match;
    const name = names[player];
    const goal = flow.round.goals[player];
    const opponent = flow.againstBot ? "the bot" : names[otherPlayer(player)];
    if (moves.length > 0) this.peeking = false;
    this.goal.render(
      {
        who: flow.againstBot ? "You want" : `${name} wants`,
        goal,
        toDo: capitalized(flow.judge.tree.rules.toDo(goal, opponent)),
        covered: flow.againstBot ? "Your goal is covered." : `${name}\u2019s goal is covered.`,
        show: flow.againstBot ? "Show" : `Show ${name}\u2019s goal`,
        hide: flow.againstBot ? "Cover" : "Cover it",
      },
      flow.againstBot ? recall(COVERED) !== "yes" : this.peeking,
    );
    this.turn.replaceChildren(
      turnWords(flow, this.#table, player),
      " ",
      h("small", {}, standing(flow.cursor, this.#table, false)),
    );
    this.result.replaceChildren();
    const takeBack = flow.match.takeback === true;
    this.#renderButtons([
      ...(flow.againstBot ? [keyButton("Hint", "h", () => this.#toggleHint(), { pressed: this.hinted })] : []),
      ...(takeBack ? [keyButton("Take back", "u", () => this.#takeBack(), { disabled: !flow.canTakeBack })] : []),
    ]);
  }

  #renderResult() {
    const { flow } = this;
    this.hinted = false;
    const result = resultOf(flow, this.#table);
    this.goal.open(result.goals);
    this.turn.textContent = result.headline;
    this.result.replaceChildren(resultPanel(this.app, flow, result, this.actions.review));
    const { winner } = flow.match;
    const main =
      winner === null
        ? keyButton("Next round", "Enter", this.actions.next)
        : keyButton("Play again", "Enter", this.actions.again);
    main.classList.add("main");
    if (this.actions.afterwards) return this.#renderButtons(this.actions.afterwards());
    const review = h("a", { class: "button", href: "#review" }, "Review the match");
    this.#renderButtons(winner === null ? [main] : [main, review]);
  }

  /** The buttons keep the keyboard's focus where they stay. @param {HTMLElement[]} buttons */
  #renderButtons(buttons) {
    const focused = [...this.buttons.children].findIndex((element) => element === document.activeElement);
    const name = this.buttons.children[focused]?.textContent;
    this.buttons.replaceChildren(...buttons);
    buttons.find((element) => name && element.textContent === name)?.focus();
  }

  /** @param {Move[]} moves @param {import("./hint_words.js").Hint | null} shown */
  #renderBoard(moves, shown) {
    const { cursor, mover, round } = this.flow;
    const answer = moves.at(-1);
    const fresh = answer !== undefined && this.flow.againstBot && answer.player === BOT ? [answer.square] : [];
    /** @type {[number, string][]} */
    const appearing = fresh.map((square) => [square, "fresh"]);
    this.board.render({
      moves: round.moves,
      playable: mover === null ? [] : freeSquares(cursor.board),
      lines: [...linesOf(cursor.board.first), ...linesOf(cursor.board.second)],
      classes: new Map([...(shown?.classes ?? []), ...appearing]),
      ...(shown === null ? {} : { notes: shown.notes, heard: shown.heard }),
    });
  }

  /** Whose goal is on the card: the person's, or that of who is to move. @returns {Player} */
  get #reader() {
    return this.flow.againstBot ? PERSON : (this.flow.mover ?? PERSON);
  }

  #hint() {
    return hint(this.flow.judge, this.flow.cursor, this.flow.round.goals[PERSON], digitOf);
  }

  /** @param {number} square */
  #play(square) {
    this.hinted = false;
    const moves = this.flow.play(square);
    this.render(moves);
    if (this.flow.match.round === null) this.focus();
  }

  #takeBack() {
    if (!this.flow.takeBack()) return;
    this.hinted = false;
    this.peeking = false;
    this.#show([]);
    this.app.announce(`Taken back. ${turnOf(this.flow.match.names[this.#reader])}`);
    this.board.focus(5);
  }

  #toggleHint() {
    this.hinted = !this.hinted;
    if (this.hinted) this.flow.countHint();
    this.#show([]);
    if (!this.hinted) return;
    const { heading, best } = this.#hint();
    this.app.announce(`${heading} ${best.map(({ squares, text }) => `${squares}: ${text}`).join(", ")}.`);
  }

  /** @param {boolean} shown */
  #uncover(shown) {
    if (this.flow.againstBot) keep(COVERED, shown ? null : "yes");
    this.peeking = shown;
    this.#show([]);
  }

  /** Put the keyboard's focus where the next step is. */
  focus() {
    if (this.flow.match.round === null) this.buttons.querySelector("button")?.focus();
    else this.board.focus(5);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const on = event.target instanceof Element ? event.target.closest("button, a, summary") : null;
    const key = event.key.toLowerCase();
    const over = this.flow.match.round === null;
    const square = squareOfKey(event);
    if (square !== null && !over) {
      if (freeSquares(this.flow.cursor.board).includes(square)) this.#play(square);
      else this.app.announce(`${event.key} is taken.`);
    } else if (key === "h" && !over && this.flow.againstBot) this.#toggleHint();
    else if (key === "u" && !over) this.#takeBack();
    else if (key === "enter" && over && on === null) this.buttons.querySelector("button")?.click();
  }
}
