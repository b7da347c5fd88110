/**
 * What a person looks at in "Review", as the page's address has it: review, review/3 for a round of the match that was
 * played last, review/matches, review/match-1767225600000 for a match by the time when it was over, review/file for an
 * opened one; behind the latter two the number of a round, too.
 *
 * @typedef {object} ReviewPlace
 * @property {"last" | "past" | "file" | "matches"} kind
 * @property {number} time  Of a past match.
 * @property {string} match  The address of the match as a whole.
 * @property {string} round  The number of a round; empty for the match as a whole.
 */

/** @param {string} address @returns {ReviewPlace} */
export function placeOf(address) {
  const [, first = "", second = ""] = address.split("/");
  if (first === "matches") return { kind: "matches", time: 0, match: addressOfMatches(), round: "" };
  if (first === "file") return { kind: "file", time: 0, match: addressOfFile(), round: second };
  const time = Number(/^match-(\d{1,16})$/.exec(first)?.[1] ?? Number.NaN);
  if (time > 0) return { kind: "past", time, match: addressOfPast(time), round: second };
  return { kind: "last", time: 0, match: "review", round: first };
}

/** @param {number} time */
export function addressOfPast(time) {
  return `review/match-${time}`;
}

/** Of all matches that are kept. */
export function addressOfMatches() {
  return "review/matches";
}

/** Of the match in a file that has been opened. */
export function addressOfFile() {
  return "review/file";
}
