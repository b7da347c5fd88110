/** How the match stands: names and points, which are felt when they change. */

import { h } from "../../parts/dom.js";
import { pointsOf } from "../../play/referee.js";

/** @typedef {import("./match_flow.js").MatchFlow} MatchFlow */

/** One line, whose text is given to `render`. */
export class ScoreBoard {
  constructor() {
    this.element = h("p", { class: "score" });
  }

  /**
   * @param {Pick<MatchFlow, "match" | "round">} flow
   * @param {readonly [boolean, boolean]} scored  Who has just scored, by player.
   */
  render({ match, round }, scored) {
    const points = pointsOf(match);
    const [mine, theirs] = match.names.map((name) => h("span", { class: "who", title: name }, name));
    const [myPoints, theirPoints] = points.map((number, player) =>
      h("span", { class: scored[player] ? "points scored" : "points" }, String(number)),
    );
    this.element.replaceChildren(
      h("strong", {}, mine, " ", myPoints, " : ", theirPoints, " ", theirs),
      h("span", { class: "muted" }, `Round ${round.number} \u00b7 to ${match.winningScore}`),
    );
  }
}
