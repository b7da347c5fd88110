"""What a position is worth to a player who plays best from there on, against a strategy and by a belief."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..algorithms.arrays import FloatArray
from ..algorithms.public_tree import Families
from ..algorithms.strategy import weights_by_belief
from ..games.payoffs import goal_prior, payoffs_by_outcome
from ..games.rules import Goal, OutcomeValues, Seat
from ..games.tic_tac_toe_tree import GameTree

NEGLIGIBLE_COST = 2e-4
"""A smaller cost counts as nothing, in the unit of the outcome values: 0.01 points of winning chance."""

Belief = tuple[float, ...]
"""By goal (3), the probability that a player has it, to an observer who knows the strategies and saw the moves."""


class BestPlay:
    """Best play against a strategy, from every position on, whatever has been played before.

    The player knows its own goal and the strategy of the opponent, and believes of the opponent's goal what the moves
    tell (`weights_by_belief`). This is the one measure for what moves cost: hints, reviews, explore, the page and
    `analyse` use it.

    strategy: float64 (num_nodes, 3). values: what the results are worth to the first mover.
    after_mistakes: float64 (num_nodes, 3), `Snapshot.beliefs` of a refined strategy; None for one that is not refined.

    >>> from tictactoe import Cursor, Score, load_solution, MatchBot
    >>> best = MatchBot(load_solution("shipped")).round_bot(Score(4, 4)).best_play
    >>> cursor = Cursor(best.tree, (4, 7))  # the first mover, who wants a tie, can move to 1 and to better squares
    >>> costs = best.costs(cursor.node, Goal.TIE)
    >>> [squares[0] for squares in cursor.squares_by_child().values()], (50 * costs).round(2).tolist()
    ([1, 8, 5, 2, 9, 6, 3], [26.92, 0.0, 0.0, 26.92, 0.0, 26.92, 0.0])
    """

    def __init__(
        self, tree: GameTree, strategy: FloatArray, values: OutcomeValues, after_mistakes: FloatArray | None
    ) -> None:
        self.tree = tree
        self._strategy, self._values, self._after_mistakes = strategy, values, after_mistakes

    def belief(self, node: int, seat: Seat) -> Belief:
        """How likely each goal of the player in `seat` is at a node."""
        return tuple(self._beliefs[seat, node].tolist())

    def value(self, node: int, seat: Seat, goal: Goal) -> float:
        """What the node is worth to the player in `seat` with this goal, in the unit of the outcome values."""
        return float(self.values_to(seat)[node, goal])

    def values_to(self, seat: Seat) -> FloatArray:
        """float64 (num_nodes, 3): the same, by node and goal."""
        return self._by_seat[seat]

    def costs(self, node: int, goal: Goal) -> FloatArray:
        """float64 (number of children,): how much less than by the best move the mover with this goal gets by each
        move, in the unit of the outcome values; never negative, and 0 below NEGLIGIBLE_COST."""
        values = self._by_seat[self.tree.owner[node]][list(self.tree.children(node)), goal]
        costs = values.max() - values
        return np.where(costs < NEGLIGIBLE_COST, 0.0, costs)

    @cached_property
    def _beliefs(self) -> FloatArray:
        """float64 (2, num_nodes, 3), by seat, node and goal."""
        prior = goal_prior(self.tree.rules)
        weights = weights_by_belief(self.tree, self._strategy, self._after_mistakes, prior)
        weights *= np.array(self.tree.rules.goal_probabilities)
        result: FloatArray = weights / weights.sum(axis=2, keepdims=True)
        return result

    @cached_property
    def _by_seat(self) -> tuple[FloatArray, FloatArray]:
        """float64 (num_nodes, 3) for either seat, by node and the player's goal."""
        payoffs = payoffs_by_outcome(self.tree.rules, self._values)
        return self._to(Seat.FIRST, payoffs), self._to(Seat.SECOND, -payoffs.transpose(0, 2, 1))

    def _to(self, seat: Seat, payoffs: FloatArray) -> FloatArray:
        """The values to the player in `seat`. payoffs: float64 (num_outcomes, 3, 3), by its goal and the opponent's."""
        tree, beliefs = self.tree, self._beliefs[1 - seat]
        leaves = np.flatnonzero(tree.leaf_class >= 0)
        result = np.zeros((tree.num_nodes, 3))
        result[leaves] = np.einsum("ngh,nh->ng", payoffs[tree.leaf_class[leaves]], beliefs[leaves])

        def best(level: Families, below: FloatArray) -> FloatArray:
            odds = (beliefs[tree.parent[level.nodes]] * self._strategy[level.nodes]).sum(axis=1, keepdims=True)
            own = (tree.owner[level.parents] == seat)[:, None]
            return np.where(own, level.largest(below), level.sums(odds * below))

        return tree.from_leaves(result, best)
