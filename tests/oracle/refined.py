"""The judge of refined strategies: plain recursion over the tree, with one belief of each player at every node."""

from collections import defaultdict
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tictactoe import Game

from .lifting import LevelEvaluator
from .naive import NUM_TYPES, Floats

SAME_RATIO = 1e-5
"""Ratios of weights with the digits of float32, a few of them multiplied, differ by less."""

LOG_EPSILON = -1000.0
"""Of the epsilon in trembles."""

Integers = NDArray[np.intp]


def weights_of(game: Game, strategy: Floats, beliefs: Floats | None) -> Floats:
    """By player, node and type: how likely the player's types are. Without beliefs mistakes tell nothing."""
    weights = np.ones((2, game.tree.num_nodes, NUM_TYPES))
    weights[:, 0] = _drawn(game)
    for node in range(1, game.tree.num_nodes):
        weights[:, node] = _after(game, strategy, beliefs, node, weights[:, game.tree.parent[node]])
    return weights


def weights_at(game: Game, strategy: Floats, beliefs: Floats | None, node: int) -> Floats:
    if node == 0:
        return _drawn(game)
    before = weights_at(game, strategy, beliefs, int(game.tree.parent[node]))
    return _after(game, strategy, beliefs, node, before)


def _drawn(game: Game) -> Floats:
    return np.array([game.prior.any(axis=1), game.prior.any(axis=0)], np.float64)


def _after(game: Game, strategy: Floats, beliefs: Floats | None, node: int, before: Floats) -> Floats:
    mover, weights = int(game.tree.mover[node]), before.copy()
    weights[mover] *= strategy[node]
    if beliefs is not None and beliefs[node].any():
        assert not weights[mover].any(), "a belief where Bayes' rule says what to believe"
        weights[mover] = beliefs[node]
    if not weights[mover].any():
        weights[mover] = _drawn(game)[mover] if beliefs is None else before[mover]
    return weights


def costs_of(game: Game, strategy: Floats, weights: Floats) -> Floats:
    """By node and type of its owner, the most that a move costs there that is played; 0 at leaves."""
    tree, values = game.tree, LevelEvaluator(game.tree).values_by_types(strategy, game.payoffs)
    costs = np.zeros((tree.num_nodes, NUM_TYPES))
    for node in np.flatnonzero(tree.owner >= 0).tolist():
        player = int(tree.owner[node])
        for own in range(NUM_TYPES):
            odds = game.prior[own] if player == 0 else game.prior[:, own]
            belief = odds * weights[1 - player, node]
            assert belief.sum() > 0.0, (node, own)
            gets = {
                child: float(belief @ (values[child][own] if player == 0 else -values[child][:, own])) / belief.sum()
                for child in tree.children(node)
            }
            played = [gets[child] for child in gets if strategy[child, own] > 0.0]
            costs[node, own] = max(gets.values()) - min(played)
    return costs


def break_of_bayes(game: Game, strategy: Floats, weights: Floats) -> float:
    """How far the weights are from Bayes' rule where it says anything: the sum of differences, the largest being 1."""
    tree, worst = game.tree, 0.0
    for node in range(1, tree.num_nodes):
        mover, parent = int(tree.mover[node]), int(tree.parent[node])
        for player in (0, 1):
            expected = weights[player, parent] * (strategy[node] if player == mover else 1.0)
            if expected.any():
                shares = expected / expected.max(), weights[player, node] / weights[player, node].max()
                worst = max(worst, float(np.abs(shares[0] - shares[1]).sum()))
    return worst


def best_play(game: Game, strategy: Floats, weights: Floats, node: int, player: int, own: int) -> float:
    """What the node is worth to the player of this type, who plays best from there on against the strategy."""
    return _best_play(game, strategy, game.prior.sum(axis=player) * weights[1 - player], node, player, own)


def _best_play(game: Game, strategy: Floats, belief: Floats, node: int, player: int, own: int) -> float:
    tree, belief = game.tree, belief / belief.sum()
    if tree.leaf_class[node] >= 0:
        payoffs = game.payoffs[tree.leaf_class[node]]
        return float(belief @ payoffs[own] if player == 0 else -(payoffs[:, own] @ belief))
    if tree.owner[node] == player:
        return max(_best_play(game, strategy, belief, child, player, own) for child in tree.children(node))
    ways = ((child, belief * strategy[child]) for child in tree.children(node))
    return sum(
        float(after.sum()) * _best_play(game, strategy, after, child, player, own)
        for child, after in ways
        if after.any()
    )


class Trembles(NamedTuple):
    """By node and type: a move's chance is a factor times epsilon to an order, 0 for moves that are played."""

    orders: Floats
    logs: Floats
    """Of the factors."""


