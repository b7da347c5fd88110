/**
 * A match of two people at two devices over a connection that may break: greets, sends what is missing, follows what
 * comes, and does by itself all that is no choice of a person. Says nothing to people and knows no WebRTC.
 *
 * @typedef {import("./friend_match.js").FriendMatch} FriendMatch
 * @typedef {{ send: (text: string) => void, close: () => void }} Transport
 * @typedef {"away" | "greeting" | "here" | "left" | "foul" | "accused" | "apart"} Status  left: the other has ended the
 *   match; foul: the other's page has broken the rules of the protocol; accused: it says that this one has; apart: the
 *   two pages have kept different matches.
 */

import { freeSquares } from "../games/board.js";
import { FoulError, LONGEST_MESSAGE, PROTOCOL, bodyOf } from "./friend_match.js";
import { wrongName } from "./kept_match.js";

/** Messages that may wait to be looked at: an honest page has a handful. */
const MOST_WAITING = 20;
/** How many messages can be under way when a connection breaks. */
const MOST_MISSING = 4;
/** Milliseconds in which the other page has to open what it has sealed: no person is asked. */
const PATIENCE = 60000;

export class FriendSession {
  /**
   * @param {FriendMatch} match
   * @param {() => void} onChange  Called after every change; what has changed is to be kept then.
   */
  constructor(match, onChange) {
    this.game = match;
    this.onChange = onChange;
    /** @type {Status} */
    this.status = "away";
    /** What the other page did, as `FoulError` has it. */
    this.foul = "";
    /** Whether the person here wants the next round, or match. */
    this.wantsNext = match.match.rounds.length === 0;
    /** @type {Transport | null} */
    this.transport = null;
    this.waiting = 0;
    this.queue = Promise.resolve();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /** Whether the match has been ended before it was over, so that no connection helps. */
  get hasEnded() {
    return !["away", "greeting", "here"].includes(this.status);
  }

  /** Whether the person here can mark a square. */
  get canMark() {
    return this.status === "here" && this.game.phase === "move" && this.game.speaker === 0;
  }

  /** Whether the person here has done what the next round, or match, needs, and the other one has not. */
  get isWaiting() {
    const { phase, speaker } = this.game;
    return this.wantsNext || phase === "number" || (phase === "answer" && speaker === 1);
  }

  /** Whether the other page has to open what it has sealed, for which it asks nobody. */
  get #isKeptWaiting() {
    const { phase, speaker } = this.game;
    return speaker === 1 && ["number", "host opens", "guest opens"].includes(phase);
  }

  /** Use a connection that has just been made, in place of an earlier one. @param {Transport} transport */
  attach(transport) {
    this.transport?.close();
    this.transport = transport;
    this.status = "greeting";
    const { terms, log, hashes, match } = this.game;
    const hello = { hello: PROTOCOL, id: terms.id, name: match.names[0], n: log.length, head: hashes.at(-1) };
    this.#send(JSON.stringify(hello));
    this.#changed();
  }

  /** A connection is lost; others do not count. @param {Transport} transport */
  detach(transport) {
    if (this.transport !== transport) return;
    this.transport = null;
    if (!this.hasEnded) this.status = "away";
    this.#changed();
  }

  /** Something has come from the other page. @param {Transport} transport @param {unknown} data */
  hear(transport, data) {
    if (transport !== this.transport || this.hasEnded) return;
    this.waiting += 1;
    if (typeof data !== "string") this.#fail(new FoulError("sent something that is not text"));
    else if (data.length > LONGEST_MESSAGE) this.#fail(new FoulError("sent a message that is too long"));
    else if (this.waiting > MOST_WAITING) this.#fail(new FoulError("sent too many messages at once"));
    else this.#enqueue(() => (transport === this.transport ? this.#hear(data) : undefined), true);
  }

