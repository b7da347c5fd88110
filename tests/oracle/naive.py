"""The truth for small trees: plain recursive CFR, best response and evaluation, written to be read and not to be fast.

Nothing here is compiled, and the modules under test give it nothing but the tree's container and Kuhn poker. Arrays:
payoffs[leaf_class][g][h] is what player 0 gets (player 1 gets the negative) when player 0 has type g and player 1
type h; prior[g][h] is the joint prior; a strategy is (num_nodes, 3), the probability of the move INTO a node by the
mover's type. No move leads into the root: its row is 1 in strategies, 0 in regrets and sums.

Counterfactual values are weighted with the joint prior: at a leaf,
v_i(g) = sum over h of prior(g, h) * (opponent's own reach of the leaf with type h, without the prior) * payoff to i.
"""

import math
from collections.abc import Callable, Mapping
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tictactoe.algorithms.public_tree import PublicTree

Floats = NDArray[np.float64]
NUM_TYPES = 3

RDCFR_BLEND = 1e-5
FLUSH_EVERY = 10
"""The smooth average of rdcfr is the sum of what the strategy sums are at every so many iterations, and at the end."""


class NaiveGame(NamedTuple):
    """A tree with its payoffs to player 0, (num_classes, 3, 3), and its joint prior, (3, 3)."""

    tree: PublicTree
    payoffs: Floats
    prior: Floats


def discount(time: float, exponent: float) -> float:
    """time^exponent / (time^exponent + 1): at time 0 it is 0 for a positive exponent, 1 for a negative; 1/2 for 0."""
    if time == 0 and exponent < 0.0:
        return 1.0
    power = math.pow(time, exponent)
    return power / (power + 1.0)


class PlainRule(NamedTuple):
    """An update rule, written plainly. Each function is given the rule's parameters last.

    regret: the new cumulative regret, from the old one, the iteration's own regret `gain` and the iteration t.
    predicted: the weight of a move in the next strategy, from the new cumulative regret, `gain` and t.
    weight: of iteration t in the average, where the first one weighs 1.
    parameters: with the defaults of the paper.
    """

    regret: Callable[[float, float, int, dict[str, float]], float]
    predicted: Callable[[float, float, int, dict[str, float]], float] = lambda regret, gain, t, p: max(regret, 0.0)
    weight: Callable[[int, dict[str, float]], float] = lambda t, p: math.pow(t, p["discount_gamma"])
    parameters: Mapping[str, float] = {}


def discount_of_schedule(time: int, regret: float, horizon: float) -> float:
    part = min(time / horizon, 1.0)
    return discount(time, 1.0 + 3.0 * part if regret > 0.0 else -1.0 - 2.0 * part)


def weight_of_schedule(t: int, p: dict[str, float]) -> float:
    """The paper multiplies the sums so far by ((t-1)/t)^gamma instead."""
    return math.prod(math.pow(k / (k - 1), 30.0 - 5.0 * min(k / p["schedule_horizon"], 1.0)) for k in range(2, t + 1))


