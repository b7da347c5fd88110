/**
 * Plans against a model of the opponent that stay safe against anybody to a chosen degree: the library's
 * algorithms/restricted_response.py, whose docstring has the algorithm and where it comes from.
 *
 * A plan is the player's own reach, num_nodes x 3, by node and goal. What it risks is computed by one best response.
 *
 * @typedef {import("../games/tree.js").GameTree} GameTree
 * @typedef {import("../games/rules.js").Seat} Seat
 * @typedef {import("../games/rules.js").Goal} Goal
 * @typedef {object} Plan  In the unit of match values.
 * @property {Float64Array} reach
 * @property {number} risk  What the worst opponent takes from it, at least 0.
 * @property {number} gain  What the model gives to it over the value.
 */

import { GOALS, otherSeat } from "../games/rules.js";
import { payoffsByOutcome } from "./expected_values.js";

const PULL = 0.05;
const WEIGHTS = [0.3, 0.5, 0.7, 0.9];
const ITERATIONS = 30;
const EQUILIBRIUM_SHARE = 0.01;
const STEPS_OF_MIXTURE = 16;
/** By so much the risk of a plan without risk may differ from the equilibrium's. */
const ROUNDING = 1e-13;

/** A round as the player in a seat sees it. */
export class Facts {
  /**
   * @param {GameTree} tree
   * @param {Seat} seat
   * @param {Float64Array} strategy  An equilibrium of both players.
   * @param {import("./expected_values.js").OutcomeValues} values
   * @param {number} value  The equilibrium's, to the player.
   */
  constructor(tree, seat, strategy, values, value) {
    this.tree = tree;
    this.seat = seat;
    this.strategy = strategy;
    this.value = value;
    /** By seat: [outcome, the other's goal, own goal], times how likely the goals are. */
    this.payoffs = weighedPayoffs(tree, values);
    this.spread = Math.max(...values) - Math.min(...values);
    /** @type {Plan} */
    this.equilibrium = { reach: ownReach(tree, seat, strategy), risk: 0, gain: 0 };
  }

  /** What the opponent gets by a best response to a plan, by node and its goal. @param {Float64Array} reach */
  answers(reach) {
    return answers(this.tree, otherSeat(this.seat), this.payoffs, reach);
  }

  /** @param {Float64Array} reach */
  risk(reach) {
    const [win, lose, tie] = this.answers(reach);
    return Math.max(0, this.value + win + lose + tie);
  }

  /** What a plan gets over the value from an opponent with the own reach `model`. @param {Float64Array} reach @param {Float64Array} model */
  gain(reach, model) {
    const { tree, seat } = this;
    let sum = 0;
    for (let node = 0; node < tree.numNodes; node += 1) {
      if (tree.leafClass[node] < 0) continue;
      for (const own of GOALS)
        sum += reach[3 * node + own] * leafValue(this.payoffs[seat], tree.leafClass[node], model, node, own);
    }
    return sum - this.value;
  }

  /** How likely a plan comes to a node where an opponent with the goal wants to; times the goal's odds. @param {Float64Array} reach */
  odds(reach) {
    const drawn = this.tree.rules.goalProbabilities;
    return reach.map((_, index) => {
      const at = index - (index % 3);
      return drawn[index % 3] * (reach[at] * drawn[0] + reach[at + 1] * drawn[1] + reach[at + 2] * drawn[2]);
    });
  }
}

/**
 * A plan that risks no more than this one, and gains as much from the model or more: it turns to the best answer to the
 * model where the opponent, whatever its goal, has given away as much as that may cost.
 *
 * @param {Facts} facts
 * @param {Float64Array} reach
 * @param {Float64Array} model
 */
