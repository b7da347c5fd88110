/** What is chosen less often: who plays, from which score, who begins, whether moves may be taken back. */

import { h } from "../../parts/dom.js";
import { choice, selection, switchBox } from "./controls.js";
import { rulesNote } from "./rules_note.js";
import { FIRST } from "./wish.js";

/**
 * @typedef {import("./wish.js").Wish} Wish
 * @param {Wish} wish
 * @param {import("../../games/rules.js").RulesData} rules
 * @param {(changed: Partial<Wish>) => void} onChange
 * @returns {HTMLElement[]}
 */
export function moreChoices(wish, rules, onChange) {
  const [one, other] = wish.people ? wish.names : ["You", "The bot"];
  const labels = ["At random", one, other];
  return [
    choice(
      "players",
      "Who plays",
      wish.people ? "people" : "bot",
      [
        { value: "bot", label: "You against a bot" },
        { value: "people", label: "Two people who share this device" },
      ],
      (value) => onChange({ people: value === "people" }),
    ),
    choice(
      "first",
      "Who moves first in the first round",
      wish.first,
      FIRST.map((value, index) => ({ value, label: labels[index] })),
      (value) => onChange({ first: FIRST.find((first) => first === value) ?? "lot" }),
    ),
    fromScore(wish, onChange),
    switchBox("takeback", "Moves may be taken back", wish.takeback, (on) => onChange({ takeback: on })),
    h(
      "details",
      { class: "fold" },
      h("summary", {}, "What is a match?"),
      h("div", { class: "folded" }, ...rulesNote(rules, wish.winningScore)),
    ),
  ];
}

/** @param {Wish} wish @param {(changed: Partial<Wish>) => void} onChange */
function fromScore(wish, onChange) {
  const points = Array.from({ length: wish.winningScore }, (_, index) => String(index));
  const [one, other] = wish.people ? wish.names : ["You have", "The bot has"];
  return h(
    "fieldset",
    { class: "choice from-score" },
    h("legend", {}, "Points at the start"),
    selection("points-0", `${one} `, String(wish.points[0]), points, (value) =>
      onChange({ points: [Number(value), wish.points[1]] }),
    ),
    selection("points-1", `${other} `, String(wish.points[1]), points, (value) =>
      onChange({ points: [wish.points[0], Number(value)] }),
    ),
  );
}

/** What of it is not as usual, in a few words; empty where all is. @param {Wish} wish */
export function moreWords(wish) {
  const [one, other] = wish.people ? wish.names : ["You", "Bot"];
  return [
    wish.points.some((points) => points > 0) && `from ${one} ${wish.points[0]} : ${wish.points[1]} ${other}`,
    wish.first !== "lot" && `${wish.first === "0" ? one : other} first`,
    wish.takeback && "moves may be taken back",
  ]
    .filter(Boolean)
    .join(", ");
}
