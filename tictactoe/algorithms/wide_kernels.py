"""The functions of kernels.py in NumPy, for any game. A sweep works on all types and all nodes of a depth at once.

wide_sweep.py and hidden_kernels.py use this module for what they do not compile.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from . import rule_definition
from .arrays import CHANCE, TYPES, FloatArray, Rows, SweepArrays, SweepState, Workspace
from .public_tree import Families, PublicTree
from .strategy import best_response_from_leaves, summed_over_unknown


class LeafValues(Protocol):
    """A game in the form that these functions take, read-only, with k private types per player."""

    @property
    def tree(self) -> PublicTree: ...

    def leaf_values(self, player: int, reach: FloatArray) -> FloatArray:
        """float64 (num_nodes, k): the values of leaves to `player`; 0 at other nodes. reach: the opponent's reach."""


def run_stretches(
    game: LeafValues, rules: NDArray[np.float64], length: int, alternate: bool, state: SweepState, work: Workspace
) -> int:
    tree, strategy = game.tree, state.strategy[TYPES]
    regrets, sums = state.regrets[TYPES], state.strategy_sums[TYPES]
    for rule in rules:
        met = strategy if alternate else strategy.copy()
        for player in (0, 1):
            own = tree.mover == player
            sums[own] += rule[rule_definition.AVERAGING_WEIGHT] * tree.own_reach_of_player(player, strategy)[own]
            values = _values(game, player, tree.own_reach_of_player(1 - player, met), strategy)
            gained = summed_over_unknown(tree, np.flatnonzero(own), values[own] - values[tree.parent[own]])
            discounts = rule[rule_definition.POSITIVE_DISCOUNT], rule[rule_definition.NEGATIVE_DISCOUNT]
            before = regrets[own]
            kept = before * np.where(before > 0, *discounts)
            cumulative = regrets[own] = np.maximum(kept + gained, rule[rule_definition.FLOOR])
            discount, weight = rule[rule_definition.PREDICTION_DISCOUNT], rule[rule_definition.PREDICTION_WEIGHT]
            predicted = np.maximum(np.maximum(cumulative, 0.0) * discount + weight * gained, 0.0)
            strategy[own] = _shares(tree, predicted, own)
    return 2 * len(rules) * tree.num_decision_nodes


def _values(game: LeafValues, player: int, reach: FloatArray, strategy: FloatArray) -> FloatArray:
    tree = game.tree

    def met(level: Families, below: FloatArray) -> FloatArray:
        own = (tree.mover[level.nodes] == player)[:, None]
        return level.sums(np.where(own, strategy[level.nodes] * below, below))

    return tree.from_leaves(game.leaf_values(player, reach), met)


def _shares(tree: PublicTree, predicted: FloatArray, own: NDArray[np.bool_]) -> FloatArray:
    """Regret matching. predicted: float64 (num_moves, k), at the nodes marked by `own`, bool (num_nodes,)."""
    numbers = np.zeros((tree.num_nodes, predicted.shape[1]))
    numbers[own] = predicted
    total = tree.at_children(tree.sums_over_children(numbers))[own]
    uniform = 1.0 / tree.num_children[tree.parent[own]]
    return np.divide(predicted, total, out=np.repeat(uniform[:, None], total.shape[1], axis=1), where=total > 0.0)


def normalise_sums(tree: SweepArrays, sums: Rows, out: Rows) -> None:
    counts = np.diff(tree.first_child)
    moves = sums[TYPES][1:]
    if tree.group is not None:
        group = np.repeat(tree.group, counts)
        for first in np.unique(group[group >= 0]).tolist():
            together = tree.partitions[TYPES][first : first + moves.shape[1]]
            moves = np.where((group == first)[:, None], moves @ together, moves)
    total = np.repeat(np.add.reduceat(moves, tree.first_child[:-1] - 1, axis=0), counts, axis=0)
    uniform = np.repeat(1.0 / np.where(tree.owner == CHANCE, 1, counts), counts)
    out[TYPES][0] = 1.0
    out[TYPES][1:] = uniform[:, None]
    np.divide(moves, total, out=out[TYPES][1:], where=total > 0.0)


def best_response(game: LeafValues, player: int, strategy: Rows, work: Workspace, values: Rows, out: Rows) -> None:
    tree, others = game.tree, game.tree.own_reach_of_player(1 - player, strategy[TYPES])
    moves = np.zeros(others.shape, np.bool_) if len(out) else None
    found = best_response_from_leaves(tree, player, game.leaf_values(player, others), moves)
    values[TYPES] = found[tree.decision_nodes]
    if moves is not None:
        out[TYPES] = np.where((tree.mover == player)[:, None], moves, strategy[TYPES])
        out[TYPES][0] = 1.0


def expected_value(game: LeafValues, strategy: Rows) -> float:
    """The value to player 0 when both play `strategy`, (num_nodes,)."""
    first, second = game.tree.own_reach(strategy[TYPES])
    return float((first * game.leaf_values(0, second)).sum())
