/** The bot's seal: its SHA-256 before the round, the text and a check of both after it. */

import { h } from "../../parts/dom.js";
import { canCommit, commitmentHash } from "../../play/commitment.js";
import { isCommitment } from "../../play/kept_match.js";

/** @typedef {import("../../play/referee.js").RoundRecord} RoundRecord */

const NO_SEAL =
  "The bot cannot seal its goal here: for that the page has to come over https. " +
  "Its goal is dealt before you move all the same.";

/** A fold-out; what it shows is given to `render`. */
export class CommitmentNote {
  constructor() {
    this.summary = h("summary", {}, "The bot\u2019s sealed goal");
    this.content = h("div", { class: "folded" });
    this.element = h("details", { class: "fold commitment" }, this.summary, this.content);
    this.showing = "";
  }

  /** @param {RoundRecord} round @param {boolean} over */
  render(round, over) {
    const state = `${round.number} ${round.seal} ${over}`;
    if (state === this.showing) return;
    this.showing = state;
    if (!round.commitment || !round.seal) {
      this.summary.textContent = "The bot\u2019s goal is not sealed";
      this.content.replaceChildren(h("p", {}, NO_SEAL));
      return;
    }
    this.summary.textContent = over ? "The bot\u2019s seal is open" : "The bot\u2019s sealed goal";
    const seal = h("p", {}, "SHA-256: ", h("code", { class: "seal" }, round.seal));
    if (!over) {
      this.content.replaceChildren(
        h(
          "p",
          {},
          "Before your first move the bot wrote its goal down in a text, and sealed it: this number is the " +
            "text\u2019s fingerprint. After the round you see the text, and can check that the goal has not changed.",
        ),
        seal,
      );
      return;
    }
    const checked = h("p", { class: "checked", role: "status" }, "Checking\u2026");
    this.content.replaceChildren(
      h("p", {}, "The text that was sealed before your first move:"),
      h("p", {}, h("code", { class: "opened" }, round.commitment)),
      seal,
      checked,
      h(
        "p",
        { class: "muted" },
        "To check it yourself, in a terminal: ",
        h("code", {}, `python -c "import hashlib; print(hashlib.sha256(b'${round.commitment}').hexdigest())"`),
      ),
    );
    this.#check(round, checked, state);
  }

  /** @param {RoundRecord} round @param {HTMLElement} place @param {string} state */
  async #check(round, place, state) {
    const matches =
      canCommit() && isCommitment(round.commitment, round) && (await commitmentHash(round.commitment)) === round.seal;
    if (this.showing !== state) return;
    place.textContent = matches
      ? "Checked: the text names the bot\u2019s goal and matches the SHA-256."
      : "Checked: the text does not match the SHA-256. Do not trust this round.";
    place.classList.toggle("bad", !matches);
    this.summary.textContent = matches
      ? "The bot\u2019s seal is open: checked, it matches"
      : "The bot\u2019s seal does not match";
  }
}