DCFR = PlainRule(
    lambda regret, gain, t, p: (
        regret * discount(t - 1, p["discount_alpha" if regret > 0.0 else "discount_beta"]) + gain
    ),
    parameters={"discount_alpha": 1.5, "discount_beta": 0.0, "discount_gamma": 2.0},
)
PREDICTIVE = PlainRule(
    lambda regret, gain, t, p: max(regret + gain, 0.0),
    lambda regret, gain, t, p: max(regret + gain, 0.0),
    parameters={"discount_gamma": 2.0},
)
RESTARTS = {"first_restart": 300, "second_restart": 2300, "shrink": 0.03, "grow": 2.0, "blend": 0.2}
RULES = {
    # Zinkevich et al. 2007
    "cfr": PlainRule(lambda regret, gain, t, p: regret + gain, parameters={"discount_gamma": 0.0}),
    # Brown & Sandholm 2019
    "linear-cfr": PlainRule(
        lambda regret, gain, t, p: (regret * (t - 1) + gain * t) / t, parameters={"discount_gamma": 1.0}
    ),
    # Tammelin 2014
    "cfr+": PlainRule(lambda regret, gain, t, p: max(regret + gain, 0.0), parameters={"discount_gamma": 1.0}),
    # Brown & Sandholm 2019
    "dcfr": DCFR,
    # ours: dcfr with restarts from a smooth average, after 100 * 2^k iterations
    "rdcfr": DCFR._replace(parameters={**DCFR.parameters, "first_restart": 100.0}),
    # Zhang, McAleer & Sandholm 2024
    "hs-dcfr": PlainRule(
        lambda regret, gain, t, p: regret * discount_of_schedule(t - 1, regret, p["schedule_horizon"]) + gain,
        weight=weight_of_schedule,
        parameters={"schedule_horizon": 1000.0},
    ),
    # Farina, Kroer & Sandholm 2021
    "pcfr+": PREDICTIVE,
    # Xu et al. 2024
    "pdcfr+": PlainRule(
        lambda regret, gain, t, p: max(regret * discount(t - 1, p["discount_alpha"]) + gain, 0.0),
        lambda regret, gain, t, p: max(regret * discount(t, p["discount_alpha"]) + gain, 0.0),
        parameters={"discount_alpha": 2.3, "discount_gamma": 5.0},
    ),
    # Xu et al. 2024
    "dcfr+": PlainRule(
        lambda regret, gain, t, p: max(regret * discount(t - 1, p["discount_alpha"]) + gain, 0.0),
        parameters={"discount_alpha": 1.5, "discount_gamma": 4.0},
    ),
    # Meng et al. 2025
    "sapcfr+": PlainRule(
        lambda regret, gain, t, p: max(regret + gain, 0.0),
        lambda regret, gain, t, p: max(regret + p["share"] * gain, 0.0),
        parameters={"share": 1 / 3, "discount_gamma": 2.0},
    ),
    # ours: pcfr+ with restarts from the average
    "rpcfr+": PREDICTIVE._replace(parameters={"discount_gamma": 10.0, **RESTARTS}),
}


