/** A match as it is played: what is loaded for it, what every action makes of it, and that it is kept. No elements. */

import { Cursor } from "../../games/cursor.js";
import { loadPart } from "../../loading/later.js";
import { isPerfect, loadAdviser, loadOpponent } from "../../loading/opponent_loader.js";
import { rememberMatch } from "../../parts/kept_history.js";
import { keepLastMatch, lastMatch } from "../../parts/last_match.js";
import { canCommit, commitmentHash, newCommitment } from "../../play/commitment.js";
import { canHaveBeenPlayed, matchOf } from "../../play/kept_match.js";
import {
  dealGoals,
  moverOf,
  otherPlayer,
  seatOf,
  withMoveTakenBack,
  withNewRound,
  withRoundFinished,
} from "../../play/referee.js";

/**
 * @typedef {import("../../loading/solution_loader.js").Catalogue} Catalogue
 * @typedef {import("../../loading/solution_loader.js").SolvedMatch} SolvedMatch
 * @typedef {import("../../play/opponents.js").MoveChooser} MoveChooser
 * @typedef {import("../../play/referee.js").MatchRecord} MatchRecord
 * @typedef {import("../../play/referee.js").Player} Player
 * @typedef {import("../../play/referee.js").RoundRecord} RoundRecord
 * @typedef {import("../../play/round_bot.js").RoundBot} RoundBot
 * @typedef {{ player: Player, square: number }} Move
 */

/** The person, or the first one of two people. */
export const PERSON = 0;
export const BOT = 1;
/** The bot that adapts, and the part of the page that it is. */
const ADAPTIVE = "adaptive";

/** One match; every action keeps its record. */
export class MatchFlow {
  /**
   * @param {Catalogue} catalogue
   * @param {MatchRecord} match  Of a solution of the catalogue.
   * @param {boolean} keeps  Whether the browser is to keep it; practice is forgotten.
   */
  constructor(catalogue, match, keeps = true) {
    this.match = match;
    this.keeps = keeps;
    /** So many moves of the round were there before it was played. */
    this.given = keeps ? 0 : (match.round?.moves.length ?? 0);
    this.solution = /** @type {SolvedMatch} */ (catalogue.find(match.solution));
    /** @type {RoundBot | null} */
    this.perfect = null;
    /** Who judges the person's moves; see `loadAdviser`. @type {RoundBot | null} */
    this.adviser = null;
    /** @type {MoveChooser | null} */
    this.chooser = null;
    /** Who plans the bot's rounds, if it adapts. @type {import("../../loading/planner.js").Planner | null} */
    this.planner = null;
    /** Whether the browser has kept the match as it stands. */
    this.isKept = true;
    /** Called whenever it was to be kept. */
    this.onKept = /** @type {() => void} */ (() => {});
  }

  /** The flow of the match that is kept; null where it has not the form of one. @param {Catalogue} catalogue */
  static ofKept(catalogue) {
    const match = matchOf(lastMatch(), (name) => catalogue.playable(name));
    return match === null ? null : new MatchFlow(catalogue, match);
  }

  /** Whether one person plays against a bot. */
  get againstBot() {
    return this.match.opponent !== null;
  }

  /** Whether two people share this device, so that a goal is hidden from one of them. */
  get isShared() {
    return !this.againstBot;
  }

  /** Whether who sits here can mark a square. */
  get canMark() {
    return this.mover !== null && (this.isShared || this.mover === PERSON);
  }

  /** What is said in place of whose turn it is; empty where nothing is waited for. */
  get notice() {
    return "";
  }

  /** The round that is played, or else the one that was played last. @returns {RoundRecord} */
  get round() {
    const round = this.match.round ?? this.match.rounds.at(-1);
    if (round === undefined) throw new RangeError("no round has been dealt");
    return round;
  }

  /** The perfect player at the score of the round. */
  get judge() {
    if (this.perfect === null) throw new RangeError("the round is not loaded");
    return this.perfect;
  }

  /** Who judges the moves of a player. @param {Player} player @returns {RoundBot} */
  judgeOf(player) {
    return player === PERSON && this.adviser !== null ? this.adviser : this.judge;
  }

  get cursor() {
    return new Cursor(this.judge.tree, this.round.moves);
  }

  /** Whose turn it is, null when the round is over. @returns {Player | null} */
  get mover() {
    return this.match.round === null ? null : moverOf(this.round, this.cursor);
  }

  get canTakeBack() {
    return this.match.takeback === true && this.match.round !== null && this.#taken() !== null;
  }

  /** Whether the rounds of the match can have been played. Rejects with DataError. */
  async isGood() {
    return canHaveBeenPlayed(this.match, await this.solution.loadTree());
  }