  /** Mark a square, if it is the turn of the person here by then. @param {number} square */
  play(square) {
    this.#enqueue(async () => {
      if (this.canMark && freeSquares(this.game.cursor.board).includes(square)) await this.#say(square);
    });
  }

  /** The person here wants the next round, or, after the last one, another match. */
  next() {
    this.#enqueue(async () => {
      this.wantsNext = true;
      if (this.game.phase === "over" && this.status === "here") this.game = await this.game.again();
      await this.#advance();
    });
  }

  /** End the match for good. */
  leave() {
    this.#end("left");
  }

  /** @param {() => Promise<void> | undefined} task @param {boolean} [heard] */
  #enqueue(task, heard = false) {
    this.queue = this.queue
      .then(() => (this.hasEnded ? undefined : task()))
      .catch((error) => this.#fail(error))
      .then(() => {
        if (heard) this.waiting -= 1;
      });
  }

  /** @param {string} text */
  async #hear(text) {
    const body = bodyOf(text);
    if (body.end === "left" || body.end === "foul") {
      if (this.#isKeptWaiting) throw new FoulError("left without opening the number that it had sealed");
      this.status = body.end === "left" ? "left" : "accused";
      this.#close();
      this.#changed();
    } else if (this.status === "greeting") await this.#greet(body);
    else {
      if (this.game.phase === "over") await this.#again();
      await this.game.receive(text);
      await this.#advance();
    }
  }

  /** The other one goes on to another match, for which the person here has not asked yet. */
  async #again() {
    this.game = await this.game.again();
    this.wantsNext = false;
  }

  /** @param {import("./friend_match.js").Body} hello */
  async #greet({ hello, id, name, n, head }) {
    if (hello !== PROTOCOL || !Number.isInteger(n) || n < 0) throw new FoulError("did not greet as it should");
    if (this.game.phase === "over" && (await this.game.again()).terms.id === id) await this.#again();
    const { terms, log, hashes, match } = this.game;
    const isBehind = n <= log.length;
    const goesOn = isBehind
      ? n >= log.length - MOST_MISSING && head === hashes[n]
      : n <= log.length + MOST_MISSING && this.game.speaker === 1;
    if (id !== terms.id || !goesOn) {
      this.status = "apart";
      this.#close();
      this.#changed();
      return;
    }
    if (log.length === 0) this.game.match = { ...match, names: [match.names[0], nameOf(name, match.names[0])] };
    this.status = "here";
    for (const missing of log.slice(n)) this.#send(missing);
    await this.#advance();
  }

  /** Say all that is no choice of a person. */
  async #advance() {
    for (;;) {
      const { game } = this;
      if (this.status !== "here" || game.speaker !== 0 || game.phase === "move") break;
      if ((game.phase === "commit" || game.phase === "answer") && !this.wantsNext) break;
      if (game.phase === "answer" || game.phase === "number") this.wantsNext = false;
      await this.#say();
    }
    if (this.game.phase === "move") this.wantsNext = false;
    this.#changed();
  }

  /** @param {number} [square] */
  async #say(square) {
    const text = await this.game.say(square);
    this.#changed(); // it is kept before it is sent
    this.#send(text);
    if (square !== undefined) await this.#advance();
  }

  /** @param {string} text */
  #send(text) {
    try {
      this.transport?.send(text);
    } catch {
      // The connection is closing, which `detach` is told of.
    }
  }

  /** @param {unknown} error */
  #fail(error) {
    if (this.hasEnded) return;
    if (error instanceof FoulError) {
      this.foul = error.message;
      this.#end("foul");
    } else reportError(error);
  }

  /** @param {"left" | "foul"} why */
  #end(why) {
    this.#send(JSON.stringify({ end: why }));
    this.status = why;
    this.#close();
    this.#changed();
  }

  #close() {
    const { transport } = this;
    this.transport = null;
    transport?.close();
  }

  #changed() {
    clearTimeout(this.timer);
    if (this.status === "here" && this.#isKeptWaiting) {
      this.timer = setTimeout(() => this.#fail(new FoulError("did not open its sealed number for a minute")), PATIENCE);
    }
    this.onChange();
  }
}

/**
 * What to call the other one, who may send anything as a name.
 *
 * @param {unknown} name
 * @param {string} own
 * @returns {string}
 */
export function nameOf(name, own) {
  const taken = [own.toLowerCase(), "you"];
  const isGood = wrongName(name) === "" && !taken.includes(String(name).toLowerCase());
  return isGood ? String(name) : own === "Friend" ? "The other player" : "Friend";
}
