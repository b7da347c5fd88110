"""Best responses from both seats to the strategies of one round, in every detail that is shown or saved."""

from __future__ import annotations

from dataclasses import dataclass

from .game import FloatArray, tic_tac_toe_round
from .match import OutcomeValues, Score
from .response import best_response, both_seats, expected_value, leaf_distribution
from .saved_response import SavedResponse
from .tree import GameTree


@dataclass(frozen=True, eq=False)
class RoundResponse:
    """Both players' best responses in one round, in the unit of the outcome values.

    value: the strategies against each other, to the first mover. best_values: by seat, what the best response gets,
    to the responder. by_goals: by seat, float64 (3, 3), [first mover's goal, second mover's goal], what the best
    response gets to the responder when these are the goals. strategy: float64 (num_nodes, 3), the moves of both
    best responses, each player's own.
    """

    outcome_values: OutcomeValues
    value: float
    best_values: tuple[float, float]
    by_goals: tuple[FloatArray, FloatArray]
    strategy: FloatArray

    @property
    def exploitability(self) -> float:
        """NashConv: what both best responses gain together."""
        return sum(self.best_values)

    def saved(self, score: Score | None, iteration: int, average: bool, tree: GameTree) -> SavedResponse:
        """As it is saved beside the snapshot of the iteration."""
        return SavedResponse(
            score, iteration, average, (self.outcome_values, self.outcome_values), self.best_values, self.strategy,
            tree.fingerprint,
        )  # fmt: skip


def respond_to_round(tree: GameTree, values: OutcomeValues, strategy: FloatArray) -> RoundResponse:
    """Best responses to `strategy`, float64 (num_nodes, 3), both players' moves in one array.

    Raises ValueError when `strategy` is none, or a value is not finite.
    """
    game = tic_tac_toe_round(tree, values)
    first, second = (best_response(game, player, strategy) for player in (0, 1))
    payoffs = game.payoffs
    by_goals = (
        (leaf_distribution(tree, first.strategy) * payoffs).sum(axis=0),
        -(leaf_distribution(tree, second.strategy) * payoffs).sum(axis=0),
    )
    return RoundResponse(
        outcome_values=values,
        value=expected_value(game, leaf_distribution(tree, strategy)),
        best_values=(first.value, second.value),
        by_goals=by_goals,
        strategy=both_seats(tree, first.strategy, second.strategy),
    )
