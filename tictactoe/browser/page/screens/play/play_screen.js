/** The screen "Play": choosing a match, loading what it needs, playing it, going on with the one that was kept. */

import { h } from "../../parts/dom.js";
import { rememberLeft } from "../../parts/kept_history.js";
import { keepLastMatch, lastMatchText } from "../../parts/last_match.js";
import { PATIENCE, loadingNote } from "../../parts/loading_note.js";
import { canKeep } from "../../parts/settings.js";
import { failureNotice } from "../../parts/failure.js";
import { handOver } from "./hand_over.js";
import { MatchFlow } from "./match_flow.js";
import { askToLeave, askToReplace } from "./leave_dialog.js";
import { scoreLine } from "./result_words.js";
import { RoundView } from "./round_view.js";
import { SetUp } from "./set_up.js";
import { isNew, keepTaught, keepWish, newMatch, recalledWish, usualWish } from "./wish.js";

const DROPPED = "The match that this browser kept can no longer be read and is lost.";
const DENIED = "This browser keeps nothing for this page: if you reload it, the match is lost.";
const FULL =
  "The storage of this browser is full: if you reload, your last moves are lost. Finish the match before you leave.";
/** Behind "play/" in an address. Without it, the match that is kept is shown. */
const LESSON = "lesson";
const NEW = "new";

/**
 * @param {import("../screen.js").App} app
 * @param {import("../screen.js").RoundReview} review  What stands below a round that is over.
 * @param {import("../screen.js").Lesson} makeLesson  The round that teaches.
 * @returns {import("../screen.js").Screen}
 */
export function playScreen(app, review, makeLesson) {
  const keepsAnything = canKeep();
  const warning = h("p", { class: "muted not-kept", role: "status" });
  const element = h("div", { class: "play" }, warning);
  /** What is shown. @type {SetUp | RoundView | import("../screen.js").ShownLesson | null} */
  let shown = null;
  /** The match that is played or looked at, null at the set-up. @type {MatchFlow | null} */
  let flow = null;
  /** Where it is shown. @type {RoundView | null} */
  let tableView = null;
  /** The match that is being loaded. @type {MatchFlow | null} */
  let entering = null;
  /** @type {import("../screen.js").ShownLesson | null} */
  let lesson = null;
  let visible = false;

  /** @param {HTMLElement} content @param {SetUp | RoundView | import("../screen.js").ShownLesson | null} view */
  function place(content, view) {
    if (view !== lesson) leaveLesson();
    shown = view;
    element.replaceChildren(warning, content);
    warn();
  }

  /** Say what a reload would lose, once for as long as it is so. */
  function warn() {
    const text = !keepsAnything ? DENIED : flow === null || flow.isKept ? "" : FULL;
    if (warning.textContent !== text) warning.textContent = text;
  }

  function setUp(notice = "") {
    flow = null;
    entering = null;
    const view = new SetUp(app, begin);
    if (notice) view.tell(notice);
    place(view.element, view);
    offerOther();
  }

  /** At the set-up: the match that goes on, left by the browser's back button, or begun in another tab. */
  function offerOther() {
    if (!(shown instanceof SetUp)) return;
    const other = unfinished();
    shown.offer(other === null ? null : scoreLine(other.match), () => other !== null && ask(other, true));
  }

  /** The match that is kept and goes on. */
  function unfinished() {
    const kept = MatchFlow.ofKept(app.catalogue);
    return kept === null || kept.match.winner !== null ? null : kept;
  }

  /** Begin a match; where another one goes on, only when the person wants to leave that one. */
  function begin(/** @type {import("./wish.js").Wish} */ wish) {
    const other = unfinished();
    const anew = () => ask(new MatchFlow(app.catalogue, newMatch(wish)), false);
    if (other === null) anew();
    else {
      askToReplace(
        scoreLine(other.match),
        () => ask(other, true),
        () => {
          rememberLeft(other.match);
          anew();
        },
      );
    }
  }

  function showLesson() {
    const first = shown === null;
    flow = null;
    const wish = usualWish(app.catalogue);
    const made = makeLesson(app, {
      title: `Play a match to ${wish.winningScore}`,
      begin: () => begin(wish),
      choose: leaveForMatch,
    });
    lesson = made;
    made.begin();
    place(made.element, made);
    if (!first) {
      scrollTo(0, 0);
      made.focus();
    }
    // What the match begins with is there, then, when the lesson is over.
    const solution = app.catalogue.find(wish.solution);
    solution?.loadRoundOfShorter([0, 0], wish.winningScore).catch(() => {});
  }

  /** To the match that goes on, or to choosing one. */
  function leaveForMatch() {
    const kept = unfinished();
    if (kept === null) chooseAnew();
    else ask(kept, true);
  }

  function leaveLesson() {
    if (lesson === null) return;
    lesson.end();
    lesson = null;
    keepTaught();
  }

  /**
   * Enter a match as the person wishes, from where the browser's back button then leads to the set-up, or to the lesson
   * at its address; a second click while one is being loaded is no second wish.
   *
   * @param {MatchFlow} wanted
   * @param {boolean} kept  As of `enter`.
   */
  function ask(wanted, kept) {
    if (entering !== null) return;
    const begins = flow === null;
    enter(wanted, kept, true);
    if (!begins) return;
    if (!location.hash.startsWith("#play/")) history.replaceState(null, "", `#play/${NEW}`);
    app.go("play");
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
    if (isNew()) keepTaught();
    wanted.onKept = () => flow === wanted && warn();
    const patience = setTimeout(() => place(loadingNote(), null), PATIENCE);
    const isLeft = () => flow !== wanted;
    try {
      const good = !kept || (await wanted.isGood());
      if (isLeft()) return;
      if (!good) {
        keepLastMatch(null);
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
    const view =
      tableView?.flow === wanted ? tableView : new RoundView(app, wanted, { next, again, against, leave, review });
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
    begin(recalledWish(app.catalogue));
  }

  /** A match of the same kind against another bot. @param {string} opponent */
  function against(opponent) {
    const wish = { ...recalledWish(app.catalogue), opponent };
    keepWish(wish);
    begin(wish);
  }

  /** The set-up, as the person has asked for it. */
  function chooseAnew() {
    setUp();
    scrollTo(0, 0);
    if (shown instanceof SetUp) shown.focus();
    app.go(`play/${NEW}`);
  }

  function leave() {
    if (flow === null || flow.match.winner !== null) chooseAnew();
    else {
      const { match } = flow;
      askToLeave(scoreLine(match), () => {
        rememberLeft(match);
        keepLastMatch(null);
        chooseAnew();
      });
    }
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
    const kept = lastMatchText();
    if (entering !== null || (flow !== null && kept === JSON.stringify(flow.match))) return;
    const found = MatchFlow.ofKept(app.catalogue);
    if (found !== null) {
      enter(found, true, false);
      return;
    }
    if (kept === null && shown instanceof SetUp) return;
    if (kept !== null) keepLastMatch(null);
    setUp(kept === null ? "" : DROPPED);
  }

  addEventListener("storage", () => {
    if (!visible || lesson !== null) return;
    if (shown instanceof SetUp) offerOther();
    else refresh();
  });
  return {
    title: "Play",
    element,
    show(address) {
      visible = true;
      const part = address.split("/")[1] ?? "";
      if (part === LESSON) showLesson();
      else if (part === NEW) {
        if (shown instanceof SetUp) offerOther();
        else setUp();
      } else if (shown === null && lastMatchText() === null && isNew()) showLesson();
      else refresh();
    },
    hide() {
      visible = false;
    },
    onKey: (event) => shown?.onKey(event),
  };
}
