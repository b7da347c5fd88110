/** The review of one round of a match. */

import { Cursor } from "../../games/cursor.js";
import { goalName } from "../../games/rules.js";
import { h } from "../../parts/dom.js";
import { digitOf } from "../../parts/keypad.js";
import { ending } from "../../play/ending.js";
import { otherPlayer } from "../../play/referee.js";
import { RoundReplay } from "./round_replay.js";
import { mistakesAndLuck } from "./round_review.js";
import { capitalized } from "../../parts/words.js";

/**
 * @typedef {import("../../play/referee.js").MatchRecord} MatchRecord
 * @typedef {import("../../play/referee.js").Player} Player
 * @typedef {import("./match_review.js").ReviewedRound} ReviewedRound
 */

/**
 * @param {MatchRecord} match
 * @param {ReviewedRound} round
 * @param {Player} player  Who is "you".
 * @param {string} opponent  Such as "the bot".
 * @param {string} solution  As `addressOf` takes it.
 * @param {(text: string) => void} announce
 * @returns {{ element: HTMLElement, replay: RoundReplay }}
 */
export function roundView(match, round, player, opponent, solution, announce) {
  const replay = new RoundReplay(round, player, opponent, solution, announce);
  const { number } = round.record;
  const others = [
    number > 1 ? h("a", { href: `#review/${number - 1}` }, `Round ${number - 1}`) : null,
    h("a", { href: "#review" }, "All rounds"),
    number < match.rounds.length ? h("a", { href: `#review/${number + 1}` }, `Round ${number + 1}`) : null,
  ];
  const element = h(
    "div",
    {},
    h("nav", { class: "other-rounds", "aria-label": "Other rounds" }, ...others),
    h("p", {}, toldOf(match, round, player, opponent)),
    replay.element,
    mistakesAndLuck(round.mistakes, round.luck, opponent, solution, "h2"),
  );
  return { element, replay };
}

/**
 * Goals, how it ended, who scored.
 *
 * @param {MatchRecord} match
 * @param {ReviewedRound} round
 * @param {Player} player
 * @param {string} opponent
 */
function toldOf(match, { record, perfect, scored, points }, player, opponent) {
  const other = otherPlayer(player);
  const names =
    player === 0 ? /** @type {const} */ (["You", match.names[1]]) : /** @type {const} */ ([match.names[0], "You"]);
  const table = { names, first: record.first, digit: digitOf };
  const seat = record.first === player ? "moved first (X)" : "moved second (O)";
  const wanted = (/** @type {Player} */ whose) => `wanted to ${goalName(record.goals[whose])}`;
  const who = scored[0] === scored[1] ? (scored[0] ? "both of you" : "nobody") : scored[player] ? "you" : opponent;
  return [
    `You ${seat} and ${wanted(player)}; ${opponent} ${wanted(other)}.`,
    ...ending(new Cursor(perfect.tree, record.moves), table),
    `${who} scored. After the round it stood ${points[player]} : ${points[other]}.`,
  ]
    .map(capitalized)
    .join(" ");
}
