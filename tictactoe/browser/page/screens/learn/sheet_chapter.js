/** What the sheets are, and the way to them. */

import { roundedUp } from "../../match/numbers.js";
import { scoreText } from "../../match/scores.js";
import { h } from "../../parts/dom.js";

/**
 * @typedef {import("../../loading/solution_loader.js").SolvedMatch} SolvedMatch
 * @typedef {import("../../match/scores.js").Score} Score
 */

/**
 * @param {import("../screen.js").App} app
 * @param {SolvedMatch} solution
 * @param {readonly import("../../loading/sheets.js").Sheet[]} sheets
 */
export function sheetChapter(app, solution, sheets) {
  const last = solution.winningScore - 1;
  return h(
    "section",
    { "aria-labelledby": "learn-sheets" },
    h("h2", { id: "learn-sheets" }, "A sheet to print"),
    h(
      "p",
      {},
      "This is one page with some pictures and a short list for each goal. Whoever plays by it can hardly be beaten ",
      "in the long run, even by the bot. ",
      whatItCosts(solution, sheets),
    ),
    h(
      "p",
      {},
      ...sheets.flatMap((sheet) => [
        h(
          "a",
          { class: "button", href: `#${sheetAddress(app, solution, [last, last], sheet.name)}` },
          `${sheetTitle(sheet)}: ${sheet.pictures.length} pictures`,
        ),
        " ",
      ]),
    ),
  );
}

/**
 * Of the best sheet, over all scores and in a whole match.
 *
 * @param {SolvedMatch} solution
 * @param {readonly import("../../loading/sheets.js").Sheet[]} sheets
 */
function whatItCosts(solution, [sheet]) {
  const largest = Math.max(...Object.values(sheet?.costs ?? {}).flat());
  if (largest === 0)
    return "Whatever the score, nobody gains anything against the sheet, not even a player who knows it by heart.";
  const [first, second] = sheet?.match_costs ?? [0, 0];
  const match =
    solution.winningScore === 5
      ? ` Over a whole match, the sheet costs at most ${roundedUp(Math.max(first, second))}\u00a0points of winning chance.`
      : "";
  return `Where the sheet says so, nobody gains anything against it, not even a player who knows it by heart.${match}`;
}

/** @param {import("../../loading/sheets.js").Sheet} sheet */
export function sheetTitle(sheet) {
  return sheet.name === "exact" ? "The sheet" : `The ${sheet.name} sheet`;
}

/**
 * @param {import("../screen.js").App} app
 * @param {SolvedMatch} solution
 * @param {Score} score
 * @param {string} name  Of the sheet.
 */
export function sheetAddress(app, solution, score, name) {
  const words = ["learn", "sheet", app.catalogue.addressName(solution), scoreText(score), name === "exact" ? "" : name];
  return words.filter((word) => word !== "").join("/");
}
