"""A match to fewer points inside the solution of a longer one: what counts is how many points are missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from .scores import Score

Value = TypeVar("Value")


def score_in_longer_match(score: Score, winning_score: int, longer: int) -> Score:
    """The score of a match to `longer` points at which as many are missing as at `score` of one to `winning_score`.

    >>> score_in_longer_match(Score(1, 0), 3, 5)
    Score(first=3, second=2)
    """
    return Score(score.first + longer - winning_score, score.second + longer - winning_score)


def part_for_shorter_match(by_score: Mapping[Score, Value], longer: int, winning_score: int) -> dict[Score, Value]:
    """What a mapping by the scores of a match to `longer` points says of one to `winning_score`, by the scores there.

    Looks up nothing else, and keeps the order.

    >>> part_for_shorter_match({Score(2, 2): "last", Score(2, 1): "one more"}, 3, 1)
    {Score(first=0, second=0): 'last'}
    """
    inside = (score for score in by_score if min(score) >= longer - winning_score)
    return {score_in_longer_match(score, longer, winning_score): by_score[score] for score in inside}
