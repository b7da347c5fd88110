/**
 * A match of two people at two devices, as both pages follow it message by message; see docs/friend.md. Player 0 is who
 * sits here. Nothing that the other page sends is trusted.
 *
 * @typedef {import("../games/rules.js").Goal} Goal
 * @typedef {import("./referee.js").MatchRecord} MatchRecord
 * @typedef {import("./referee.js").Player} Player
 * @typedef {"commit" | "answer" | "number" | "move" | "host opens" | "guest opens" | "over"} Phase  What comes next.
 * @typedef {{ id: string, solution: string, winningScore: number }} Terms  What both have agreed on.
 * @typedef {[number, string]} Secret  A number, and the nonce that hides it.
 * @typedef {{ goal: Secret, lot: Secret }} Secrets
 * @typedef {Record<string, any>} Body  Of a message.
 * @typedef {object} KeptFriend  What a browser keeps of it.
 * @property {Terms} terms
 * @property {boolean} isHost
 * @property {[string, string]} names
 * @property {string[]} log
 * @property {Secrets} secrets
 */

import { Cursor, IllegalMoveError } from "../games/cursor.js";
import { GOALS } from "../games/rules.js";
import { commitmentHash, newNonce } from "./commitment.js";
import { isPair, wrongName } from "./kept_match.js";
import { drawWhole } from "./randomness.js";
import { moverOf, otherPlayer, pointsOf, withNewRound, withRoundFinished } from "./referee.js";

export const PROTOCOL = 1;
/** In characters. */
export const LONGEST_MESSAGE = 500;

/** What the other page did and must not do; the message is what follows its owner's name and "page". */
export class FoulError extends Error {}

const isHash = (/** @type {unknown} */ value) => typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
const isNonce = (/** @type {unknown} */ value) => typeof value === "string" && /^[0-9a-f]{32}$/.test(value);
const isBelow = (/** @type {number} */ end) => (/** @type {unknown} */ value) =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value < end;

/** An object that a message holds. Throws FoulError. @param {string} text @returns {Body} */
export function bodyOf(text) {
  if (text.length > LONGEST_MESSAGE) throw new FoulError("sent a message that is too long");
  let found;
  try {
    found = JSON.parse(text);
  } catch {
    // The same as another kind of value.
  }
  if (typeof found !== "object" || found === null || Array.isArray(found)) {
    throw new FoulError("sent a message that cannot be read");
  }
  return found;
}

/** One match; every message changes it, and nothing else does. */
export class FriendMatch {
  /**
   * @param {Terms} terms
   * @param {boolean} isHost  Whether who sits here has invited the other.
   * @param {[string, string]} names
   * @param {import("../games/tree.js").GameTree} tree
   */
  constructor(terms, isHost, names, tree) {
    this.terms = terms;
    this.isHost = isHost;
    this.tree = tree;
    this.odds = tree.rules.data.goal_odds;
    /** How many numbers there are to draw a goal from. */
    this.range = this.odds.reduce((sum, one) => sum + one, 0);
    /** @type {Player} */
    this.host = isHost ? 0 : 1;
    /** All messages so far, of both. @type {string[]} */
    this.log = [];
    /** Of the terms, and of every message. @type {string[]} */
    this.hashes = [];
    /** @type {Phase} */
    this.phase = "commit";
    /** What goals are dealt from in this round, by player. */
    this.commits = ["", ""];
    this.numbers = [0, 0];
    /** What decides who moves first in the first round: the host's commitment and the guest's number. */
    this.lot = { commit: "", number: 0 };
    this.secrets = newSecrets(this.range);
    /** The other's goal is 0 until it has been opened. @type {MatchRecord} */
    this.match = {
      solution: terms.solution,
      winningScore: terms.winningScore,
      names,
      opponent: null,
      score: [0, 0],
      first: 0,
      rounds: [],
      round: null,
      winner: null,
    };
  }

  /**
   * A match at its start.
   *
   * @param {Terms} terms
   * @param {boolean} isHost
   * @param {[string, string]} names
   * @param {import("../games/tree.js").GameTree} tree
   */
  static async begun(terms, isHost, names, tree) {
    const match = new FriendMatch(terms, isHost, names, tree);
    const { id, solution, winningScore } = terms;
    match.hashes.push(await commitmentHash(`smbc-tictactoe friend ${PROTOCOL} ${id} ${solution} to ${winningScore}`));
    return match;
  }

