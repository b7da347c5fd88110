"""Exact results of two strategies against each other over a whole match, or of one against itself.

The match is a Markov chain over seat and score. Values are match values (-1 to 1) to "our" player, one of the two.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ..algorithms.arrays import FloatArray, make_workspace
from ..algorithms.best_response import leaf_distribution
from ..algorithms.strategy import both_seats
from ..errors import EndlessMatchError
from ..games.payoffs import ResultProbabilities, goal_prior, result_probabilities
from ..games.rules import RESULTS, Outcome, OutcomeValues, Seat
from ..games.tic_tac_toe_tree import GameTree, uniform_over_squares
from .scores import Pair, Score, all_scores, continuation, following_scores, pairs_in_solve_order, pairs_without_gaps


class MatchState(NamedTuple):
    """A round that is about to be played: the seat of our player, and the score."""

    seat: Seat
    score: Score


MatchStrategy = Mapping[Score, FloatArray]
"""By score, float64 (num_nodes, 3): the moves of both seats."""

Group = tuple[MatchState, ...]
"""States that lead to each other: our player moves first at a score, and second at its twin."""


def next_state_or_winner(state: MatchState, result: tuple[bool, bool], winning_score: int) -> MatchState | int:
    """The state after a round with a result of RESULTS, or +1 or -1 if our player has won or lost."""
    sign, score = continuation(state.score, *result, winning_score)
    if score is None:
        return sign if state.seat is Seat.FIRST else -sign
    return MatchState(Seat(1 - state.seat), score)


def groups_of(pairs: Iterable[Pair]) -> list[Group]:
    """The groups of states at the scores of `pairs`, in the same order."""
    return [(MatchState(Seat.FIRST, score), MatchState(Seat.SECOND, score.twin)) for pair in pairs for score in pair]


def outcome_values_at(state: MatchState, values: Mapping[MatchState, float], winning_score: int) -> OutcomeValues:
    """The outcome values of the round at `state`, to its first mover.

    values: the values of the states after the round to our player.

    Raises KeyError for a missing value.
    """
    sign = 1.0 if state.seat is Seat.FIRST else -1.0
    ours = (next_state_or_winner(state, result, winning_score) for result in RESULTS)
    return OutcomeValues(*(sign * (values[item] if isinstance(item, MatchState) else float(item)) for item in ours))


def solve_group(
    group: Group,
    probabilities: Mapping[MatchState, ResultProbabilities],
    known: Mapping[MatchState, float],
    winning_score: int,
    reward: Callable[[MatchState], float] | None = None,
) -> dict[MatchState, float]:
    """The values of a group's states if the results of rounds have these probabilities.

    known: the values of later states.
    reward: what each visit of a state adds. With rewards, the end of the match is worth 0; a reward of 1 gives the
        expected number of rounds. Without them, it is worth +1 or -1, and a match that never ends is worth 0.

    Raises EndlessMatchError for a reward in a match that never ends.
    """
    # Each state of a group leads to the other state or out of the group. `out` sums products of probabilities; nothing
    # cancels, however seldom somebody scores.
    stay, leave, constant = [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]
    for row, state in enumerate(group):
        constant[row] = reward(state) if reward else 0.0
        for probability, result in zip(probabilities[state], RESULTS, strict=True):
            next_state = next_state_or_winner(state, result, winning_score)
            if isinstance(next_state, MatchState) and next_state in group:
                stay[row] += probability
            else:
                leave[row] += probability
                if isinstance(next_state, MatchState):
                    constant[row] += probability * known[next_state]
                elif not reward:
                    constant[row] += probability * next_state
    values = {}
    for row, state in enumerate(group):
        other = stay[1 - row] + leave[1 - row]
        out = leave[row] * other + stay[row] * leave[1 - row]
        if out <= 0.0:
            if reward:
                raise EndlessMatchError(f"at {state.score} neither player ever scores alone: the match never ends")
            values[state] = 0.0
            continue
        values[state] = (constant[row] * other + stay[row] * constant[1 - row]) / out
    return values


def pair_self_play_values(
    pair: Pair, results: Mapping[Score, ResultProbabilities], following: Mapping[Score, float], winning_score: int
) -> dict[Score, float]:
    """The values of a pair of scores to the first mover, if the same strategies are played for ever.

    results: the probabilities of the results, by score.
    following: the values of the scores that the pair leads to.
    """
    known = {MatchState(Seat.FIRST, score): value for score, value in following.items()}
    known |= {MatchState(Seat.SECOND, score): -value for score, value in following.items()}
    values = {}
    for group in groups_of([pair]):
        probabilities = {state: results[state.score] for state in group}
        values[group[0].score] = solve_group(group, probabilities, known, winning_score)[group[0]]
    return values


def largest_difference(one: Iterable[float], other: Iterable[float]) -> float:
    """The largest difference between two lists of values."""
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


SMALLEST_CHANCE_TO_LEAVE = 1e-12
"""Play that leaves a pair of scores less often than this counts as endless, and the pair has no value."""


@dataclass(frozen=True)
class HeadToHead:
    """A match of A against B: the chance that A wins and the average number of rounds, by A's seat in the first
    round."""

    wins_as_first: float
    wins_as_second: float
    rounds_as_first: float
    rounds_as_second: float

    @property
    def wins(self) -> float:
        """The probability that A wins if the first seat is drawn by lot."""
        return (self.wins_as_first + self.wins_as_second) / 2.0


class UniformStrategy(dict[Score, FloatArray]):
    """The strategy that marks every free square with equal probability.

    By score, float64 (num_nodes, 3), read-only: `uniform_over_squares`.

    >>> from tictactoe import GameTree, Score, UniformStrategy
    >>> UniformStrategy(GameTree.build(), 5)[Score(4, 3)][1:4].round(4).tolist()  # corners, sides, the centre
    [[0.4444, 0.4444, 0.4444], [0.4444, 0.4444, 0.4444], [0.1111, 0.1111, 0.1111]]
    """

    def __init__(self, tree: GameTree, winning_score: int) -> None:
        strategy = uniform_over_squares(tree)
        strategy.flags.writeable = False
        super().__init__(dict.fromkeys(all_scores(winning_score), strategy))


def head_to_head(tree: GameTree, ours: MatchStrategy, theirs: MatchStrategy, winning_score: int) -> HeadToHead:
    """Compute how often A, who plays `ours`, beats B, who plays `theirs`.

    ours, theirs: by score, float64 (num_nodes, 3); all scores are needed.

    Raises KeyError for a missing score, ValueError for arrays that are not strategies, and EndlessMatchError if neither
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
            leaves = leaf_distribution(tree, both, work)
            probabilities[state] = result_probabilities(tree.rules, leaves)
        values |= solve_group(group, probabilities, values, winning_score)
        rounds |= solve_group(group, probabilities, rounds, winning_score, lambda state: 1.0)
    starts = [MatchState(seat, Score(0, 0)) for seat in Seat]
    return HeadToHead(*((1.0 + values[start]) / 2.0 for start in starts), *(rounds[start] for start in starts))


