/**
 * Who has three in a row, and how a round ended, in words for people.
 *
 * By rules that end a round with three in a row there is little to say; by others it must be said that the round goes
 * on, what is certain before the board is full, and what the end counts as.
 *
 * @typedef {import("../games/cursor.js").Cursor} Cursor
 * @typedef {import("../games/rules.js").Goal} Goal
 * @typedef {import("./referee.js").Player} Player
 * @typedef {object} Table  Who sits there.
 * @property {readonly [string, string]} names  By player; "You" is the person who reads.
 * @property {Player} first  Who moves first.
 * @property {(square: number) => number | string} digit  How a square is called.
 */

import { finalLines, linesOf } from "../games/board.js";
import { otherPlayer } from "./referee.js";

/** @type {readonly string[]} */
const DONE = ["won", "lost", "tied"];
const SPACE = "\u00a0";

/**
 * Who has three in a row while the round goes on; empty while nobody has.
 *
 * @param {Cursor} cursor
 * @param {Table} table
 * @param {boolean} where  Whether to name the squares, too.
 */
export function standing(cursor, table, where = true) {
  const rows = rowsOf(cursor, table);
  if (cursor.forcedOutcome !== null || !(rows[0] || rows[1])) return "";
  const both = rows[0] && rows[1];
  const player = rows[0] ? 0 : 1;
  const inFull = both ? bothHave(table, rows) : hasRow(table, rows, player);
  const briefly = both ? "both have three in a row" : `${has(table, player)} three in a row`;
  return `${sentence(where ? inFull : briefly)}; the round goes on.`;
}

/**
 * How a round ended, and what that counts as: sentences. Throws RangeError while it goes on.
 *
 * @param {Cursor} cursor
 * @param {Table} table
 * @returns {string[]}
 */
export function ending(cursor, table) {
  const { forcedOutcome: outcome, tree } = cursor;
  if (outcome === null) throw new RangeError("the round goes on");
  const over = cursor.outcome !== null;
  if (tree.rules.data.ends_with_line) return [withLine(table, tree.rules.outcomeData(outcome).name, over)];
  const { happened } = tree.rules.outcomeData(outcome);
  const rows = rowsOf(cursor, table);
  const told = over ? inTheEnd(table, rows) : `The round is decided: ${decided(cursor, table, rows, happened)}`;
  return [`${told}.`, countsAs(cursor, table, outcome)];
}

/**
 * Who completes three in a row where that ends the round, and what it is for each.
 *
 * @param {Table} table
 * @param {string} outcome  Its name, as the first mover sees it.
 * @param {boolean} over
 */
function withLine(table, outcome, over) {
  const now = over ? "" : "Whatever is played now, ";
  if (outcome === "tie") return `${over ? "Nobody" : `${now}nobody`} completes three in a row: a tie.`;
  const winner = outcome === "win" ? table.first : otherPlayer(table.first);
  const [one, other] = [called(table, winner), called(table, otherPlayer(winner))];
  const completes = `${one} ${one === "you" ? "complete" : "completes"} three in a row`;
  return `${over ? sentence(completes) : now + completes}: a win for ${one}, a loss for ${other}.`;
}

/**
 * The three in a row of each player, as text; empty where there is none.
 *
 * @param {Cursor} cursor
 * @param {Table} table
 */
function rowsOf(cursor, table) {
  const texts = [cursor.board.first, cursor.board.second].map((marks) =>
    linesOf(marks)
      .map((line) => line.map(table.digit).sort().join(SPACE))
      .join(" and "),
  );
  return table.first === 0 ? texts : texts.reverse();
}

/** On a full board. @param {Table} table @param {string[]} rows */
function inTheEnd(table, rows) {
  if (rows[0] && rows[1]) return sentence(bothHave(table, rows));
  return rows[0] || rows[1] ? sentence(hasRow(table, rows, rows[0] ? 0 : 1)) : "Nobody has three in a row";
}

/** @param {Table} table @param {string[]} rows */
function bothHave(table, rows) {
  return `both have three in a row, ${called(table, 0)} ${rows[0]}, ${called(table, 1)} ${rows[1]}`;
}

/** @param {Table} table @param {string[]} rows @param {Player} player */
function hasRow(table, rows, player) {
  return `${has(table, player)} three in a row: ${rows[player]}`;
}

/**
 * What is certain before the board is full.
 *
 * @param {Cursor} cursor
 * @param {Table} table
 * @param {string[]} rows
 * @param {string} happened
 */
function decided(cursor, table, rows, happened) {
  const ends = new Set(finalLines(cursor.board).map((pair) => (table.first === 0 ? pair : [pair[1], pair[0]]).join()));
  const players = /** @type {Player[]} */ ([0, 1]);
  const there = players
    .filter((player) => rows[player])
    .map((player) => `${has(table, player)} three in a row (${rows[player]})`)
    .join(", and ");
  const only = ends.size === 1 ? [...ends][0] : "";
  if (only === "true,true" && !(rows[0] && rows[1])) {
    const late = called(table, rows[0] ? 1 : 0);
    return there ? `${there}, and ${late} will have it, too` : "whatever is played now, both will have three in a row";
  }
  for (const player of players) {
    const other = otherPlayer(player);
    if (only !== (player === 0 ? "true,false" : "false,true")) continue;
    if (rows[player]) return `${there}, and ${called(table, other)} can get none`;
    const [one, theOther] = [called(table, player), called(table, other)];
    return `whatever is played now, ${one} will have three in a row, and ${theOther} will not`;
  }
  if (only === "false,false") return "nobody can get three in a row any more";
  return there || `whatever is played now, ${happened}`;
}

/**
 * What the outcome is; said to be by these rules where that is not plain.
 *
 * @param {Cursor} cursor
 * @param {Table} table
 * @param {number} outcome
 */
function countsAs(cursor, table, outcome) {
  const bySeat = cursor.tree.rules.outcomeData(outcome).goals_true;
  const [mine, theirs] = table.first === 0 ? bySeat : [bySeat[1], bySeat[0]];
  if (mine.join() !== theirs.join()) {
    return `${sentence(has(table, 0))} ${done(mine)}, ${has(table, 1)} ${done(theirs)}.`;
  }
  if (mine.join() === "2") {
    const rows = finalLines(cursor.board).some((pair) => pair[0] || pair[1]);
    return rows ? "By these rules that is a tie." : "It is a tie.";
  }
  return mine.length > 0 ? `By these rules both have ${done(mine)}.` : "By these rules nobody's goal comes true then.";
}

/** @param {Goal[]} goals */
function done(goals) {
  return goals.map((goal) => DONE[goal]).join(" and ") || "reached no goal";
}

/** A player's name inside a sentence. @param {Table} table @param {Player} player */
function called(table, player) {
  return table.names[player] === "You" ? "you" : table.names[player];
}

/** @param {Table} table @param {Player} player */
function has(table, player) {
  return table.names[player] === "You" ? "you have" : `${table.names[player]} has`;
}

/** With a capital, unless it begins with a name. @param {string} text */
function sentence(text) {
  return /^(you|both|nobody|the bot) /.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}
