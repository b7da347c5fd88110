/** The screen "Review": the match that was played last, matches before it, an opened one, and the rounds of each. */

import { failureNotice } from "../../parts/failure.js";
import { h } from "../../parts/dom.js";
import { keypad } from "../../parts/keypad.js";
import { historyText } from "../../parts/kept_history.js";
import { matchList } from "./match_list.js";
import { UnreadableMatchError, loadMatch, reviewedRounds } from "./match_review.js";
import { matchView } from "./match_view.js";
import { openButton } from "./opened_file.js";
import { judgeMatches, newestMatch, pastMatch, pastMatches } from "./past_matches.js";
import { addressOfFile, addressOfMatches, placeOf } from "./place.js";
import { otherName } from "./result_text.js";
import { roundView } from "./round_view.js";
import { transcriptButton } from "./transcript_button.js";

/**
 * @typedef {import("../../play/history.js").PastMatch} PastMatch
 * @typedef {import("../../play/referee.js").Player} Player
 * @typedef {import("../screen.js").App} App
 * @typedef {import("../screen.js").Screen} Screen
 * @typedef {import("./match_review.js").LoadedMatch} LoadedMatch
 * @typedef {import("./place.js").ReviewPlace} ReviewPlace
 * @typedef {import("./round_replay.js").RoundReplay} RoundReplay
 */

/** @param {App} app @returns {Screen} */
export function reviewScreen(app) {
  const view = new ReviewScreen(app);
  return {
    title: "Review",
    element: view.element,
    show: (address) => view.show(address),
    hide: () => view.hide(),
    onKey: (event) => view.replay?.onKey(event),
  };
}

