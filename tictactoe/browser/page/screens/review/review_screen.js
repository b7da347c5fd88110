/** The screen "Review": the match that was played last in this browser, and its rounds. */

import { failureNotice } from "../../parts/failure.js";
import { h } from "../../parts/dom.js";
import { keypad } from "../../parts/keypad.js";
import { recall, recallData } from "../../parts/settings.js";
import { otherPlayer, pointsOf } from "../../play/referee.js";
import { UnreadableMatchError, loadMatch, reviewedRounds } from "./match_review.js";
import { matchView } from "./match_view.js";
import { addressName } from "./round_review.js";
import { roundView } from "./round_view.js";
import { transcriptButton } from "./transcript_button.js";

/**
 * @typedef {import("../../play/referee.js").Player} Player
 * @typedef {import("../screen.js").App} App
 * @typedef {import("../screen.js").Screen} Screen
 * @typedef {import("./match_review.js").LoadedMatch} LoadedMatch
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
    /** The match that was loaded last, and as what it was kept. @type {{ text: string, loaded: LoadedMatch } | null} */
    this.known = null;
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
    const text = recall("match") ?? "";
    const wanted = JSON.stringify([address, this.player, keypad(), text]);
    const inside = this.shown !== "";
    if (inside && address !== "review") this.scrolled.set(this.shown, scrollY);
    this.shown = wanted;
    if (wanted === this.complete && !inside) this.#scroll();
    else this.#load(address, text, inside);
  }

  /** To where the person was when this was shown before, else to the top. */
  #scroll() {
    scrollTo(0, this.scrolled.get(this.shown) ?? 0);
    this.scrolled.delete(this.shown);
  }

  /**
   * @param {string} address
   * @param {string} text  What was kept as the match.
   * @param {boolean} inside  Whether another part of this screen was shown before.
   */
  async #load(address, text, inside) {
    const wanted = this.shown;
    this.complete = "";
    try {
      if (this.known?.text !== text) {
        const kept = recallData("match");
        if (kept === null) {
          this.#fill(
            "Review",
            h("p", {}, "No match has been played here yet. Play one, and come back after its first round."),
            toPlay(),
          );
          return;
        }
        this.#fill("Review", h("p", { class: "muted" }, "Looking at every move …"));
        this.known = { text, loaded: await loadMatch(this.app.catalogue, kept) };
      }
      if (wanted !== this.shown || this.known === null) return;
      this.#render(address, this.known.loaded);
      this.complete = wanted;
      this.#scroll();
      if (inside) this.#focus();
    } catch (error) {
      if (wanted === this.shown) this.#fail(address, error);
    }
  }

  /** Where the keyboard is after another part has taken the place of what had the focus. */
  #focus() {
    const pressed = /** @type {HTMLElement | null} */ (this.element.querySelector("[aria-pressed=true]"));
    (this.pressed ? pressed : this.element.closest("main"))?.focus({ preventScroll: true });
    this.pressed = false;
  }

  /** @param {string} address @param {unknown} error */
  #fail(address, error) {
    if (error instanceof UnreadableMatchError) {
      this.#fill("Review", h("p", {}, `${error.message} A new match will take its place.`), toPlay());
    } else {
      const again = h("button", { type: "button", class: "button", onclick: () => this.show(address) }, "Try again");
      this.#fill("Review", failureNotice(error), again);
    }
  }

  /** @param {string} address @param {LoadedMatch} loaded */
  #render(address, loaded) {
    const { match, solution } = loaded;
    if (match.opponent !== null) this.player = 0;
    const opponent = match.opponent === null ? match.names[otherPlayer(this.player)] : "the bot";
    const rounds = reviewedRounds(loaded, this.player);
    const name = addressName(this.app, solution);
    const choice = match.opponent === null ? [this.#whoReads(address, match.names)] : [];
    if (rounds.length === 0) {
      this.#fill("Review", h("p", {}, "No round of your match is over yet. Come back after the first one."), toPlay());
      return;
    }
    const number = address.split("/")[1];
    if (number === undefined || number === "") {
      const about = h("p", {}, aboutMatch(loaded, this.player, opponent));
      const view = matchView(rounds, this.player, opponent, name);
      this.#fill("Review", about, ...choice, view, transcriptButton(this.app, loaded));
      return;
    }
    const round = rounds.find(({ record }) => String(record.number) === number);
    if (round === undefined) {
      this.#fill(
        "Review",
        h("p", {}, `No round ${number} of this match is over.`),
        h("a", { href: "#review" }, "All rounds"),
      );
      return;
    }
    const { element, replay } = roundView(match, round, this.player, opponent, name, this.app.announce);
    this.#fill(`Review of round ${number}`, ...choice, element);
    this.replay = replay;
  }

  /** @param {string} title @param {...Node} content */
  #fill(title, ...content) {
    this.replay = null;
    this.element.replaceChildren(h("h1", {}, title), ...content);
  }

  /** For two people: which of them reads. @param {string} address @param {readonly [string, string]} names */
  #whoReads(address, names) {
    const buttons = /** @type {Player[]} */ ([0, 1]).map((player) => {
      const choose = () => {
        this.player = player;
        this.pressed = true;
        this.show(address);
      };
      const pressed = String(player === this.player);
      return h("button", { type: "button", class: "button", "aria-pressed": pressed, onclick: choose }, names[player]);
    });
    return h("p", { class: "who-reads" }, "You are: ", ...buttons);
  }
}

/**
 * @param {LoadedMatch} loaded
 * @param {Player} player
 * @param {string} opponent
 */
function aboutMatch({ match, solution }, player, opponent) {
  const points = pointsOf(match);
  const bot = match.opponent === null ? "" : ` \u201c${match.opponent}\u201d`;
  const what = `A match to ${match.winningScore}, where ${solution.data.rules.title}, you against ${opponent}${bot}`;
  const { winner } = match;
  if (winner === null) {
    const score = `${points[player]} : ${points[otherPlayer(player)]}`;
    return `${what}. It stands ${score} and goes on; only rounds that are over are told of.`;
  }
  return `${what}: ${winner === player ? "you" : opponent} won ${points[winner]} : ${points[otherPlayer(winner)]}.`;
}

function toPlay() {
  return h("p", {}, h("a", { class: "button main", href: "#play" }, "Play"));
}
