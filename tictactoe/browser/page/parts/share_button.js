/** Sending the result of a match to somebody. */

import { h } from "./dom.js";
import { Copying, sent } from "./sharing.js";

/**
 * A button that hands a text to whatever the device sends texts with, else copies it, else shows it to be copied.
 *
 * @param {string} text
 * @param {(said: string) => void} announce
 */
export function shareButton(text, announce) {
  const copying = new Copying(announce);
  const share = async () => {
    if (!(await sent({ text }))) await copying.copy(text, "Copied: paste it where you like.", "Copy it from here:");
  };
  const button = h("button", { class: "button main", type: "button", onclick: share }, "Share the result");
  return h("div", { class: "share" }, button, copying.element);
}