class NaiveSolver:
    """Vector-form CFR by recursion. One `iterate()` updates both players.

    An iteration t, for each player in turn: a sweep gives r = v(child) - v(node) for each of the player's moves and
    types under the current strategies; strategy_sums += t^gamma * own reach * the strategy that produced r; then
    regrets and the new strategy. With `alternate`, player 1's sweep sees player 0's new strategy; without, both see
    the old ones. The bonus of a leaf, times epsilon * (1 - epsilon_decay)^(t - 1), is added to player 0's payoff.
    """

    def __init__(
        self,
        tree: PublicTree,
        payoffs: Floats,
        prior: Floats,
        algorithm: str | PlainRule,
        alternate: bool = True,
        *,
        bonus: Floats | None = None,
        epsilon: float = 0.0,
        epsilon_decay: float = 0.0,
        **parameters: float,
    ) -> None:
        self.tree, self.payoffs, self.prior = tree, payoffs, prior
        self.algorithm, self.alternate = algorithm, alternate
        self.rule = algorithm if isinstance(algorithm, PlainRule) else RULES[algorithm]
        self.parameters = {**self.rule.parameters, **parameters}
        self.bonus = np.zeros(tree.num_nodes) if bonus is None else bonus
        self.epsilon, self.epsilon_decay = epsilon, epsilon_decay
        self.iteration = self.restarted_at = 0
        self.regrets = np.zeros((tree.num_nodes, NUM_TYPES))
        self.strategy_sums = np.zeros((tree.num_nodes, NUM_TYPES))
        self.recent_sums, self.flushed_sums = self.strategy_sums.copy(), self.strategy_sums.copy()  # rdcfr
        self.strategy = uniform_strategy(tree)

    def iterate(self) -> None:
        if self.algorithm == "rdcfr":
            doublings = math.log2(max(self.iteration, 1) / self.parameters["first_restart"])
            if doublings >= 0.0 and doublings == int(doublings):
                self._start_from_average(1.0, RDCFR_BLEND)
        if self.algorithm == "rpcfr+":
            for name, factor in (("first_restart", "shrink"), ("second_restart", "grow")):
                if self.iteration == self.parameters[name]:
                    self._start_from_average(self.parameters[factor], self.parameters["blend"])
        self.iteration += 1
        for players in ((0,), (1,)) if self.alternate else ((0, 1),):
            for player, gains in [(player, self._sweep(player)) for player in players]:
                self._update(player, gains)
        if self.algorithm == "rdcfr":
            self.strategy_sums = self.flushed_sums + self.recent_sums
            if self.iteration % FLUSH_EVERY == 0:
                self.flushed_sums = self.strategy_sums

    def _start_from_average(self, factor: float, blend: float) -> None:
        """Strategies become the average, blended with what regrets say where it hardly comes: see the class Restart."""
        average, children_of_root = average_strategy(self.tree, self.strategy_sums), list(self.tree.children(0))
        whole = self.strategy_sums[children_of_root].sum(axis=0).max()
        for node in range(self.tree.num_nodes):
            children = list(self.tree.children(node))
            for kind in range(NUM_TYPES) if children else ():
                entry = children, kind
                positive = np.maximum(self.regrets[entry], 0.0)
                current = positive / positive.sum() if positive.sum() > 0.0 else self.strategy[entry]
                share = min(1.0, self.strategy_sums[entry].sum() / whole / blend)
                self.strategy[entry] = share * average[entry] + (1.0 - share) * current
                self.regrets[entry] = factor * positive.sum() * self.strategy[entry]
        for sums in (self.strategy_sums, self.recent_sums, self.flushed_sums):
            sums[:] = 0.0
        self.restarted_at = self.iteration

    def _sweep(self, player: int) -> Floats:
        """r at every node that `player` moves into, and the average; the strategy does not change."""
        gains = np.zeros((self.tree.num_nodes, NUM_TYPES))
        weight = self.rule.weight(self.iteration - self.restarted_at, self.parameters)
        epsilon = self.epsilon * (1.0 - self.epsilon_decay) ** (self.iteration - 1)

        def values(node: int, own: Floats, opponent: Floats) -> Floats:
            leaf_class = self.tree.leaf_class[node]
            if leaf_class >= 0:
                payoffs = self.payoffs[leaf_class] + epsilon * self.bonus[node]
                return leaf_values(payoffs, self.prior, opponent, player)
            children = self.tree.children(node)
            if self.tree.owner[node] != player:
                of_replies = (values(child, own, opponent * self.strategy[child]) for child in children)
                return sum(of_replies, np.zeros(NUM_TYPES))
            of_child = {child: values(child, own * self.strategy[child], opponent) for child in children}
            of_node = sum((self.strategy[child] * of_child[child] for child in children), np.zeros(NUM_TYPES))
            for child in children:
                gains[child] = of_child[child] - of_node
                sums = self.recent_sums if self.algorithm == "rdcfr" else self.strategy_sums
                sums[child] += weight * own * self.strategy[child]
            return of_node

        values(0, np.ones(NUM_TYPES), np.ones(NUM_TYPES))
        return gains

    def _update(self, player: int, gains: Floats) -> None:
        predicted = np.zeros(gains.shape)
        for node in range(self.tree.num_nodes):
            if self.tree.owner[node] != player:
                continue
            for entry in product(self.tree.children(node), range(NUM_TYPES)):
                now = gains[entry], self.iteration, self.parameters
                self.regrets[entry] = self.rule.regret(self.regrets[entry], *now)
                predicted[entry] = self.rule.predicted(self.regrets[entry], *now)
            children = list(self.tree.children(node))
            self.strategy[children] = normalised(predicted[children])


