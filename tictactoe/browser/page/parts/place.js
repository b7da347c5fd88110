/**
 * A position of a solved match, as the page's address has it: where a person explores or practises.
 *
 * @typedef {import("../loading/solution_loader.js").Catalogue} Catalogue
 * @typedef {import("../play/notation.js").Position} Position
 * @typedef {{ solution: import("../loading/solution_loader.js").SolvedMatch, position: Position }} Place
 */

import { Cursor, IllegalMoveError } from "../games/cursor.js";
import { scoreInLongerMatch, scoreText } from "../match/scores.js";
import { digitOf, keypad } from "./keypad.js";
import { addressOf, parsePosition, positionText } from "../play/notation.js";

/**
 * The place that an address names: the start of a match where it names no more than the screen or the rules. Throws
 * RangeError saying what is wrong with it. Whether the moves can be played is for `cursorAt` to say.
 *
 * @param {Catalogue} catalogue
 * @param {string} address
 * @returns {Place}
 */
export function placeAt(catalogue, address) {
  const wanted = address.replace(/^explore(\/|$)/, "").replace(/\/$/, "");
  const start = wanted === "" || catalogue.solutions.some((one) => one.name === wanted);
  const { position, solution: name } = parsePosition(start ? `${wanted}/0-0` : wanted);
  const solution = catalogue.find(name);
  if (solution === null) {
    const names = catalogue.solutions.map((one) => one.name).join(" and ");
    throw new RangeError(`this page has no rules "${name}", only ${names}`);
  }
  solution.scoreData(position.score);
  const { match, score } = shownAt({ solution, position });
  if (match > solution.winningScore || Math.min(...score) < 0) {
    throw new RangeError(`a match to ${match} does not have the score ${scoreText(position.score)}`);
  }
  return { solution, position };
}

/**
 * The match that is shown at a place, by its points, and the score in it.
 *
 * @param {Place} place
 */
export function shownAt({ solution, position: { score, to } }) {
  const match = to ?? solution.winningScore;
  return { match, score: scoreInLongerMatch(score, solution.winningScore, match) };
}

/** @param {Catalogue} catalogue @param {Place} place */
export function addressOfPlace(catalogue, { solution, position }) {
  return addressOf(position, catalogue.addressName(solution));
}

/**
 * The same place but for a part of its position.
 *
 * @param {Place} place
 * @param {Partial<Position>} other
 * @returns {Place}
 */
export function changed(place, other) {
  return { ...place, position: { ...place.position, ...other } };
}

/**
 * The cursor of as many of the moves as can be played, and why not all of them can, null if they can.
 *
 * @param {import("../games/tree.js").GameTree} tree
 * @param {readonly number[]} moves
 * @returns {{ cursor: Cursor, problem: string | null }}
 */
export function cursorAt(tree, moves) {
  const cursor = new Cursor(tree);
  for (const [index, move] of moves.entries()) {
    try {
      cursor.play(move);
    } catch (error) {
      if (!(error instanceof IllegalMoveError)) throw error;
      return {
        cursor,
        problem: `move ${index + 1} of ${moves.join("")}, on ${move}, cannot be played: ${error.message}`,
      };
    }
  }
  return { cursor, problem: null };
}

/**
 * The address of what somebody has pasted: a link to this page, or to another copy of it, a command of the program, or
 * a position as the program prints it. A position alone is one of the solution that is looked at. Throws RangeError.
 *
 * @param {Catalogue} catalogue
 * @param {Place["solution"]} present
 * @param {string} text
 */
export function pastedAddress(catalogue, present, text) {
  const link = /#([^\s#]+)\s*$/.exec(text)?.[1];
  if (link !== undefined) return addressOfPlace(catalogue, placeAt(catalogue, decoded(link)));
  const command = /--position[\s=]+(["']?)(.+?)\1(?:\s+-|\s*$)/.exec(text)?.[2];
  const rules = command === undefined ? undefined : /--rules[\s=]+(["']?)([\w-]+(?: [\d:]+)?)\1/.exec(text)?.[2];
  const named = rules === undefined ? "" : rules.replace(" ", "_");
  const place = placeAt(catalogue, `${named} ${command ?? text}`);
  const solution = command === undefined && place.solution === catalogue.first ? present : place.solution;
  solution.scoreData(place.position.score);
  return addressOfPlace(catalogue, { ...place, solution });
}

/** The position as every command takes it, its squares as on the person's keypad. @param {Position} position */
export function shownPosition(position) {
  if (keypad() === "phone" || position.moves.length === 0) return positionText(position);
  const digits = positionText({ ...position, moves: position.moves.map(digitOf) });
  return digits.replace(/(\d+)$/, "n$1");
}

/** What to type for the program to show the same. @param {Place} place */
export function commandFor({ solution, position }) {
  const rules = solution.data.rules.name;
  return `explore --rules ${rules.includes(" ") ? `"${rules}"` : rules} --position "${shownPosition(position)}"`;
}

/** Of an address, which browsers encode or leave as it is. @param {string} text */
export function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
