/** Parts of the page that are loaded when they are first asked for: scripts of their own, but in a page that is one file. */

import { DataError } from "./data_file.js";
import { withoutConnection } from "./files.js";

/** The other scripts stand beside this one. */
const HERE = document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : "";
/** @type {Map<string, any>} */
const parts = new Map();

/** Of a script that stands beside this one. @param {string} name */
export function scriptAddress(name) {
  return new URL(name, HERE || location.href).href;
}

/** Called by the script of a part. @param {string} name @param {unknown} part */
export function provide(name, part) {
  parts.set(name, part);
}

/** What the script of that name has provided. Rejects with DataError where it cannot be had. @param {string} name */
export async function loadPart(name) {
  if (!parts.has(name)) {
    const script = document.createElement("script");
    await new Promise((resolve, reject) => {
      script.onload = resolve;
      script.onerror = () => reject(new DataError(withoutConnection()));
      script.src = scriptAddress(`page-${name}.js`);
      document.head.append(script);
    }).finally(() => script.remove());
  }
  return parts.get(name);
}
