/**
 * Reading the data files of the page, which docs/page-data.md describes. Nothing in them is trusted.
 *
 * @typedef {Int8Array | Uint8Array | Float32Array | Float64Array} DataArray
 * @typedef {{ header: Record<string, unknown>, arrays: Map<string, DataArray> }} DataFile
 * @typedef {{ name: string, dtype: keyof typeof TYPES, length: number }} ArrayData
 */

/** Something that cannot be had or used: the message says so to any person, and what to do. */
export class DataError extends Error {
  /** @param {string} message @param {string} detail  For who runs the page: which file, and what about it. */
  constructor(message, detail = "") {
    super(message);
    this.detail = detail;
  }
}

const MAGIC = "SMBCTTT1";
const ALIGNMENT = 8;
const LARGEST = 64 * 2 ** 20;
const TYPES = { int8: Int8Array, uint8: Uint8Array, float32: Float32Array, float64: Float64Array };

/**
 * What a data file holds. Throws DataError for a file that is damaged or something else.
 *
 * @param {string} name  For messages.
 * @param {Uint8Array<ArrayBuffer>} compressed
 * @returns {Promise<DataFile>}
 */
export async function decodeDataFile(name, compressed) {
  const bytes = await inflate(name, compressed);
  const view = new DataView(bytes.buffer);
  if (bytes.length < 12 || new TextDecoder().decode(bytes.subarray(0, 8)) !== MAGIC) {
    throw damaged(name, "it is not a data file of this page");
  }
  const start = 12 + view.getUint32(8, true);
  const header = start <= bytes.length ? parseHeader(bytes.subarray(12, start)) : null;
  if (header === null) throw damaged(name, "its header cannot be read");
  /** @type {Map<string, DataArray>} */
  const arrays = new Map();
  let offset = start;
  for (const { name: array, dtype, length } of header.arrays) {
    const Type = TYPES[dtype];
    const size = length * Type.BYTES_PER_ELEMENT;
    if (offset % ALIGNMENT !== 0 || offset + size > bytes.length)
      throw damaged(name, "it is shorter than its header says");
    arrays.set(array, new Type(bytes.buffer, offset, length));
    offset += size + ((ALIGNMENT - (size % ALIGNMENT)) % ALIGNMENT);
  }
  if (offset !== bytes.length) throw damaged(name, "it is longer than its header says");
  return { header: header.all, arrays };
}

/** @param {string} name @param {string} what */
export function damaged(name, what) {
  return new DataError(
    "A part of this page is damaged. Load the page again; if that does not help, tell the person who runs it.",
    `${name} cannot be used: ${what}.`,
  );
}

/**
 * @param {Uint8Array} bytes
 * @returns {{ all: Record<string, unknown>, arrays: ArrayData[] } | null}
 */
function parseHeader(bytes) {
  try {
    const all = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    const good = (/** @type {any} */ array) =>
      typeof array.name === "string" &&
      Object.hasOwn(TYPES, array.dtype) &&
      Number.isInteger(array.length) &&
      array.length >= 0;
    return Array.isArray(all.arrays) && all.arrays.every(good) ? { all, arrays: all.arrays } : null;
  } catch {
    return null;
  }
}

/**
 * The inflated bytes, in a buffer of their own. gzip's checksum is checked with it. Throws DataError.
 *
 * @param {string} name
 * @param {Uint8Array<ArrayBuffer>} compressed
 */
async function inflate(name, compressed) {
  if (!("DecompressionStream" in globalThis)) {
    throw new DataError("This browser is too old for this page: it cannot unpack the page's data. Use a newer one.");
  }
  const stream = new Blob([compressed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const parts = [];
  let size = 0;
  try {
    const reader = stream.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parts.push(part.value);
      size += part.value.length;
      if (size > LARGEST) throw new RangeError("too large");
    }
  } catch {
    throw damaged(name, "its checksum is wrong, or it is incomplete");
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}