function improved(facts, reach, model) {
  const { tree, seat, payoffs } = facts;
  const { numNodes, parent, depth } = tree;
  const best = answers(tree, seat, payoffs, model);
  const theirs = facts.answers(reach);
  const odds = facts.odds(reach);
  const ours = new Float64Array(numNodes);
  const slack = new Float64Array(reach.length);
  const part = new Float64Array(numNodes).fill(1);
  for (let node = numNodes - 1; node > 0; node -= 1) {
    const leaf = tree.leafClass[node];
    if (leaf >= 0)
      for (const own of GOALS) ours[node] += reach[3 * node + own] * leafValue(payoffs[seat], leaf, model, node, own);
    ours[parent[node]] += ours[node];
  }
  for (let at = 3; at < reach.length; at += 1) {
    const node = Math.floor(at / 3);
    const above = 3 * parent[node] + (at % 3);
    const gap = Math.max(0, theirs[above] - theirs[at]);
    const isOurs = tree.owner(parent[node]) === seat;
    slack[at] = isOurs ? slack[above] * (odds[at] / (odds[above] > 0 ? odds[above] : 1)) : slack[above] + gap;
  }
  const deepest = depth.reduce((one, other) => Math.max(one, other));
  const turned = Array.from({ length: deepest }, (_, level) => follow(tree, seat, best, reach.slice(), level));
  for (const [level, plan] of turned.entries()) {
    const after = facts.answers(plan);
    for (let node = 0; node < numNodes; node += 1) {
      if (depth[node] !== level) continue;
      for (let at = 3 * node; at < 3 * node + 3; at += 1) {
        const more = after[at] - theirs[at];
        if (more > slack[at] + 0.01 * ROUNDING) part[node] = Math.min(part[node], slack[at] / more);
      }
    }
  }
  const here = part.map((share, node) => {
    let sum = 0;
    for (const own of GOALS) sum += reach[3 * node + own] * best[3 * node + own];
    return share * (sum - ours[node]);
  });
  const below = new Float64Array(numNodes);
  for (let node = numNodes - 1; node > 0; node -= 1) below[parent[node]] += Math.max(here[node], below[node]);
  const since = new Int32Array(numNodes).fill(-1);
  const result = reach.slice();
  for (let node = 0; node < numNodes; node += 1) {
    const inherited = node === 0 ? -1 : since[parent[node]];
    const turns = inherited < 0 && depth[node] < deepest && here[node] > below[node];
    since[node] = turns ? node : inherited;
    if (since[node] < 0) continue;
    const share = part[since[node]];
    const plan = turned[depth[since[node]]];
    for (let at = 3 * node; at < 3 * node + 3; at += 1) result[at] = (1 - share) * reach[at] + share * plan[at];
  }
  return result;
}

/** Plans of rising risk against one model, made when a budget first reaches them; the first is
 * the equilibrium's, improved without risk. */
export class Frontier {
  /** @param {Facts} facts @param {Float64Array} model  The opponent's own reach. */
  constructor(facts, model) {
    this.facts = facts;
    this.model = model;
    /** @type {Responder | null} */
    this.responder = null;
    const { reach } = facts.equilibrium;
    this.equilibriumGain = facts.gain(reach, model);
    const free = this.#plan(reach);
    const isFree = free.risk <= facts.risk(reach) + ROUNDING;
    /** @type {Plan[]} */
    this.plans = [isFree ? { ...free, risk: 0 } : { reach, risk: 0, gain: this.equilibriumGain }];
  }

  /** The allowed plan with the largest gain; its risk is at most `budget`. @param {number} budget @returns {Plan} */
  plan(budget) {
    const { plans } = this;
    while (budget > 0 && plans.length < WEIGHTS.length + 2 && plans[plans.length - 1].risk <= budget)
      plans.push(this.#next());
    const allowed = plans.filter(({ risk }) => risk <= budget);
    let best = allowed.reduce((most, plan) => (plan.gain > most.gain ? plan : most));
    let mix = { safe: best, risky: best, share: 0, gain: best.gain };
    for (const safe of allowed) {
      for (const risky of plans.filter(({ risk }) => risk > budget)) {
        const parts = Math.floor((STEPS_OF_MIXTURE * (budget - safe.risk)) / (risky.risk - safe.risk));
        const share = parts / STEPS_OF_MIXTURE;
        const gain = safe.gain + share * (risky.gain - safe.gain);
        if (gain > mix.gain) mix = { safe, risky, share, gain };
      }
    }
    if (mix.share === 0) return mix.safe;
    const reach = mixture(mix.safe.reach, mix.risky.reach, mix.share);
    return { reach, risk: this.facts.risk(reach), gain: mix.gain };
  }

  /** @returns {Plan} */
  #next() {
    const { facts, model } = this;
    const weight = WEIGHTS[this.plans.length - 1];
    this.responder ??= new Responder(facts, behaviour(facts.tree, otherSeat(facts.seat), model, facts.strategy));
    return this.#plan(weight === undefined ? bestPlan(facts, model) : this.responder.plan(weight));
  }

