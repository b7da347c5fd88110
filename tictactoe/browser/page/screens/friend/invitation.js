/**
 * Invitations and answers as texts that fit into a link, and what a browser needs of them for a connection. Whoever
 * sends one may have made it up: only what has its form becomes a part of a description for the browser.
 *
 * @typedef {[string, number, 0 | 1]} Candidate  An address, a port, and 1 where another server has told the address.
 * @typedef {object} Contact  How one browser is reached.
 * @property {string} ufrag
 * @property {string} pwd
 * @property {string} fingerprint  Of its certificate, SHA-256, 64 hexadecimal digits in upper case.
 * @property {Candidate[]} candidates
 * @typedef {object} Invitation
 * @property {"invitation"} kind
 * @property {Contact} contact
 * @property {import("../../play/friend_match.js").Terms} terms  Of the match; of one that goes on, too.
 * @property {string} name  Of who invites.
 * @property {boolean} goesOn  Whether the match has begun.
 * @typedef {object} Answer
 * @property {"answer"} kind
 * @property {Contact} contact
 * @property {string} to  Of the invitation that it answers: the first letters of the fingerprint.
 */

import { PROTOCOL } from "../../play/friend_match.js";

/** Letters of a fingerprint by which an answer finds its invitation. */
const KEY = 16;
const MOST_CANDIDATES = 8;
const LONGEST_LINK = 3000;

/** @param {Contact} contact  Of the invitation. */
export function keyOf({ fingerprint }) {
  return fingerprint.slice(0, KEY);
}

/** The text for a link. @param {Invitation | Answer} sent */
export function textOf(sent) {
  const { ufrag, pwd, fingerprint, candidates } = sent.contact;
  const about =
    sent.kind === "answer"
      ? sent.to
      : [sent.terms.id, sent.terms.solution, sent.terms.winningScore, sent.name, Number(sent.goesOn)];
  const bytes = new TextEncoder().encode(JSON.stringify([PROTOCOL, about, ufrag, pwd, fingerprint, candidates]));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/**
 * What somebody has pasted or opened: a link, or the text alone. Throws RangeError. That the terms can be played here is
 * for the caller to look at.
 *
 * @param {string} pasted
 * @returns {Invitation | Answer}
 */
export function readText(pasted) {
  const text = /#friend\/([\w-]+)/.exec(pasted)?.[1] ?? pasted.trim();
  let found;
  try {
    if (text.length > LONGEST_LINK) throw new RangeError();
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
    found = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new RangeError("This is not an invitation or an answer, or a part is missing. Copy the whole link.");
  }
  const [protocol, about, ufrag, pwd, fingerprint, candidates] = Array.isArray(found) ? found : [];
  if (protocol !== PROTOCOL && typeof protocol === "number") {
    throw new RangeError(
      "This link is from another version of the page. Load the page again on both devices, then send a new one.",
    );
  }
  const contact = { ufrag, pwd, fingerprint, candidates };
  if (protocol !== PROTOCOL || !isContact(contact)) throw new RangeError("This link is damaged. Ask for a new one.");
  if (typeof about === "string") return { kind: "answer", contact, to: about };
  const [id, solution, winningScore, name, goesOn] = Array.isArray(about) ? about : [];
  const terms = { id, solution, winningScore };
  return { kind: "invitation", contact, terms, name, goesOn: goesOn === 1 };
}

/** @param {any} contact @returns {contact is Contact} */
function isContact({ ufrag, pwd, fingerprint, candidates }) {
  const matches = (/** @type {unknown} */ text, /** @type {RegExp} */ form) =>
    typeof text === "string" && form.test(text);
  return (
    matches(ufrag, /^[\w+/-]{4,256}$/) &&
    matches(pwd, /^[\w+/-]{22,256}$/) &&
    matches(fingerprint, /^[0-9A-F]{64}$/) &&
    Array.isArray(candidates) &&
    candidates.length <= MOST_CANDIDATES &&
    candidates.every(
      (one) =>
        Array.isArray(one) &&
        matches(one[0], /^[\da-zA-Z.:-]{2,64}$/) &&
        Number.isInteger(one[1]) &&
        one[1] > 0 &&
        one[1] < 65536 &&
        (one[2] === 0 || one[2] === 1),
    )
  );
}

/** How a browser is reached, by its own description. Throws RangeError. @param {string} sdp @returns {Contact} */
export function contactOf(sdp) {
  const line = (/** @type {string} */ name) => new RegExp(`^a=${name}:(\\S.*?)\\s*$`, "m").exec(sdp)?.[1] ?? "";
  const candidates = [...sdp.matchAll(/^a=candidate:\S+ 1 udp \d+ (\S+) (\d+) typ (host|srflx)/gim)].map(
    ([, address, port, kind]) => /** @type {Candidate} */ ([address, Number(port), kind === "srflx" ? 1 : 0]),
  );
  const contact = {
    ufrag: line("ice-ufrag"),
    pwd: line("ice-pwd"),
    fingerprint: line("fingerprint")
      .replace(/^sha-256 /i, "")
      .replaceAll(":", "")
      .toUpperCase(),
    // Those that other servers have told come first: without them there is no way to another network.
    candidates: candidates.sort((one, other) => other[2] - one[2]).slice(0, MOST_CANDIDATES),
  };
  if (!isContact(contact)) throw new RangeError("This browser does not say how it can be reached.");
  return contact;
}

/** The description of the other browser, as this one takes it. @param {Contact} contact @param {boolean} invites */
export function sdpOf({ ufrag, pwd, fingerprint, candidates }, invites) {
  const lines = [
    "v=0",
    "o=- 1 1 IN IP4 0.0.0.0",
    "s=-",
    "t=0 0",
    "a=group:BUNDLE 0",
    "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
    "c=IN IP4 0.0.0.0",
    "a=mid:0",
    `a=ice-ufrag:${ufrag}`,
    `a=ice-pwd:${pwd}`,
    `a=fingerprint:sha-256 ${fingerprint.match(/../g)?.join(":")}`,
    `a=setup:${invites ? "actpass" : "active"}`,
    "a=sctp-port:5000",
    "a=max-message-size:65536",
    ...candidates.map(([address, port, told], index) => {
      const priority = (told ? 1694498815 : 2130706431) - 256 * index;
      const kind = told ? "srflx raddr 0.0.0.0 rport 0" : "host";
      return `a=candidate:${index + 1} 1 udp ${priority} ${address} ${port} typ ${kind}`;
    }),
    "a=end-of-candidates",
  ];
  return lines.map((line) => `${line}\r\n`).join("");
}
