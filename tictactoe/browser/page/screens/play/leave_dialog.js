/** Asking before a match that goes on is left. */

import { h } from "../../parts/dom.js";

/**
 * Ask, in front of all else.
 *
 * @param {string} score  How the match stands.
 * @param {() => void} onLeave
 */
export function askToLeave(score, onLeave) {
  const dialog = h("dialog", { class: "card leave", "aria-labelledby": "leave-heading" });
  const stay = h("button", { class: "button main", type: "button", onclick: () => dialog.close() }, "Go on playing");
  const leave = h("button", { class: "button", type: "button" }, "Leave it");
  leave.addEventListener("click", () => {
    dialog.close();
    onLeave();
  });
  dialog.append(
    h("h2", { id: "leave-heading" }, "Leave this match?"),
    h("p", {}, `It stands ${score}, and cannot be gone on with later.`),
    h("div", { class: "actions" }, stay, leave),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
