/**
 * The screen "Riddle": the one of today, others by theme, and positions that somebody has sent. Its addresses are
 * riddle, riddle/practice/THEME, and riddle/ before the address of a position.
 *
 * @typedef {import("../../loading/riddles.js").Riddles} Riddles
 * @typedef {import("../../loading/riddles.js").Theme} Theme
 * @typedef {import("./riddle_view.js").RiddleFrame} RiddleFrame
 */

import { THEMES, loadRiddles } from "../../loading/riddles.js";
import { counted } from "../../match/numbers.js";
import { h } from "../../parts/dom.js";
import { failureNotice } from "../../parts/failure.js";
import { PATIENCE, loadingNote } from "../../parts/loading_note.js";
import { addressOfPlace, cursorAt, placeAt } from "../../parts/place.js";
import { shareButton } from "../../parts/share_button.js";
import { addressOfPage } from "../../parts/sharing.js";
import { capitalized } from "../../parts/words.js";
import { TRIES, streakOf } from "../../play/riddle_days.js";
import { keepPractised, keepTried, keptDays, practised, today } from "./kept_riddles.js";
import { RiddleView } from "./riddle_view.js";

/** @type {Record<Theme, [string, string]>} */
const THEME_WORDS = {
  decline: ["Decline a win", "You could complete a row, and it would be a mistake."],
  lose: ["Lose on purpose", "You want the other player to have the row."],
  hide: ["Hide your goal", "After the right square the bot still cannot tell what you want."],
  punish: ["Punish", "The bot has just made a mistake. What now?"],
};
/** All themes in turn; whoever solves does not know which it is. */
const MIXED = "mixed";
const CHOICES = /** @type {const} */ ([MIXED, ...THEMES]);

