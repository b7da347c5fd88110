/** The chapters of "Learn", for the rules of one solution: one at a time. */

import { capitalized } from "../../parts/words.js";
import { h } from "../../parts/dom.js";
import { opponentsChapter } from "./opponents_chapter.js";
import { rulesChapter } from "./rules_chapter.js";
import { scoresChapter } from "./scores_chapter.js";
import { sheetChapter } from "./sheet_chapter.js";
import { storyChapter } from "./story_chapter.js";
import { roundsOf } from "./rounds.js";

/** Their names in addresses, which are those of their headings behind "learn-", and in the list of contents. */
const CONTENTS = {
  rules: "The rules",
  story: "A perfect round",
  scores: "Who moves first",
  sheets: "A sheet to print",
  opponents: "The opponents",
};

/** Whether a word of an address names a chapter. @param {string} word */
export function isChapter(word) {
  return Object.hasOwn(CONTENTS, word);
}

/** @param {HTMLElement} element  With all chapters. @param {string} chapter */
function headingOf(element, chapter) {
  return /** @type {HTMLElement | null} */ (element.querySelector(`#learn-${chapter}`));
}

/**
 * Show a chapter, or the first one where there is none of that name. Its heading.
 *
 * @param {HTMLElement} element  What `chapters` returned, or has it.
 * @param {string} chapter
 */
export function showChapter(element, chapter) {
  const heading = headingOf(element, chapter) ?? element.querySelector("h2");
  for (const section of element.querySelectorAll(".chapters > section"))
    section.toggleAttribute("hidden", !section.contains(heading));
  for (const link of element.querySelectorAll(".contents a")) {
    if (link.getAttribute("href")?.endsWith(`/${heading?.id.replace("learn-", "")}`))
      link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  return /** @type {HTMLElement | null} */ (heading);
}

/**
 * @param {import("../screen.js").App} app
 * @param {import("../../loading/solution_loader.js").SolvedMatch} solution
 * @param {import("../../games/tree.js").GameTree} tree
 * @param {import("../../loading/sheets.js").Sheets} sheets
 */
export function chapters(app, solution, tree, sheets) {
  const own = sheets.sheets.filter((sheet) => sheet.rules === solution.data.rules.name);
  const rounds = own[0] === undefined ? null : roundsOf(tree, own[0].rounds);
  const content = h(
    "div",
    { class: "chapters" },
    rulesChapter(app, solution, tree),
    rounds && storyChapter(app, solution, tree, rounds),
    scoresChapter(solution, rounds),
    own.length > 0 && sheetChapter(app, solution, own),
    opponentsChapter(solution),
  );
  const there = Object.entries(CONTENTS)
    .filter(([chapter]) => headingOf(content, chapter) !== null)
    .map(([chapter, name]) => ({ href: `#${learnAddress(app, solution)}/${chapter}`, name }));
  [...content.children].forEach((section, index) => {
    section.classList.add("card");
    const next = there[index + 1];
    if (next)
      section.append(h("p", { class: "next" }, h("a", { class: "button", href: next.href }, `Next: ${next.name}`)));
  });
  return h(
    "article",
    { class: "book" },
    h("div", { class: "beginning" }, h("h1", {}, "Learn"), rulesMenu(app, solution), contents(there)),
    content,
  );
}

/** @param {{ href: string, name: string }[]} there */
function contents(there) {
  const items = there.map(({ href, name }) => h("li", {}, h("a", { class: "button", href }, name)));
  return h("nav", { class: "contents", "aria-label": "Chapters" }, h("ol", {}, ...items));
}

/** A solution's rules in few words. @param {import("../../loading/solution_loader.js").SolvedMatch} solution */
export function rulesName(solution) {
  return capitalized(solution.data.rules.title);
}

/**
 * @param {import("../screen.js").App} app
 * @param {import("../../loading/solution_loader.js").SolvedMatch} shown
 */
function rulesMenu(app, shown) {
  if (app.catalogue.solutions.length < 2) return null;
  return h(
    "nav",
    { class: "choices", "aria-label": "Which rules" },
    ...app.catalogue.solutions.map((solution) =>
      h(
        "a",
        { class: "button", href: `#${learnAddress(app, solution)}`, "aria-current": solution === shown && "true" },
        rulesName(solution),
      ),
    ),
  );
}

/**
 * The address of the chapters.
 *
 * @param {import("../screen.js").App} app
 * @param {import("../../loading/solution_loader.js").SolvedMatch} solution
 */
export function learnAddress(app, solution) {
  return ["learn", app.catalogue.addressName(solution)].filter(Boolean).join("/");
}
