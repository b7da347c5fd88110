"""Strategies as arrays: checks, rounding, values, best responses and beliefs, in plain NumPy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import CHANCE, FloatArray
from .public_tree import Families, PublicTree

SUM_TOLERANCE = 1e-9
"""The largest accepted difference between 1 and the sum of an information set's probabilities."""


class StrategyProblem(NamedTuple):
    """An information set whose probabilities are wrong."""

    node: int
    type: int
    """The mover's type."""
    what: str
    """The problem in words."""


def strategy_problem(
    tree: PublicTree, strategy: FloatArray, *, tolerance: float = SUM_TOLERANCE
) -> StrategyProblem | None:
    """The first problem of a strategy, in preorder; None if the strategy is valid.

    Probabilities must be finite, not negative, and sum to 1; chance moves have weight 1. A mover plays the same with
    types that it cannot tell apart.

    strategy: float64 (num_nodes, k), the probability of the move into a node, by the mover's type.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        sums = tree.sums_over_children(strategy)
        right = np.abs(sums - 1.0) <= tolerance
        right[tree.owner[tree.decision_nodes] == CHANCE] = True
        if np.all(right) and np.all(strategy[1:] >= 0.0):
            return _problem_of_valid_numbers(tree, strategy, tolerance)
        usable = np.isfinite(strategy) & (strategy >= 0.0)
        bad = ~right | (tree.sums_over_children(np.where(usable, 0.0, 1.0)) > 0.0)
    decision, own_type = (int(number) for number in np.argwhere(bad)[0])
    node = int(tree.decision_nodes[decision])
    for child in tree.children(node):
        if not usable[child, own_type]:
            what = f"{tree.move_name(child)} has the probability {float(strategy[child, own_type])!r}"
            return StrategyProblem(node, own_type, what)
    return StrategyProblem(node, own_type, f"the probabilities sum to {float(sums[decision, own_type])!r}, not 1")


def _problem_of_valid_numbers(tree: PublicTree, strategy: FloatArray, tolerance: float) -> StrategyProblem | None:
    for child, own_type in np.argwhere((tree.mover == CHANCE)[:, None] & (np.abs(strategy - 1.0) > tolerance)).tolist():
        what = f"{tree.move_name(child)} is a chance move of weight {float(strategy[child, own_type])!r}, not 1"
        return StrategyProblem(int(tree.parent[child]), own_type, what)
    if tree.knowledge is None:
        return None
    partition, together = tree.knowledge
    for node in np.flatnonzero(partition >= 0).tolist():
        for own_type, other in np.argwhere(together[partition[node]]).tolist():
            for child in tree.children(node):
                if abs(strategy[child, own_type] - strategy[child, other]) > tolerance:
                    what = f"the mover cannot tell it from type {other}, and plays {tree.move_name(child)} differently"
                    return StrategyProblem(node, own_type, what)
    return None


def uniform_strategy(tree: PublicTree) -> FloatArray:
    """float64 (num_nodes, k): every move equally likely; 1 for chance moves.

    >>> from tictactoe import exploitability, kuhn_poker, uniform_strategy
    >>> kuhn = kuhn_poker()
    >>> round(12 * exploitability(kuhn, uniform_strategy(kuhn.tree)).total, 6)
    11.0
    """
    result = np.ones((tree.num_nodes, tree.num_types))
    result[1:] /= np.where(tree.mover[1:] == CHANCE, 1, tree.num_children[tree.parent[1:]])[:, None]
    return result


def both_seats(tree: PublicTree, first: FloatArray, second: FloatArray) -> FloatArray:
    """Two players' strategies in one array, (num_nodes, k): player 0's moves from `first`, player 1's from `second`.

    >>> from tictactoe import equilibrium, exploitability, kuhn_poker
    >>> kuhn = kuhn_poker()
    >>> perfect, uniform = equilibrium(kuhn).strategy, uniform_strategy(kuhn.tree)
    >>> exploitability(kuhn, both_seats(kuhn.tree, uniform, perfect)).value < -1 / 18
    True
    """
    return np.where((tree.mover == 1)[:, None], second, first)


def greedy_strategy(tree: PublicTree, values: FloatArray) -> FloatArray:
    """float64 (num_nodes, k): 1 for the move with the largest of `values` (the first of equals) and for chance moves; 0
    for other moves.

    values: float64 (num_nodes, k).
    """
    result = np.ones((tree.num_nodes, tree.num_types))
    result[1:] = tree.all_families.first_largest(values[1:]) | (tree.mover[1:] == CHANCE)[:, None]
    return result


def with_root(moves: FloatArray) -> FloatArray:
    """Put a row of zeros for the root in front of an array of moves."""
    return np.concatenate([np.zeros((1, *moves.shape[1:])), moves])


def rounded_strategy(tree: PublicTree, strategy: FloatArray, smallest: float, bits: int) -> FloatArray:
    """A strategy rounded to multiples of 2^-bits that sum to exactly 1, without probabilities below `smallest`.

    The likeliest move (the first of equals) takes the remainder of rounding.

    >>> from tictactoe import GameTree
    >>> tree = GameTree.build()
    >>> rounded_strategy(tree, uniform_strategy(tree), smallest=0.0, bits=3)[tree.children(0), 0].tolist()
    [0.25, 0.375, 0.375]
    """
    weights = np.where(strategy < smallest, 0.0, strategy)[1:]
    weights /= tree.at_children(tree.sums_over_children(with_root(weights)))[1:]
    rounded = np.round(weights * 2.0**bits)
    left = 2.0**bits - tree.at_children(tree.sums_over_children(with_root(rounded)))[1:]
    result = np.ones_like(strategy)
    result[1:] = (rounded + left * tree.all_families.first_largest(rounded)) / 2.0**bits
    return result


def expected_values(tree: PublicTree, strategy: FloatArray, payoffs: FloatArray) -> FloatArray:
    """The value to player 0 from each node on: float64 (num_nodes, 3, 3), by node and the types of players 0 and 1.

    Both players follow `strategy` from the node on.

    strategy: float64 (num_nodes, 3).
    payoffs: float64 (num_classes, 3, 3), [leaf class, type of player 0, type of player 1], as `Game` has them.

    >>> from tictactoe import SINGLE_ROUND, GameTree, tic_tac_toe_round
    >>> game = tic_tac_toe_round(GameTree.build(), SINGLE_ROUND)
    >>> float((game.prior * expected_values(game.tree, uniform_strategy(game.tree), game.payoffs)[0]).sum().round(6))
    0.0
    """
    result = np.zeros((tree.num_nodes, 3, 3))
    leaves = tree.leaf_class >= 0
    result[leaves] = payoffs[tree.leaf_class[leaves]]
    return tree.from_leaves(
        result, lambda level, below: level.sums(by_both_types(tree, level.nodes, strategy[level.nodes]) * below)
    )


def by_both_types(tree: PublicTree, nodes: NDArray[np.intp], moves: FloatArray) -> FloatArray:
    """Moves into nodes by the mover's type, float64 (len(nodes), k), reshaped to broadcast over both players' types."""
    return np.where((tree.mover[nodes] == 0)[:, None, None], moves[:, :, None], moves[:, None, :])


def best_response_values(
    tree: PublicTree, player: int, strategy: FloatArray, payoffs: FloatArray, prior: FloatArray
) -> FloatArray:
    """float64 (num_nodes, 3), [node, type of `player`]: counterfactual values of a best response to `strategy`.

    strategy: float64 (num_nodes, 3); only the other player's moves are used.
    payoffs: float64 (num_classes, 3, 3), to player 0, as in `Game`.
    prior: float64 (3, 3), [type of player 0, type of player 1].
    """
    reach = tree.own_reach_of_player(1 - player, strategy)
    weighted = payoffs * prior if player == 0 else -(payoffs * prior).transpose(0, 2, 1)  # [class, own type, other's]
    result = np.zeros((tree.num_nodes, 3))
    leaves = tree.leaf_class >= 0
    result[leaves] = np.einsum("noh,nh->no", weighted[tree.leaf_class[leaves]], reach[leaves])
    return best_response_from_leaves(tree, player, result)


def best_response_from_leaves(
    tree: PublicTree, player: int, values: FloatArray, moves: NDArray[np.bool_] | None = None
) -> FloatArray:
    """Counterfactual values of a best response, float64 (num_nodes, k), by type of `player`.

    values: contains the values of leaves. It is filled in and returned.
    moves: bool (num_nodes, k). It is filled in with the best moves, the first of equals. They are the same for types
        that the mover cannot tell apart.
    """

    def best(level: Families, below: FloatArray) -> FloatArray:
        own = (tree.owner[level.parents] == player)[:, None]
        if moves is None and tree.knowledge is None:
            return np.where(own, level.largest(below), level.sums(below))
        chosen = level.first_largest(summed_over_unknown(tree, level.nodes, below))
        if moves is not None:
            moves[level.nodes] = chosen
        return level.sums(np.where(level.at_nodes(own), chosen * below, below))

    return tree.from_leaves(values, best)


def summed_over_unknown(tree: PublicTree, nodes: NDArray[np.intp], moves: FloatArray) -> FloatArray:
    """Sum numbers of moves into nodes, float64 (len(nodes), k), over the types that the mover cannot tell apart."""
    if tree.knowledge is None:
        return moves
    result, partition = moves.copy(), tree.knowledge.partition[tree.parent[nodes]]
    for number, together in enumerate(tree.knowledge.together):
        result[partition == number] = moves[partition == number] @ together
    return result


def weights_by_belief(
    tree: PublicTree, strategy: FloatArray, beliefs: FloatArray | None, prior: FloatArray
) -> FloatArray:
    """The weights of the player's types at each node: float64 (2, num_nodes, 3), by player, node and type.

    Weights are up to a factor and without the prior. They follow Bayes' rule where the strategy leads. A mistake is a
    move that no type of positive weight plays.

    strategy: float64 (num_nodes, 3).
    beliefs: float64 (num_nodes, 3), after mistakes, as in `Refined`; a row of zeros leaves the weights unchanged. None
        for a strategy that is not refined: a mistake resets the types to those that can be drawn.
    prior: float64 (3, 3), [type of player 0, type of player 1].
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