class ReviewScreen {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.element = h("div", { class: "review" });
    /** @type {Player} */
    this.player = 0;
    /** Whether the person has just chosen who reads. */
    this.pressed = false;
    /** @type {RoundReplay | null} */
    this.replay = null;
    /** The match that was loaded last, and by what it is known. @type {{ text: string, loaded: LoadedMatch } | null} */
    this.known = null;
    /** From a file. @type {LoadedMatch | null} */
    this.opened = null;
    /** Where the person is, or was before another screen was shown. */
    this.place = placeOf("review");
    /** What is to be seen; empty while another screen is. */
    this.shown = "";
    /** What stands in the element as a whole, and is left as it is when the person comes back to it. */
    this.complete = "";
    /** By what was shown: how far the person had scrolled. @type {Map<string, number>} */
    this.scrolled = new Map();
  }

  hide() {
    this.scrolled.set(this.shown, scrollY);
    this.shown = "";
  }

  /** @param {string} address */
  show(address) {
    const place = placeOf(address);
    this.place = place;
    const text = this.#textOf(place);
    const wanted = JSON.stringify([address, this.player, keypad(), text]);
    const inside = this.shown !== "";
    if (inside && place.round !== "") this.scrolled.set(this.shown, scrollY);
    this.shown = wanted;
    if (wanted === this.complete && !inside) this.#scroll();
    else this.#load(place, text, inside);
  }

  /** What changes when something else is to be seen at the place. @param {ReviewPlace} place */
  #textOf({ kind, time }) {
    if (kind === "last") return JSON.stringify(newestMatch(this.app.catalogue));
    if (kind === "matches") return String(historyText().match(/"time":\d+/g));
    return kind === "past" ? `past ${time}` : "file";
  }

  /** To where the person was when this was shown before, else to the top. */
  #scroll() {
    scrollTo(0, this.scrolled.get(this.shown) ?? 0);
    this.scrolled.delete(this.shown);
  }

  /**
   * @param {ReviewPlace} place
   * @param {string} text  What was kept as the match.
   * @param {boolean} inside  Whether another part of this screen was shown before.
   */
  async #load(place, text, inside) {
    const wanted = this.shown;
    this.complete = "";
    try {
      const matches = place.kind === "matches" ? await this.#showMatches(wanted) : [];
      if (place.kind !== "matches") await this.#showMatch(place, text);
      if (wanted !== this.shown) return;
      this.complete = wanted;
      this.#scroll();
      if (inside) this.#focus();
      await this.#judge(matches, wanted);
    } catch (error) {
      if (wanted === this.shown) this.#fail(place, error);
    }
  }

  /** @param {ReviewPlace} place @param {string} text */
  async #showMatch(place, text) {
    const wanted = this.shown;
    const loaded = await this.#loaded(place, text);
    if (wanted !== this.shown) return;
    if (loaded === null) this.#showNothing();
    else this.#render(place, loaded);
  }

  /** The match at a place; null where there is none. @param {ReviewPlace} place @param {string} text */
  async #loaded(place, text) {
    if (place.kind === "file") {
      if (this.opened === null)
        throw new UnreadableMatchError("This page does not keep opened files: open the file again.");
      return this.opened;
    }
    if (this.known?.text === text) return this.known.loaded;
    const kept = place.kind === "past" ? pastMatch(this.app.catalogue, place.time) : newestMatch(this.app.catalogue);
    if (kept === null && place.kind === "past") {
      throw new UnreadableMatchError("This match is no longer kept: there have been too many since.");
    }
    if (kept === null) return null;
    this.#fill("Review", h("p", { class: "muted" }, "Looking at every move \u2026"));
    this.known = { text, loaded: await loadMatch(this.app.catalogue, kept) };
    return this.known.loaded;
  }

  #showNothing() {
    const words = "No match has been played here yet. Play one, and come back after its first round.";
    this.#fill("Review", h("p", {}, words), toPlay(), this.#openButton());
  }

  /** Show all matches, and return them. @param {string} wanted  What is to be seen then. */
  async #showMatches(wanted) {
    const { matches, damaged } = await pastMatches(this.app.catalogue);
    if (wanted === this.shown) {
      this.#fill("Review", matchList(this.app.catalogue, matches, damaged), this.#openButton());
    }
    return matches;
  }

  /** @param {readonly PastMatch[]} matches  Those that are shown. @param {string} wanted  As `#showMatches`. */
  async #judge(matches, wanted) {
    if (!(await judgeMatches(this.app.catalogue, matches)) || wanted !== this.shown) return;
    const focused = this.element.contains(document.activeElement) && document.activeElement?.getAttribute("href");
    await this.#showMatches(wanted);
    const links = [...this.element.querySelectorAll("a")];
    if (focused) links.find((link) => link.getAttribute("href") === focused)?.focus({ preventScroll: true });
  }

  #openButton() {
    return openButton(this.app, (loaded) => {
      this.opened = loaded;
      this.player = 0;
      if (placeOf(location.hash.slice(1)).kind === "file") this.app.replace(addressOfFile());
      else this.app.go(addressOfFile());
    });
  }

  /** Where the keyboard is after another part has taken the place of what had the focus. */
  #focus() {
    const pressed = /** @type {HTMLElement | null} */ (this.element.querySelector("[aria-pressed=true]"));
    (this.pressed ? pressed : this.element.closest("main"))?.focus({ preventScroll: true });
    this.pressed = false;
  }

  /** @param {ReviewPlace} place @param {unknown} error */
  #fail(place, error) {
    if (error instanceof UnreadableMatchError) {
      const comes = place.kind === "last" ? " A new match will take its place." : "";
      this.#fill("Review", h("p", {}, `${error.message}${comes}`), toPlay(), this.#openButton());
    } else {
      const again = () => this.show(location.hash.slice(1));
      const button = h("button", { type: "button", class: "button", onclick: again }, "Try again");
      this.#fill("Review", failureNotice(error), button);
    }
  }

  /** @param {ReviewPlace} place @param {LoadedMatch} loaded */
  #render(place, loaded) {
    const { match } = loaded;
    const isAgainstBot = match.opponent !== null;
    if (isAgainstBot) this.player = 0;
    const rounds = reviewedRounds(loaded, this.player);
    if (rounds.length === 0) {
      this.#fill("Review", h("p", {}, "No round of your match is over yet. Come back after the first one."), toPlay());
      return;
    }
    const reader = {
      player: this.player,
      opponent: isAgainstBot ? "the bot" : otherName(loaded, this.player),
      solution: this.app.catalogue.addressName(loaded.solution),
      address: place.match,
    };
    const choice = isAgainstBot ? [] : [this.#whoReads(match.names)];
    if (place.round === "") {
      this.#fill(
        "Review",
        ...choice,
        matchView(loaded, rounds, reader, this.app),
        h("div", { class: "files" }, transcriptButton(this.app, loaded), this.#openButton()),
      );
      return;
    }
    const round = rounds.find(({ record }) => String(record.number) === place.round);
    if (round === undefined) {
      this.#fill(
        "Review",
        h("p", {}, `This match has no finished round ${place.round}.`),
        h("a", { class: "button", href: `#${place.match}` }, "All rounds"),
      );
      return;
    }
    const { element, replay } = roundView(rounds, round, reader, this.app.announce);
    this.#fill(`Review of round ${place.round}`, ...choice, element);
    this.replay = replay;
  }

  /** @param {string} title @param {...Node} content */
  #fill(title, ...content) {
    this.replay = null;
    this.element.replaceChildren(
      h("div", { class: "review-top" }, h("h1", {}, title), title === "Review" && this.#parts()),
      ...content,
    );
  }

  /** The ways to other matches. */
  #parts() {
    const { kind } = this.place;
    const link = (/** @type {string} */ address, /** @type {string} */ name, /** @type {boolean} */ here) =>
      h("a", { class: "button", href: `#${address}`, "aria-current": here && "true" }, name);
    return h(
      "nav",
      { class: "parts", "aria-label": "Which matches" },
      link("review", "Last match", kind === "last"),
      link(addressOfMatches(), "All matches", kind === "matches"),
    );
  }

  /** For two people: which of them reads. @param {readonly [string, string]} names */
  #whoReads(names) {
    const buttons = /** @type {Player[]} */ ([0, 1]).map((player) => {
      const choose = () => {
        this.player = player;
        this.pressed = true;
        this.show(location.hash.slice(1));
      };
      const pressed = String(player === this.player);
      return h("button", { type: "button", class: "button", "aria-pressed": pressed, onclick: choose }, names[player]);
    });
    return h("p", { class: "who-reads" }, "You are: ", ...buttons);
  }
}

function toPlay() {
  return h("p", {}, h("a", { class: "button main", href: "#play" }, "Play"));
}
