"""Best responses and exploitability, exact, by full sweeps of the tree, without the bonus.

Strategies are float64 (num_nodes, k), k = `tree.num_types`: the probability of the move into a node, by the mover's
type; 1 for chance moves. Values are in payoff, to player 0 unless another player is named.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, cast

from ..checked_numbers import whole_number
from .arrays import LARGEST_NUM_TYPES, TYPES, FloatArray, Rows, Workspace, make_workspace, rows_of, zero_rows
from .game import Game
from .public_tree import PublicTree
from .strategy import both_seats, strategy_problem


class Exploitability(NamedTuple):
    """The value of strategies to player 0, and each player's gain from a best response.

    >>> from tictactoe import Exploitability
    >>> Exploitability(value=0.1, first_gain=0.25, second_gain=0.5).total
    0.75
    """

    value: float
    first_gain: float
    second_gain: float

    @property
    def total(self) -> float:
        """NashConv: the sum of both gains, at least 0."""
        return max(0.0, self.first_gain + self.second_gain)


class BestResponse(NamedTuple):
    """A best response and its value.

    >>> from tictactoe import best_response, kuhn_poker, uniform_strategy
    >>> kuhn = kuhn_poker()
    >>> best_response(kuhn, 0, uniform_strategy(kuhn.tree)).value
    0.5
    """

    value: float
    """The value to the responder."""
    strategy: FloatArray
    """float64 (num_nodes, k): the responder's rows have 1 for the best move (the first of equals) and 0 elsewhere; the
    other rows have the opponent's strategy."""


@dataclass(frozen=True, eq=False)
class BestResponses:
    """Both players' best responses to strategies."""

    value: float
    """The value of the strategies to player 0."""
    values: tuple[float, float]
    """The value of each player's best response to that player."""
    by_types: tuple[FloatArray, FloatArray]
    """The value of each player's best response to that player, float64 (k, k), by the types of players 0 and 1.
    """
    strategy: FloatArray
    """float64 (num_nodes, k): each player's rows have that player's best response."""

    @property
    def exploitability(self) -> float:
        """NashConv, at least 0."""
        return max(0.0, sum(self.values))


def as_rows(tree: PublicTree, strategy: FloatArray | Rows) -> Rows:
    """A strategy as rows, (num_nodes,). Rows are returned as they are, without a check.

    Raises ValueError for a wrong shape, and for probabilities that are negative, not finite, or do not sum to 1 within
    1e-9.
    """
    if strategy.dtype.names:
        return cast(Rows, strategy)
    columns = cast(FloatArray, strategy)
    if columns.shape != (tree.num_nodes, tree.num_types):
        raise ValueError(f"strategy: shape {columns.shape}, expected ({tree.num_nodes}, {tree.num_types})")
    problem = strategy_problem(tree, columns)
    if problem:
        raise ValueError(f"strategy: node {problem.node}, type {problem.type}: {problem.what}")
    return rows_of(columns)


def best_response_value(game: Game, player: int, strategy: FloatArray | Rows, work: Workspace | None = None) -> float:
    """The value to `player` (0 or 1) of a best response to the other player's moves in `strategy`.

    >>> from tictactoe import best_response_value, kuhn_poker, uniform_strategy
    >>> kuhn = kuhn_poker()
    >>> [round(12 * best_response_value(kuhn, player, uniform_strategy(kuhn.tree)), 6) for player in (0, 1)]
    [6.0, 5.0]
    """
    player = whole_number("player", player, 0, 1)
    rows, work = as_rows(game.tree, strategy), work or make_workspace(game.tree.sweep_arrays)
    return best_response_of_rows(game, player, rows, work, with_moves=False)[0]


def best_response(game: Game, player: int, strategy: FloatArray) -> BestResponse:
    """A pure best response of `player` (0 or 1) to the other player's moves in `strategy`.

    >>> from tictactoe import best_response, kuhn_poker, uniform_strategy
    >>> kuhn = kuhn_poker()
    >>> best_response(kuhn, 1, uniform_strategy(kuhn.tree)).strategy[8].tolist()  # a call, with jack, queen and king
    [0.0, 1.0, 1.0]
    """
    player = whole_number("player", player, 0, 1)
    work = make_workspace(game.tree.sweep_arrays)
    value, response = best_response_of_rows(game, player, as_rows(game.tree, strategy), work)
    return BestResponse(value, response[TYPES].copy())