def trembles_of(game: Game, strategy: Floats, weights: Floats) -> Trembles | list[set[int]]:
    """Trembles that make the weights a limit of Bayes' rule, as a sequential equilibrium has them (Kreps and Wilson
    1982, appendix); without them, the nodes of every set of weights that contradict each other.

    A type's *path* goes on with moves that it plays; a tremble begins another one, of greater order and of any factor.
    At every node the paths of the types that are believed have the same order, and those of others a greater one.
    """
    tree, orders, logs = game.tree, np.zeros_like(strategy), np.zeros_like(strategy)
    np.log(strategy, where=strategy > 0.0, out=logs)
    inner, contradictions = [node for node in range(1, tree.num_nodes) if tree.leaf_class[node] < 0], list[set[int]]()
    for player in (0, 1):
        types = np.flatnonzero(_drawn(game)[player]).tolist()
        path, ahead = {0: list(range(NUM_TYPES))}, {0: [0.0] * NUM_TYPES}  # by node and type; log of the chance since
        later, num_paths = list[tuple[int, int, int]](), NUM_TYPES  # of a path, a later one, at a node
        same = [(types[0], own, 0, 0.0) for own in types[1:]]  # a path, another one, node, log of their ratio
        for node in inner:
            parent = int(tree.parent[node])
            path[node], ahead[node] = path[parent].copy(), ahead[parent].copy()
            if tree.mover[node] != player:
                continue
            for own in types:
                ahead[node][own] += float(logs[node, own])
                if strategy[node, own] == 0.0:
                    later.append((path[node][own], num_paths, node))
                    path[node][own], ahead[node][own], num_paths = num_paths, 0.0, num_paths + 1
            belief = weights[player, node] / weights[player, node].max()
            first, *others = [own for own in types if belief[own] > 0.0]
            for own in others:
                ratio = np.log(belief[own] / belief[first]) - ahead[node][own] + ahead[node][first]
                same.append((path[node][first], path[node][own], node, float(ratio)))
            later += [(path[node][first], path[node][own], node) for own in types if belief[own] == 0.0]
        factors, kin, wrong = _potentials(num_paths, same)
        order_of, circles = _orders(kin, later)
        contradictions += wrong + circles
        for node in (node for node in inner if tree.mover[node] == player):
            for own in np.flatnonzero(strategy[node] == 0.0).tolist():
                now, before = path[node][own], path[int(tree.parent[node])][own]
                orders[node, own] = order_of[now] - order_of[before]
                logs[node, own] = factors[now] - factors[before] - ahead[int(tree.parent[node])][own]
    return contradictions or Trembles(orders, logs)


def _potentials(number: int, same: list[tuple[int, int, int, float]]) -> tuple[Floats, Integers, list[set[int]]]:
    """By path: a logarithm, with the differences asked for; a number of its kin; the nodes that contradict others."""
    edges, logs, kin = [[] for _ in range(number)], np.zeros(number), np.full(number, -1)
    for one, other, node, ratio in same:
        edges[one].append((other, ratio, node))
        edges[other].append((one, -ratio, node))
    wrong: dict[int, set[int]] = {}
    for start in range(number):
        stack = [start] if kin[start] < 0 else []
        kin[stack] = start
        while stack:
            one = stack.pop()
            for other, ratio, node in edges[one]:
                if kin[other] < 0:
                    kin[other], logs[other] = start, logs[one] + ratio
                    stack.append(other)
                elif abs(logs[other] - logs[one] - ratio) > SAME_RATIO:
                    wrong.setdefault(start, set()).add(node)
    return logs, kin, list(wrong.values())


def _orders(kin: Integers, later: list[tuple[int, int, int]]) -> tuple[Integers, list[set[int]]]:
    """By path, a whole number: larger for later ones; the same for kin. And the nodes of every circle of later ones."""
    after, left = defaultdict(list), defaultdict(int)
    for one, other, node in later:
        if one >= 0:
            after[kin[one]].append((kin[other], node))
            left[kin[other]] += 1
    orders = np.zeros(len(kin), int)
    stack = [one for one in set(kin.tolist()) if not left[one]]
    while stack:
        one = stack.pop()
        for other, _ in after[one]:
            orders[other] = max(orders[other], orders[one] + 1)
            left[other] -= 1
            if not left[other]:
                stack.append(other)
    reached = {}
    for start in [one for one in left if left[one]]:
        stack, seen = [start], set()
        while stack:
            for other, _ in after[stack.pop()]:
                if left[other] and other not in seen:
                    seen.add(other)
                    stack.append(other)
        reached[start] = seen
    circles = {frozenset(o for o in seen if s in reached[o]) for s, seen in reached.items() if s in seen}
    return orders[kin], [
        {node for one in circle for other, node in after[one] if other in circle} for circle in circles
    ]


def break_of_trembles(game: Game, strategy: Floats, weights: Floats, trembles: Trembles) -> float:
    """How far the weights are from what Bayes' rule says where every move has its tremble; as in `break_of_bayes`."""
    tree, worst, drawn = game.tree, 0.0, _drawn(game)
    inner = np.flatnonzero(tree.leaf_class[1:] < 0) + 1
    assert np.array_equal(
        trembles.orders[inner][:, drawn.any(axis=0)] > 0.0, strategy[inner][:, drawn.any(axis=0)] == 0.0
    )
    moves = trembles.logs + LOG_EPSILON * trembles.orders
    for player in (0, 1):
        chances = np.where(drawn[player] > 0.0, 0.0, -np.inf)[None].repeat(tree.num_nodes, axis=0)
        for node in inner.tolist():
            chances[node] = chances[tree.parent[node]] + (moves[node] if tree.mover[node] == player else 0.0)
            told, belief = np.exp(chances[node] - chances[node].max()), weights[player, node]
            worst = max(worst, float(np.abs(told - belief / belief.max()).sum()))
    return worst
