/** The match as a file that the program in a terminal reviews. */

import { h } from "../../parts/dom.js";
import { canCommit } from "../../play/commitment.js";
import { hasTranscript, transcriptOf } from "../../play/transcript.js";

const FILE = "match.jsonl";

/**
 * A button that saves the transcript; empty where the match has not all that it needs.
 *
 * @param {import("../screen.js").App} app
 * @param {import("./match_review.js").LoadedMatch} loaded
 * @returns {HTMLElement}
 */
export function transcriptButton(app, { match, tree, solution, isPractice }) {
  if (isPractice || !hasTranscript(match) || !canCommit()) return h("div");
  const version = app.catalogue.manifest.program.split(" ").at(-1) ?? "";
  const save = async () => {
    const text = await transcriptOf(match, tree, solution.winningScore, version);
    const address = URL.createObjectURL(new Blob([text], { type: "application/jsonl" }));
    h("a", { href: address, download: FILE }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  };
  return h(
    "p",
    { class: "transcript" },
    h("button", { type: "button", class: "button", onclick: save }, "Download transcript"),
    " A file of all moves. The program in a terminal reads it: ",
    h("code", {}, `tictactoe review ${FILE}`),
  );
}
