/** Giving a text or an address to somebody else: by what the device sends with, by the clipboard, or by hand. */

import { isOnThisMachine } from "../loading/files.js";
import { h } from "./dom.js";

/**
 * The page's address: where it came from, or, where nobody else can reach that, the one that it was built for. Empty
 * where there is none, as a file on a disk has no address that another person could open.
 *
 * @param {import("../loading/manifest.js").Manifest} manifest
 */
export function addressOfPage({ address }) {
  const here = location.protocol === "file:" ? "" : String(location.href.split("#")[0]);
  const built = address && /^https?:/.test(address) ? address : "";
  return here === "" || isOnThisMachine() ? built || here : here;
}

/** Whether only this computer opens it. @param {string} link */
export function opensHereAlone(link) {
  return link.startsWith(location.origin) && isOnThisMachine();
}

/**
 * Let the person send something with what the device has for it. Whether that is done with: who closes its window does
 * not want to send; where it does not work, there is the clipboard.
 *
 * @param {ShareData} data
 */
export async function sent(data) {
  if (typeof navigator.share !== "function") return false;
  try {
    await navigator.share(data);
    return true;
  } catch (error) {
    return error instanceof DOMException && error.name === "AbortError";
  }
}

/** What has been copied, in words, and a field to copy from where the browser does not let the page copy. */
export class Copying {
  /** @param {(text: string) => void} announce */
  constructor(announce) {
    this.announce = announce;
    this.told = h("p", { class: "copied" });
    this.field = h("textarea", { readonly: true, rows: 4, hidden: true, "aria-label": "To copy" });
    this.element = h("div", { class: "shared" }, this.told, this.field);
  }

  /** @param {string} text @param {string} done  What to say then. @param {string} refused  What to say otherwise. */
  async copy(text, done, refused) {
    this.clear();
    try {
      await navigator.clipboard.writeText(text);
      this.#tell(done);
    } catch {
      this.field.value = text;
      this.field.hidden = false;
      this.field.focus();
      this.field.select();
      this.#tell(refused);
    }
  }

  /** Say nothing any more. */
  clear() {
    this.told.textContent = "";
    this.field.hidden = true;
  }

  /** @param {string} text */
  #tell(text) {
    this.told.textContent = text;
    this.announce(text);
  }
}
