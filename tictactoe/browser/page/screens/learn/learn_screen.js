/** The screen "Learn": chapters for the rules of one solution, or a sheet to print. */

import { parseScore } from "../../match/scores.js";
import { h } from "../../parts/dom.js";
import { failureNotice } from "../../parts/failure.js";
import { PATIENCE } from "../../parts/loading_note.js";
import { loadSheets } from "../../loading/sheets.js";
import { chapters, isChapter, showChapter } from "./chapters.js";
import { sheetPage } from "./sheet_page.js";

/**
 * @typedef {import("../screen.js").App} App
 * @typedef {import("../../loading/solution_loader.js").SolvedMatch} SolvedMatch
 * @typedef {import("../../match/scores.js").Score} Score
 * @typedef {{ sheet: boolean, solution: SolvedMatch, score: Score, name: string, chapter: string }} Place  name: of the
 *   sheet. chapter: empty for the beginning.
 */

/**
 * @param {App} app
 * @returns {import("../screen.js").Screen}
 */
export function learnScreen(app) {
  const element = h("div", { class: "learn" });
  /** @type {Promise<import("../../loading/sheets.js").Sheets> | null} */
  let sheets = null;
  let shown = "";
  /** The address without a chapter whose chapters stand there; empty where others do. */
  let book = "";

  /** @param {string} address */
  async function show(address) {
    if (address === shown) return;
    shown = address;
    const patience = setTimeout(() => {
      if (shown === address) element.replaceChildren(h("h1", {}, "Learn"), h("p", { role: "status" }, "Loading\u2026"));
    }, PATIENCE);
    try {
      const place = placeOf(app, address);
      sheets ??= loadSheets(app.catalogue.manifest.sheets);
      const [loaded, tree] = await Promise.all([sheets, place.solution.loadTree()]);
      if (shown !== address) return;
      if (place.sheet || book !== place.solution.name || element.querySelector(".book") === null) {
        element.replaceChildren(
          place.sheet ? sheetPage(app, place, loaded) : chapters(app, place.solution, tree, loaded),
        );
      }
      book = place.sheet ? "" : place.solution.name;
      goTo(place.chapter);
    } catch (error) {
      sheets = null;
      if (shown !== address) return;
      shown = "";
      const wrong = error instanceof RangeError;
      element.replaceChildren(
        h("h1", {}, wrong ? "There is no chapter at this address" : "Learn"),
        wrong ? h("p", { class: "notice", role: "alert" }, error.message) : failureNotice(error),
        h("p", {}, h("a", { href: "#learn" }, "To the rules")),
      );
    } finally {
      clearTimeout(patience);
    }
  }

  /** @param {string} chapter */
  function goTo(chapter) {
    const heading = showChapter(element, chapter);
    if (heading === null || chapter === "") return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    heading.scrollIntoView();
  }

  return {
    title: "Learn",
    element,
    show: (address) => void show(address),
  };
}

/**
 * What an address names: learn, learn/filled, learn/filled/story, learn/sheet/4-4, learn/sheet/filled/4-4/short. Throws
 * RangeError.
 *
 * @param {App} app
 * @param {string} address
 * @returns {Place}
 */
function placeOf(app, address) {
  const words = address
    .split("/")
    .slice(1)
    .filter((word) => word !== "");
  const sheet = words[0] === "sheet";
  if (sheet) words.shift();
  const found = app.catalogue.solutions.find((one) => one.name === words[0]);
  if (found !== undefined) words.shift();
  const solution = found ?? app.catalogue.first;
  const last = solution.winningScore - 1;
  const score = parseScore(sheet ? (words.shift() ?? `${last}-${last}`) : `${last}-${last}`);
  const name = sheet ? (words.shift() ?? "") : "";
  const chapter = !sheet && isChapter(words[0] ?? "") ? String(words.shift()) : "";
  if (words.length > 0) throw new RangeError(`There is nothing to learn at "${words.join("/")}".`);
  solution.scoreData(score);
  return { sheet, solution, score, name, chapter };
}
