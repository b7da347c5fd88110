"""Scores of a match, continuations of a round, the order of solving, and shorter matches in longer ones.

Only the number of missing points matters, so a solution of a match contains those of all shorter matches.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping
from functools import lru_cache, partial
from typing import Any, NamedTuple, TypeVar

from ..checked_numbers import whole_number
from ..games.rules import RESULTS, OutcomeValues, Rules, by_rules


class Score(NamedTuple):
    """The points before a round: `first` of the player who moves first in it, `second` of the other.

    >>> from tictactoe import Score
    >>> print(Score(4, 3), Score(4, 3).twin)
    4-3 3-4
    """

    first: int
    second: int

    @property
    def twin(self) -> Score:
        """The score after a round in which nobody scored: the same points, seats swapped."""
        return Score(self.second, self.first)

    def __str__(self) -> str:
        return f"{self.first}-{self.second}"


LARGEST_WINNING_SCORE = 100
"""The longest match that can be solved and stored. It has 10,000 scores."""


def checked_score(name: str, score: Any, winning_score: int | None = None) -> Score:
    """The score as two ints. Raises ValueError if it is not a score, or not one of a match to `winning_score`
    points."""
    if not isinstance(score, tuple) or len(score) != 2:
        raise ValueError(f"{name}: {score!r} is not a score, the points of both players")
    found = Score(*(whole_number(name, points, 0) for points in score))
    if winning_score is not None and max(found) >= winning_score:
        raise ValueError(f"{name}: {found} does not exist in a match to {winning_score}")
    return found


class Continuation(NamedTuple):
    """The continuation after a round: the match is decided (`score` is None), or another round follows at `score`.

    The value to the old first mover is `sign` if the match is decided, and otherwise `sign` times the value of `score`
    to the new first mover.
    """

    sign: int
    score: Score | None


def points_after(points: tuple[int, int], scored: tuple[bool, bool], winning_score: int) -> tuple[int, int]:
    """Both players' points after a round; if both would win at once, both lose a point.

    >>> points_after((4, 3), (False, True), 5), points_after((4, 4), (True, True), 5)
    ((4, 4), (4, 4))
    """
    both = points[0] + scored[0], points[1] + scored[1]
    return (winning_score - 1, winning_score - 1) if min(both) >= winning_score else both


def continuation(score: Score, first_scores: bool, second_scores: bool, winning_score: int) -> Continuation:
    """The continuation after a round at `score` in which the given players scored."""
    first, second = points_after(score, (first_scores, second_scores), winning_score)
    if max(first, second) >= winning_score:
        return Continuation(+1 if first > second else -1, None)
    return Continuation(-1, Score(second, first))


def outcome_values(score: Score, values: Mapping[Score, float], winning_score: int) -> OutcomeValues:
    """The outcome values of the subgame at `score`.

    values: match values of the scores that can follow it, to the player who moves first.

    Raises KeyError for a missing value.

    >>> outcome_values(Score(1, 0), {Score(0, 1): -0.25, Score(1, 1): 0.125}, winning_score=2)
    OutcomeValues(both=1.0, first=1.0, second=-0.125, neither=0.25)
    """
    result = []
    for first_scores, second_scores in RESULTS:
        sign, after = continuation(score, first_scores, second_scores, winning_score)
        result.append(float(sign) if after is None else sign * values[after])
    return OutcomeValues(*result)


Pair = tuple[Score, ...]
"""A score and its twin, which are solved together, the larger score first. A tied score is its own twin and a pair
alone."""


def pair_of(score: Score) -> Pair:
    """The pair in which `score` is solved."""
    return (score,) if score == score.twin else (max(score, score.twin), min(score, score.twin))


def pairs_in_solve_order(winning_score: int) -> list[Pair]:
    """All pairs of a match, the largest point total first: each pair comes after all that it depends on.

    Raises ValueError if winning_score is not at least 1.
    """
    winning_score = whole_number("winning_score", winning_score, 1)
    pairs = [pair_of(Score(a, b)) for a in range(winning_score) for b in range(a + 1)]
    return sorted(pairs, key=lambda pair: (-sum(pair[0]), pair[0]))


def following_scores(pair: Pair, winning_score: int) -> list[Score]:
    """The scores outside `pair` that can follow a round of it."""
    following = (continuation(score, *result, winning_score).score for score in pair for result in RESULTS)
    return sorted({score for score in following if score is not None and score not in pair})


def pairs_without_gaps(available: Container[Score], winning_score: int) -> list[Pair]:
    """The pairs from which only scores in `available` can be reached, in solve order."""
    good: dict[Pair, None] = {}
    for pair in pairs_in_solve_order(winning_score):
        needed = map(pair_of, following_scores(pair, winning_score))
        if all(score in available for score in pair) and all(other in good for other in needed):
            good[pair] = None
    return list(good)


def missing_scores(score: Score, available: Iterable[Score], winning_score: int) -> list[Score]:
    """The scores that can be reached from `score`, itself included, but are not in `available`; largest first."""
    reached = {score}
    for pair in reversed(pairs_in_solve_order(winning_score)):
        if not reached.isdisjoint(pair):
            reached.update(pair, following_scores(pair, winning_score))
    return sorted(reached.difference(available), reverse=True)


def all_scores(winning_score: int) -> list[Score]:
    """Every score of a match, in solve order.

    >>> print(*all_scores(2))
    1-1 1-0 0-1 0-0
    """
    return [score for pair in pairs_in_solve_order(winning_score) for score in pair]


def pair_name(pair: Pair) -> str:
    """Both scores of a pair, as in 4-3/3-4."""
    return "/".join(str(score) for score in pair)


Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class ByScore(Mapping[Key, Value]):
    """Values by score, or by state of a match, which `make` makes on demand. kept: how many stay in memory. Pickles
    contain none.

    >>> squares = ByScore([2, 3], lambda number: number**2)
    >>> squares[3], 4 in squares, list(squares)
    (9, False, [2, 3])
    """

    def __init__(self, keys: Iterable[Key], make: Callable[[Key], Value], kept: int = 0) -> None:
        self._keys, self._make, self._kept = dict.fromkeys(keys), make, kept
        self._made = lru_cache(kept)(make)

    def __reduce__(self) -> tuple[Any, ...]:
        return ByScore, (self._keys, self._make, self._kept)

    def __getitem__(self, key: Key) -> Value:
        if key not in self._keys:
            raise KeyError(key)
        return self._made(key)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __iter__(self) -> Iterator[Key]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


def score_in_longer_match(score: Score, winning_score: int, longer: int) -> Score:
    """The score in a match to `longer` points that lacks as many points as `score` in a match to `winning_score`.

    >>> score_in_longer_match(Score(1, 0), 3, 5)
    Score(first=3, second=2)
    """
    return Score(score.first + longer - winning_score, score.second + longer - winning_score)


def part_for_shorter_match(by_score: Mapping[Score, Value], longer: int, winning_score: int) -> Mapping[Score, Value]:
    """The part of a mapping by score for a match to `winning_score` points, by the scores of that match.

    by_score: the mapping, for a match to `longer` points. A value is read only on demand.

    >>> dict(part_for_shorter_match({Score(2, 2): "last", Score(2, 1): "one more"}, 3, 1))
    {Score(first=0, second=0): 'last'}
    """
    inside = (score for score in by_score if min(score) >= longer - winning_score)
    keys = (score_in_longer_match(score, longer, winning_score) for score in inside)
    return ByScore(keys, partial(_of_longer, by_score, winning_score, longer))


def _of_longer(by_score: Mapping[Score, Value], winning_score: int, longer: int, score: Score) -> Value:
    return by_score[score_in_longer_match(score, winning_score, longer)]


def match_to(winning_score: int, rules: Rules | str) -> str:
    """The name of a match, such as match to 5, followed by the rules unless they are the default rules."""
    return f"match to {winning_score}{by_rules(rules)}"
