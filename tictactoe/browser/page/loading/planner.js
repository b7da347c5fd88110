/** The bot that adapts makes its plans in a worker, so that the page goes on meanwhile. */

import { Cursor } from "../games/cursor.js";
import { accountAfter, accountOf, countsFor, toldAtTheEnd, toldOf } from "../play/adaptive_account.js";
import { byStrategy } from "../play/opponents.js";
import { otherPlayer, seatOf } from "../play/referee.js";
import { RoundBot } from "../play/round_bot.js";
import { DataError } from "./data_file.js";
import { embedded, withoutConnection } from "./files.js";
import { scriptAddress } from "./later.js";

/**
 * @typedef {import("./solution_loader.js").SolvedMatch} SolvedMatch
 * @typedef {import("../play/referee.js").MatchRecord} MatchRecord
 * @typedef {ReturnType<typeof import("../play/adaptive_plan.js").planRound>} Answer
 * @typedef {object} Question  What the worker is asked.
 * @property {string} game  By which it knows what it was told of a game.
 * @property {object} [told]  At the first time: tree, rules, known players, learners.
 * @property {import("../play/adaptive_model.js").SeenRound[]} rounds
 * @property {import("../play/adaptive_plan.js").Asked | null} asked
 */

const SCRIPT = "page-adaptive-worker.js";
/** The player that the bot is. */
const BOT = 1;
/** In milliseconds, how long a round waits for its plan. Then the bot plays it perfectly. */
const PATIENCE = 2000;

/** The worker, and what waits for its answers in their order. @type {{ worker: Worker, told: Set<string> } | null} */
let running = null;
/** @type {{ resolve: (answer: Answer) => void, reject: (error: Error) => void }[]} */
let waiting = [];

/** @param {Question} question @returns {Promise<Answer>} */
function ask(question) {
  return new Promise((resolve, reject) => {
    waiting.push({ resolve, reject });
    running?.worker.postMessage(question);
  });
}

function start() {
  const script = embedded(SCRIPT);
  const address =
    script === null ? scriptAddress(SCRIPT) : URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const worker = new Worker(address);
  worker.onmessage = ({ data }) => waiting.shift()?.resolve(data);
  worker.onerror = (event) => {
    event.preventDefault();
    worker.terminate();
    const left = waiting;
    [waiting, running] = [[], null];
    for (const { reject } of left) reject(new DataError(withoutConnection()));
  };
  return { worker, told: new Set() };
}

/** Plans of one match. */
export class Planner {
  /** @param {SolvedMatch} solution */
  constructor(solution) {
    this.solution = solution;
    this.key = "";
    /** @type {Promise<Answer> | null} */
    this.answer = null;
    /** The same without a plan, which is there sooner. @type {Promise<Answer> | null} */
    this.seen = null;
    /** Of the round that goes on. @type {import("../play/adaptive_plan.js").Planned | null} */
    this.planned = null;
    /** Whether it did not come in time. */
    this.isLate = false;
  }

  /**
   * How the bot plays the round that goes on. null: perfectly, as nothing is known of the person yet, or as the plan
   * does not come in time; that is for the whole round, whose record is to say so. Rejects with DataError where a round
   * in which the person has moved cannot be planned again.
   *
   * @param {MatchRecord} match
   * @param {RoundBot} perfect
   */
  async begin(match, { tree, values, score }) {
    this.planned = null;
    this.isLate = false;
    const { round, rounds } = match;
    if (round === null || round.unplanned === true) return null;
    const answer = this.plan(match);
    if (!rounds.some(countsFor)) {
      answer.then(
        ({ planned }) => {
          if (this.answer === answer) this.planned = planned;
        },
        () => {},
      );
      return null;
    }
    const late = new Promise((resolve) => setTimeout(resolve, PATIENCE, null));
    const inTime = round.moves.length > 0 ? answer : Promise.race([answer, late]).catch(() => null);
    const found = /** @type {Answer | null} */ (await inTime);
    this.isLate = found === null;
    this.planned = found && found.planned;
    const strategy = this.planned?.strategy ?? null;
    return strategy && byStrategy(new RoundBot(tree, strategy, values, score));
  }

  /** The match whose round is over, with the account after it. @param {MatchRecord} match @param {number[]} nodes  On the way. @param {RoundBot} perfect @returns {MatchRecord} */
  counted(match, nodes, { tree }) {
    const { round } = match;
    if (round === null) return match;
    const before = accountOf(match);
    const account = this.planned === null ? before : accountAfter(before, this.planned, round, nodes, tree);
    return { ...match, round: { ...round, account } };
  }

  /** What a person is told after a round, and after the match. Rejects with DataError. @param {MatchRecord} match */
  async told(match) {
    this.plan(match);
    const { weights } = await /** @type {Promise<Answer>} */ (this.seen);
    const told = toldOf(accountOf(match), weights, this.solution.data.adaptive);
    return match.winner === null ? told : `${told} ${toldAtTheEnd(accountOf(match))}`;
  }

  /**
   * What has been learnt in the rounds that are over, and the plan of the round that goes on or follows; none after the
   * match. The same question is asked once. Rejects with DataError.
   *
   * @param {MatchRecord} match
   */
  plan(match) {
    const key = JSON.stringify([match.rounds, match.winner]);
    if (key !== this.key || this.answer === null) {
      const question = this.#question(match);
      const seen = question.then((asked) => ask({ ...asked, asked: null }));
      const answer = question.then(({ told: _, ...asked }) => (asked.asked === null ? seen : ask(asked)));
      seen.catch(() => {});
      answer.catch(() => {
        if (this.answer === answer) this.answer = null;
      });
      this.key = key;
      this.seen = seen;
      this.answer = answer;
    }
    return this.answer;
  }

  /** @param {MatchRecord} match @returns {Promise<Question>} */
  async #question(match) {
    const { solution } = this;
    const { adaptive, opponents } = solution.data;
    const perfectAt = (/** @type {import("../match/scores.js").Score} */ score) =>
      solution.loadRoundOfShorter(score, match.winningScore);
    const tree = await solution.loadTree();
    const rounds = await Promise.all(
      match.rounds.filter(countsFor).map(async (round) => {
        const { nodes } = new Cursor(tree, round.moves);
        const [goal] = round.goals;
        const perfect = await perfectAt(round.score);
        const odds = nodes.map((node) => perfect.probability(node, goal));
        return { nodes, seat: seatOf(round, otherPlayer(BOT)), goal, perfect: odds };
      }),
    );
    let asked = null;
    if (match.winner === null) {
      const { score, first } = match;
      const perfect = await perfectAt(score);
      const seat = first === BOT ? /** @type {const} */ (0) : /** @type {const} */ (1);
      const { strategy, values, scoreValue } = perfect;
      const isLast = Math.min(...score) === match.winningScore - 1;
      const { given } = accountOf(match);
      asked = { seat, strategy, values, value: seat === 0 ? scoreValue : -scoreValue, given, isLast };
    }
    /** @type {Record<string, Float64Array>} */
    const learners = {};
    running ??= start();
    if (running.told.has(solution.name)) return { game: solution.name, rounds, asked };
    for (const { name, file } of opponents)
      if (file !== null) learners[name] = (await solution.loadLearner(file, [0, 1, -1, 0])).strategy;
    running ??= start();
    running.told.add(solution.name);
    const { square, numChildren, leafClass, rules } = tree;
    const told = {
      square,
      numChildren,
      leafClass,
      rules: rules.data,
      outcomes: rules.outcomes,
      known: adaptive,
      learners,
    };
    return { game: solution.name, told, rounds, asked };
  }
}
