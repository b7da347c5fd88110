/** What went wrong, said to the person. */

import { DataError } from "../loading/data_file.js";
import { h } from "./dom.js";

/**
 * A notice about an error: what cannot be had or used in its own words, anything else as a fault of the page. Which
 * file it was stands behind a tap.
 *
 * @param {unknown} error
 * @returns {HTMLElement}
 */
export function failureNotice(error) {
  const text = error instanceof Error ? error.message : String(error);
  const detail = error instanceof DataError ? error.detail : "";
  return h(
    "div",
    { class: "notice" },
    h("p", { role: "alert" }, error instanceof DataError ? text : `There is an error in this page: ${text}`),
    detail !== "" && h("details", {}, h("summary", {}, "For the person who runs the page"), h("code", {}, detail)),
  );
}
