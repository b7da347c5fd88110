/** How the squares are numbered: as on a phone, from the top, or as on a numpad, from the bottom. */

import { NUMPAD } from "../play/notation.js";
import { prefer, prefers } from "./preferences.js";

/** Which of the two the person prefers. */
export function keypad() {
  return prefers("keypad") === "numpad" ? "numpad" : "phone";
}

/** @param {"phone" | "numpad"} wanted */
export function chooseKeypad(wanted) {
  prefer("keypad", wanted);
}

/** The digit on a square. It leads back, too: `digitOf(digitOf(square))` is the square. @param {number} square */
export function digitOf(square) {
  return keypad() === "numpad" ? NUMPAD[square - 1] : square;
}

/** The square that a key means, null where it means none. @param {KeyboardEvent} event */
export function squareOfKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  return /^[1-9]$/.test(event.key) ? digitOf(Number(event.key)) : null;
}
