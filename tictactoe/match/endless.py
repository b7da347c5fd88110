"""Matches between perfect players that never end, and matches that take very long."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ..algorithms.best_response import leaf_distribution
from ..algorithms.public_tree import Families
from ..errors import EndlessMatchError
from ..games.payoffs import result_probabilities
from ..games.rules import Goal, Outcome, Rules, Seat
from ..games.tic_tac_toe_tree import GameTree
from .head_to_head import MatchStrategy
from .scores import Score


def check_that_it_ends(tree: GameTree) -> None:
    """Check that a match between perfect players ends.

    Raises EndlessMatchError if each player, in either seat and with any goal, can keep the other from ever scoring
    alone.

    >>> from tictactoe import GameTree
    >>> check_that_it_ends(GameTree.build("filled 1:1:0"))
    >>> check_that_it_ends(GameTree.build("filled 0:0:1"))
    Traceback (most recent call last):
    tictactoe.errors.EndlessMatchError: by the rules filled 0:0:1 each player can keep the other from ever scoring \
alone: between perfect players a match never ends
    """
    drawn = [goal for goal in Goal if tree.rules.goal_odds[goal]]
    players = list(product(Seat, drawn))
    of_leaf = np.zeros((len(Outcome), len(players)), np.bool_)  # the other player does not score alone
    for outcome in tree.rules.of_round.goals_true:
        of_leaf[outcome] = [_keeps(tree.rules, outcome, *player, drawn) for player in players]
    moves = np.array([[seat is mover for seat, _ in players] for mover in Seat])  # [mover, player]

    def can(level: Families, below: NDArray[np.bool_]) -> NDArray[np.bool_]:
        some, every = (each.reduceat(below, level.starts) for each in (np.logical_or, np.logical_and))
        return np.where(moves[tree.owner[level.parents]], some, every)

    if tree.from_leaves(of_leaf[tree.leaf_class], can)[0].all():
        keeps = "each player can keep the other from ever scoring alone"
        raise EndlessMatchError(f"by the rules {tree.rules} {keeps}: between perfect players a match never ends")


def _keeps(rules: Rules, outcome: Outcome, seat: Seat, own: Goal, drawn: Sequence[Goal]) -> bool:
    for other in drawn:
        scored = rules.scores(outcome, *((own, other) if seat is Seat.FIRST else (other, own)))
        if scored[1 - seat] and not scored[seat]:
            return False
    return True


def rounds_at_last_score(tree: GameTree, strategies: MatchStrategy, winning_score: int) -> float:
    """The average number of rounds at the last score until somebody scores alone; infinite if nobody does.

    strategies: the strategies of both players, by score float64 (num_nodes, 3).

    Raises KeyError if the strategies lack that score.

    >>> from tictactoe import GameTree, UniformStrategy
    >>> tree = GameTree.build()
    >>> round(rounds_at_last_score(tree, UniformStrategy(tree, 1), 1), 2)
    2.25
    """
    last = Score(winning_score - 1, winning_score - 1)
    results = result_probabilities(tree.rules, leaf_distribution(tree, strategies[last]))
    alone = results.first + results.second
    return 1.0 / alone if alone > 0.0 else float("inf")
