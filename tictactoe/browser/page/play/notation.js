/**
 * Positions as text that people can send each other, and as the address of the page.
 *
 * @typedef {import("../games/rules.js").Goal} Goal
 * @typedef {import("../match/scores.js").Score} Score
 * @typedef {object} Position
 * @property {Score} score  Of the player who moves first, then of the other.
 * @property {readonly [Goal | null, Goal | null]} goals  In the same order; null is unknown.
 * @property {readonly number[]} moves  The squares played.
 */

const GOAL_LETTERS = "wlt";

/** @param {readonly [Goal | null, Goal | null]} goals */
function lettersOf(goals) {
  return goals.map((goal) => (goal === null ? "?" : GOAL_LETTERS[goal])).join("");
}

/** As every command of the program takes it: 4-3 w? 513. @param {Position} position */
export function positionText(position) {
  return `${position.score.join("-")} ${lettersOf(position.goals)} ${position.moves.join("") || "-"}`;
}

/**
 * The part of the page's address behind the #: 4-3/w?/513, or filled/4-3/w?/513 for a solution that is not the first.
 * A "?" is written "x", which no program that finds links in texts leaves out.
 *
 * @param {Position} position
 * @param {string} solution  Its name, empty for the first one of the page.
 */
export function addressOf(position, solution = "") {
  const parts = [position.score.join("-"), lettersOf(position.goals).replaceAll("?", "x"), position.moves.join("")];
  while (parts.length > 1 && (parts.at(-1) === "" || parts.at(-1) === "xx")) parts.pop();
  return [...(solution ? [solution] : []), ...parts].join("/");
}

/**
 * Read what `addressOf` or `positionText` wrote. Throws RangeError saying which part is wrong. Whether the moves can be
 * played is for a Cursor to say.
 *
 * @param {string} text
 * @returns {{ position: Position, solution: string }}
 */
export function parsePosition(text) {
  const parts = text.trim().replace(/^#/, "").split(/[/\s]+/).filter((part) => part !== "");
  const solution = parts[0] !== undefined && !/^\d/.test(parts[0]) ? /** @type {string} */ (parts.shift()) : "";
  const [points = "", goals = "??", moves = "-", ...rest] = parts;
  const score = /^(\d{1,3})-(\d{1,3})$/.exec(points);
  if (score === null) throw new RangeError(`"${points}" is not a score: write both players' points, such as 4-3`);
  if (!/^[wlt?x]{2}$/i.test(goals)) {
    throw new RangeError(`"${goals}" are not two goals: write w, l or t for each player, ? if unknown, such as w?`);
  }
  const digits = moves === "-" ? "" : moves;
  if (!/^[1-9]*$/.test(digits) || new Set(digits).size < digits.length) {
    throw new RangeError(`"${moves}" are not moves: write different squares from 1 to 9, such as 513`);
  }
  if (rest.length > 0) throw new RangeError(`"${rest.join(" ")}" stands behind the moves, where nothing belongs`);
  const [first, second] = [...goals.toLowerCase()].map((letter) => {
    const goal = GOAL_LETTERS.indexOf(letter);
    return goal < 0 ? null : /** @type {Goal} */ (goal);
  });
  return {
    position: { score: [Number(score[1]), Number(score[2])], goals: [first ?? null, second ?? null], moves: [...digits].map(Number) },
    solution,
  };
}
