/** Before a match: the opponent, the rules, the points, one big button; all as it was chosen last. */

import { h, isOnControl } from "../../parts/dom.js";
import { installHint } from "../../parts/install.js";
import { choice } from "./controls.js";
import { moreChoices, moreWords } from "./more_choices.js";
import { opponentLadder, otherOpponents } from "./opponent_ladder.js";
import { overPicture, rulesChoice } from "./rules_choice.js";
import { keepWish, possible, recalledWish, wrongNames } from "./wish.js";

/**
 * @typedef {import("../../loading/solution_loader.js").SolvedMatch} SolvedMatch
 * @typedef {import("./wish.js").Wish} Wish
 */

/** The form; every choice is kept at once. */
export class SetUp {
  /**
   * @param {import("../screen.js").App} app
   * @param {(wish: Wish) => void} onPlay
   */
  constructor(app, onPlay) {
    this.app = app;
    this.onPlay = onPlay;
    this.wish = recalledWish(app.catalogue);
    this.notice = h("div", { "aria-live": "polite" });
    this.other = h("div", { "aria-live": "polite" });
    this.heading = h("h1", { class: "summary" });
    this.wrong = h("p", { class: "wrong", role: "alert" });
    this.picture = h("span", { "aria-hidden": "true" });
    /** A board, pressed anywhere: the match begins. */
    this.start = h(
      "button",
      { class: "play-button", type: "button", onclick: () => this.#begin() },
      this.picture,
      h("span", { class: "button main" }, "Play"),
    );
    this.players = h("div");
    this.match = h("div", { class: "choices" });
    this.moreText = h("span", { class: "muted" });
    this.more = h("div", { class: "folded choices" });
    this.element = h(
      "div",
      { class: "set-up" },
      h("div", { class: "head" }, this.notice, this.other, this.heading),
      h("div", { class: "board-place" }, this.start),
      h(
        "div",
        { class: "foot" },
        this.players,
        this.wrong,
        this.match,
        h(
          "div",
          { class: "below" },
          h("details", { class: "fold more" }, h("summary", {}, h("span", {}, "More ", this.moreText)), this.more),
          h("a", { class: "button", href: "#friend" }, "With a friend"),
          h("a", { class: "button", href: "#play/lesson" }, "How to play"),
        ),
        installHint(),
      ),
    );
    this.#render();
  }

  /** Say something above all else. @param {string} text */
  tell(text) {
    this.notice.replaceChildren(h("p", { class: "notice" }, text));
  }

  /**
   * Offer to go on with a match.
   *
   * @param {string | null} score  How it stands; null where there is none.
   * @param {() => void} onGoOn
   */
  offer(score, onGoOn) {
    const button = h("button", { class: "button", type: "button", onclick: onGoOn }, "Continue it");
    const text = `This match is unfinished: ${score}.`;
    this.other.replaceChildren(
      ...(score === null ? [] : [h("div", { class: "card offer" }, h("p", {}, text), button)]),
    );
  }

  /** Put the keyboard's focus where the next step is. */
  focus() {
    this.start.focus({ preventScroll: true });
  }

  /** Enter anywhere begins. @param {KeyboardEvent} event */
  onKey(event) {
    if (event.key === "Enter" && !isOnControl(event)) this.#begin();
  }

  #begin() {
    const wrong = this.wish.people ? wrongNames(this.wish.names) : "";
    this.wrong.textContent = wrong;
    if (wrong) /** @type {HTMLInputElement | null} */ (this.players.querySelector(".names input"))?.focus();
    else this.onPlay(this.wish);
  }

  /** @param {Partial<Wish>} changed  What else there is to choose depends on it, so that all is made anew. */
  #change(changed) {
    const focused = document.activeElement?.id ?? "";
    const wish = { ...this.wish, ...changed };
    this.wish = possible(this.#solution(wish.solution), wish);
    keepWish(this.wish);
    this.wrong.textContent = "";
    this.#render();
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  }

  /** @param {string} name @returns {SolvedMatch} */
  #solution(name) {
    return this.app.catalogue.find(name) ?? this.app.catalogue.first;
  }

  #render() {
    const { wish } = this;
    const { data } = this.#solution(wish.solution);
    this.players.replaceChildren(
      wish.people
        ? this.#names()
        : opponentLadder(data, wish.opponent, wish.winningScore, (opponent) => this.#change({ opponent })),
    );
    this.#renderOthers();
  }

  /** All but who plays: names are being typed there. */
  #renderOthers() {
    const { wish } = this;
    const { solutions } = this.app.catalogue;
    const solution = this.#solution(wish.solution);
    const title = solution.data.opponents.find(({ name }) => name === wish.opponent)?.title ?? "a bot";
    const against = wish.people ? `: ${wish.names[0]} and ${wish.names[1]}` : ` against ${title}`;
    this.heading.textContent = `A match to ${wish.winningScore}${against}`;
    this.match.replaceChildren(
      ...(solutions.length > 1
        ? [rulesChoice(solutions, wish.solution, (name) => this.#change({ solution: name }))]
        : []),
      this.#length(solution),
    );
    this.picture.replaceChildren(overPicture(solution.data.rules));
    const words = moreWords(wish);
    this.moreText.textContent = words ? `\u00b7 ${words}` : "";
    const others = wish.people
      ? null
      : otherOpponents(solution.data, wish.opponent, (opponent) => this.#change({ opponent }));
    this.more.replaceChildren(
      ...(others === null ? [] : [others]),
      ...moreChoices(wish, solution.data.rules, (changed) => this.#change(changed)),
    );
  }

  #names() {
    const inputs = this.wish.names.map((name, player) => {
      const input = h("input", { id: `name-${player}`, type: "text", autocomplete: "off" });
      input.value = name;
      input.addEventListener("input", () => {
        const typed = input.value.trim().replace(/\s+/g, " ");
        this.wish.names = player === 0 ? [typed, this.wish.names[1]] : [this.wish.names[0], typed];
        this.wrong.textContent = wrongNames(this.wish.names);
        if (this.wrong.textContent) return;
        keepWish(this.wish);
        this.#renderOthers();
      });
      return h("label", { for: input.id }, player === 0 ? "One player\u2019s name " : "The other\u2019s name ", input);
    });
    return h(
      "fieldset",
      { class: "choice" },
      h("legend", {}, "Two people who share this device"),
      h("div", { class: "names" }, ...inputs),
    );
  }

  /** @param {SolvedMatch} solution */
  #length(solution) {
    const lengths = Array.from({ length: solution.winningScore }, (_, index) => String(index + 1));
    const chosen = choice(
      "length",
      "Points that win the match",
      String(this.wish.winningScore),
      lengths.map((value) => ({ value, label: value })),
      (value) => this.#change({ winningScore: Number(value) }),
    );
    chosen.classList.add("lengths");
    return chosen;
  }
}
