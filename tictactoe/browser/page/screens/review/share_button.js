/** Sending the result of a match to somebody. */

import { h } from "../../parts/dom.js";

/**
 * A button that hands a text to whatever the device sends texts with, else copies it, else shows it to be copied.
 *
 * @param {string} text
 * @param {(said: string) => void} announce
 */
export function shareButton(text, announce) {
  const said = h("span", { class: "muted" });
  const field = h(
    "textarea",
    { readonly: true, rows: 3, hidden: true, "aria-label": "The result, to be copied" },
    text,
  );
  const tell = (/** @type {string} */ words) => {
    said.textContent = words;
    announce(words);
  };
  const share = async () => {
    try {
      if (navigator.share !== undefined) await navigator.share({ text });
      else {
        await navigator.clipboard.writeText(text);
        tell("Copied: paste it where you like.");
      }
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") return; // the person thought better of it
      field.hidden = false;
      field.select();
      tell("Copy it from here:");
    }
  };
  const button = h("button", { class: "button main", type: "button", onclick: share }, "Share the result");
  return h("div", { class: "share" }, button, said, field);
}
