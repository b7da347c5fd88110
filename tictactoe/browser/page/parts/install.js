/** A hint, from the second visit on, that the page can stand among a device's programs; where it can, and once. */

import { h } from "./dom.js";
import { keep, recall } from "./settings.js";

const VISITS = "visits";
const ANSWER = "install";
const VISIT = "smbc-tictactoe visit";

/** What the browser lends for asking the person; it comes when it comes. @type {any} */
let offer = null;
/** Where the hint is to stand. @type {HTMLElement | null} */
let place = null;

/** At the start of the page: count the visit, and wait for the browser's offer. */
export function watchInstalling() {
  try {
    if (sessionStorage.getItem(VISIT) === null) keep(VISITS, String(visits() + 1));
    sessionStorage.setItem(VISIT, "counted"); // a reload is not another visit
  } catch {
    // A browser that keeps nothing installs nothing either.
  }
  addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault(); // no bar of its own over the first round
    offer = event;
    show();
  });
  addEventListener("appinstalled", () => answer("yes"));
}

/** The place of the hint, which is empty until there is one. */
export function installHint() {
  place = h("div", { class: "install" });
  show();
  return place;
}

function visits() {
  return Number(recall(VISITS)) || 0;
}

/** @param {string} text  After which nobody asks again. */
function answer(text) {
  keep(ANSWER, text);
  place?.replaceChildren();
}

function show() {
  const byHand = /** @type {any} */ (navigator).standalone === false; // Safari on a phone, which makes no offer
  if (place === null || visits() < 2 || recall(ANSWER) !== null || (offer === null && !byHand)) return;
  const how = byHand ? "Tap Share, then Add to Home Screen: this page" : "Install this page: it";
  place.replaceChildren(
    h(
      "div",
      { class: "card offer" },
      h("p", {}, `${how} then opens like an app and works without a network.`),
      offer !== null && button("Install", () => offer.prompt().then(() => answer("asked"))),
      button("Not now", () => answer("no")),
    ),
  );
}

/** @param {string} text @param {() => void} onclick */
function button(text, onclick) {
  return h("button", { class: "button", type: "button", onclick }, text);
}