/** @param {import("../screen.js").App} app @returns {import("../screen.js").Screen} */
export function riddleScreen(app) {
  const { catalogue } = app;
  const element = h("div", { class: "riddle" });
  /** @type {RiddleView | null} */
  let shown = null;
  /** Of today's riddle, 0 for others. */
  let number = 0;
  let visible = "";
  /** Counts what was asked for: what is loaded for an earlier one is not shown. */
  let asked = 0;

  /**
   * Load and show a riddle, or why a position is none.
   *
   * @param {string} text  The position.
   * @param {RiddleFrame} frame
   * @param {boolean} focus
   */
  async function begin(text, frame, focus) {
    const mine = asked;
    const place = placeAt(catalogue, text);
    const { position, solution } = place;
    const bot = await solution.loadRound(position.score);
    const { cursor, problem } = cursorAt(bot.tree, position.moves);
    if (mine !== asked) return;
    const { mover } = cursor;
    const goal = mover === null ? null : position.goals[mover];
    const over = mover === null || cursor.forcedOutcome !== null;
    if (problem !== null || over || goal === null || goal === undefined) {
      throw new RangeError(problem ?? (over ? "here the round is over" : "it does not say what the player wants"));
    }
    if (bot.costs(cursor.node, goal).every((cost) => cost === 0))
      throw new RangeError("here no square costs anything: there is nothing to find");
    const view = new RiddleView(app, place, bot, cursor, frame);
    shown = view;
    element.replaceChildren(view.element, ways());
    scrollTo(0, 0);
    if (focus) view.focus();
  }

  /** Where to go from any riddle. */
  function ways() {
    if (riddles === null) return "";
    const done = practised();
    const { practice } = riddles;
    return h(
      "section",
      { class: "practise", "aria-labelledby": "practise-heading" },
      h("h2", { id: "practise-heading" }, "Practise"),
      h(
        "ul",
        {},
        ...CHOICES.map((theme) => {
          const list = listOf(practice, theme);
          const solved = list.filter((text) => done.has(text)).length;
          return h(
            "li",
            {},
            h(
              "a",
              { class: "button", href: `#riddle/practice/${theme}` },
              theme === MIXED ? "Mixed" : THEME_WORDS[theme][0],
            ),
            h("span", { class: "muted" }, ` ${solved} of ${list.length}`),
          );
        }),
      ),
      number === 0 && h("p", {}, h("a", { class: "button", href: "#riddle" }, "The riddle of today")),
    );
  }

  /** @type {Riddles | null} */
  let riddles = null;

  /** @param {boolean} focus */
  async function showToday(focus) {
    const { version, days } = /** @type {Riddles} */ (riddles);
    number = today();
    const mine = number;
    await begin(
      days[(mine - 1) % days.length] ?? "",
      {
        words: () => [`Riddle ${mine}`, "A new one every day, the same for everybody."],
        tried: () => keptDays().days[mine] ?? "",
        keep: (tried) => keepTried(mine, tried),
        afterwards(signs, tries, solved) {
          const { now, best } = streakOf(keptDays(), mine);
          const page = addressOfPage(catalogue.manifest);
          const result = `Tic-Tac-Tell riddle ${mine} (list ${version}): ${solved ? tries : "-"}/${TRIES}`;
          return [
            h("p", {}, `Your streak: ${counted(now, "day")}; the longest: ${best}. The next riddle comes at midnight.`),
            shareButton([result, signs, page && `${page}#riddle`].filter(Boolean).join("\n"), app.announce),
            explore(days[(mine - 1) % days.length] ?? ""),
          ];
        },
      },
      focus,
    );
  }

  /** @param {Theme | typeof MIXED} theme @param {string} last  The position that was shown before. @param {boolean} focus */
  async function showPractice(theme, last, focus) {
    const { practice } = /** @type {Riddles} */ (riddles);
    const list = listOf(practice, theme);
    const done = practised();
    const behind = list.indexOf(last) + 1;
    const order = [...list.slice(behind), ...list.slice(0, behind)];
    const text = order.find((one) => !done.has(one)) ?? order[0] ?? "";
    const at = `${list.indexOf(text) + 1} of ${list.length}`;
    const own = THEMES.find((one) => practice[one].includes(text)) ?? "decline";
    let tried = "";
    await begin(
      text,
      {
        words(over) {
          const isTold = over || theme === "lose" || theme === "punish"; // these two give nothing away
          const [title, sentence] = isTold ? THEME_WORDS[own] : ["Practice", ""];
          return [`${title}: ${at}`, sentence];
        },
        tried: () => tried,
        keep(now) {
          tried = now;
          if (!now.endsWith("+")) return;
          keepPractised(text);
          element.lastElementChild?.replaceWith(ways());
        },
        afterwards: () => [
          h(
            "button",
            { class: "button main", type: "button", onclick: () => ask(() => showPractice(theme, text, true)) },
            "Next one",
          ),
          explore(text),
        ],
      },
      focus,
    );
  }

  /** @param {string} text  Of a position. @param {boolean} focus */
  async function showSent(text, focus) {
    let tried = "";
    await begin(
      text,
      {
        words: () => ["A riddle for you", "Somebody has sent you this position."],
        tried: () => tried,
        keep(now) {
          tried = now;
        },
        afterwards: () => [explore(text)],
      },
      focus,
    );
  }

  /** @param {string} text  Of a position. */
  function explore(text) {
    const address = addressOfPlace(catalogue, placeAt(catalogue, text));
    return h("a", { class: "button", href: `#${address}` }, "Look at it in Explore");
  }

  /** @param {() => Promise<void>} act */
  async function ask(act) {
    asked += 1;
    const mine = asked;
    shown = null;
    number = 0;
    const patience = setTimeout(() => element.replaceChildren(loadingNote()), PATIENCE);
    try {
      const file = catalogue.manifest.riddles;
      if (file !== null && riddles === null) riddles = await loadRiddles(file);
      if (mine === asked) await act();
    } catch (error) {
      if (mine === asked) element.replaceChildren(problem(error, act), ways());
    } finally {
      clearTimeout(patience);
    }
  }

  /** @param {unknown} error @param {() => Promise<void>} act */
  function problem(error, act) {
    const wrong = error instanceof RangeError;
    const position = visible.replace(/^riddle\/?/, "");
    return h(
      "div",
      { class: "failure" },
      h("h1", {}, "No riddle"),
      wrong ? h("p", { class: "notice", role: "alert" }, `${capitalized(error.message)}.`) : failureNotice(error),
      h(
        "div",
        { class: "actions" },
        !wrong && h("button", { class: "button main", type: "button", onclick: () => ask(act) }, "Try again"),
        wrong && h("a", { class: "button", href: `#${position || "0-0"}` }, "Look at it in Explore"),
      ),
    );
  }

  /** @param {string} address @param {boolean} focus */
  function show(address, focus) {
    visible = address;
    const rest = address.replace(/^riddle\/?/, "");
    const theme = CHOICES.find((one) => rest === `practice/${one}`);
    return ask(async () => {
      if (theme === undefined && rest !== "") await showSent(rest, focus);
      else if (riddles === null) throw new RangeError("this page has no riddles: they need a match to 5");
      else if (theme === undefined) await showToday(focus);
      else await showPractice(theme, "", focus);
    });
  }

  /** What another tab has tried, or another day has brought. */
  function refresh() {
    if (visible === "" || shown === null || number === 0) return;
    const untouched = !/^[1-9]+$/.test(keptDays().days[number] ?? "");
    if (number !== today() && untouched) show(visible, false);
    else shown.render();
  }

  addEventListener("storage", refresh);
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && refresh());
  return {
    title: "Riddle",
    element,
    show: (address) => {
      show(address, false);
    },
    hide() {
      asked += 1;
      visible = "";
      shown = null;
    },
    onKey: (event) => shown?.onKey(event),
  };
}

/** The positions of a theme. @param {Riddles["practice"]} practice @param {Theme | typeof MIXED} theme */
function listOf(practice, theme) {
  if (theme !== MIXED) return practice[theme];
  return practice.decline.flatMap((_, index) => THEMES.flatMap((one) => practice[one].slice(index, index + 1)));
}
