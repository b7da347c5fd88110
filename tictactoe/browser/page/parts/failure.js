/** What went wrong, said to the person. */

import { DataError } from "../loading/data_file.js";
import { h } from "./dom.js";

/**
 * A notice about an error: files that cannot be used in their own words, anything else as a fault of the page.
 *
 * @param {unknown} error
 * @returns {HTMLElement}
 */
export function failureNotice(error) {
  const text = error instanceof Error ? error.message : String(error);
  return h(
    "p",
    { class: "notice", role: "alert" },
    error instanceof DataError ? text : `This page has a fault: ${text}`,
  );
}
