"""Rules and odds of the goals by which a match between perfect players never ends, and matches that go on for long."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from ..algorithms.best_response import leaf_distribution
from ..errors import EndlessMatchError
from ..games.payoffs import result_probabilities
from ..games.rules import Goal, Outcome, Rules, Seat
from ..games.tic_tac_toe_tree import GameTree
from .head_to_head import MatchStrategy
from .scores import Score


def check_that_it_ends(tree: GameTree) -> None:
    """Raises EndlessMatchError where each player, in either seat and with any goal, can keep the other one from ever
    scoring alone.

    Perfect players do so at the last score, where only a point alone ends the match: nobody gains by letting the other
    one win. However good a strategy is in a round, one that does not do so for certain then loses every match in the
    end. Where a player cannot be kept from scoring alone, its chance is about that of the goals that it needs.

    >>> from tictactoe import GameTree
    >>> check_that_it_ends(GameTree.build("filled 1:1:0"))
    >>> check_that_it_ends(GameTree.build("filled 0:0:1"))
    Traceback (most recent call last):
    tictactoe.errors.EndlessMatchError: by the rules filled 0:0:1 each player can keep the other one from ever scoring \
alone: between perfect players a match never ends
    """
    drawn = [goal for goal in Goal if tree.rules.goal_odds[goal]]
    players = list(product(Seat, drawn))  # a bit each: whether it can keep the other one from scoring alone
    everybody = (1 << len(players)) - 1
    movers = [sum(1 << bit for bit, (seat, _) in enumerate(players) if seat is mover) for mover in Seat]
    at_leaf = [
        sum(1 << bit for bit, player in enumerate(players) if _keeps(tree.rules, outcome, *player, drawn))
        for outcome in tree.rules.of_round.goals_true
    ]
    by_outcome = np.zeros(len(Outcome), np.int8)
    by_outcome[list(tree.rules.of_round.goals_true)] = at_leaf
    can = np.where(tree.leaf_class >= 0, by_outcome[tree.leaf_class], 0)
    for nodes in reversed(tree.nodes_by_depth[1:]):
        parents = tree.parent[nodes]
        by_some_move, by_all_moves = np.zeros_like(can), np.full_like(can, everybody)
        np.bitwise_or.at(by_some_move, parents, can[nodes])
        np.bitwise_and.at(by_all_moves, parents, can[nodes])
        own = np.array(movers, np.int8)[tree.owner[parents]]
        can[parents] = (by_some_move[parents] & own) | (by_all_moves[parents] & ~own)
    if can[0] == everybody:
        keeps = "each player can keep the other one from ever scoring alone"
        raise EndlessMatchError(f"by the rules {tree.rules} {keeps}: between perfect players a match never ends")


def _keeps(rules: Rules, outcome: Outcome, seat: Seat, own: Goal, drawn: Sequence[Goal]) -> bool:
    """Whether with the outcome the other one does not score alone, whichever of the goals `drawn` that one has."""
    for other in drawn:
        scored = rules.scores(outcome, *((own, other) if seat is Seat.FIRST else (other, own)))
        if scored[1 - seat] and not scored[seat]:
            return False
    return True


def rounds_at_last_score(tree: GameTree, strategies: MatchStrategy, winning_score: int) -> float:
    """How many rounds there are on average at the last score, until somebody scores alone, if both players use the
    strategies, by score float64 (num_nodes, 3); infinite if nobody ever does.

    What a player can gain there over the match is what can be gained in a round about as many times. Raises KeyError
    if the strategies lack that score.

    >>> from tictactoe import GameTree, UniformStrategy
    >>> tree = GameTree.build()
    >>> round(rounds_at_last_score(tree, UniformStrategy(tree, 1), 1), 2)
    2.25
    """
    last = Score(winning_score - 1, winning_score - 1)
    results = result_probabilities(tree.rules, leaf_distribution(tree, strategies[last]))
    alone = results.first + results.second
    return 1.0 / alone if alone > 0.0 else float("inf")
