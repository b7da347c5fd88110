"""Best response, exploitability and the distribution of results of one round. Exact, by full sweeps.

Strategies are float64 (num_nodes, 3): the probability of the move into a node, by the type of the player who makes
it; both players' moves are in the one array. Values are in the unit of the game's payoffs, to player 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import kernels
from .arrays import NUM_TYPES, ROW, Workspace, make_workspace
from .game import FloatArray, RoundGame
from .tree import PublicTree


class Exploitability(NamedTuple):
    """How much each player could gain by a best response, and the value of the strategies as they are."""

    value: float  # expected payoff to player 0
    first_gain: float  # what player 0's best response gains over `value`
    second_gain: float  # what player 1's best response gains

    @property
    def total(self) -> float:
        """NashConv: the sum of both gains; 0 exactly at an equilibrium."""
        return self.first_gain + self.second_gain


class BestResponse(NamedTuple):
    """A best response and what it is worth.

    value: to the player who responds. strategy: float64 (num_nodes, 3), 1 for that player's best move by type, the
    first of equals, 0 for the others; the opponent's rows are the opponent's strategy.
    """

    value: float
    strategy: FloatArray


def padded(tree: PublicTree, strategy: FloatArray) -> FloatArray:
    """A strategy as the kernels take it: float64 (num_nodes, ROW), the last column 0.

    Raises ValueError when the shape is wrong, or a decision node's probabilities are negative, not finite, or do
    not sum to 1 within 1e-9.
    """
    if strategy.shape != (tree.num_nodes, NUM_TYPES):
        raise ValueError(f"strategy: shape {strategy.shape}, expected ({tree.num_nodes}, {NUM_TYPES})")
    sums = np.add.reduceat(strategy[1:], tree.first_child[tree.decision_nodes] - 1, axis=0)
    if not (np.all(strategy[1:] >= 0.0) and np.all(np.abs(sums - 1.0) <= 1e-9)):
        raise ValueError("strategy: probabilities must be at least 0 and sum to 1 at every decision node")
    result = np.zeros((tree.num_nodes, ROW))
    result[:, :NUM_TYPES] = strategy
    return result


def best_response_value(game: RoundGame, player: int, strategy: FloatArray) -> float:
    """What `player` (0 or 1) gets by a best response to the other player's moves in `strategy`: to that player."""
    _check_player(player)
    work = make_workspace(game.tree.num_nodes, game.tree.num_decision_nodes)
    return padded_best_response_value(game, player, padded(game.tree, strategy), work)


def best_response(game: RoundGame, player: int, strategy: FloatArray) -> BestResponse:
    """The pure best response of `player` (0 or 1) to the other player's moves in `strategy`."""
    _check_player(player)
    work = make_workspace(game.tree.num_nodes, game.tree.num_decision_nodes)
    value, response = padded_best_response(game, player, padded(game.tree, strategy), work)
    return BestResponse(value, response[:, :NUM_TYPES].copy())


def exploitability(game: RoundGame, strategy: FloatArray) -> Exploitability:
    """Both players' gains from a best response to `strategy`."""
    work = make_workspace(game.tree.num_nodes, game.tree.num_decision_nodes)
    return padded_exploitability(game, padded(game.tree, strategy), work)


def leaf_distribution(tree: PublicTree, strategy: FloatArray) -> FloatArray:
    """float64 (num_classes, 3, 3), [leaf class, type of player 0, type of player 1]: the probability of ending in a
    leaf of the class, given the types."""
    work = make_workspace(tree.num_nodes, tree.num_decision_nodes)
    return padded_leaf_distribution(tree, padded(tree, strategy), work)


def uniform_strategy(tree: PublicTree) -> FloatArray:
    """float64 (num_nodes, 3): every move of the tree equally likely."""
    result = np.ones((tree.num_nodes, NUM_TYPES))
    result[1:] /= tree.num_children[tree.parent[1:], None]
    return result


def both_seats(tree: PublicTree, first: FloatArray, second: FloatArray) -> FloatArray:
    """One array of two players' strategies: player 0's moves from `first`, player 1's from `second`, (num_nodes, 3)."""
    second_moves = np.zeros((tree.num_nodes, 1), bool)
    second_moves[1:, 0] = tree.owner[tree.parent[1:]] == 1
    return np.where(second_moves, second, first)


def expected_value(game: RoundGame, distribution: FloatArray) -> float:
    """What player 0 gets when the leaves are reached as `leaf_distribution` says."""
    return float((distribution * game.prior * game.payoffs[: len(distribution)]).sum())


def padded_nash_conv(game: RoundGame, strategy: FloatArray, work: Workspace) -> float:
    """Exploitability.total for a strategy that is padded already, without the values; uses `work` as scratch."""
    responses = (padded_best_response_value(game, player, strategy, work) for player in (0, 1))
    return sum(responses)


def padded_best_response_value(game: RoundGame, player: int, strategy: FloatArray, work: Workspace) -> float:
    """best_response_value for a strategy that is padded already; uses `work` as scratch."""
    values = np.empty((game.tree.num_decision_nodes, ROW))
    kernels.best_response(game.arrays, player, strategy, work, values)
    return float(values[0].sum())


def padded_exploitability(game: RoundGame, strategy: FloatArray, work: Workspace) -> Exploitability:
    """exploitability for a strategy that is padded already; uses `work` as scratch."""
    value = expected_value(game, padded_leaf_distribution(game.tree, strategy, work))
    first = padded_best_response_value(game, 0, strategy, work)
    second = padded_best_response_value(game, 1, strategy, work)
    return Exploitability(value, first - value, second + value)


def padded_best_response(
    game: RoundGame, player: int, strategy: FloatArray, work: Workspace
) -> tuple[float, FloatArray]:
    """The player's best-response value and, padded, `strategy` with the player's moves replaced by a best response."""
    values = np.empty((game.tree.num_decision_nodes, ROW))
    kernels.best_response(game.arrays, player, strategy, work, values)
    response = np.zeros((game.tree.num_nodes, ROW))
    kernels.greedy_moves(game.arrays, player, strategy, work, values, response)
    return float(values[0].sum()), response


def padded_leaf_distribution(tree: PublicTree, strategy: FloatArray, work: Workspace) -> FloatArray:
    """leaf_distribution for a strategy that is padded already; uses `work` as scratch."""
    out = np.zeros((int(tree.leaf_class.max()) + 1, NUM_TYPES, ROW))
    kernels.leaf_distribution(tree.sweep_arrays, strategy, work, out)
    return out[:, :, :NUM_TYPES].copy()


def _check_player(player: int) -> None:
    if player not in (0, 1):
        raise ValueError(f"player: {player} is not 0 or 1")
