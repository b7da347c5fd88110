/** The page: loads the list of what there is, and shows the screen that the address names. */

import { loadCatalogue } from "./loading/solution_loader.js";
import { loadPart } from "./loading/later.js";
import { keepForOffline } from "./loading/offline.js";
import { ignoreDoubleTaps } from "./parts/double_tap.js";
import { h } from "./parts/dom.js";
import { failureNotice } from "./parts/failure.js";
import { watchInstalling } from "./parts/install.js";
import { decoded } from "./parts/place.js";
import { applyTheme } from "./parts/preferences.js";
import { exploreScreen } from "./screens/explore/explore_screen.js";
import { learnScreen } from "./screens/learn/learn_screen.js";
import { lesson } from "./screens/lesson/lesson.js";
import { playScreen } from "./screens/play/play_screen.js";
import { practiceScreen } from "./screens/play/practice_screen.js";
import { preferencesButton, showKeys, soundButton } from "./screens/preferences/preferences_dialog.js";
import { reviewScreen } from "./screens/review/review_screen.js";
import { judgedAtOnce, roundReview } from "./screens/review/round_review.js";
import { riddleScreen } from "./screens/riddle/riddle_screen.js";

/**
 * @typedef {import("./screens/screen.js").App} App
 * @typedef {import("./screens/screen.js").Screen} Screen
 */

/** By the first word of the address; whatever has none of these is a position to explore. */
const SCREENS = {
  play: (/** @type {App} */ app) => playScreen(app, roundReview, lesson),
  review: reviewScreen,
  learn: learnScreen,
  riddle: riddleScreen,
  explore: exploreScreen,
  practice: (/** @type {App} */ app) => practiceScreen(app, roundReview, judgedAtOnce),
  friend: (/** @type {App} */ app) => laterScreen(app, "friend", "A friend on another device"),
};
/** The page's title up to its colon. */
const NAME = document.title.split(":")[0];

/** A screen that is loaded when it is first shown. @param {App} app @param {string} name @param {string} title */
function laterScreen(app, name, title) {
  const element = h("div");
  /** @type {Screen | null} */
  let made = null;
  return {
    title,
    element,
    async show(/** @type {string} */ address) {
      try {
        made ??= /** @type {Screen} */ ((await loadPart(name))(app));
        element.replaceChildren(made.element);
        made.show(address);
      } catch (error) {
        element.replaceChildren(failureNotice(error));
      }
    },
    onKey: (/** @type {KeyboardEvent} */ event) => made?.onKey?.(event),
  };
}

/** @param {string} address @returns {keyof typeof SCREENS} */
function screenOf(address) {
  const [word] = address.split("/");
  if (word === "") return "play";
  if (/^play\/([^/]+\/)?\d+-\d+/.test(address)) return "practice"; // with a position behind it
  return ["play", "review", "learn", "riddle", "friend"].includes(word)
    ? /** @type {keyof typeof SCREENS} */ (word)
    : "explore";
}

/** What stands behind the # of the page's address. */
function currentAddress() {
  return decoded(location.hash.slice(1));
}

/** @param {App} app @param {HTMLElement} place */
function router(app, place) {
  /** @type {Map<string, Screen>} */
  const made = new Map();
  /** @type {Screen | null} */
  let shown = null;

  function show() {
    const address = currentAddress();
    const name = screenOf(address);
    const screen = made.get(name) ?? SCREENS[name](app);
    made.set(name, screen);
    if (screen !== shown) {
      const first = shown === null;
      shown?.hide?.();
      shown = screen;
      place.replaceChildren(screen.element);
      if (!first) {
        scrollTo(0, 0);
        place.focus({ preventScroll: true });
      }
    }
    screen.show(address);
    document.title = `${screen.title} · ${NAME}`;
    for (const link of document.querySelectorAll("nav a[data-screen]")) {
      if (link.getAttribute("data-screen") === (name === "practice" || name === "friend" ? "play" : name))
        link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  addEventListener("hashchange", () => {
    document.querySelector("dialog")?.close(); // it asks about what was shown before
    show();
  });
  addEventListener("keydown", (event) => {
    const field = event.target instanceof Element && event.target.closest("input, select, textarea, dialog");
    // A key that is held down presses one button: what stands there afterwards has not been seen yet.
    if (!field && event.repeat && event.key === "Enter") event.preventDefault();
    if (field || event.defaultPrevented) return;
    if (event.key === "?") showKeys();
    else shown?.onKey?.(event);
  });
  /** Make all screens anew. */
  function remake() {
    made.clear();
    show();
  }
  return { show, remake };
}

/**
 * Have a text said, also one that has just been said: the same words again would be no news.
 *
 * @param {HTMLElement} announcer
 * @param {string} text
 */
function announce(announcer, text) {
  if (announcer.textContent === text) announcer.textContent = "";
  setTimeout(() => {
    announcer.textContent = text;
  });
}

async function main() {
  applyTheme();
  ignoreDoubleTaps();
  watchInstalling();
  const place = /** @type {HTMLElement} */ (document.querySelector("#screen"));
  document.querySelector(".skip")?.addEventListener("click", () => place.focus());
  const announcer = /** @type {HTMLElement} */ (document.querySelector("#announcer"));
  try {
    const catalogue = await loadCatalogue();
    if (catalogue.manifest.riddles === null) document.querySelector('nav a[data-screen="riddle"]')?.remove();
    /** @type {() => void} */
    let show = () => {};
    const app = {
      catalogue,
      go: (/** @type {string} */ address) => {
        location.hash = address;
      },
      replace: (/** @type {string} */ address) => {
        history.replaceState(null, "", `#${address}`);
        show();
      },
      announce: (/** @type {string} */ text) => announce(announcer, text),
    };
    const screens = router(app, place);
    show = screens.show;
    document.querySelector(".top")?.append(soundButton(), preferencesButton(screens.remake));
    show();
    if (catalogue.manifest.offline) keepForOffline();
  } catch (error) {
    place.replaceChildren(failureNotice(error));
  }
}

main();
