/** One page of paper that says how to play each goal in both seats. */

import { roundedUp } from "../../match/numbers.js";
import { scoreInLongerMatch, scoreText } from "../../match/scores.js";
import { GOALS, goalName } from "../../games/rules.js";
import { boardPicture } from "../../parts/board_picture.js";
import { h } from "../../parts/dom.js";
import { goalSign, namedGoal } from "../../parts/goal_sign.js";
import { learnAddress, rulesName } from "./chapters.js";
import { sheetAddress, sheetTitle } from "./sheet_chapter.js";

/**
 * @typedef {import("../../loading/sheets.js").Sheet} Sheet
 * @typedef {import("../../loading/sheets.js").Sheets} Sheets
 * @typedef {import("../../loading/solution_loader.js").SolvedMatch} SolvedMatch
 * @typedef {import("../../match/scores.js").Score} Score
 */

const ORDINALS = ["1st", "2nd", "3rd", "4th", "5th"];
const MEASURED_TO = 5;

/**
 * Throws RangeError where there is no such sheet.
 *
 * @param {import("../screen.js").App} app
 * @param {{ solution: SolvedMatch, score: Score, name: string }} place
 * @param {Sheets} sheets
 */
export function sheetPage(app, { solution, score, name }, sheets) {
  const own = sheets.sheets.filter((sheet) => sheet.rules === solution.data.rules.name);
  const sheet = own.find((one) => one.name === (name || "exact"));
  if (sheet === undefined) throw new RangeError(`There is no such sheet for the rules "${solution.data.rules.name}".`);
  return h(
    "article",
    { class: "sheet" },
    controls(app, solution, score, sheet, own),
    h("h1", {}, `Tic-tac-toe with secret goals: a sheet to play by at ${scoreText(score)}`),
    h("p", { class: "cost" }, `${rulesName(solution)}. ${costText(solution, score, sheet)}`),
    howToPlay(),
    h("div", { class: "lists" }, ...GOALS.map((goal) => list(goal, sheet, sheets))),
    ...["X", "O"].map((mark, seat) => pictures(mark, seat, sheet)),
  );
}

/** What to do with the pictures and the lists, so that nobody has to guess. */
function howToPlay() {
  return h(
    "ol",
    { class: "how" },
    h(
      "li",
      {},
      "You want to ",
      namedGoal(0),
      ", to ",
      namedGoal(1),
      " or to ",
      namedGoal(2),
      ": that is your sign. ",
      h("strong", {}, "Look for your board among the pictures"),
      ", turned or mirrored as need be. If it is there with your sign, mark the square with that sign.",
    ),
    h(
      "li",
      {},
      "If not, ",
      h("strong", {}, "go down the list for your goal"),
      ", to its end. Begin with all free squares; each line keeps only those that fit it. Skip a line that none of the ",
      "remaining squares fits. A line of the board is any of the eight that make three in a row.",
    ),
    h("li", {}, "If several squares are left, let chance choose."),
  );
}

/** @param {import("../../games/rules.js").Goal} goal @param {Sheet} sheet @param {Sheets} sheets */
function list(goal, sheet, sheets) {
  return h(
    "section",
    {},
    h("h2", {}, goalSign(goal), `To ${goalName(goal)}, a square that`),
    h("ol", {}, ...sheet.lists[goalName(goal)].map((line) => h("li", {}, sheets.lines[line] ?? line))),
  );
}

/** @param {string} mark @param {number} seat @param {Sheet} sheet */
function pictures(mark, seat, sheet) {
  const shown = sheet.pictures
    .map(({ board, answers }) => ({ board, answers, marks: [...board].filter((mark) => mark !== ".").length }))
    .filter(({ marks }) => marks % 2 === seat)
    .sort((one, other) => one.marks - other.marks);
  return h(
    "section",
    {},
    h("h2", {}, seat === 0 ? `You are ${mark} and move first` : `You are ${mark} and move second`),
    h(
      "ul",
      { class: "pictures" },
      ...shown.map(({ board, answers, marks }) =>
        h("li", {}, h("small", {}, `${ORDINALS[(marks - seat) / 2]} move`), boardPicture(board, goalsOn(answers))),
      ),
    ),
  );
}

/** By square, the goals that play there. @param {import("../../loading/sheets.js").SheetPicture["answers"]} answers */
function goalsOn(answers) {
  /** @type {Map<number, import("../../games/rules.js").Goal[]>} */
  const result = new Map();
  for (const goal of GOALS) {
    for (const square of answers[goalName(goal)] ?? []) result.set(square, [...(result.get(square) ?? []), goal]);
  }
  return result;
}

/** @param {SolvedMatch} solution @param {Score} score @param {Sheet} sheet */
function costText(solution, score, sheet) {
  const at = scoreText(score);
  const measured =
    solution.winningScore <= MEASURED_TO ? scoreInLongerMatch(score, solution.winningScore, MEASURED_TO) : null;
  const costs = measured && sheet.costs[scoreText(measured)];
  if (!costs) return "The cost in matches of this length has not been measured.";
  if (costs.every((cost) => cost === 0)) {
    return `At ${at} nobody can beat the sheet in the long run, not even a player who knows it by heart.`;
  }
  const [first, second] = costs.map((cost) => `${roundedUp(cost)}\u00a0points`);
  return [
    `At ${at} (whoever moves first has ${score[0]}), playing a round by the sheet costs at most ${first} of`,
    `winning chance when you move first and ${second} when you move second,`,
    "even against a player who knows it by heart.",
  ].join(" ");
}

/**
 * What is not printed: the choice of score, rules and sheet.
 *
 * @param {import("../screen.js").App} app
 * @param {SolvedMatch} solution
 * @param {Score} score
 * @param {Sheet} sheet
 * @param {readonly Sheet[]} own
 */
function controls(app, solution, score, sheet, own) {
  const scores = h(
    "select",
    { onchange: (/** @type {Event} */ event) => app.go(/** @type {HTMLSelectElement} */ (event.target).value) },
    ...solution.data.scores.map((one) =>
      h(
        "option",
        {
          value: sheetAddress(app, solution, one.score, sheet.name),
          selected: scoreText(one.score) === scoreText(score),
        },
        scoreText(one.score),
      ),
    ),
  );
  const others = app.catalogue.solutions.filter(
    (other) => other !== solution && other.winningScore > Math.max(...score),
  );
  return h(
    "div",
    { class: "controls" },
    h("a", { class: "button", href: `#${learnAddress(app, solution)}` }, "Back to Learn"),
    h("label", {}, "Points of whoever moves first, and of the other: ", scores),
    ...own
      .filter((other) => other !== sheet)
      .map((other) =>
        h("a", { class: "button", href: `#${sheetAddress(app, solution, score, other.name)}` }, sheetTitle(other)),
      ),
    ...others.map((other) =>
      h("a", { class: "button", href: `#${sheetAddress(app, other, score, sheet.name)}` }, rulesName(other)),
    ),
    h("button", { class: "button main", type: "button", onclick: () => print() }, "Print"),
  );
}
