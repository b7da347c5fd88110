/** Commitments to a goal, which can be checked after the round. */

import { goalName } from "../games/rules.js";

/** Whether this page can make and check them: only a secure address has Web Crypto, as https, localhost or a file. */
export function canCommit() {
  return globalThis.crypto?.subtle !== undefined;
}

/**
 * What is hashed before a round and shown after it: tells the goal, and has 32 random hexadecimal digits.
 *
 * @param {number} round  Its number in the match, from 1.
 * @param {import("../games/rules.js").Goal} goal
 */
export function newCommitment(round, goal) {
  return `smbc-tictactoe round ${round} goal ${goalName(goal)} nonce ${newNonce()}`;
}

/** 128 random bits as 32 hexadecimal digits. */
export function newNonce() {
  return hexadecimal(crypto.getRandomValues(new Uint8Array(16)));
}

/** SHA-256, hexadecimal, as Python's hashlib computes it. @param {string} text */
export async function commitmentHash(text) {
  return hexadecimal(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
}

/** @param {Uint8Array} bytes */
function hexadecimal(bytes) {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
