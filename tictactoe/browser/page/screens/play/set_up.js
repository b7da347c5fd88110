/** Before a match: one big button, and what can be chosen. */

import { capitalized } from "../../parts/words.js";
import { h } from "../../parts/dom.js";
import { chooseKeypad, keypad } from "../../parts/keypad.js";
import { LONGEST_NAME } from "../../play/kept_match.js";
import { choice, selection, switchBox } from "./controls.js";
import { rulesNote } from "./rules_note.js";
import { FIRST, keepWish, possible, recalledWish, wrongNames } from "./wish.js";

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
    this.summary = h("p", { class: "muted summary" });
    this.wrong = h("p", { class: "wrong", role: "alert" });
    this.start = h(
      "button",
      { class: "button main play-button", type: "button", onclick: () => this.#begin() },
      "Play",
    );
    this.players = h("div");
    this.others = h("div", { class: "choices" });
    this.element = h(
      "div",
      { class: "set-up" },
      h("h1", {}, "Play"),
      this.notice,
      h(
        "p",
        {},
        "Tic-tac-toe, but each of you has a secret goal: to win, to lose or to tie. Reach yours and you score a point.",
      ),
      this.start,
      h("p", { class: "new-here" }, "New here? ", h("a", { href: "#learn" }, "See how it is played"), "."),
      this.wrong,
      this.summary,
      h("div", { class: "choices" }, this.players, this.others),
    );
    this.#render();
  }

  /** Say something above the button. @param {string} text */
  tell(text) {
    this.notice.replaceChildren(h("p", { class: "notice" }, text));
  }

  /** Enter anywhere begins. @param {KeyboardEvent} event */
  onKey(event) {
    const on = event.target instanceof Element ? event.target.closest("button, a, summary") : null;
    if (event.key === "Enter" && on === null) this.#begin();
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
    this.players.replaceChildren(this.#players());
    this.#renderOthers();
  }

  /** All but who plays: names are being typed there. */
  #renderOthers() {
    const { wish } = this;
    const solution = this.#solution(wish.solution);
    const { people } = wish;
    const [one, other] = people ? wish.names : ["You", "Bot"];
    const begins = wish.points.some((points) => points > 0)
      ? ` from ${one} ${wish.points[0]} : ${wish.points[1]} ${other}`
      : "";
    const against = people ? `${one} and ${other} at this device` : `against the ${wish.opponent} opponent`;
    const { title } = solution.data.rules;
    this.summary.textContent = `A match to ${wish.winningScore}${begins}, ${against}; ${title}.`;
    this.others.replaceChildren(
      ...(people ? [] : [this.#opponents(solution)]),
      this.#rules(),
      this.#length(solution),
      this.#other(),
    );
  }

  #players() {
    const { wish } = this;
    const chosen = choice(
      "players",
      "Who plays",
      wish.people ? "people" : "bot",
      [
        { value: "bot", label: "You against a bot" },
        { value: "people", label: "Two people at this device" },
      ],
      (value) => this.#change({ people: value === "people" }),
    );
    if (!wish.people) return chosen;
    const names = wish.names.map((name, player) => {
      const input = h("input", { id: `name-${player}`, type: "text", maxlength: LONGEST_NAME, autocomplete: "off" });
      input.value = name;
      input.addEventListener("input", () => {
        const typed = input.value.trim().replace(/\s+/g, " ");
        this.wish.names = player === 0 ? [typed, this.wish.names[1]] : [this.wish.names[0], typed];
        this.wrong.textContent = wrongNames(this.wish.names);
        if (this.wrong.textContent) return;
        keepWish(this.wish);
        this.#renderOthers();
      });
      return h("label", { for: input.id }, player === 0 ? "One is called " : "The other one ", input);
    });
    chosen.append(h("div", { class: "names" }, ...names));
    return chosen;
  }

  /** @param {SolvedMatch} solution */
  #opponents(solution) {
    const options = solution.data.opponents.map(({ name, text }) => ({ value: name, label: name, text }));
    return choice("opponent", "The bot", this.wish.opponent, options, (value) => this.#change({ opponent: value }));
  }

  #rules() {
    const options = this.app.catalogue.solutions.map((solution) => ({
      value: solution.name,
      label: capitalized(solution.data.rules.title),
      text: solution.data.rules.text,
    }));
    return choice("rules", "Rules of a round", this.wish.solution, options, (value) =>
      this.#change({ solution: value }),
    );
  }

  /** @param {SolvedMatch} solution */
  #length(solution) {
    const { wish } = this;
    const lengths = Array.from({ length: solution.winningScore }, (_, index) => String(index + 1));
    const points = Array.from({ length: wish.winningScore }, (_, index) => String(index));
    const chosen = choice(
      "length",
      "Points that win the match",
      String(wish.winningScore),
      lengths.map((value) => ({ value, label: value })),
      (value) => this.#change({ winningScore: Number(value) }),
    );
    const [one, other] = wish.people ? wish.names : ["you have", "the bot has"];
    chosen.append(
      h(
        "div",
        { class: "from-score" },
        "To practise, begin at a score: ",
        selection("points-0", `${one} `, String(wish.points[0]), points, (value) =>
          this.#change({ points: [Number(value), wish.points[1]] }),
        ),
        selection("points-1", `${other} `, String(wish.points[1]), points, (value) =>
          this.#change({ points: [wish.points[0], Number(value)] }),
        ),
      ),
    );
    return chosen;
  }

  #other() {
    const { wish } = this;
    const [one, other] = wish.people ? wish.names : ["You", "The bot"];
    const labels = ["By lot", one, other];
    return h(
      "div",
      { class: "others" },
      choice(
        "first",
        "Who moves first in the first round",
        wish.first,
        FIRST.map((value, index) => ({ value, label: String(labels[index]) })),
        (value) => this.#change({ first: FIRST.find((one) => one === value) ?? "lot" }),
      ),
      choice(
        "keypad",
        "Digits on the board",
        keypad(),
        [
          { value: "phone", label: "1 2 3 at the top, as on a phone" },
          { value: "numpad", label: "7 8 9 at the top, as on a numpad" },
        ],
        (value) => {
          chooseKeypad(value === "numpad" ? "numpad" : "phone");
          this.#change({});
        },
      ),
      switchBox("takeback", "Moves may be taken back", wish.takeback, (on) => this.#change({ takeback: on })),
      h(
        "details",
        { class: "fold" },
        h("summary", {}, "What a match is"),
        h("div", { class: "folded" }, ...rulesNote(this.#solution(wish.solution).data.rules, wish.winningScore)),
      ),
    );
  }
}
