"""A match to fewer points inside the solution of a longer one: only the number of missing points counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from .scores import Score

Value = TypeVar("Value")


def score_in_longer_match(score: Score, winning_score: int, longer: int) -> Score:
    """The score in a match to `longer` points that misses as many points as `score` in a match to `winning_score`.

    >>> score_in_longer_match(Score(1, 0), 3, 5)
    Score(first=3, second=2)
    """
    return Score(score.first + longer - winning_score, score.second + longer - winning_score)


def part_for_shorter_match(by_score: Mapping[Score, Value], longer: int, winning_score: int) -> Mapping[Score, Value]:
    """The part of a mapping by score for a match to `winning_score` points, under the scores of that match.

    by_score: the mapping, for a match to `longer` points. Keeps its order, and reads a value only on demand.

    >>> dict(part_for_shorter_match({Score(2, 2): "last", Score(2, 1): "one more"}, 3, 1))
    {Score(first=0, second=0): 'last'}
    """
    return _Part(by_score, longer, winning_score)


@dataclass(frozen=True, eq=False)
class _Part(Mapping[Score, Value], Generic[Value]):
    by_score: Mapping[Score, Value]
    longer: int
    winning_score: int

    def __getitem__(self, score: Score) -> Value:
        if min(score) < 0:
            raise KeyError(score)
        return self.by_score[score_in_longer_match(score, self.winning_score, self.longer)]

    def __contains__(self, score: object) -> bool:
        if not isinstance(score, Score) or min(score) < 0:
            return False
        return score_in_longer_match(score, self.winning_score, self.longer) in self.by_score

    def __iter__(self) -> Iterator[Score]:
        inside = (score for score in self.by_score if min(score) >= self.longer - self.winning_score)
        return (score_in_longer_match(score, self.longer, self.winning_score) for score in inside)

    def __len__(self) -> int:
        return sum(1 for _ in self)
