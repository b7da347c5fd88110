"""How rounds go when both players use the same strategies: who scores, how the board ends, how long a match takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..algorithms.arrays import FloatArray
from ..algorithms.best_response import leaf_distribution
from ..games.goals import Seat
from ..games.payoffs import ResultProbabilities, goal_prior, result_probabilities
from ..games.rules import Outcome
from ..games.tic_tac_toe_tree import GameTree
from .markov_chain import MatchState, MatchStrategy, groups_of, solve_group
from .scores import Score, all_scores, pairs_in_solve_order


@dataclass(frozen=True)
class RoundPlay:
    """How a round goes."""

    results: ResultProbabilities
    """The probability of each result."""
    endings: Mapping[Outcome, float]
    """The probability of each ending that the rules have; they sum to 1."""


@dataclass(frozen=True)
class MatchPlay:
    """How the rounds of a match go."""

    rounds: float
    """The average number of rounds, from 0-0 on."""
    overall: RoundPlay
    """The share of each result and each ending among all these rounds."""
    scores: Mapping[Score, RoundPlay]
    """By score: how a round at the score goes."""


def round_play(tree: GameTree, strategy: FloatArray) -> RoundPlay:
    """How a round goes in which both players use the strategy, float64 (num_nodes, 3).

    Raises ValueError for an array that is no strategy.

    >>> from tictactoe import GameTree, uniform_strategy
    >>> tree = GameTree.build()
    >>> {ending.name: round(share, 2) for ending, share in round_play(tree, uniform_strategy(tree)).endings.items()}
    {'WIN': 0.59, 'LOSE': 0.27, 'TIE': 0.13}
    """
    leaves = leaf_distribution(tree, strategy)
    shares = (leaves * goal_prior(tree.rules)).sum(axis=(1, 2)).tolist()
    endings = {outcome: shares[outcome] if outcome < len(shares) else 0.0 for outcome in tree.rules.of_round.goals_true}
    return RoundPlay(result_probabilities(tree.rules, leaves), endings)


def match_play(tree: GameTree, strategies: MatchStrategy, winning_score: int) -> MatchPlay:
    """How the rounds of a match go in which both players use the strategies, by score float64 (num_nodes, 3).

    Raises KeyError for a missing score, ValueError for arrays that are no strategies, and EndlessMatchError for
    strategies with which nobody ever scores.
    """
    scores = {score: round_play(tree, strategies[score]) for score in all_scores(winning_score)}
    results = {MatchState(seat, score): play.results for score, play in scores.items() for seat in Seat}

    def total(worth: Mapping[Score, float]) -> float:
        """The expected sum over a match, if a round at a score adds `worth[score]`."""
        known: dict[MatchState, float] = {}
        for group in groups_of(pairs_in_solve_order(winning_score)):
            known |= solve_group(group, results, known, winning_score, lambda state: worth[state.score])
        return known[MatchState(Seat.FIRST, Score(0, 0))]

    rounds = total(dict.fromkeys(scores, 1.0))
    num_results, endings = len(ResultProbabilities._fields), tree.rules.of_round.goals_true
    shares = (total({score: play.results[at] for score, play in scores.items()}) / rounds for at in range(num_results))
    by_ending = {end: total({score: play.endings[end] for score, play in scores.items()}) / rounds for end in endings}
    return MatchPlay(rounds, RoundPlay(ResultProbabilities(*shares), by_ending), scores)