  /**
   * Deal the first round, if none is there, and load who plays in the round; where it is the bot's turn, it moves.
   * Rejects with DataError; it can be called again then.
   *
   * @returns {Promise<Move[]>}  What the bot marked.
   */
  async prepare() {
    if (this.match.round === null && this.match.rounds.length === 0) await this.#deal();
    const { match, round, solution } = this;
    if (!isPerfect(match.opponent)) solution.loadResponses().catch(() => {}); // beside what is waited for next
    const perfect = await solution.loadRoundOfShorter(round.score, match.winningScore);
    this.chooser = match.opponent === null ? null : await loadOpponent(solution, match.opponent, perfect);
    this.adviser = await loadAdviser(solution, match.opponent, perfect, seatOf(round, PERSON));
    if (this.keeps && match.opponent === ADAPTIVE) await this.#plan(perfect);
    this.perfect = perfect;
    return this.#letBotMove();
  }

  /** Deal the next round; then it is to be prepared. Rejects with RangeError when the match is over. */
  async next() {
    await this.#deal();
    this.perfect = null;
  }

  /**
   * Mark a square for the player whose turn it is. Throws IllegalMoveError, and changes nothing then.
   *
   * @param {number} square
   * @returns {Move[]}  That move, and the bot's answer.
   */
  play(square) {
    const { mover, cursor } = this;
    if (mover === null) throw new RangeError("the round is over");
    cursor.play(square);
    const moves = [this.#marked(mover, square), ...this.#letBotMove()];
    this.#keep(this.match);
    return moves;
  }

  /** Take back the last move of the person, and what followed; of two people, the last move. Whether there was one. */
  takeBack() {
    const round = this.canTakeBack ? this.#taken() : null;
    if (round !== null) this.#keep({ ...this.match, round });
    return round !== null;
  }

  /** A hint has been looked at; the same one again counts no more. */
  countHint() {
    const { round } = this.match;
    if (round === null) return;
    const hintedAt = round.moves.join("");
    if (hintedAt === round.hintedAt) return;
    this.#keep({ ...this.match, round: { ...round, hints: round.hints + 1, hintedAt } });
  }

  /** What the moves tell has been looked at, which counts once in a round. Whether it has been counted now. */
  countLook() {
    const { round } = this.match;
    if (round === null || round.looked === true) return false;
    this.#keep({ ...this.match, round: { ...round, looked: true } });
    return true;
  }

  async #deal() {
    const { match } = this;
    const goals = dealGoals(this.solution.data.rules);
    const commits = this.againstBot && canCommit();
    const commitment = commits ? newCommitment(match.rounds.length + 1, goals[BOT]) : "";
    const dealt = withNewRound(match, goals, commitment);
    const seal = commits ? await commitmentHash(commitment) : "";
    this.#keep({ ...dealt, round: dealt.round && { ...dealt.round, seal } });
  }

  /** @param {RoundBot} perfect */
  async #plan(perfect) {
    this.planner ??= /** @type {import("../../loading/planner.js").Planner} */ (
      (await loadPart(ADAPTIVE))(this.solution)
    );
    this.chooser = (await this.planner.begin(this.match, perfect)) ?? this.chooser;
    const { round } = this.match;
    if (round !== null && this.planner.isLate) this.#keep({ ...this.match, round: { ...round, unplanned: true } });
  }

  /** @returns {Move[]} */
  #letBotMove() {
    if (this.chooser === null || this.mover !== BOT) return [];
    const moves = [this.#marked(BOT, this.chooser(this.cursor, this.round.goals[BOT]))];
    this.#keep(this.match);
    return moves;
  }

  /** @param {Player} player @param {number} square @returns {Move} */
  #marked(player, square) {
    const moves = [...this.round.moves, square];
    this.match = { ...this.match, round: { ...this.round, moves } };
    if (new Cursor(this.judge.tree, moves).forcedOutcome !== null) {
      if (this.planner !== null)
        this.match = this.planner.counted(this.match, new Cursor(this.judge.tree, moves).nodes, this.judge);
      this.match = withRoundFinished(this.match, this.judge.tree);
      this.planner?.plan(this.match).catch(() => {});
      if (!this.keeps) this.match = { ...this.match, winner: null }; // practice is a round, no match is won by it
      this.#fetchNext();
    }
    if (this.match.winner !== null) rememberMatch(this.match);
    return { player, square };
  }

  /** While the person looks at the result, so that the next round begins at once. */
  #fetchNext() {
    const { score, winningScore, winner } = this.match;
    if (winner === null && this.keeps) this.solution.loadRoundOfShorter(score, winningScore).catch(() => {});
  }

  #taken() {
    const { round } = this;
    if (this.againstBot) {
      const before = withMoveTakenBack(round, PERSON);
      return before !== null && before.moves.length >= this.given ? before : null;
    }
    const last = round.moves.length % 2 === 1 ? round.first : otherPlayer(round.first);
    return withMoveTakenBack(round, last);
  }

  /** @param {MatchRecord} match */
  #keep(match) {
    this.match = match;
    if (!this.keeps) return;
    this.isKept = keepLastMatch(match);
    this.onKept();
  }
}
