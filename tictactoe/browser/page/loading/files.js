/** Where the bytes of the page's files come from: the folder that it was loaded from, or the page itself. */

import { DataError, damaged } from "./data_file.js";

/**
 * The bytes of a file that the manifest names. Throws DataError where it cannot be had.
 *
 * @param {string} name
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export async function readFile(name) {
  return embedded(name) ?? (await fetched(name));
}

/** In a page that is one file, every data file is text in an element. @param {string} name */
function embedded(name) {
  const element = document.querySelector(`script[type="text/plain"][data-file="${name}"]`);
  if (element === null) return null;
  try {
    return Uint8Array.from(atob(element.textContent?.trim() ?? ""), (letter) => letter.charCodeAt(0));
  } catch {
    throw damaged(name, "it is not whole");
  }
}

/** @param {string} name @returns {Promise<Uint8Array<ArrayBuffer>>} */
async function fetched(name) {
  let response;
  try {
    response = await fetch(name);
  } catch {
    throw new DataError(
      `${name} cannot be loaded: no connection. It is needed once; after that the page works without.`,
    );
  }
  if (!response.ok) throw new DataError(`${name} cannot be loaded: the server answers ${response.status}.`);
  return new Uint8Array(await response.arrayBuffer());
}
