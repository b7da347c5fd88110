"""How likely each player's types are at every node, to an observer who knows the strategies and saw the moves."""

from __future__ import annotations

import numpy as np

from .arrays import FloatArray
from .public_tree import PublicTree


def weights_by_belief(
    tree: PublicTree, strategy: FloatArray, beliefs: FloatArray | None, prior: FloatArray
) -> FloatArray:
    """float64 (2, num_nodes, 3), by player, node and type: how likely the player's types are at a node.

    Up to a factor, and before the prior counts; 0 for a type that never comes. They follow Bayes' rule where the
    strategy leads. A move that none of the mover's types plays is a mistake.

    strategy: float64 (num_nodes, 3).
    beliefs: float64 (num_nodes, 3), what mistakes tell, as in `Refined`; a row of zeros: nothing, the weights stay as
        they were. None for a strategy that is not refined: after a mistake the types are as likely as they were drawn.
    prior: float64 (3, 3), [type of player 0, type of player 1]. Types that are never drawn have weight 0.
    """
    weights = np.ones((2, tree.num_nodes, tree.num_types))
    for player in (0, 1):
        drawn = (prior.sum(axis=1 - player) > 0.0).astype(np.float64)
        weights[player] = drawn
        for nodes in tree.nodes_by_depth[1:]:
            own, before = tree.mover[nodes] == player, weights[player, tree.parent[nodes]]
            after = np.where(own[:, None], before * strategy[nodes], before)
            if beliefs is not None:
                after = np.where((own & beliefs[nodes].any(axis=1))[:, None], beliefs[nodes], after)
            is_mistake = ~after.any(axis=1, keepdims=True)
            weights[player, nodes] = np.where(is_mistake, drawn if beliefs is None else before, after)
    return weights
