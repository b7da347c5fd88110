/** The review of one round of a match. */

import { Cursor } from "../../games/cursor.js";
import { h } from "../../parts/dom.js";
import { namedGoal } from "../../parts/goal_sign.js";
import { digitOf } from "../../parts/keypad.js";
import { ending } from "../../play/ending.js";
import { otherPlayer } from "../../play/referee.js";
import { RoundReplay } from "./round_replay.js";
import { factsOf } from "./facts.js";
import { mistakesAndLuck, verdict } from "./round_review.js";
import { sealNote } from "./seal_note.js";
import { capitalized } from "../../parts/words.js";

/**
 * @typedef {import("../../play/referee.js").Player} Player
 * @typedef {import("./match_review.js").ReviewedRound} ReviewedRound
 * @typedef {import("./match_view.js").Reader} Reader
 */

/**
 * @param {readonly ReviewedRound[]} rounds  Of the match.
 * @param {ReviewedRound} round  One of them.
 * @param {Reader} reader
 * @param {(text: string) => void} announce
 * @returns {{ element: HTMLElement, replay: RoundReplay }}
 */
export function roundView(rounds, round, { player, opponent, solution, address }, announce) {
  const replay = new RoundReplay(round, player, opponent, solution, announce);
  const { number } = round.record;
  const link = (/** @type {string} */ to, /** @type {string} */ text) =>
    h("a", { class: "button", href: `#${to}` }, text);
  const others = [
    number > 1 ? link(`${address}/${number - 1}`, `Round ${number - 1}`) : null,
    link(address, "All rounds"),
    number < rounds.length ? link(`${address}/${number + 1}`, `Round ${number + 1}`) : null,
  ];
  const element = h(
    "div",
    {},
    h("nav", { class: "other-rounds", "aria-label": "Other rounds" }, ...others),
    verdict(round, player, opponent),
    factsOf([round], player),
    replay.element,
    h("p", { class: "card told" }, ...toldOf(round, player, opponent)),
    mistakesAndLuck(round, opponent, solution, "h2"),
    sealNote(round.record),
  );
  return { element, replay };
}

/**
 * Goals, how it ended, who scored.
 *
 * @param {ReviewedRound} round
 * @param {Player} player
 * @param {string} opponent
 */
function toldOf({ record, judge, scored, points }, player, opponent) {
  const other = otherPlayer(player);
  const names = player === 0 ? /** @type {const} */ (["You", opponent]) : /** @type {const} */ ([opponent, "You"]);
  const table = { names, first: record.first, digit: digitOf };
  const seat = record.first === player ? "moved first (X)" : "moved second (O)";
  const who = scored[0] === scored[1] ? (scored[0] ? "both of you" : "nobody") : scored[player] ? "you" : opponent;
  const told = [
    ...ending(new Cursor(judge.tree, record.moves), table),
    `${who} scored. After the round the score was ${points[player]} : ${points[other]}.`,
  ]
    .map(capitalized)
    .join(" ");
  const [mine, theirs] = [player, other].map((whose) => namedGoal(record.goals[/** @type {Player} */ (whose)]));
  return [`You ${seat} and wanted to `, mine, `; ${opponent} wanted to `, theirs, `. ${told}`];
}
