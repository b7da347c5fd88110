"""Two strategies against each other over a whole match, or one against itself: exact probabilities, no sampling."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ..algorithms.arrays import FloatArray, make_workspace
from ..algorithms.best_response import as_rows, leaf_distribution, leaf_distribution_of_rows
from ..algorithms.strategy import both_seats
from ..errors import EndlessMatchError
from ..games.free_squares import uniform_over_squares
from ..games.goals import Seat
from ..games.payoffs import result_probabilities
from ..games.tic_tac_toe_tree import GameTree
from .markov_chain import MatchState, MatchStrategy, groups_of, pair_self_play_values, solve_group
from .scores import Pair, Score, all_scores, following_scores, pairs_in_solve_order, pairs_without_gaps

SMALLEST_CHANCE_TO_LEAVE = 1e-12
"""Play that leaves a pair of scores less often than this counts as endless: the pair has no value."""


@dataclass(frozen=True)
class HeadToHead:
    """A match of A against B, by A's seat in the first round."""

    wins_as_first: float
    """The probability that A wins the match."""
    wins_as_second: float
    """The same in the second seat."""
    rounds_as_first: float
    """The expected number of rounds."""
    rounds_as_second: float
    """The same in the second seat."""

    @property
    def wins(self) -> float:
        """The probability that A wins if the first seat is drawn by lot."""
        return (self.wins_as_first + self.wins_as_second) / 2.0


class UniformStrategy(dict[Score, FloatArray]):
    """The strategy that marks every free square with equal probability, whatever the score and the goal.

    See `uniform_over_squares`. The array of every score is the same, float64 (num_nodes, 3), and read-only.

    >>> from tictactoe import GameTree, Score, UniformStrategy
    >>> UniformStrategy(GameTree.build(), 5)[Score(4, 3)][1:4].round(4).tolist()  # corners, sides, the centre
    [[0.4444, 0.4444, 0.4444], [0.4444, 0.4444, 0.4444], [0.1111, 0.1111, 0.1111]]
    """

    def __init__(self, tree: GameTree, winning_score: int) -> None:
        strategy = uniform_over_squares(tree)
        strategy.flags.writeable = False
        super().__init__(dict.fromkeys(all_scores(winning_score), strategy))


def head_to_head(tree: GameTree, ours: MatchStrategy, theirs: MatchStrategy, winning_score: int) -> HeadToHead:
    """How often A, who plays `ours`, beats B, who plays `theirs`.

    ours, theirs: by score, float64 (num_nodes, 3); all scores are needed.

    Raises KeyError for a missing score, ValueError for arrays that are no strategies, and EndlessMatchError if neither
    ever scores against the other.

    >>> from tictactoe import GameTree, UniformStrategy, head_to_head
    >>> tree = GameTree.build()
    >>> result = head_to_head(tree, UniformStrategy(tree, 1), UniformStrategy(tree, 1), 1)
    >>> round(result.wins, 6), round(result.rounds_as_first, 6)
    (0.5, 2.25)
    """
    work = make_workspace(tree.sweep_arrays)
    values: dict[MatchState, float] = {}
    rounds: dict[MatchState, float] = {}
    for group in groups_of(pairs_in_solve_order(winning_score)):
        probabilities = {}
        for state in group:
            first, second = (ours, theirs) if state.seat is Seat.FIRST else (theirs, ours)
            both = both_seats(tree, first[state.score], second[state.score])
            leaves = leaf_distribution_of_rows(tree, as_rows(tree, both), work)
            probabilities[state] = result_probabilities(tree.rules, leaves)
        values |= solve_group(group, probabilities, values, winning_score)
        rounds |= solve_group(group, probabilities, rounds, winning_score, lambda state: 1.0)
    starts = [MatchState(seat, Score(0, 0)) for seat in Seat]
    return HeadToHead(*((1.0 + values[start]) / 2.0 for start in starts), *(rounds[start] for start in starts))


def match_self_play_values(tree: GameTree, strategies: MatchStrategy, winning_score: int) -> dict[Score, float]:
    """The match values (-1 to 1) to the first mover when both players use `strategies` for ever.

    The result has every score from which no missing score can be reached.

    strategies: by score, float64 (num_nodes, 3).

    Raises EndlessMatchError for strategies with which nobody ever scores again.
    """
    values: dict[Score, float] = {}
    for pair in pairs_without_gaps(strategies, winning_score):
        following = {score: values[score] for score in following_scores(pair, winning_score)}
        values |= values_of_pair(tree, pair, strategies, following, winning_score)
    return values


def values_of_pair(
    tree: GameTree, pair: Pair, strategies: MatchStrategy, following: Mapping[Score, float], winning_score: int
) -> dict[Score, float]:
    """As `match_self_play_values`, for one pair.

    following: the values of the scores that the pair leads to.
    """
    distributions = ((score, leaf_distribution(tree, strategies[score])) for score in pair)
    probabilities = {score: result_probabilities(tree.rules, leaves) for score, leaves in distributions}
    # The chance to be in the same pair again: "neither" leads to the twin, "both" at the last score back to it.
    is_last = pair == (Score(winning_score - 1, winning_score - 1),)
    stay = (found.neither + (found.both if is_last else 0.0) for found in probabilities.values())
    if math.prod(stay) > 1.0 - SMALLEST_CHANCE_TO_LEAVE:
        raise EndlessMatchError(f"score {pair[0]}: with these strategies the match never ends")
    found = pair_self_play_values(pair, probabilities, following, winning_score)
    return {score: max(-1.0, min(1.0, value)) for score, value in found.items()}
