"""What saved strategies say about a position: values, beliefs, likely play. Plain numpy, no compiled code."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .board import Outcome
from .match import RESULTS, Goal, OutcomeValues, Seat, scores
from .tree import GameTree

FloatArray = NDArray[np.float64]


def payoffs_by_outcome(values: OutcomeValues) -> FloatArray:
    """float64 (3, 3, 3), [outcome, first mover's goal, second mover's goal]: worth to the first mover."""
    return np.array(
        [[[values[RESULTS.index(scores(outcome, g, h))] for h in Goal] for g in Goal] for outcome in Outcome]
    )


def expected_values(tree: GameTree, strategy: FloatArray, values: OutcomeValues) -> FloatArray:
    """float64 (num_nodes, 3, 3), [node, first mover's goal, second mover's goal]: the expected worth, to the first
    mover, of going on from the node by `strategy`, float64 (num_nodes, 3), when these are the goals."""
    result = np.zeros((tree.num_nodes, 3, 3))
    leaves = tree.leaf_class >= 0
    result[leaves] = payoffs_by_outcome(values)[tree.leaf_class[leaves]]
    first_moves = np.zeros(tree.num_nodes, bool)
    first_moves[1:] = tree.owner[tree.parent[1:]] == int(Seat.FIRST)
    for depth in range(int(tree.depth.max()), 0, -1):
        nodes = np.flatnonzero(tree.depth == depth)
        by_first = strategy[nodes][:, :, None]
        by_second = strategy[nodes][:, None, :]
        weights = np.where(first_moves[nodes][:, None, None], by_first, by_second)
        starts = np.flatnonzero(np.r_[True, tree.parent[nodes[1:]] != tree.parent[nodes[:-1]]])
        result[tree.parent[nodes[starts]]] = np.add.reduceat(weights * result[nodes], starts, axis=0)
    return result


def own_reach(tree: GameTree, strategy: FloatArray, node: int) -> tuple[FloatArray, FloatArray]:
    """For each player float64 (3,), by that player's goal: the product of its own probabilities on the way to `node`.

    The first array is of the first mover.
    """
    reach = (np.ones(3), np.ones(3))
    while node > 0:
        parent = int(tree.parent[node])
        reach[int(tree.owner[parent])][:] *= strategy[node]
        node = parent
    return reach


def beliefs(tree: GameTree, strategy: FloatArray, node: int) -> tuple[FloatArray | None, FloatArray | None]:
    """For each player float64 (3,), by that player's goal: how likely an observer who knows the strategy thinks it is
    at `node`. None for a player who would never have played so, with any goal."""
    first, second = own_reach(tree, strategy, node)
    return _normalised(first), _normalised(second)


def _normalised(weights: FloatArray) -> FloatArray | None:
    total = weights.sum()
    return weights / total if total > 0.0 else None


def most_likely_line(tree: GameTree, strategy: FloatArray, node: int, goals: tuple[Goal, Goal]) -> list[int]:
    """The nodes after `node` when both players, who have these goals, play their likeliest move each time."""
    line = []
    while tree.owner[node] >= 0:
        children = tree.children(node)
        goal = goals[int(tree.owner[node])]
        node = children[int(np.argmax(strategy[children.start : children.stop, goal]))]
        line.append(node)
    return line