  /**
   * The match that a browser has kept, played again. Rejects with an error where it is damaged.
   *
   * @param {KeptFriend} kept  What `isKeptFriend` found good.
   * @param {import("../games/tree.js").GameTree} tree
   */
  static async restored({ terms, isHost, names, log, secrets }, tree) {
    const match = await FriendMatch.begun(terms, isHost, names, tree);
    match.secrets = secrets;
    for (const text of log) await match.#follow(/** @type {Player} */ (match.speaker), text);
    if (match.match.round !== null || match.phase === "number" || (match.phase === "answer" && isHost)) {
      await match.#checkSeal(0, `goal ${match.match.rounds.length + 1}`, secrets.goal, match.commits[0]);
    }
    return match;
  }

  /** @returns {KeptFriend} */
  get kept() {
    const { terms, isHost, log, secrets } = this;
    return { terms, isHost, names: this.match.names, log, secrets };
  }

  /** The next match of the same two. */
  async again() {
    const id = (await commitmentHash(`${this.terms.id} again`)).slice(0, 32);
    return FriendMatch.begun({ ...this.terms, id }, this.isHost, this.match.names, this.tree);
  }

  /** Whose message comes next; null when the match is over. @returns {Player | null} */
  get speaker() {
    const { host, match, phase } = this;
    if (phase === "over") return null;
    if (phase !== "move") return phase === "answer" || phase === "guest opens" ? otherPlayer(host) : host;
    return match.round && moverOf(match.round, this.cursor);
  }

  /** Where the round stands that is played; at its start where none is. */
  get cursor() {
    return new Cursor(this.tree, this.match.round?.moves ?? []);
  }

  /** By player, the points once the other one has lost the round by a foul. @returns {[number, number]} */
  get pointsAfterFoul() {
    const [mine, theirs] = pointsOf(this.match);
    return [mine + 1, theirs];
  }

  /**
   * Make the next message, which is for the other page then.
   *
   * @param {number} [square]  Where it is a move. Throws IllegalMoveError for one that is not free.
   */
  async say(square) {
    const body = await this.#body(square);
    const text = JSON.stringify({ n: this.log.length + 1, before: this.hashes.at(-1), ...body });
    await this.#follow(0, text);
    return text;
  }

  /** Follow the other's message. Rejects with FoulError, and changes nothing then. @param {string} text */
  async receive(text) {
    await this.#follow(1, text);
  }

  /** @param {number | undefined} square @returns {Promise<Body>} */
  async #body(square) {
    const { phase, isHost } = this;
    const begins = this.match.rounds.length === 0;
    if (phase === "move") return { square };
    if (phase === "host opens" || phase === "guest opens") return { open: this.secrets.goal };
    if (phase === "number") return { number: drawWhole(this.range), ...(begins && { lot: this.secrets.lot }) };
    this.secrets = newSecrets(this.range);
    const commit = await this.#sealed(0, `goal ${this.match.rounds.length + 1}`, this.secrets.goal);
    if (!isHost) return { commit, number: drawWhole(this.range), ...(begins && { lot: drawWhole(2) }) };
    return { commit, ...(begins && { lot: await this.#sealed(0, "lot", this.secrets.lot) }) };
  }

  /**
   * The commitment to a secret: names its player, too, so that nobody can send the other's as an own one.
   *
   * @param {Player} player
   * @param {string} what
   * @param {Secret} secret
   */
  #sealed(player, what, [number, nonce]) {
    const who = player === this.host ? "host" : "guest";
    return commitmentHash(`smbc-tictactoe friend ${this.terms.id} ${what} of ${who}: ${number} nonce ${nonce}`);
  }

  /** @param {Player} player @param {string} text */
  async #follow(player, text) {
    const { n, before, ...body } = bodyOf(text);
    if (player !== this.speaker) throw new FoulError("sent a message out of turn");
    if (n !== this.log.length + 1 || before !== this.hashes.at(-1)) {
      throw new FoulError("sent a message that does not follow the one before");
    }
    await this.#change(player, body);
    this.log.push(text);
    this.hashes.push(await commitmentHash(text));
  }

