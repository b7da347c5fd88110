/** The chapters of "Learn", for the rules of one solution. */

import { capitalized } from "../../parts/words.js";
import { h } from "../../parts/dom.js";
import { opponentsChapter } from "./opponents_chapter.js";
import { rulesChapter } from "./rules_chapter.js";
import { scoresChapter } from "./scores_chapter.js";
import { sheetChapter } from "./sheet_chapter.js";
import { storyChapter } from "./story_chapter.js";
import { roundsOf } from "./rounds.js";

/**
 * @param {import("../screen.js").App} app
 * @param {import("../../loading/solution_loader.js").SolvedMatch} solution
 * @param {import("../../games/tree.js").GameTree} tree
 * @param {import("../../loading/sheets.js").Sheets} sheets
 */
export function chapters(app, solution, tree, sheets) {
  const own = sheets.sheets.filter((sheet) => sheet.rules === solution.data.rules.name);
  const rounds = own[0] === undefined ? null : roundsOf(tree, own[0].rounds);
  return h(
    "article",
    {},
    h("h1", {}, "Learn"),
    rulesMenu(app, solution),
    rulesChapter(app, solution, tree),
    rounds && storyChapter(app, solution, tree, rounds),
    scoresChapter(solution, rounds),
    own.length > 0 && sheetChapter(app, solution, own),
    opponentsChapter(solution),
  );
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
  return solution === app.catalogue.first ? "learn" : `learn/${solution.name}`;
}
