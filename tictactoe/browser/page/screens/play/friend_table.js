/** A match with a friend on another device, on the same board as every match. */

import { lastMatch, keepLastMatch } from "../../parts/last_match.js";
import { h } from "../../parts/dom.js";
import { keptHistory, rememberLeft } from "../../parts/kept_history.js";
import { matchOf } from "../../play/kept_match.js";
import { otherPlayer } from "../../play/referee.js";
import { keyButton } from "./controls.js";
import { askToLeave } from "./leave_dialog.js";
import { MatchFlow } from "./match_flow.js";
import { scoreLine } from "./result_words.js";
import { RoundView } from "./round_view.js";
import { newMatch, possible, recalledWish } from "./wish.js";

/**
 * @typedef {import("../../play/friend_session.js").FriendSession} FriendSession
 * @typedef {import("../screen.js").App} App
 */

/** Milliseconds in which both pages open their goals, usually: the result is shown at once then. */
const OPENING = 250;

/** The match as the table shows it: round after round, when the person here wants the next. */
class FriendFlow extends MatchFlow {
  /** @param {import("../../loading/solution_loader.js").Catalogue} catalogue @param {FriendSession} session */
  constructor(catalogue, session) {
    super(catalogue, session.game.match, false);
    this.session = session;
    this.shown = "";
  }

  get friend() {
    return this.session.game.match.names[1];
  }

  /** @override */
  get isShared() {
    return false;
  }

  /** @override */
  get canMark() {
    return this.session.canMark && this.match.round !== null;
  }

  /** @override */
  get notice() {
    const { status, game } = this.session;
    if (this.match.round === null) return "";
    if (status !== "here") return `${this.friend} is not connected.`;
    return game.phase === "move" ? "" : `The round is decided. ${this.friend}\u2019s goal is being opened\u2026`;
  }

  /** @override @param {number} square @returns {import("./match_flow.js").Move[]} */
  play(square) {
    this.session.play(square);
    return []; // it is shown when the message has been made
  }

  /**
   * Take over how the match stands; null where nothing is to be seen of it yet.
   *
   * @returns {Promise<import("./match_flow.js").Move[] | null>}  What has been marked since the last time.
   */
  async follow() {
    if (this.session.game.phase.endsWith("opens")) await new Promise((resolve) => setTimeout(resolve, OPENING));
    const { match, terms } = this.session.game;
    const round = match.round ?? match.rounds.at(-1);
    if (round === undefined) return this.shown === "" ? null : [];
    const name = `${terms.id} ${round.number}`;
    const known = this.shown === "" ? round.moves.length : this.shown === name ? this.round.moves.length : 0;
    if (name !== this.shown) {
      this.perfect = await this.solution.loadRoundOfShorter(round.score, match.winningScore);
    }
    const ends = this.shown === name && this.match.round !== null && match.round === null;
    this.shown = name;
    /** @type {[string, string]} */
    const names = ["You", match.names[1]];
    this.match = { ...match, names };
    /** @type {import("../../play/referee.js").Player[]} */
    const players = [round.first, otherPlayer(round.first)];
    const moves = round.moves.map((square, index) => ({ player: players[index % 2], square }));
    return moves.slice(ends ? Math.min(known, moves.length - 1) : known);
  }
}

/**
 * @param {import("../screen.js").RoundReview} review
 * @param {App} app
 * @param {FriendSession} session
 * @param {() => void} onLeave
 * @returns {import("../screen.js").FriendTable}
 */
export function friendTable(review, app, session, onLeave) {
  const flow = new FriendFlow(app.catalogue, session);
  const leave = () => {
    if (session.hasEnded || session.game.phase === "over") onLeave();
    else askToLeave(scoreLine(flow.match), onLeave);
  };
  const view = new RoundView(app, flow, { next: () => {}, again: () => {}, leave, review, afterwards });
  const element = h("div", {});
  let seen = "";
  let queue = Promise.resolve(false);

  function afterwards() {
    const isOver = flow.match.winner !== null;
    const words = isOver ? "Play again" : "Next round";
    const next = session.isWaiting
      ? h("p", { class: "muted" }, `Waiting for ${flow.friend}\u2026`)
      : keyButton(words, "Enter", () => session.next(), { main: true });
    const time = /** @type {any} */ (keptHistory())?.[0]?.time;
    return [
      ...(session.hasEnded ? [] : [next]),
      ...(isOver ? [h("a", { class: "button", href: `#review/match-${time}` }, "Review the match")] : []),
    ];
  }

  async function update() {
    const moves = await flow.follow();
    if (moves === null) return false;
    const now = JSON.stringify([flow.match, flow.notice, flow.canMark, session.isWaiting, session.status]);
    if (now !== seen) {
      seen = now;
      element.replaceChildren(view.element);
      view.render(moves);
    }
    return true;
  }

  function handToBot() {
    const { match } = session.game;
    const other = matchOf(lastMatch(), (name) => app.catalogue.playable(name));
    if (other !== null && other.winner === null) rememberLeft(other);
    const wish = { ...recalledWish(app.catalogue), solution: match.solution, winningScore: match.winningScore };
    const begun = newMatch({ ...possible(flow.solution, wish), people: false });
    keepLastMatch({ ...begun, score: match.score, first: match.first });
    app.go("play");
  }

  return {
    element,
    update: () => {
      queue = queue.then(update, update);
      return queue;
    },
    handToBot,
    onKey: (event) => view.onKey(event),
  };
}