  /** @param {Player} player @param {Body} body */
  async #change(player, body) {
    const { match, phase, host } = this;
    const begins = match.rounds.length === 0;
    const isNumber = isBelow(this.range);
    if (phase === "commit") {
      shaped(body, { commit: isHash, ...(begins && { lot: isHash }) });
      this.commits[player] = body.commit;
      this.lot = { commit: body.lot, number: 0 };
      this.phase = "answer";
    } else if (phase === "answer") {
      shaped(body, { commit: isHash, number: isNumber, ...(begins && { lot: isBelow(2) }) });
      this.commits[player] = body.commit;
      this.numbers[host] = body.number;
      this.lot.number = body.lot;
      this.phase = "number";
    } else if (phase === "number") {
      shaped(body, { number: isNumber, ...(begins && { lot: isSecret(2) }) });
      if (begins) {
        await this.#checkSeal(player, "lot", body.lot, this.lot.commit);
        const hostBegins = (body.lot[0] + this.lot.number) % 2 === 0;
        this.match = { ...match, first: hostBegins ? host : otherPlayer(host) };
      }
      this.numbers[otherPlayer(host)] = body.number;
      this.match = withNewRound(this.match, [this.#goal(0, this.secrets.goal[0]), 0], "");
      this.phase = "move";
    } else if (phase === "move") {
      shaped(body, { square: isBelow(10) });
      this.#move(body.square);
    } else await this.#open(player, body);
  }

  /** @param {number} square */
  #move(square) {
    const round = /** @type {import("./referee.js").RoundRecord} */ (this.match.round);
    const { cursor } = this;
    try {
      cursor.play(square);
    } catch (error) {
      if (error instanceof IllegalMoveError) throw new FoulError("marked a square that is not allowed");
      throw error;
    }
    this.match = { ...this.match, round: { ...round, moves: cursor.moves } };
    if (cursor.forcedOutcome !== null) this.phase = "host opens";
  }

  /** @param {Player} player @param {Body} body */
  async #open(player, body) {
    const { match } = this;
    const round = /** @type {import("./referee.js").RoundRecord} */ (match.round);
    shaped(body, { open: isSecret(this.range) });
    await this.#checkSeal(player, `goal ${round.number}`, body.open, this.commits[player]);
    /** @type {[Goal, Goal]} */
    const goals = [...round.goals];
    goals[player] = this.#goal(player, body.open[0]);
    this.match = { ...match, round: { ...round, goals } };
    if (this.phase === "host opens") this.phase = "guest opens";
    else {
      this.match = withRoundFinished(this.match, this.tree);
      this.phase = this.match.winner === null ? "commit" : "over";
    }
  }

  /** @param {Player} player @param {string} what @param {Secret} secret @param {string} commit */
  async #checkSeal(player, what, secret, commit) {
    if ((await this.#sealed(player, what, secret)) !== commit) {
      throw new FoulError("opened a number other than the one that it had sealed");
    }
  }

  /**
   * The goal that comes of a player's secret number and the other's open one: of as many numbers as its odds say.
   *
   * @param {Player} player
   * @param {number} secret
   * @returns {Goal}
   */
  #goal(player, secret) {
    let left = (secret + this.numbers[player]) % this.range;
    return GOALS.find((goal) => (left -= this.odds[goal]) < 0) ?? 0;
  }
}

/** @param {number} range @returns {Secrets} */
function newSecrets(range) {
  return { goal: [drawWhole(range), newNonce()], lot: [drawWhole(2), newNonce()] };
}

/** @param {number} range @returns {(value: any) => boolean} */
function isSecret(range) {
  return (value) => Array.isArray(value) && value.length === 2 && isBelow(range)(value[0]) && isNonce(value[1]);
}

/**
 * Throws FoulError where a message holds anything else than these fields.
 *
 * @param {Body} body
 * @param {Record<string, (value: unknown) => boolean>} fields
 */
function shaped(body, fields) {
  const names = Object.keys(fields);
  const good = Object.keys(body).length === names.length && names.every((name) => fields[name]?.(body[name]));
  if (!good) throw new FoulError("sent a message that does not belong there");
}

/**
 * Whether something has the form of a match that was kept. That it can have been played is for `restored` to find out.
 *
 * @param {unknown} kept
 * @param {(solution: string) => import("./kept_match.js").Playable | null} find
 * @returns {kept is KeptFriend}
 */
export function isKeptFriend(kept, find) {
  const { terms, isHost, names, log, secrets } = /** @type {any} */ (kept ?? {});
  return (
    isTerms(terms, find) &&
    typeof isHost === "boolean" &&
    isPair(names, (name) => wrongName(name) === "") &&
    Array.isArray(log) &&
    log.every((text) => typeof text === "string") &&
    isSecret(2 ** 32)(secrets?.goal) &&
    isSecret(2)(secrets.lot)
  );
}

/** @param {any} terms @param {(solution: string) => import("./kept_match.js").Playable | null} find */
export function isTerms(terms, find) {
  const playable = typeof terms?.solution === "string" ? find(terms.solution) : null;
  return playable !== null && isNonce(terms.id) && isBelow(playable.winning_score)(terms.winningScore - 1);
}
