"""Rounds and matches: goals, points, scores, continuation values and the order in which scores are solved."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple

from .board import Outcome


class Goal(IntEnum):
    """The secret goal of a player for one round, as seen from that player's own seat."""

    WIN = 0
    LOSE = 1
    TIE = 2


class Seat(IntEnum):
    """Who moves first and who moves second in a round."""

    FIRST = 0
    SECOND = 1


class Score(NamedTuple):
    """Points before a round: `first` of the player who moves first in it, `second` of the other."""

    first: int
    second: int

    @property
    def twin(self) -> Score:
        """The score after a round in which nobody scored: the same points, seats swapped."""
        return Score(self.second, self.first)

    def __str__(self) -> str:
        return f"{self.first}-{self.second}"


LARGEST_WINNING_SCORE = 100
"""Of a match that can be solved and stored: 10,000 scores."""


class OutcomeValues(NamedTuple):
    """What the four results of a round are worth to the player who moved first (match value, -1 to 1)."""

    both: float
    first: float
    second: float
    neither: float


SINGLE_ROUND = OutcomeValues(both=0.0, first=1.0, second=-1.0, neither=0.0)
"""One round on its own: a point more than the opponent is worth 1."""

GOAL_PROBABILITY = 1.0 / 3.0
"""The probability of each goal, independently for each player."""


def scores(outcome: Outcome, first_goal: Goal, second_goal: Goal) -> tuple[bool, bool]:
    """Whether the first and whether the second mover scores a point when the round ends in `outcome`."""
    return int(outcome) == int(first_goal), int(outcome.reversed()) == int(second_goal)


class Continuation(NamedTuple):
    """What follows a round: the match is decided (`score` is None), or another round at `score`.

    The value to the player who moved first in the round before is `sign` itself when the match is
    decided, else `sign` times the value of `score` to the player who moves first there.
    """

    sign: int
    score: Score | None


def continuation(score: Score, first_scores: bool, second_scores: bool, winning_score: int) -> Continuation:
    """What follows a round at `score` in which the given players scored."""
    first, second = score.first + first_scores, score.second + second_scores
    if first >= winning_score and second >= winning_score:
        return Continuation(-1, Score(winning_score - 1, winning_score - 1))
    if first >= winning_score:
        return Continuation(+1, None)
    if second >= winning_score:
        return Continuation(-1, None)
    return Continuation(-1, Score(second, first))


RESULTS = ((True, True), (True, False), (False, True), (False, False))
"""(first scores, second scores) in the order of the fields of OutcomeValues."""


def outcome_values(score: Score, values: Mapping[Score, float], winning_score: int) -> OutcomeValues:
    """The outcome values of the subgame at `score`, given the values of the scores that can follow it.

    `values` holds match values to the player who moves first. Raises KeyError for a missing score.
    """
    result = []
    for first_scores, second_scores in RESULTS:
        sign, after = continuation(score, first_scores, second_scores, winning_score)
        result.append(float(sign) if after is None else sign * values[after])
    return OutcomeValues(*result)


Pair = tuple[Score, ...]
"""A score and its twin, solved together; the larger score first. One score when it is its own twin."""


def pair_of(score: Score) -> Pair:
    """The pair that `score` is solved in."""
    return (score,) if score == score.twin else (max(score, score.twin), min(score, score.twin))


def pairs_in_solve_order(winning_score: int) -> list[Pair]:
    """All pairs of a match, each after every pair that it depends on: largest point total first.

    Raises ValueError when winning_score is not at least 1.
    """
    if winning_score < 1:
        raise ValueError(f"winning_score: {winning_score} is not at least 1")
    pairs = [pair_of(Score(a, b)) for a in range(winning_score) for b in range(a + 1)]
    return sorted(pairs, key=lambda pair: (-sum(pair[0]), pair[0]))


def following_scores(pair: Pair, winning_score: int) -> list[Score]:
    """The scores outside `pair` that can follow a round at one of its scores: what its solution needs."""
    following = (
        continuation(score, *result, winning_score).score for score in pair for result in RESULTS
    )
    return sorted({score for score in following if score is not None and score not in pair})


def all_scores(winning_score: int) -> list[Score]:
    """Every score of a match in the order in which the pairs are solved."""
    return [score for pair in pairs_in_solve_order(winning_score) for score in pair]