def exploitability(game: Game, strategy: FloatArray) -> Exploitability:
    """The value of `strategy`, and each player's gain from a best response to it.

    >>> from tictactoe import exploitability, kuhn_poker, uniform_strategy
    >>> kuhn = kuhn_poker()
    >>> found = exploitability(kuhn, uniform_strategy(kuhn.tree))
    >>> round(found.value, 6), round(12 * found.total, 6)
    (0.125, 11.0)
    """
    work, rows = make_workspace(game.tree.sweep_arrays), as_rows(game.tree, strategy)
    value = expected_value_of_rows(game, rows, work)
    first, second = (best_response_value(game, player, rows, work) for player in (0, 1))
    return Exploitability(value, first - value, second + value)


def best_responses(game: Game, strategy: FloatArray) -> BestResponses:
    """Both players' best responses to `strategy`. Raises ValueError for an array that is not a strategy.

    >>> from tictactoe import best_responses, kuhn_poker, uniform_strategy
    >>> kuhn = kuhn_poker()
    >>> responses = best_responses(kuhn, uniform_strategy(kuhn.tree))
    >>> round(responses.value, 6), [round(12 * value, 6) for value in responses.values]
    (0.125, [6.0, 5.0])
    """
    tree = game.tree
    first, second = (best_response(game, player, strategy) for player in (0, 1))
    return BestResponses(
        value=expected_value(game, leaf_distribution(tree, strategy)),
        values=(first.value, second.value),
        by_types=(_by_types(game, first.strategy), -_by_types(game, second.strategy)),
        strategy=both_seats(tree, first.strategy, second.strategy),
    )


def _by_types(game: Game, strategy: FloatArray) -> FloatArray:
    distribution = leaf_distribution(game.tree, strategy)
    result: FloatArray = (distribution * game.payoffs[: len(distribution)]).sum(axis=0)
    return result


def leaf_distribution(tree: PublicTree, strategy: FloatArray | Rows, work: Workspace | None = None) -> FloatArray:
    """The probability of each leaf class: float64 (num_classes, k, k), by class and the types of players 0 and 1.

    These are conditional on the types and leave out chance moves. Raises ValueError for more than 64 types.
    """
    from . import kernels

    if tree.num_types > LARGEST_NUM_TYPES:
        raise ValueError(f"leaf_distribution: {tree.num_types} types; at most {LARGEST_NUM_TYPES} are supported")
    rows, work = as_rows(tree, strategy), work or make_workspace(tree.sweep_arrays)
    out = zero_rows((int(tree.leaf_class.max()) + 1, tree.num_types), tree.num_types)
    kernels.leaf_distribution(tree.sweep_arrays, rows, work, out.reshape(-1))
    return out[TYPES].copy()


def expected_value(game: Game, distribution: FloatArray) -> float:
    """The value to player 0 for a distribution as returned by `leaf_distribution`."""
    return float((distribution * game.prior * game.payoffs[: len(distribution)]).sum())


def expected_value_of_rows(game: Game, strategy: Rows, work: Workspace) -> float:
    """The value to player 0 when both play `strategy`."""
    if not game.in_lanes:
        module, arrays = game.sweeps()
        return float(module.expected_value(arrays, strategy))
    return expected_value(game, leaf_distribution(game.tree, strategy, work))


def nash_conv_of_rows(game: Game, strategy: Rows, work: Workspace) -> float:
    responses = (best_response_value(game, player, strategy, work) for player in (0, 1))
    return max(0.0, sum(responses))


def best_response_of_rows(
    game: Game, player: int, strategy: Rows, work: Workspace, *, with_moves: bool = True
) -> tuple[float, Rows]:
    """The best response value of `player`, and `strategy` with the player's moves replaced by a best response.

    with_moves: False computes the value alone.
    """
    tree = game.tree
    values = zero_rows(tree.num_decision_nodes, tree.num_types)
    moves = zero_rows(tree.num_nodes if with_moves else 0, tree.num_types)
    module, arrays = game.sweeps()
    module.best_response(arrays, player, strategy, work, values, moves)
    return float(values[TYPES][0].sum()), moves