  /** @param {Float64Array} found @returns {Plan} */
  #plan(found) {
    const { facts, model } = this;
    const reach = mixture(improved(facts, found, model), facts.equilibrium.reach, EQUILIBRIUM_SHARE);
    return { reach, risk: facts.risk(reach), gain: facts.gain(reach, model) };
  }
}

/** Restricted Nash responses to one model by regret minimization, each from the regrets of the one before. */
class Responder {
  /** @param {Facts} facts @param {Float64Array} model  The opponent's strategy, num_nodes x 3. */
  constructor(facts, model) {
    const { tree, strategy } = facts;
    this.facts = facts;
    this.model = model;
    this.strategy = strategy.slice();
    this.regrets = new Float64Array(strategy.length);
    const both = [ownReach(tree, 0, strategy), ownReach(tree, 1, strategy)];
    for (let node = 1; node < tree.numNodes; node += 1) {
      const parent = tree.parent[node];
      const [win, lose, tie] = both[1 - tree.owner(parent)].subarray(3 * parent, 3 * parent + 3);
      for (const goal of GOALS)
        this.regrets[3 * node + goal] = PULL * facts.spread * strategy[3 * node + goal] * (win + lose + tie);
    }
    const make = () => new Float64Array(strategy.length);
    /** Of the other player, and what that makes a node worth. */
    this.reach = make();
    this.value = make();
    /** Own reach that is not yet in the sums, and the sums of the average strategy. */
    this.mass = make();
    this.sums = make();
    /** What the opponent plays, and the reach of its two parts. */
    this.mixed = make();
    this.met = make();
    this.beside = make();
    /** By seat, 1 where a player's sweep may leave out what lies below a node that the other does not come to. */
    this.settled = [new Uint8Array(tree.numNodes), new Uint8Array(tree.numNodes)];
  }

  /** @param {number} weight  How much the model counts, from 0 to 1. */
  plan(weight) {
    const { facts, sums, mass, strategy, mixed } = this;
    const { tree, seat } = facts;
    sums.fill(0);
    for (let iteration = 1; iteration <= ITERATIONS; iteration += 1) {
      this.#mix(weight);
      for (const goal of GOALS) mass[goal] += iteration ** 2;
      this.#sweep(seat, mixed);
      this.#sweep(otherSeat(seat), strategy);
    }
    this.#pushMass();
    const average = new Float64Array(strategy.length).fill(1);
    for (let node = 0; node < tree.numNodes; node += 1)
      if (tree.numChildren[node] > 0 && tree.owner(node) === seat) this.#normalise(node, sums, average);
    return ownReach(tree, seat, average);
  }

