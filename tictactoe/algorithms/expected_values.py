"""The expected value of every node, for every pair of private types. Plain numpy: nothing is compiled."""

from __future__ import annotations

import numpy as np

from .arrays import FloatArray
from .public_tree import PublicTree


def expected_values(tree: PublicTree, strategy: FloatArray, payoffs: FloatArray) -> FloatArray:
    """float64 (num_nodes, 3, 3), [node, type of player 0, type of player 1]: what player 0 gets, on average, when both
    players go on from the node by `strategy`, float64 (num_nodes, 3), and these are their types.

    payoffs: float64 (num_classes, 3, 3), [leaf class, type of player 0, type of player 1], as `Game` has them.
    """
    result = np.zeros((tree.num_nodes, 3, 3))
    leaves = tree.leaf_class >= 0
    result[leaves] = payoffs[tree.leaf_class[leaves]]
    for nodes in reversed(tree.nodes_by_depth[1:]):
        by_first, by_second = strategy[nodes][:, :, None], strategy[nodes][:, None, :]
        weights = np.where((tree.mover[nodes] == 0)[:, None, None], by_first, by_second)
        starts = np.flatnonzero(np.r_[True, tree.parent[nodes[1:]] != tree.parent[nodes[:-1]]])
        result[tree.parent[nodes[starts]]] = np.add.reduceat(weights * result[nodes], starts, axis=0)
    return result
