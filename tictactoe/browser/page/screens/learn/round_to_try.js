/** A round to try the rules out, against somebody who marks any free square. */

import { Cursor } from "../../games/cursor.js";
import { freeSquares } from "../../games/board.js";
import { goalName, otherSeat } from "../../games/rules.js";
import { BoardView } from "../../parts/board_view.js";
import { h } from "../../parts/dom.js";
import { namedGoal } from "../../parts/goal_sign.js";
import { anySquare } from "../../play/opponents.js";
import { dealGoals } from "../../play/referee.js";

/**
 * @param {import("../screen.js").App} app
 * @param {import("../../games/tree.js").GameTree} tree
 */
export function roundToTry(app, tree) {
  const { rules } = tree;
  let goals = dealGoals(rules.data);
  /** @type {import("../../games/rules.js").Seat} */
  let seat = 0;
  let cursor = new Cursor(tree);
  const card = h("p", { class: "goal-to-try" });
  const result = h("p", { class: "result" });
  const again = h("button", { class: "button", type: "button", onclick: begin }, "Another round");
  const board = new BoardView("Board of the round to try", (square) => {
    cursor.play(square);
    answer();
    render();
    app.announce(result.textContent ?? "");
  });

  function answer() {
    if (cursor.forcedOutcome === null && cursor.mover !== seat) cursor.play(anySquare(cursor));
  }

  function begin() {
    goals = dealGoals(rules.data);
    seat = otherSeat(seat);
    cursor = new Cursor(tree);
    answer();
    render();
    app.announce(card.textContent ?? "");
  }

  function render() {
    const goal = goals[seat];
    const outcome = cursor.forcedOutcome;
    card.replaceChildren(
      `You are ${"XO"[seat]} and want to `,
      namedGoal(goal),
      `: ${rules.toDo(goal, "the other player")}.`,
    );
    result.textContent = outcome === null ? "Your move." : ended(outcome);
    board.render({
      moves: cursor.moves,
      playable: outcome === null ? freeSquares(cursor.board) : [],
    });
  }

  /** @param {number} outcome */
  function ended(outcome) {
    const other = otherSeat(seat);
    const points = [seat, other].map((one) => (rules.isTrue(outcome, one, goals[one]) ? "a point" : "no point"));
    return [
      `The round is over: ${rules.outcomeData(outcome).happened}.`,
      `You wanted to ${goalName(goals[seat])}: ${points[0]}.`,
      `The other player wanted to ${goalName(goals[other])}: ${points[1]}.`,
    ].join(" ");
  }

  render();
  return h(
    "div",
    { class: "card try" },
    h("h3", {}, "Try it"),
    card,
    board.element,
    result,
    h("p", {}, again),
    h("p", { class: "muted" }, "Your opponent here marks any free square. In Play, you meet a better one."),
  );
}
