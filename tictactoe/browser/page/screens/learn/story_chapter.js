/** How a round goes when nobody can gain by playing otherwise: to be stepped through, and how the nine rounds end. */

import { GOALS, goalName } from "../../games/rules.js";
import { BoardView } from "../../parts/board_view.js";
import { h } from "../../parts/dom.js";
import { goalSign } from "../../parts/goal_sign.js";
import { digitOf } from "../../parts/keypad.js";
import { either } from "../../play/reason.js";
import { commonMoves } from "./rounds.js";

/**
 * @typedef {import("./rounds.js").Round} Round
 * @typedef {import("../../games/tree.js").GameTree} GameTree
 */

const NUMBERS = ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"];

/**
 * @param {import("../screen.js").App} app
 * @param {import("../../loading/solution_loader.js").SolvedMatch} solution
 * @param {GameTree} tree
 * @param {readonly Round[]} rounds
 */
export function storyChapter(app, solution, tree, rounds) {
  const last = solution.winningScore - 1;
  const common = commonMoves(rounds);
  let [round] = rounds;
  let step = common;
  if (round === undefined) return null;

  const board = new BoardView("Board of the story", () => undefined);
  const told = h("p", { class: "told" });
  const back = stepButton("Back", () => move(-1));
  const next = stepButton("Next move", () => move(+1));
  const choices = h("div", { class: "goal-choices" }, goalChoice("X", 0), goalChoice("O", 1));
  const results = resultsTable(tree, rounds, (chosen) => {
    choose(chosen);
    step = chosen.moves.length;
    render();
  });

  /** @param {number} by */
  function move(by) {
    step += by;
    render();
    app.announce(told.textContent ?? "");
  }

  /** @param {Round} chosen */
  function choose(chosen) {
    round = chosen;
    for (const field of choices.querySelectorAll("input"))
      field.checked = chosen.goals[field.name === "goal of X" ? 0 : 1] === Number(field.value);
  }

  /** @param {string} mark @param {0 | 1} seat */
  function goalChoice(mark, seat) {
    return h(
      "fieldset",
      {},
      h("legend", {}, `${mark} wants to`),
      ...GOALS.map((goal) =>
        h(
          "label",
          {},
          h("input", {
            type: "radio",
            name: `goal of ${mark}`,
            value: goal,
            checked: round?.goals[seat] === goal,
            onchange: () => {
              const wanted = [...(round?.goals ?? [0, 0])];
              wanted[seat] = goal;
              choose(
                /** @type {Round} */ (rounds.find((one) => one.goals[0] === wanted[0] && one.goals[1] === wanted[1])),
              );
              step = Math.min(step, common);
              render();
            },
          }),
          goalSign(goal),
          goalName(goal),
        ),
      ),
    );
  }

  function render() {
    if (round === undefined) return;
    board.render({ moves: round.moves.slice(0, step), numbered: true });
    back.disabled = step === 0;
    next.disabled = step === round.moves.length;
    told.textContent = story(tree, rounds, round, step);
    for (const cell of results.querySelectorAll("button")) {
      const shown = cell.getAttribute("data-goals") === round.goals.join("") && step === round.moves.length;
      cell.setAttribute("aria-pressed", String(shown));
    }
  }

  render();
  return h(
    "section",
    { "aria-labelledby": "learn-story" },
    h("h2", { id: "learn-story" }, `${NUMBERS[common]} moves that everybody makes`),
    h(
      "p",
      {},
      `At ${last}-${last}, where the next point wins, two players who cannot be beaten in the long run can play like `,
      "this. Whatever they want, ",
      `their first ${NUMBERS[common].toLowerCase()} moves are the same and so reveal nothing. `,
      "Only after that do the moves differ. This is not the only way to play perfectly: the bot has found its own, ",
      "which Explore shows.",
    ),
    h("div", { class: "beside" }, h("div", {}, choices, told, h("p", { class: "steps" }, back, next)), board.element),
    h("h3", {}, "How the nine rounds end"),
    h("p", {}, "Choose one to see it on the board."),
    results,
  );
}

/** @param {string} name @param {() => void} onclick */
function stepButton(name, onclick) {
  return h("button", { class: "button", type: "button", onclick }, name);
}

/**
 * What happens in the move that leads to a step, in words.
 *
 * @param {GameTree} tree
 * @param {readonly Round[]} rounds
 * @param {Round} round
 * @param {number} step
 */
function story(tree, rounds, round, step) {
  if (step === 0) return "The board is empty. X moves first.";
  const seat = step % 2 === 1 ? 0 : 1;
  const who = "XO"[seat];
  const square = round.moves[step - 1];
  const same = (/** @type {Round} */ other) =>
    other.moves.slice(0, step - 1).join() === round.moves.slice(0, step - 1).join();
  const others = GOALS.filter((goal) =>
    rounds.some((other) => same(other) && other.goals[seat] === goal && other.moves[step - 1] !== square),
  );
  const answers = new Set(
    others.flatMap((goal) =>
      rounds
        .filter((other) => same(other) && other.goals[seat] === goal)
        .map((other) => digitOf(other.moves[step - 1])),
    ),
  );
  const move =
    others.length === 0 && step <= commonMoves(rounds)
      ? `Move ${step}: ${who} marks ${digitOf(square)}, whatever the goal.`
      : `Move ${step}: ${who} wants to ${goalName(round.goals[seat])} and marks ${digitOf(square)}.`;
  const instead =
    others.length === 0 ? "" : ` To ${either(others.map(goalName))} it would mark ${either([...answers].map(String))}.`;
  if (step < round.moves.length) return move + instead;
  const end = `The round is decided: ${tree.rules.outcomeData(round.outcome).happened}. ${whoScores(round)}.`;
  return `${move}${instead} ${end}`;
}

/** @param {Round} round */
function whoScores({ scored }) {
  if (scored[0]) return scored[1] ? "Both score" : "Only X scores";
  return scored[1] ? "Only O scores" : "Nobody scores";
}

/**
 * @param {GameTree} tree
 * @param {readonly Round[]} rounds
 * @param {(round: Round) => void} onChoose
 */
function resultsTable(tree, rounds, onChoose) {
  return h(
    "div",
    { class: "wide" },
    h(
      "table",
      { class: "results" },
      h("caption", {}, "By the goals of X and of O: who has three in a row, and who scores"),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("td", {}),
          ...GOALS.map((goal) => h("th", { scope: "col" }, "O to ", goalSign(goal), goalName(goal))),
        ),
      ),
      h(
        "tbody",
        {},
        ...GOALS.map((first) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, "X to ", goalSign(first), goalName(first)),
            ...rounds
              .filter((round) => round.goals[0] === first)
              .map((round) =>
                h(
                  "td",
                  {},
                  h(
                    "button",
                    {
                      class: "cell",
                      type: "button",
                      "data-goals": round.goals.join(""),
                      onclick: () => onChoose(round),
                    },
                    h("span", {}, whoScores(round)),
                    h("span", { class: "muted" }, tree.rules.outcomeData(round.outcome).briefly),
                  ),
                ),
              ),
          ),
        ),
      ),
    ),
  );
}
