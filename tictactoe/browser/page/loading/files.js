/** Where the bytes of the page's files come from: the folder that it was loaded from, or the page itself. */

import { DataError, damaged } from "./data_file.js";

const FROM_A_FOLDER =
  "This page must come from a web server, because browsers do not let a page in a folder read other files. Put the " +
  "folder on a server, or type tictactoe page. A page made by tictactoe page -o page.html opens with a double click.";

/**
 * The bytes of a file that the manifest names. Throws DataError where it cannot be had.
 *
 * @param {string} name
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export async function readFile(name) {
  return embedded(name) ?? (await fetched(name));
}

/**
 * What such a file of JSON holds, unchecked. Throws DataError where it cannot be had or read.
 *
 * @param {string} name
 * @returns {Promise<any>}
 */
export async function readJson(name) {
  const text = new TextDecoder().decode(await readFile(name));
  try {
    return JSON.parse(text);
  } catch {
    throw damaged(name, "it cannot be read");
  }
}

/** In a page that is one file, every other file is text in an element; null elsewhere. @param {string} name */
export function embedded(name) {
  const element = document.querySelector(`script[type="text/plain"][data-file="${name}"]`);
  if (element === null) return null;
  try {
    return Uint8Array.from(atob(element.textContent?.trim() ?? ""), (letter) => letter.charCodeAt(0));
  } catch {
    throw damaged(name, "it is incomplete");
  }
}

/** @param {string} name @returns {Promise<Uint8Array<ArrayBuffer>>} */
async function fetched(name) {
  try {
    const response = await fetch(name);
    if (!response.ok) throw missing(name, response.status);
    return new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    if (error instanceof DataError) throw error;
    throw new DataError(location.protocol === "file:" ? FROM_A_FOLDER : withoutConnection());
  }
}

/** @param {string} name @param {number} status */
function missing(name, status) {
  return new DataError(
    "A part of this page is missing on its server. Load the page again; if that does not help, tell the " +
      "person who runs it.",
    `${name} cannot be loaded: the server answers ${status}.`,
  );
}

/** What to do where nothing answers: a server on this machine has been ended, or there is no network. */
export function withoutConnection() {
  if (isOnThisMachine())
    return "The program that shows this page does not answer. Start tictactoe page again, then try again.";
  const kept = navigator.serviceWorker?.controller ? " Everything that you have opened before still works." : "";
  return `There is no connection, and this part of the page has not been loaded yet. Try again when there is one.${kept}`;
}

/** Whether the page comes from a server on this machine, which nobody else can reach. */
export function isOnThisMachine() {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(location.hostname);
}
