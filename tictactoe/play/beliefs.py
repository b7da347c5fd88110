"""What the moves of a player tell about its goal. One node at a time: `PublicTree.own_reach` goes through all."""

from __future__ import annotations

import numpy as np

from ..algorithms.arrays import FloatArray
from ..games.tic_tac_toe_tree import GameTree

Belief = tuple[float, ...]  # how likely each goal of a player is to one who knows the strategies and saw the moves


def own_reach_of(tree: GameTree, strategy: FloatArray, node: int) -> FloatArray:
    """float64 (2, 3), by player and its goal: the product of its own probabilities on the way to `node`."""
    reach = np.ones((2, 3))
    while node > 0:
        reach[tree.mover[node]] *= strategy[node]
        node = int(tree.parent[node])
    return reach


def beliefs(tree: GameTree, strategy: FloatArray, node: int) -> tuple[Belief | None, Belief | None]:
    """About the goal of each player at `node`; None for a player who would never have played so, with any goal that
    it may have drawn."""
    reach = own_reach_of(tree, strategy, node) * np.array(tree.rules.goal_odds, np.float64)
    first, second = (tuple((own / own.sum()).tolist()) if own.sum() > 0.0 else None for own in reach)
    return first, second
