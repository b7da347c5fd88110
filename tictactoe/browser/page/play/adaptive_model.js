/**
 * What the bot that adapts thinks of its opponent: a mixture of known players and of one that is learnt, by Bayes' rule
 * (the library's play/adaptive.py).
 *
 * @typedef {import("../games/tree.js").GameTree} GameTree
 * @typedef {import("../games/rules.js").Seat} Seat
 * @typedef {import("../games/rules.js").Goal} Goal
 * @typedef {{ weight: number, plays: Record<string, number> }} Known  Before anything is seen; how often it moves as whom.
 * @typedef {object} SeenRound  A round that is over, and counts.
 * @property {number[]} nodes  On the way, from the root on.
 * @property {Seat} seat  The opponent's.
 * @property {Goal} goal  The opponent's.
 * @property {number[]} perfect  How likely the perfect player makes the moves to the nodes with that goal.
 */

import { EMPTY, LINES, marked } from "../games/board.js";
import { evenOverSquares } from "../games/free_squares.js";
import { SQUARES_OF } from "../games/naive_players.js";
import { ownReach } from "./restricted_response.js";

const STEPS_OF_MODEL = 4;
const ERROR = 0.02;
const LEARNT_PRIOR = 2;
const LEARNT_WEIGHT = 0.02;
/** Completes and blocks, completes, blocks, centre, corner, side. */
const KINDS = 6;
const PERFECT = "perfect";

/** Strategies and kinds of moves of one tree, which all models share. */
export class KnownPlayers {
  /** @param {GameTree} tree @param {Known[]} known @param {Record<string, Float64Array>} learners  Strategies. */
  constructor(tree, known, learners) {
    this.tree = tree;
    this.known = known;
    /** @type {Map<string, Float64Array>} */
    this.strategies = new Map(Object.entries(learners));
    this.uniform = this.strategy("uniform");
    this.kinds = kindsOf(tree, this.uniform);
  }

  /** Of a player whose play is the same in every round. @param {string} name @returns {Float64Array} */
  strategy(name) {
    const found = this.strategies.get(name) ?? evenOverSquares(this.tree, SQUARES_OF[name]);
    this.strategies.set(name, found);
    return found;
  }

  /** How likely a known player makes a move. @param {Known} player @param {number} at @param {number} perfect */
  odds({ plays }, at, perfect) {
    let sum = 0;
    for (const [name, share] of Object.entries(plays))
      sum += share * (name === PERFECT ? perfect : this.strategy(name)[at]);
    return sum;
  }
}

export class Model {
  /** @param {KnownPlayers} players */
  constructor(players) {
    this.players = players;
    const all = players.known.reduce((sum, { weight }) => sum + weight, 0);
    this.evidence = [...players.known.map(({ weight }) => (weight * (1 - LEARNT_WEIGHT)) / all), LEARNT_WEIGHT].map(
      Math.log,
    );
    /** How often each kind of move was made, [kind of position, goal, kind of move]. */
    this.counts = new Float64Array(2 ** KINDS * 3 * KINDS);
  }

  /** How likely each player is, the learnt one last; they sum to 1. */
  get weights() {
    const most = Math.max(...this.evidence);
    const likely = this.evidence.map((one) => Math.exp(one - most));
    const sum = likely.reduce((one, other) => one + other);
    return likely.map((one) => one / sum);
  }

  /** The weights in the model that is answered, in parts of STEPS_OF_MODEL. */
  steps() {
    const exact = this.weights.map((weight) => weight * STEPS_OF_MODEL);
    const steps = exact.map(Math.floor);
    const left = STEPS_OF_MODEL - steps.reduce((one, other) => one + other);
    const order = steps
      .map((_, index) => index)
      .sort((one, other) => steps[one] - exact[one] - (steps[other] - exact[other]));
    for (const index of order.slice(0, left)) steps[index] += 1;
    return steps;
  }

  /** The opponent's own reach, by the model that is answered. @param {Float64Array} perfect  A strategy. @param {Seat} seat */
  reach(perfect, seat) {
    const { known, tree } = this.players;
    const result = new Float64Array(perfect.length);
    for (const [index, step] of this.steps().entries()) {
      if (step === 0) continue;
      const player = known[index];
      const strategy = perfect.map((one, at) =>
        at < 3 ? 1 : player === undefined ? this.#learnt(at) : this.players.odds(player, at, one),
      );
      ownReach(tree, seat, strategy).forEach((one, at) => (result[at] += (step / STEPS_OF_MODEL) * one));
    }
    return result;
  }

  /** @param {SeenRound} round */
  observe({ nodes, seat, goal, perfect }) {
    const { known, tree, uniform } = this.players;
    for (const [index, node] of nodes.entries()) {
      if (index === 0 || tree.owner(tree.parent[node]) !== seat) continue;
      const at = 3 * node + goal;
      const odds = [...known.map((player) => this.players.odds(player, at, perfect[index])), this.#learnt(at)];
      odds.forEach((one, player) => {
        this.evidence[player] += Math.log((1 - ERROR) * one + ERROR * uniform[3 * node]);
      });
      this.counts[this.#place(at) + this.players.kinds.kind[node]] += 1;
    }
  }

  /** Of the counts of a position with a goal. @param {number} at  Of a move. */
  #place(at) {
    return (3 * this.players.kinds.position[Math.floor(at / 3)] + (at % 3)) * KINDS;
  }

  /** How likely the learnt player makes a move. @param {number} at */
  #learnt(at) {
    const { kinds, uniform } = this.players;
    const node = Math.floor(at / 3);
    const place = this.#place(at);
    let all = 0;
    for (let kind = 0; kind < KINDS; kind += 1) all += this.counts[place + kind];
    const alike = kinds.alike[node];
    const part = (this.counts[place + kinds.kind[node]] + LEARNT_PRIOR * alike) / (all + LEARNT_PRIOR);
    return (part * uniform[3 * node]) / alike;
  }
}

/**
 * By node: the kind of the move to it; a bit for every kind of move that there is in its place; and how many of the
 * free squares, as a part of them, moves of its kind have.
 *
 * @param {GameTree} tree
 * @param {Float64Array} uniform
 */
function kindsOf(tree, uniform) {
  const kind = new Uint8Array(tree.numNodes);
  const position = new Uint8Array(tree.numNodes);
  const alike = new Float64Array(tree.numNodes).fill(1);
  const boards = [EMPTY];
  for (let node = 0; node < tree.numNodes; node += 1) {
    const board = boards[node];
    const [own, other] = tree.owner(node) === 0 ? [board.first, board.second] : [board.second, board.first];
    const sums = new Float64Array(KINDS);
    const children = tree.children(node);
    let bits = 0;
    for (const child of children) {
      boards[child] = marked(board, tree.square[child]);
      kind[child] = kindOf(tree.square[child], own, other);
      sums[kind[child]] += uniform[3 * child];
      bits |= 1 << kind[child];
    }
    for (const child of children) {
      position[child] = bits;
      alike[child] = sums[kind[child]];
    }
  }
  return { kind, position, alike };
}

/** @param {number} square @param {number} own  Marks. @param {number} other */
function kindOf(square, own, other) {
  const completes = isInRow(square, own);
  const blocks = isInRow(square, other);
  if (completes) return blocks ? 0 : 1;
  return blocks ? 2 : square === 5 ? 3 : square % 2 === 0 ? 5 : 4;
}

/** Whether the square completes a row of the marks. @param {number} square @param {number} marks */
function isInRow(square, marks) {
  return LINES.some((line) => line.includes(square) && line.every((one) => one === square || (marks >> (one - 1)) & 1));
}