def match_self_play_values(tree: GameTree, strategies: MatchStrategy, winning_score: int) -> dict[Score, float]:
    """The match values (-1 to 1) to the first mover if both players use `strategies` for ever.

    strategies: by score, float64 (num_nodes, 3). Scores from which a missing one can be reached are left out.

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
    """`match_self_play_values` for a pair of scores. following: the values of the scores that the pair leads to."""
    distributions = ((score, leaf_distribution(tree, strategies[score])) for score in pair)
    probabilities = {score: result_probabilities(tree.rules, leaves) for score, leaves in distributions}
    # The chance of being in the same pair again: "neither" leads to the twin, "both" at the last score back to it.
    is_last = pair == (Score(winning_score - 1, winning_score - 1),)
    stay = (found.neither + (found.both if is_last else 0.0) for found in probabilities.values())
    if math.prod(stay) > 1.0 - SMALLEST_CHANCE_TO_LEAVE:
        raise EndlessMatchError(f"score {pair[0]}: with these strategies the match never ends")
    found = pair_self_play_values(pair, probabilities, following, winning_score)
    return {score: max(-1.0, min(1.0, value)) for score, value in found.items()}


@dataclass(frozen=True)
class RoundPlay:
    results: ResultProbabilities
    endings: Mapping[Outcome, float]
    """The probability of each ending that the rules have."""


@dataclass(frozen=True)
class MatchPlay:
    rounds: float
    """The average number of rounds, from 0-0 on."""
    overall: RoundPlay
    """The share of each result and each ending among all these rounds."""
    scores: Mapping[Score, RoundPlay]
    """The course of a round at each score."""


def round_play(tree: GameTree, strategy: FloatArray) -> RoundPlay:
    """The course of a round in which both players use the strategy, float64 (num_nodes, 3).

    Raises ValueError for an array that is not a strategy.

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
    """The course of a match in which both players use the strategies, by score float64 (num_nodes, 3).

    Raises KeyError for a missing score, ValueError for arrays that are not strategies, and EndlessMatchError if nobody
    ever scores.
    """
    scores = {score: round_play(tree, strategies[score]) for score in all_scores(winning_score)}
    results = {MatchState(seat, score): play.results for score, play in scores.items() for seat in Seat}

    def total(worth: Mapping[Score, float]) -> float:
        known: dict[MatchState, float] = {}
        for group in groups_of(pairs_in_solve_order(winning_score)):
            known |= solve_group(group, results, known, winning_score, lambda state: worth[state.score])
        return known[MatchState(Seat.FIRST, Score(0, 0))]

    rounds = total(dict.fromkeys(scores, 1.0))
    num_results, endings = len(ResultProbabilities._fields), tree.rules.of_round.goals_true
    shares = (total({score: play.results[at] for score, play in scores.items()}) / rounds for at in range(num_results))
    by_ending = {end: total({score: play.endings[end] for score, play in scores.items()}) / rounds for end in endings}
    return MatchPlay(rounds, RoundPlay(ResultProbabilities(*shares), by_ending), scores)
