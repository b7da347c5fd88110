"""The values of all scores of a match where every round is a story: fractions, from linear equations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Protocol

from stories import Payoffs, Story

from tictactoe.games.rules import RESULTS
from tictactoe.match.scores import Pair, Score, continuation, pairs_in_solve_order


class Valued(Protocol):
    """What says what a round is worth to the first mover."""

    def value(self, payoffs: Sequence[Fraction]) -> Fraction: ...


class NotCovered(Exception):
    """A score at which no story is known to be optimal."""


def payoffs_at(score: Score, values: Mapping[Score, Fraction], winning_score: int) -> Payoffs:
    following = [continuation(score, *scored, winning_score) for scored in RESULTS]
    both, first, second, neither = (
        Fraction(sign) if after is None else sign * values[after] for sign, after in following
    )
    return both, first, second, neither


def scaled(payoffs: Payoffs) -> tuple[Fraction, Fraction]:
    """The point (b, n): the values of both and neither scoring, after scaling the others to 1 and -1."""
    both, first, second, neither = payoffs
    b, n = ((2 * one - first - second) / (first - second) for one in (both, neither))
    return b, n


def exact_values(
    stories: Sequence[Story], tables: Sequence[Valued], winning_score: int
) -> tuple[dict[Score, Fraction], dict[Score, int]]:
    """The value of every score, and the number of the story or piece that is played there. Raises NotCovered."""
    values: dict[Score, Fraction] = {}
    chosen: dict[Score, int] = {}
    for pair in pairs_in_solve_order(winning_score):
        for numbers in product(range(len(stories)), repeat=len(pair)):
            found = values | _solved(pair, [tables[number] for number in numbers], values, winning_score)
            points = [scaled(payoffs_at(score, found, winning_score)) for score in pair]
            if all(stories[number].covers(*point) for number, point in zip(numbers, points, strict=True)):
                values = found
                chosen.update(zip(pair, numbers, strict=True))
                break
        else:
            raise NotCovered(f"no story covers {pair[0]}")
    return values, chosen


def _solved(
    pair: Pair, tables: Sequence[Valued], values: Mapping[Score, Fraction], winning_score: int
) -> dict[Score, Fraction]:
    """The values of a pair of scores that lead to each other, given those of all scores that follow."""

    def with_pair(guess: Sequence[int]) -> Iterator[Fraction]:
        """What the rounds of the pair are worth if the scores of the pair are worth the guess."""
        guessed = {**values, **{score: Fraction(one) for score, one in zip(pair, guess, strict=True)}}
        for score, table in zip(pair, tables, strict=True):
            yield table.value(payoffs_at(score, guessed, winning_score))

    if len(pair) == 1:
        (at_0,), (at_1,) = with_pair([0]), with_pair([1])
        return {pair[0]: at_0 / (1 - (at_1 - at_0))}
    constant, by_first, by_second = map(list, map(with_pair, ([0, 0], [1, 0], [0, 1])))
    (a, c), (b, d) = ([one - zero for one, zero in zip(by, constant, strict=True)] for by in (by_first, by_second))
    determinant = (1 - a) * (1 - d) - b * c
    return {
        pair[0]: ((1 - d) * constant[0] + b * constant[1]) / determinant,
        pair[1]: ((1 - a) * constant[1] + c * constant[0]) / determinant,
    }


def print_values(values: Mapping[Score, Fraction], chosen: Mapping[Score, int], winning_score: int) -> None:
    """A line for every score."""
    for score, value in values.items():
        b, n = map(float, scaled(payoffs_at(score, values, winning_score)))
        print(f"{score}  region {chosen[score] + 1}  b {b:9.6f}  n {n:9.6f}  value {float(value):.15f} = {value}")
