/** The screen of a round from a position on: its address is that of the position behind "play/". */

import { capitalized } from "../../parts/words.js";
import { h } from "../../parts/dom.js";
import { failureNotice } from "../../parts/failure.js";
import { PATIENCE, loadingNote } from "../../parts/loading_note.js";
import { addressOfPlace, placeAt } from "../../parts/place.js";
import { keyButton } from "./controls.js";
import { practiceAt } from "./practice.js";
import { RoundView } from "./round_view.js";

/**
 * @param {import("../screen.js").App} app
 * @param {import("../screen.js").RoundReview} review  What stands below a round that is over.
 * @param {import("../screen.js").Verdict} verdict  What is said of the first move at once.
 * @returns {import("../screen.js").Screen}
 */
export function practiceScreen(app, review, verdict) {
  const element = h("div", { class: "play practice" });
  /** @type {RoundView | null} */
  let shown = null;
  /** Counts the rounds that were asked for: what is loaded for an earlier one is not shown. */
  let asked = 0;

  /** A new round at the address. @param {string} address */
  async function begin(address) {
    asked += 1;
    const mine = asked;
    shown = null;
    const patience = setTimeout(() => element.replaceChildren(loadingNote()), PATIENCE);
    try {
      const place = placeAt(app.catalogue, address.replace(/^play\//, ""));
      const position = `#${addressOfPlace(app.catalogue, place)}`;
      const { flow, opponent, dealt } = await practiceAt(app.catalogue, place);
      clearTimeout(patience);
      if (mine !== asked) return;
      const again = () => begin(address);
      const leave = () => app.go(position.slice(1));
      const back = h("a", { class: "button", href: position }, "Back to the position");
      const afterwards = () => [keyButton("Again", "Enter", again, { main: true }), back];
      const view = new RoundView(app, flow, {
        next: again,
        again,
        leave,
        afterwards,
        review,
        verdict,
      });
      shown = view;
      element.replaceChildren(
        h("p", { class: "practice-note" }, "Practice does not count. ", h("a", { href: position }, "Back to Explore")),
        view.element,
        h("p", { class: "practice-note" }, `You play against ${opponent}. ${dealt}`),
      );
      view.render();
      scrollTo(0, 0);
      view.focus();
    } catch (error) {
      if (mine === asked) element.replaceChildren(problem(error, address));
    } finally {
      clearTimeout(patience);
    }
  }

  /** @param {unknown} error @param {string} address */
  function problem(error, address) {
    const wrong = error instanceof RangeError;
    return h(
      "div",
      { class: "failure" },
      h("h1", {}, "Practice"),
      wrong ? h("p", { class: "notice", role: "alert" }, `${capitalized(error.message)}.`) : failureNotice(error),
      h(
        "div",
        { class: "actions" },
        !wrong && h("button", { class: "button main", type: "button", onclick: () => begin(address) }, "Try again"),
        h("a", { class: "button", href: `#${address.replace(/^play\//, "")}` }, "Look at it in Explore"),
        h("a", { class: "button", href: "#play" }, "Play a match"),
      ),
    );
  }

  return {
    title: "Practice",
    element,
    show: begin,
    hide() {
      asked += 1;
      shown = null;
      element.replaceChildren();
    },
    onKey: (event) => shown?.onKey(event),
  };
}
