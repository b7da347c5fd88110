"""Values of every node, for two strategies or for a best response. Plain numpy: nothing is compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .arrays import FloatArray
from .public_tree import PublicTree


def expected_values(tree: PublicTree, strategy: FloatArray, payoffs: FloatArray) -> FloatArray:
    """float64 (num_nodes, 3, 3), [node, type of player 0, type of player 1]: what player 0 gets on average.

    Both players go on from the node by `strategy`, and these are their types.

    strategy: float64 (num_nodes, 3).
    payoffs: float64 (num_classes, 3, 3), [leaf class, type of player 0, type of player 1], as `Game` has them.
    """
    result = np.zeros((tree.num_nodes, 3, 3))
    leaves = tree.leaf_class >= 0
    result[leaves] = payoffs[tree.leaf_class[leaves]]
    for nodes in reversed(tree.nodes_by_depth[1:]):
        by_first, by_second = strategy[nodes][:, :, None], strategy[nodes][:, None, :]
        weights = np.where((tree.mover[nodes] == 0)[:, None, None], by_first, by_second)
        starts = first_siblings(tree, nodes)
        result[tree.parent[nodes[starts]]] = np.add.reduceat(weights * result[nodes], starts, axis=0)
    return result


def best_response_values(
    tree: PublicTree, player: int, strategy: FloatArray, payoffs: FloatArray, prior: FloatArray
) -> FloatArray:
    """float64 (num_nodes, 3), [node, type of `player`]: counterfactual values of a best response to `strategy`.

    That is the most that `player` gets from the node on, times the probability of the types and of the other player's
    moves on the way to the node.

    strategy: float64 (num_nodes, 3); only the other player's moves count.
    payoffs: float64 (num_classes, 3, 3), as in `expected_values`, to player 0.
    prior: float64 (3, 3), [type of player 0, type of player 1].
    """
    reach = tree.own_reach_of_player(1 - player, strategy)
    weighted = payoffs * prior if player == 0 else -(payoffs * prior).transpose(0, 2, 1)  # [class, own type, other's]
    result = np.zeros((tree.num_nodes, 3))
    leaves = tree.leaf_class >= 0
    result[leaves] = np.einsum("noh,nh->no", weighted[tree.leaf_class[leaves]], reach[leaves])
    for nodes in reversed(tree.nodes_by_depth[1:]):
        starts = first_siblings(tree, nodes)
        parents = tree.parent[nodes[starts]]
        most = np.maximum.reduceat(result[nodes], starts, axis=0)
        total = np.add.reduceat(result[nodes], starts, axis=0)
        result[parents] = np.where((tree.owner[parents] == player)[:, None], most, total)
    return result


def first_siblings(tree: PublicTree, nodes: NDArray[np.intp]) -> NDArray[np.intp]:
    """intp (num_parents,): where the children of each parent begin among the nodes of one depth."""
    return np.flatnonzero(np.r_[True, tree.parent[nodes[1:]] != tree.parent[nodes[:-1]]])
