/** What the person has chosen, kept by the browser; where it keeps nothing, until the page is left. */

/** What the browser would not keep: it is newer than what stands there. @type {Map<string, string>} */
const unkept = new Map();
/** Another one for every page of a site: what one has kept is not for another. */
const PREFIX = `smbc-tictactoe ${new URL(".", location.href).pathname} `;

/** @param {string} name @returns {string | null} */
export function recall(name) {
  try {
    return unkept.get(name) ?? localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

/** Whether the browser keeps it. @param {string} name @param {string | null} value  null forgets it. */
export function keep(name, value) {
  unkept.delete(name);
  try {
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, value);
    return true;
  } catch {
    // A browser that keeps nothing, or has no room.
    if (value !== null) unkept.set(name, value);
    return false;
  }
}

/**
 * Keep something as JSON. Whether the browser does.
 *
 * @param {string} name
 * @param {unknown} data  null forgets it.
 */
export function keepData(name, data) {
  return keep(name, data === null ? null : JSON.stringify(data));
}

/**
 * What `keepData` was given; null where there is nothing, or nothing that can be read.
 *
 * @param {string} name
 * @returns {unknown}
 */
export function recallData(name) {
  try {
    return JSON.parse(recall(name) ?? "null");
  } catch {
    return null;
  }
}

/** Whether the browser keeps anything at all for this page. */
export function canKeep() {
  const works = keep("probe", "");
  keep("probe", null);
  return works;
}
