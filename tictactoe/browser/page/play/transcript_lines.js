/** The lines of a transcript as data, told apart as the program tells them apart. */

export const MOST_BYTES = 2 ** 24;
const MOST_DIGITS = 4300;
/** Where the program begins a new line. */
const ENDS = new RegExp("\\r\\n|[\\n\\r\\v\\f\\x1c-\\x1e\\x85\\u2028\\u2029]");
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;

/**
 * The lines of a file. Throws RangeError for one that holds no text.
 *
 * @param {Uint8Array} bytes
 * @returns {string[]}
 */
export function linesOfFile(bytes) {
  if (bytes.length > MOST_BYTES) throw new RangeError("it is larger than any transcript");
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new RangeError("it is not text");
  }
  const lines = text.split(ENDS);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/**
 * The object on a line, which some editors begin with a byte order mark. In place of a number that is not whole stands
 * a
 * text with a character that no text of a transcript has, as 1.0 is none of its numbers. Throws RangeError.
 *
 * @param {string} line
 * @param {number} number  Of the line.
 * @returns {Record<string, unknown>}
 */
export function contentOf(line, number) {
  let found;
  try {
    const text = line.replace(/^\ufeff/, "");
    JSON.parse(text);
    found = JSON.parse(text.replace(TOKEN, whole));
  } catch {
    throw new RangeError(`line ${number}: it is not JSON`);
  }
  if (typeof found !== "object" || found === null || Array.isArray(found)) {
    throw new RangeError(`line ${number}: a transcript has a JSON object on each line`);
  }
  return found;
}

/** @param {string} token */
function whole(token) {
  if (token.startsWith('"')) return token;
  if (/[.eE]/.test(token)) return `"\\u0000${token}"`;
  if (token.length > MOST_DIGITS) throw new RangeError("a number with too many digits");
  return token;
}

/**
 * Whether two values are the same data, in whatever order an object has its fields.
 *
 * @param {any} one
 * @param {any} other
 * @returns {boolean}
 */
export function same(one, other) {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && same(one[name], other[name]))
  );
}