  /** The strategy whose reach is `weight` times that of the model and the rest times that of the free opponent. @param {number} weight */
  #mix(weight) {
    const { facts, model, strategy, mixed, met, beside } = this;
    const { tree, seat } = facts;
    met.fill(weight, 0, 3);
    beside.fill(1 - weight, 0, 3);
    for (let node = 1; node < tree.numNodes; node += 1) {
      const parent = tree.parent[node];
      const own = tree.owner(parent) !== seat;
      for (let goal = 0; goal < 3; goal += 1) {
        const at = 3 * node + goal;
        const one = met[3 * parent + goal];
        const other = beside[3 * parent + goal];
        met[at] = own ? one * model[at] : one;
        beside[at] = own ? other * strategy[at] : other;
        if (own) mixed[at] = (met[at] + beside[at]) / (one + other > 0 ? one + other : 1);
      }
    }
  }

  /** One player's half of an iteration. @param {Seat} who @param {Float64Array} theirs  What the other plays. */
  #sweep(who, theirs) {
    this.reach.fill(1, 0, 3);
    this.#visit(0, who, theirs, this.settled[who], this.facts.payoffs[who], who === this.facts.seat);
  }

  /**
   * @param {number} node  A decision node.
   * @param {Seat} who
   * @param {Float64Array} theirs
   * @param {Uint8Array} settled
   * @param {Float64Array} payoffs
   * @param {boolean} sums  Whether what is played counts in the average.
   */
  #visit(node, who, theirs, settled, payoffs, sums) {
    const { tree } = this.facts;
    const { reach, value, mass, strategy } = this;
    const at = 3 * node;
    const isReached = reach[at] !== 0 || reach[at + 1] !== 0 || reach[at + 2] !== 0;
    if (!isReached && settled[node] === 1) {
      value.fill(0, at, at + 3);
      return;
    }
    settled[node] = isReached ? 0 : 1;
    const isOwn = tree.owner(node) === who;
    const first = tree.firstChild[node];
    const end = first + tree.numChildren[node];
    for (let child = first; child < end; child += 1) {
      for (let goal = 0; goal < 3; goal += 1) {
        const to = 3 * child + goal;
        if (sums) this.#passMass(at + goal, to, isOwn);
        reach[to] = isOwn ? reach[at + goal] : reach[at + goal] * theirs[to];
      }
    }
    if (sums) mass.fill(0, at, at + 3);
    for (let child = first; child < end; child += 1) {
      const leaf = tree.leafClass[child];
      if (leaf < 0) this.#visit(child, who, theirs, settled, payoffs, sums);
      else
        for (let goal = 0; goal < 3; goal += 1) value[3 * child + goal] = leafValue(payoffs, leaf, reach, child, goal);
    }
    for (let goal = 0; goal < 3; goal += 1) {
      let total = 0;
      for (let to = 3 * first + goal; to < 3 * end; to += 3) total += isOwn ? strategy[to] * value[to] : value[to];
      value[at + goal] = total;
    }
    if (isOwn) this.#learn(node);
  }

  /** @param {number} from @param {number} to  The places of a node and of its child. @param {boolean} isOwn */
  #passMass(from, to, isOwn) {
    const share = isOwn ? this.mass[from] * this.strategy[to] : this.mass[from];
    if (isOwn) this.sums[to] += share;
    this.mass[to] += share;
  }

  /** Regrets and the next strategy at one of the player's nodes. @param {number} node */
  #learn(node) {
    const { tree } = this.facts;
    const { value, regrets, strategy } = this;
    const first = 3 * tree.firstChild[node];
    const end = first + 3 * tree.numChildren[node];
    for (let to = first; to < end; to += 1) {
      const regret = value[to] - value[3 * node + (to % 3)];
      regrets[to] = Math.max(regrets[to] + regret, 0);
      strategy[to] = Math.max(regrets[to] + regret, 0);
    }
    this.#normalise(node, strategy, strategy);
  }

  /** In proportion to the amounts, alike where all are 0. @param {number} node @param {Float64Array} amounts @param {Float64Array} result */
  #normalise(node, amounts, result) {
    const { tree } = this.facts;
    const count = tree.numChildren[node];
    const first = 3 * tree.firstChild[node];
    for (let goal = 0; goal < 3; goal += 1) {
      let total = 0;
      for (let to = first + goal; to < first + 3 * count; to += 3) total += amounts[to];
      for (let to = first + goal; to < first + 3 * count; to += 3)
        result[to] = total > 0 ? amounts[to] / total : 1 / count;
    }
  }

  /** What waits above subtrees that were left out goes into the average. */
  #pushMass() {
    const { tree, seat } = this.facts;
    for (let node = 1; node < tree.numNodes; node += 1) {
      const parent = tree.parent[node];
      for (const goal of GOALS) this.#passMass(3 * parent + goal, 3 * node + goal, tree.owner(parent) === seat);
    }
    this.mass.fill(0);
  }
}

/** By node and goal, the product of a player's own probabilities on the way. @param {GameTree} tree @param {Seat} seat @param {Float64Array} strategy */
export function ownReach(tree, seat, strategy) {
  const result = new Float64Array(strategy.length).fill(1);
  for (let node = 1; node < tree.numNodes; node += 1) {
    const parent = tree.parent[node];
    const own = tree.owner(parent) === seat;
    for (const goal of GOALS)
      result[3 * node + goal] = result[3 * parent + goal] * (own ? strategy[3 * node + goal] : 1);
  }
  return result;
}

