/** A transcript that the person opens: of this page, or of the program. */

import { DataError } from "../../loading/data_file.js";
import { h } from "../../parts/dom.js";
import { canCommit } from "../../play/commitment.js";
import { parsePosition } from "../../play/notation.js";
import { MOST_BYTES, linesOfFile } from "../../play/transcript_lines.js";
import { headerOf, replayed } from "../../play/transcript_reader.js";
import { loadBots } from "./match_review.js";

/**
 * @typedef {import("../screen.js").App} App
 * @typedef {import("./match_review.js").LoadedMatch} LoadedMatch
 */

/**
 * A button for opening a file, and a line that says why one cannot be opened.
 *
 * @param {App} app
 * @param {(loaded: LoadedMatch) => void} onOpen
 */
export function openButton(app, onOpen) {
  const problem = h("p", { class: "notice", role: "alert", hidden: true });
  const input = h("input", {
    type: "file",
    accept: ".jsonl,application/jsonl",
    hidden: true,
    "aria-label": "A transcript",
    onchange: async () => {
      const file = input.files?.[0];
      if (file === undefined) return;
      problem.hidden = true;
      try {
        onOpen(await loadedFile(app, file));
      } catch (error) {
        if (!(error instanceof RangeError || error instanceof DataError)) throw error;
        problem.textContent = `This file cannot be opened: ${error.message}.`;
        problem.hidden = false;
      } finally {
        input.value = "";
      }
    },
  });
  const button = h("button", { class: "button", type: "button", onclick: () => input.click() }, "Open a transcript");
  return h("div", { class: "open-file" }, button, input, problem);
}

/**
 * Rejects with RangeError, whose message is half a sentence, for a file that cannot be reviewed here.
 *
 * @param {App} app
 * @param {File} file
 * @returns {Promise<LoadedMatch>}
 */
async function loadedFile(app, file) {
  if (file.size > MOST_BYTES) throw new RangeError("it is larger than any transcript");
  return transcriptLoaded(app.catalogue, linesOfFile(new Uint8Array(await file.arrayBuffer())));
}

/**
 * @param {import("../../loading/solution_loader.js").Catalogue} catalogue
 * @param {readonly string[]} lines
 * @returns {Promise<LoadedMatch>}
 */
async function transcriptLoaded(catalogue, lines) {
  const header = headerOf(lines);
  const solution = catalogue.solutions.find((one) => one.data.rules.name === header.rules);
  if (solution === undefined) {
    throw new RangeError(`this page does not have the rules \u201c${header.rules.slice(0, 40)}\u201d`);
  }
  if (!canCommit()) throw new RangeError("a page that was not loaded over https cannot check what bots promised");
  const tree = await solution.loadTree();
  const found = await replayed(lines, tree);
  const isPractice = header.winningScore === null;
  if (found.winningScore > solution.winningScore) {
    throw new RangeError(`this page has matches to at most ${solution.winningScore} points`);
  }
  if (found.rounds.length === 0) throw new RangeError("it has no finished round");
  const match = { ...found, solution: solution.name, ...(isPractice ? { winningScore: solution.winningScore } : {}) };
  const bots = await loadBots(match, solution);
  const given = header.position === null ? 0 : parsePosition(header.position).position.moves.length;
  return { match, solution, tree, bots, isPractice, given };
}
