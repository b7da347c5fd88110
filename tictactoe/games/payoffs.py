"""A round of tic-tac-toe as a game: private types are goals, leaf classes are outcomes."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algorithms.arrays import FloatArray
from ..algorithms.game import Game
from ..algorithms.public_tree import read_only
from .rules import RESULTS, Goal, OutcomeValues, RoundRules, Rules
from .tic_tac_toe_tree import GameTree

IndexArray = NDArray[np.intp]


@cache
def goal_prior(rules: Rules) -> FloatArray:
    """The probability of the goals: float64 (3, 3), by first and second mover's goal, read-only."""
    goals = np.array(rules.goal_probabilities)
    return read_only(np.outer(goals, goals))


@cache
def _result_of(rules: RoundRules) -> IndexArray:
    ends = sorted(rules.goals_true)
    results = [[[RESULTS.index(rules.scores(end, g, h)) for h in Goal] for g in Goal] for end in ends]
    return np.array(results, np.intp)


def payoffs_by_outcome(rules: Rules, values: OutcomeValues) -> FloatArray:
    """The payoff to the first mover: float64 (num_outcomes, 3, 3), by outcome and the goals of both movers."""
    return np.array(values, np.float64)[_result_of(rules.of_round)]


def tic_tac_toe_round(tree: GameTree, values: OutcomeValues, *, with_bonus: bool = False) -> Game:
    """The round whose four results are worth `values` to the first mover (match value, -1 to 1).

    with_bonus: whether to add `small_move_bonus`.

    Raises ValueError if a value is not finite.

    >>> from tictactoe import SINGLE_ROUND, GameTree, exploitability, tic_tac_toe_round, uniform_strategy
    >>> game = tic_tac_toe_round(GameTree.build(), SINGLE_ROUND)
    >>> round(exploitability(game, uniform_strategy(game.tree)).total, 6)
    1.034711
    """
    bonus = small_move_bonus(tree) if with_bonus else None
    return Game(tree, payoffs_by_outcome(tree.rules, values), goal_prior(tree.rules), bonus)


def small_move_bonus(tree: GameTree) -> FloatArray:
    """The bonus of each history to the first mover, a reward for small squares: float64 (num_nodes,), within +-1.

    A player's bonus is a number in base 9 whose digits after the point are 9 - square of each of its moves. A history
    is worth the first mover's bonus minus the second mover's.
    """
    bonus = np.zeros(tree.num_nodes)
    # the place of the move's digit: 1 for a player's first move, 2 for the second
    place = (tree.depth.astype(np.intp) + 1) // 2
    sign = np.where(tree.mover == 0, 1.0, -1.0)
    digit = sign * (9 - tree.square) * 9.0**-place
    for nodes in tree.nodes_by_depth[1:]:
        bonus[nodes] = bonus[tree.parent[nodes]] + digit[nodes]
    return bonus


class ResultProbabilities(NamedTuple):
    """The probabilities of the results of a round."""

    both: float
    first: float
    second: float
    neither: float


def result_probabilities(rules: Rules, leaf_distribution: FloatArray) -> ResultProbabilities:
    """The probabilities of the results. leaf_distribution: float64 (num_outcomes, 3, 3)."""
    weighted, result_of = leaf_distribution * goal_prior(rules), _result_of(rules.of_round)[: len(leaf_distribution)]
    return ResultProbabilities(*(float(weighted[index == result_of].sum()) for index in range(len(RESULTS))))