/**
 * The strategy that is a plan in the player's rows; elsewhere, and where the plan does not lead, `otherwise`.
 *
 * @param {GameTree} tree
 * @param {Seat} seat
 * @param {Float64Array} plan
 * @param {Float64Array} otherwise
 */
export function behaviour(tree, seat, plan, otherwise) {
  const result = otherwise.slice();
  for (let node = 1; node < tree.numNodes; node += 1) {
    const parent = tree.parent[node];
    if (tree.owner(parent) !== seat) continue;
    for (const goal of GOALS)
      if (plan[3 * parent + goal] > 0) result[3 * node + goal] = plan[3 * node + goal] / plan[3 * parent + goal];
  }
  return result;
}

/** The part `share` of the one plan, the rest of the other. @param {Float64Array} one @param {Float64Array} other @param {number} share */
function mixture(one, other, share) {
  return one.map((reach, index) => reach + share * (other[index] - reach));
}

/** The plan that answers the model best. @param {Facts} facts @param {Float64Array} model */
function bestPlan({ tree, seat, payoffs }, model) {
  const values = answers(tree, seat, payoffs, model);
  return follow(tree, seat, values, new Float64Array(values.length).fill(1), 0);
}

/**
 * The plan, from a depth on the best moves by the values.
 *
 * @param {GameTree} tree
 * @param {Seat} seat
 * @param {Float64Array} values
 * @param {Float64Array} plan  Changed.
 * @param {number} depth
 */
function follow(tree, seat, values, plan, depth) {
  for (let node = 0; node < tree.numNodes; node += 1) {
    if (tree.depth[node] < depth || tree.leafClass[node] >= 0) continue;
    const own = tree.owner(node) === seat;
    const first = 3 * tree.firstChild[node];
    const end = first + 3 * tree.numChildren[node];
    for (let goal = 0; goal < 3; goal += 1) {
      const here = plan[3 * node + goal];
      let best = first + goal;
      if (own) for (let to = best + 3; to < end; to += 3) if (values[to] > values[best]) best = to;
      for (let to = first + goal; to < end; to += 3) plan[to] = !own || to === best ? here : 0;
    }
  }
  return plan;
}

/**
 * By node and goal of the player in `seat`, what a best response to the other one's plan gets.
 *
 * @param {GameTree} tree
 * @param {Seat} seat
 * @param {Float64Array[]} payoffs
 * @param {Float64Array} plan
 */
function answers(tree, seat, payoffs, plan) {
  const values = new Float64Array(plan.length);
  for (let node = tree.numNodes - 1; node >= 0; node -= 1) {
    const first = 3 * tree.firstChild[node];
    const end = first + 3 * tree.numChildren[node];
    const leaf = tree.leafClass[node];
    const own = tree.owner(node) === seat;
    for (const goal of GOALS) {
      let total = leaf < 0 ? values[first + goal] : leafValue(payoffs[seat], leaf, plan, node, goal);
      if (leaf < 0)
        for (let to = first + 3 + goal; to < end; to += 3)
          total = own ? Math.max(total, values[to]) : total + values[to];
      values[3 * node + goal] = total;
    }
  }
  return values;
}

/** @param {Float64Array} payoffs @param {number} leaf @param {Float64Array} reach @param {number} node @param {number} own */
function leafValue(payoffs, leaf, reach, node, own) {
  const at = 9 * leaf + own;
  return reach[3 * node] * payoffs[at] + reach[3 * node + 1] * payoffs[at + 3] + reach[3 * node + 2] * payoffs[at + 6];
}

/** @param {GameTree} tree @param {import("./expected_values.js").OutcomeValues} values */
function weighedPayoffs(tree, values) {
  const drawn = tree.rules.goalProbabilities;
  const toFirst = payoffsByOutcome(tree.rules, values).map(
    (worth, index) => worth * (drawn[Math.floor((index % 9) / 3)] * drawn[index % 3]),
  );
  const toSecond = toFirst.map((worth) => -worth); // [outcome, first mover's goal, second mover's]
  const forFirst = toFirst.map(
    (_, index) => toFirst[index - (index % 9) + 3 * (index % 3) + Math.floor((index % 9) / 3)],
  );
  return [forFirst, toSecond];
}