def leaf_values(payoffs: Floats, prior: Floats, opponent: Floats, player: int) -> Floats:
    """(3,): the counterfactual value of a leaf by the player's own type; `payoffs` is that leaf's (3, 3) matrix."""
    weighted = prior * payoffs
    return weighted @ opponent if player == 0 else -(opponent @ weighted)


def normalised(weights: Floats) -> Floats:
    """(num_moves, 3) weights as probabilities, type by type; uniform for a type whose weights are all 0."""
    total = weights.sum(axis=0)
    return np.where(total > 0.0, weights / np.where(total > 0.0, total, 1.0), 1.0 / len(weights))


def average_strategy(tree: PublicTree, sums: Floats) -> Floats:
    """The strategy that accumulated sums (or any weights of moves, not negative) stand for."""
    result, parent = np.ones((tree.num_nodes, NUM_TYPES)), tree.parent[1:]
    for kind, weights in enumerate(sums[1:].T):
        total = np.bincount(parent, weights)[parent]
        uniform = 1.0 / np.bincount(parent)[parent]
        result[1:, kind] = np.where(total > 0.0, weights / np.where(total > 0.0, total, 1.0), uniform)
    return result


def uniform_strategy(tree: PublicTree) -> Floats:
    return average_strategy(tree, np.zeros((tree.num_nodes, NUM_TYPES)))


def leaf_distribution(tree: PublicTree, strategy: Floats, prior: Floats) -> Floats:
    result = np.zeros((int(tree.leaf_class.max()) + 1, NUM_TYPES, NUM_TYPES))

    def descend(node: int, reach: tuple[Floats, Floats]) -> None:
        if tree.leaf_class[node] >= 0:
            result[tree.leaf_class[node]] += prior * np.outer(*reach)
        for child in tree.children(node):
            factors = (strategy[child], 1.0) if tree.owner[node] == 0 else (1.0, strategy[child])
            descend(child, (reach[0] * factors[0], reach[1] * factors[1]))

    descend(0, (np.ones(NUM_TYPES), np.ones(NUM_TYPES)))
    return result


def expected_value(tree: PublicTree, strategy: Floats, payoffs: Floats, prior: Floats) -> float:
    distribution = leaf_distribution(tree, strategy, prior)
    return float((distribution * np.asarray(payoffs)[: len(distribution)]).sum())


def best_values(
    game: NaiveGame, strategy: Floats, player: int, node: int, reach: Floats, moves: NDArray[np.bool_] | None = None
) -> Floats:
    """(3,): by its type, the most that `player` gets from the node on against `strategy`, times the probabilities. The
    player knows its own type and the moves, so that an information set is a node and a type; the opponent's types stay
    a vector: `reach`, the probabilities of its own moves so far. `moves` restricts the player to some of its own."""
    tree = game.tree
    if tree.leaf_class[node] >= 0:
        return leaf_values(game.payoffs[tree.leaf_class[node]], game.prior, reach, player)
    own = tree.owner[node] == player
    values = []
    for child in tree.children(node):
        after = best_values(game, strategy, player, child, reach if own else reach * strategy[child], moves)
        values.append(after if moves is None or not own else np.where(moves[child], after, -np.inf))
    result: Floats = np.max(values, axis=0) if own else np.sum(values, axis=0)
    return result


def best_response_value(tree: PublicTree, strategy: Floats, payoffs: Floats, prior: Floats, player: int) -> float:
    return float(best_values(NaiveGame(tree, payoffs, prior), strategy, player, 0, np.ones(NUM_TYPES)).sum())


def exploitability(tree: PublicTree, strategy: Floats, payoffs: Floats, prior: Floats) -> float:
    return sum(best_response_value(tree, strategy, payoffs, prior, player) for player in (0, 1))
