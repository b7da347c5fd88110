/** The screen "Play": choosing a match, loading what it needs, playing it, going on with the one that was kept. */

import { h } from "../../parts/dom.js";
import { failureNotice } from "../../parts/failure.js";
import { handOver } from "./hand_over.js";
import { MatchFlow, dropMatch, keptText } from "./match_flow.js";
import { askToLeave } from "./leave_dialog.js";
import { scoreLine } from "./result_words.js";
import { RoundView } from "./round_view.js";
import { SetUp } from "./set_up.js";
import { newMatch, recalledWish } from "./wish.js";

const DROPPED = "The match that this browser had kept is damaged, or belongs to another page; it has been dropped.";
/** Milliseconds; what loads faster needs no word about it. */
const PATIENCE = 150;

/**
 * @param {import("../screen.js").App} app
 * @param {import("../screen.js").RoundReview} review  What stands below a round that is over.
 * @returns {import("../screen.js").Screen}
 */
export function playScreen(app, review) {
  const element = h("div", { class: "play" });
  /** What is shown. @type {SetUp | RoundView | null} */
  let shown = null;
  /** The match that is played or looked at, null at the set-up. @type {MatchFlow | null} */
  let flow = null;
  /** Where it is shown. @type {RoundView | null} */
  let tableView = null;
  /** The match that is being loaded. @type {MatchFlow | null} */
  let entering = null;
  let visible = false;

  /** @param {HTMLElement} content @param {SetUp | RoundView | null} view */
  function place(content, view) {
    shown = view;
    element.replaceChildren(content);
  }

  function setUp(notice = "") {
    flow = null;
    const view = new SetUp(app, (wish) => ask(new MatchFlow(app.catalogue, newMatch(wish)), false));
    if (notice) view.tell(notice);
    place(view.element, view);
  }

  /**
   * Enter a match as the person wishes; a second click while one is being loaded is no second wish.
   *
   * @param {MatchFlow} wanted
   * @param {boolean} kept  As of `enter`.
   */
  function ask(wanted, kept) {
    if (entering === null) enter(wanted, kept, true);
  }

  /**
   * Load what the round needs, and show it.
   *
   * @param {MatchFlow} wanted
   * @param {boolean} kept  Whether its record comes from what the browser kept, and is to be checked.
   * @param {boolean} focus  Whether the person has just asked for it.
   */
  async function enter(wanted, kept, focus) {
    flow = wanted;
    entering = wanted;
    const patience = setTimeout(() => place(loading(), null), PATIENCE);
    const isLeft = () => flow !== wanted;
    try {
      const good = !kept || (await wanted.isGood());
      if (isLeft()) return;
      if (!good) {
        dropMatch();
        setUp(DROPPED);
        return;
      }
      const moves = await wanted.prepare();
      if (!isLeft()) show(wanted, moves, focus);
    } catch (error) {
      if (!isLeft())
        place(
          failure(error, () => ask(wanted, kept)),
          null,
        );
    } finally {
      clearTimeout(patience);
      if (entering === wanted) entering = null;
    }
  }

  /** @param {MatchFlow} wanted @param {import("./match_flow.js").Move[]} moves @param {boolean} focus */
  function show(wanted, moves, focus) {
    const secret = !wanted.againstBot && wanted.match.round?.moves.length === 0;
    if (secret) {
      const asking = handOver(wanted, () => table(wanted, moves, true), app.announce);
      place(asking.element, null);
      asking.render();
    } else table(wanted, moves, focus);
  }

  /** @param {MatchFlow} wanted @param {import("./match_flow.js").Move[]} moves @param {boolean} focus */
  function table(wanted, moves, focus) {
    const view = tableView?.flow === wanted ? tableView : new RoundView(app, wanted, { next, again, leave, review });
    tableView = view;
    if (shown !== view) place(view.element, view);
    view.render(moves);
    if (!focus) return;
    scrollTo(0, 0);
    view.focus();
  }

  async function next() {
    const wanted = flow;
    if (wanted === null || entering !== null || wanted.match.round !== null || wanted.match.winner !== null) return;
    entering = wanted;
    await wanted.next();
    if (flow === wanted) await enter(wanted, false, true);
  }

  function again() {
    ask(new MatchFlow(app.catalogue, newMatch(recalledWish(app.catalogue))), false);
  }

  function leave() {
    if (flow === null || flow.match.winner !== null) setUp();
    else {
      askToLeave(scoreLine(flow.match), () => {
        dropMatch();
        setUp();
      });
    }
  }

  function loading() {
    return h("p", { class: "card loading", role: "status" }, "Loading how the bot plays\u2026");
  }

  /** @param {unknown} error @param {() => void} again */
  function failure(error, again) {
    return h(
      "div",
      { class: "failure" },
      failureNotice(error),
      h(
        "div",
        { class: "actions" },
        h("button", { class: "button main", type: "button", onclick: again }, "Try again"),
        h("button", { class: "button", type: "button", onclick: leave }, "New match"),
      ),
    );
  }

  /** Show the match that is kept, which another window of the browser may have gone on with. */
  function refresh() {
    const kept = keptText();
    if (entering !== null || shown instanceof SetUp || (flow !== null && kept === JSON.stringify(flow.match))) return;
    const found = MatchFlow.ofKept(app.catalogue);
    if (found !== null) {
      enter(found, true, false);
      return;
    }
    if (kept !== null) dropMatch();
    setUp(kept === null ? "" : DROPPED);
  }

  addEventListener("storage", () => {
    if (visible) refresh();
  });
  return {
    title: "Play",
    element,
    show() {
      visible = true;
      refresh();
    },
    hide() {
      visible = false;
    },
    onKey: (event) => shown?.onKey(event),
  };
}
