/** The bot's sealed goal, opened: the text, its SHA-256, and a check that it is the one from before the round. */

import { h } from "../../parts/dom.js";
import { canCommit, commitmentHash } from "../../play/commitment.js";
import { isCommitment } from "../../play/kept_match.js";

/**
 * A fold-out; null where nothing was sealed.
 *
 * @param {import("../../play/referee.js").RoundRecord} round  One that is over.
 */
export function sealNote(round) {
  if (!round.commitment || !canCommit()) return null;
  const summary = h("summary", {}, "The bot\u2019s seal is open");
  const checked = h("p", { class: "checked", role: "status" }, "Checking\u2026");
  const seal = h("code", { class: "seal" });
  check(round).then(({ hash, matches }) => {
    seal.textContent = hash;
    checked.textContent = matches
      ? "Checked: the text names the bot\u2019s goal and matches the SHA-256."
      : "Checked: the text does not match the SHA-256. Do not trust this round.";
    checked.classList.toggle("bad", !matches);
    if (!matches) summary.textContent = "The bot\u2019s seal does not match";
  });
  return h(
    "details",
    { class: "card commitment" },
    summary,
    h("p", {}, "Before your first move, the bot wrote its goal into this text, and the page showed its fingerprint:"),
    h("p", {}, h("code", { class: "opened" }, round.commitment)),
    h("p", {}, "SHA-256: ", seal),
    checked,
    h(
      "p",
      { class: "muted" },
      "To check it yourself, in a terminal: ",
      h("code", {}, `python -c "import hashlib; print(hashlib.sha256(b'${round.commitment}').hexdigest())"`),
    ),
  );
}

/** The seal, which lists of old matches leave out, as it follows from the text. @param {import("../../play/referee.js").RoundRecord} round */
async function check(round) {
  const own = await commitmentHash(round.commitment);
  const hash = round.seal || own;
  return { hash, matches: isCommitment(round.commitment, round) && hash === own };
}
