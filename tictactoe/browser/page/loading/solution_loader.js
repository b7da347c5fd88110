/** All that can be played and explored, loaded when it is asked for and kept. */

import { GameTree } from "../games/tree.js";
import { GOALS, Rules } from "../games/rules.js";
import { scoreInLongerMatch, scoreText } from "../match/scores.js";
import { RoundBot } from "../play/round_bot.js";
import { damaged, decodeDataFile } from "./data_file.js";
import { parseManifest } from "./manifest.js";
import { readFile } from "./files.js";

/**
 * @typedef {import("../match/scores.js").Score} Score
 * @typedef {import("../play/expected_values.js").OutcomeValues} OutcomeValues
 * @typedef {import("./manifest.js").Manifest} Manifest
 * @typedef {import("./manifest.js").SolutionData} SolutionData
 */

/** @returns {Promise<Catalogue>} */
export async function loadCatalogue() {
  const text = new TextDecoder().decode(await readFile(manifestName()));
  return new Catalogue(parseManifest(text));
}

/** Where the manifest is: a page for a server has it in another folder in every build, and its HTML says in which. */
function manifestName() {
  return document.querySelector("#manifest")?.getAttribute("href") ?? "data/manifest.json";
}

/** The solved matches of this page. */
export class Catalogue {
  /** @param {Manifest} manifest */
  constructor(manifest) {
    this.manifest = manifest;
    /** The first one is the page's default. */
    this.solutions = manifest.solutions.map((data) => new SolvedMatch(data));
  }

  get first() {
    return this.solutions[0];
  }

  /** The solution of a name, the first one for an empty name; null where there is none. @param {string} name */
  find(name) {
    if (name === "") return this.first;
    return this.solutions.find((solution) => solution.name === name) ?? null;
  }

  /** The solved match of a record that was kept, by its name there; null where there is none. @param {string} name */
  playable(name) {
    return name === "" ? null : (this.find(name)?.data ?? null);
  }

  /** A solution's name in addresses, as `find` takes it: empty for the first one. @param {SolvedMatch} solution */
  addressName(solution) {
    return solution === this.first ? "" : solution.name;
  }
}

/** One solved match: its rules, and its strategies by score. */
export class SolvedMatch {
  /** @param {SolutionData} data */
  constructor(data) {
    this.data = data;
    /** @type {Promise<GameTree> | null} */
    this.tree = null;
    /** @type {Map<string, Promise<RoundBot>>} */
    this.rounds = new Map();
    /** @type {Promise<Map<string, import("./data_file.js").DataArray>> | null} */
    this.responses = null;
  }

  get name() {
    return this.data.name;
  }

  get winningScore() {
    return this.data.winning_score;
  }

  /** The match value of a score to the player who moves first. @param {Score} score */
  value(score) {
    return this.scoreData(score).value;
  }

  /** Throws RangeError for a score that this match does not have. @param {Score} score */
  scoreData(score) {
    const found = this.data.scores.find((one) => one.score[0] === score[0] && one.score[1] === score[1]);
    if (found === undefined)
      throw new RangeError(`there is no score ${scoreText(score)} in a match to ${this.winningScore}`);
    return found;
  }

