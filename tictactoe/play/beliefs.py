"""How likely players make the moves on the way to one node. `PublicTree.own_reach` computes it for all nodes."""

from __future__ import annotations

import numpy as np

from ..algorithms.arrays import FloatArray
from ..games.tic_tac_toe_tree import GameTree


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
