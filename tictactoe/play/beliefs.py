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
    while node > 0:
        reach[tree.mover[node]] *= strategy[node]
        node = int(tree.parent[node])
    return reach


def beliefs(tree: GameTree, strategy: FloatArray, node: int) -> tuple[Belief | None, Belief | None]:
    """What the moves on the way to `node` tell about the first and about the second mover's goal. None for a player who
    would not have made these moves with any goal that can be drawn."""
    reach = own_reach_of(tree, strategy, node) * np.array(tree.rules.goal_odds, np.float64)
    first, second = (tuple((own / own.sum()).tolist()) if own.sum() > 0.0 else None for own in reach)
    return first, second