  /** The tree of a round, which all its scores share. Rejects with DataError. @returns {Promise<GameTree>} */
  loadTree() {
    this.tree ??= keptIfGood(this.#readTree(), () => {
      this.tree = null;
    });
    return this.tree;
  }

  /** The perfect player at a score. Rejects with DataError; throws RangeError as `scoreData`. @param {Score} score */
  loadRound(score) {
    const data = this.scoreData(score);
    return this.#keep(data.file, () => this.#readRound(data.file, data.outcome_values, score));
  }

  /**
   * The perfect player at a score of a match to fewer points.
   *
   * @param {Score} score
   * @param {number} winningScore
   */
  loadRoundOfShorter(score, winningScore) {
    return this.loadRound(scoreInLongerMatch(score, winningScore, this.winningScore));
  }

  /** An opponent that plays the same strategy at every score. @param {string} file @param {OutcomeValues} values */
  loadLearner(file, values) {
    return this.#keep(file, () => this.#readRound(file, values, null));
  }

  /**
   * By opponent, what its best responder wins in each seat at each score; none for who has none. Rejects with
   * DataError.
   *
   * @returns {Promise<Map<string, import("./data_file.js").DataArray>>}
   */
  loadResponses() {
    this.responses ??= keptIfGood(this.#readResponses(), () => {
      this.responses = null;
    });
    return this.responses;
  }

  async #readResponses() {
    const file = this.data.responses;
    const { header, arrays } = await decodeDataFile(file, await readFile(file));
    const { tree, fingerprint, scores } = this.data;
    const foreign = header.kind !== "responses" || header.tree !== tree.fingerprint || header.solution !== fingerprint;
    if (foreign) throw damaged(file, "it belongs to another page");
    if (
      [...arrays.values()].some(
        (values) => values.length !== 2 * scores.length || !values.every((one) => Math.abs(one) <= 1),
      )
    )
      throw damaged(file, "its arrays do not match");
    return arrays;
  }

  /** @param {string} file @param {() => Promise<RoundBot>} read */
  #keep(file, read) {
    const found = this.rounds.get(file) ?? keptIfGood(read(), () => this.rounds.delete(file));
    this.rounds.set(file, found);
    return found;
  }

  async #readTree() {
    const { file, fingerprint } = this.data.tree;
    const { header, arrays } = await decodeDataFile(file, await readFile(file));
    const [square, numChildren, leafClass, outcomes] = ["square", "num_children", "leaf_class", "outcomes"].map(
      (name) => arrays.get(name),
    );
    const foreign =
      header.kind !== "tree" ||
      header.tree !== fingerprint ||
      JSON.stringify(header.rules) !== JSON.stringify(this.data.rules);
    if (foreign) throw damaged(file, "it belongs to another page");
    if (
      !(square instanceof Int8Array && numChildren instanceof Uint8Array && leafClass instanceof Int8Array) ||
      !(outcomes instanceof Int8Array && outcomes.length === 3 ** 9) ||
      numChildren.length !== square.length ||
      leafClass.length !== square.length ||
      outcomes.some((outcome) => outcome < -1 || outcome >= this.data.rules.outcomes.length)
    ) {
      throw damaged(file, "its arrays do not match");
    }
    try {
      return new GameTree(square, numChildren, leafClass, new Rules(this.data.rules, outcomes));
    } catch (error) {
      throw error instanceof RangeError ? damaged(file, error.message) : error;
    }
  }

  /**
   * @param {string} file
   * @param {OutcomeValues} values
   * @param {Score | null} score
   */
  async #readRound(file, values, score) {
    const [tree, bytes] = await Promise.all([this.loadTree(), readFile(file)]);
    const { header, arrays } = await decodeDataFile(file, bytes);
    const foreign =
      header.kind !== "strategy" ||
      header.tree !== this.data.tree.fingerprint ||
      header.solution !== this.data.fingerprint ||
      JSON.stringify(header.score) !== JSON.stringify(score) ||
      JSON.stringify(header.outcome_values) !== JSON.stringify(values);
    if (foreign) throw damaged(file, "it belongs to another page, or to another score");
    const strategy = arrays.get("probability");
    if (!(strategy instanceof Float64Array) || !isStrategy(tree, strategy)) {
      throw damaged(file, "it has no strategy");
    }
    const [mistakes, beliefs] = [arrays.get("mistakes"), arrays.get("beliefs")];
    const isRefined = mistakes !== undefined || beliefs !== undefined;
    const afterMistakes = isRefined ? beliefsByNode(tree, mistakes, beliefs) : null;
    if (isRefined && afterMistakes === null) throw damaged(file, "it has no beliefs for play after mistakes");
    return new RoundBot(tree, strategy, values, score, afterMistakes);
  }
}

/**
 * The promise itself; one that fails is forgotten, so that the next call tries again.
 *
 * @template Item
 * @param {Promise<Item>} promise
 * @param {() => void} forget
 * @returns {Promise<Item>}
 */
function keptIfGood(promise, forget) {
  promise.catch(forget);
  return promise;
}

/**
 * Whether the probabilities of all moves from a node sum to 1, for every goal.
 *
 * @param {GameTree} tree
 * @param {Float64Array} strategy
 */
function isStrategy(tree, strategy) {
  if (strategy.length !== 3 * tree.numNodes || !strategy.every((one) => one >= 0 && one <= 1)) return false;
  const sums = new Float64Array(strategy.length);
  for (let node = 1; node < tree.numNodes; node += 1) {
    const parent = tree.parent[node];
    for (const goal of GOALS) sums[3 * parent + goal] += strategy[3 * node + goal];
  }
  return sums.every((sum, index) => tree.outcome(Math.floor(index / 3)) !== null || Math.abs(sum - 1) < 1e-9);
}

/**
 * What to believe after mistakes, num_nodes x 3, zeros where a node has none; null for arrays that do not tell it.
 *
 * @param {GameTree} tree
 * @param {import("./data_file.js").DataArray | undefined} mistakes  By node 1 if it has beliefs, else 0.
 * @param {import("./data_file.js").DataArray | undefined} beliefs  The rows of those nodes, in their order.
 */
function beliefsByNode(tree, mistakes, beliefs) {
  if (!(mistakes instanceof Uint8Array && beliefs instanceof Float32Array)) return null;
  if (mistakes.length !== tree.numNodes || mistakes.some((one) => one > 1)) return null;
  const count = mistakes.reduce((sum, one) => sum + one, 0);
  if (beliefs.length !== 3 * count || !beliefs.every((one) => one >= 0 && one < Infinity)) return null;
  const result = new Float64Array(3 * tree.numNodes);
  let place = 0;
  for (let node = 0; node < tree.numNodes; node += 1) {
    if (mistakes[node] === 0) continue;
    const row = beliefs.subarray(place, place + 3);
    if (!row.some((one) => one > 0)) return null;
    result.set(row, 3 * node);
    place += 3;
  }
  return result;
}
