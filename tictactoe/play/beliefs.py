"""What the moves of a player tell about its goal, for one node. `PublicTree.own_reach` computes reach for all nodes."""

from __future__ import annotations

import numpy as np

from ..algorithms.arrays import FloatArray
from ..games.tic_tac_toe_tree import GameTree

Belief = tuple[float, ...]
"""By goal (3), the probability that a player has it, to an observer who knows the strategies and saw the moves."""


def own_reach_of(tree: GameTree, strategy: FloatArray, node: int) -> FloatArray:
    """float64 (2, 3), by player and goal: the product of that player's own probabilities on the way to `node`."""
    reach = np.ones((2, 3))
    for move in _way_to(tree, node):
        reach[tree.mover[move]] *= strategy[move]
    return reach


def _way_to(tree: GameTree, node: int) -> list[int]:
    """The nodes on the way to `node`, which is the last one, without the root."""
    way = []
    while node > 0:
        way.append(node)
        node = int(tree.parent[node])
    return way[::-1]


def beliefs(
    tree: GameTree, strategy: FloatArray, node: int, after_mistakes: FloatArray | None = None
) -> tuple[Belief | None, Belief | None]:
    """What the moves on the way to `node` tell about the first and about the second mover's goal. None for a player who
    would not have made these moves with any goal that can be drawn.

    after_mistakes: `Snapshot.beliefs`, with which a refined strategy knows what to believe after such moves.
    """
    weights = np.ones((2, 3))
    for move in _way_to(tree, node):
        mover = tree.mover[move]
        weights[mover] *= strategy[move]
        if after_mistakes is not None and after_mistakes[move].any():
            weights[mover] = after_mistakes[move]
    reach = weights * np.array(tree.rules.goal_odds, np.float64)
    first, second = (tuple((own / own.sum()).tolist()) if own.sum() > 0.0 else None for own in reach)
    return first, second
