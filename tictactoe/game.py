"""One round as a zero-sum game: a public tree, payoffs, a joint prior over private types, an optional bonus."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import MAXIMUM_LEAF_CLASSES, NUM_TYPES, ROW, RoundArrays
from .board import Outcome
from .match import GOAL_PROBABILITY, RESULTS, Goal, OutcomeValues, scores
from .tree import GameTree, PublicTree

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RoundGame:
    """A round on `tree`. Zero-sum: what player 0 gets, player 1 loses.

    payoffs: float64 (num_classes, 3, 3), [leaf class, type of player 0, type of player 1], to player 0.
    prior: float64 (3, 3), [type of player 0, type of player 1], sums to 1.
    bonus: float64 (num_nodes,) to player 0 at a leaf, before it is scaled by an epsilon; None for no bonus.

    Raises ValueError for arrays of another shape, numbers that are not finite, or a prior that is not one.
    """

    tree: PublicTree
    payoffs: FloatArray
    prior: FloatArray
    bonus: FloatArray | None = None

    def __post_init__(self) -> None:
        num_classes = int(self.tree.leaf_class.max()) + 1
        if self.payoffs.shape[1:] != (NUM_TYPES, NUM_TYPES) or len(self.payoffs) < num_classes:
            raise ValueError(f"payoffs: shape {self.payoffs.shape}, expected ({num_classes}, {NUM_TYPES}, {NUM_TYPES})")
        if len(self.payoffs) > MAXIMUM_LEAF_CLASSES:
            raise ValueError(f"payoffs: {len(self.payoffs)} leaf classes, at most {MAXIMUM_LEAF_CLASSES} are supported")
        if not np.all(np.isfinite(self.payoffs)):
            raise ValueError("payoffs: not all finite")
        if self.prior.shape != (NUM_TYPES, NUM_TYPES) or not (
            np.all(self.prior >= 0) and abs(self.prior.sum() - 1) <= 1e-9
        ):
            raise ValueError("prior: not a joint probability of two players' types")
        if self.bonus is not None and self.bonus.shape != (self.tree.num_nodes,):
            raise ValueError(f"bonus: shape {self.bonus.shape}, expected ({self.tree.num_nodes},)")
        if self.bonus is not None and not np.all(np.isfinite(self.bonus)):
            raise ValueError("bonus: not all finite")

    @cached_property
    def arrays(self) -> RoundArrays:
        """The same game as the kernels take it."""
        weighted = self.payoffs * self.prior
        payoffs = np.zeros((2, len(weighted), NUM_TYPES, ROW))
        payoffs[0, :, :, :NUM_TYPES] = weighted.transpose(0, 2, 1)
        payoffs[1, :, :, :NUM_TYPES] = -weighted
        prior = np.zeros((2, NUM_TYPES, ROW))
        prior[0, :, :NUM_TYPES] = self.prior.T
        prior[1, :, :NUM_TYPES] = self.prior
        bonus = np.zeros(0) if self.bonus is None else self.bonus
        return RoundArrays(self.tree.sweep_arrays, payoffs, prior, bonus)


GOAL_PRIOR: FloatArray = np.full((NUM_TYPES, NUM_TYPES), GOAL_PROBABILITY * GOAL_PROBABILITY)
GOAL_PRIOR.flags.writeable = False

_RESULT_OF = np.array(
    [[[RESULTS.index(scores(outcome, g, h)) for h in Goal] for g in Goal] for outcome in Outcome], np.intp
)
"""[outcome, first mover's goal, second mover's goal]: index into RESULTS of who scores."""


def tic_tac_toe_round(tree: GameTree, values: OutcomeValues, *, with_bonus: bool = False) -> RoundGame:
    """The round whose four results are worth `values` to the first mover (match value, -1 to 1).

    Raises ValueError when a value is not finite.
    """
    payoffs = np.array(values, np.float64)[_RESULT_OF]
    return RoundGame(tree, payoffs, GOAL_PRIOR, small_move_bonus(tree) if with_bonus else None)


def small_move_bonus(tree: GameTree) -> FloatArray:
    """What each history is worth to the first mover for the small squares in it: float64 (num_nodes,), within +-1.

    A player's own moves, read as the digits 9 - square of a number in base 9 behind the point, are that player's
    bonus, so that an earlier move outweighs all later ones. The history is worth the first mover's bonus less
    the second mover's: the round stays zero-sum, and a bonus scaled by epsilon moves no payoff by more than epsilon.
    """
    bonus = np.zeros(tree.num_nodes)
    own_move = (tree.depth.astype(np.intp) + 1) // 2  # the how-manieth of its player, from 1; 0 at the root
    sign = np.where(tree.depth % 2 == 1, 1.0, -1.0)
    digit = sign * (9 - tree.square) * 9.0**-own_move
    for depth in range(1, int(tree.depth.max()) + 1):
        nodes = np.flatnonzero(tree.depth == depth)
        bonus[nodes] = bonus[tree.parent[nodes]] + digit[nodes]
    return bonus


class ResultProbabilities(NamedTuple):
    """How likely each result of a round is; the fields sum to 1."""

    both: float
    first: float
    second: float
    neither: float


def result_probabilities(leaf_distribution: FloatArray) -> ResultProbabilities:
    """From reach by outcome and goals, float64 (3, 3, 3) as response.leaf_distribution gives it."""
    weighted = leaf_distribution * GOAL_PRIOR
    return ResultProbabilities(*(float(weighted[index == _RESULT_OF].sum()) for index in range(len(RESULTS))))
