"""The quadratic equation of every pair of scores over the numbers before it, and which pairs those depend on.

By the formulas of docs/closed-forms.md, with what both, first, second and neither scoring is worth to the first mover,

    9 V = 3 B + 2 F + 3 S + N                                            where B <= N  (the first mover is behind)
    9 V = 3 B + 2 F + 3 S + N - (B - N)(F - N) / (F - S + B - N)         where B >= N  (ahead, or as many points).

N is minus the value of the twin, so a pair is one equation in one unknown y, the value of its last score. Everything
here is sums and products with integers: numbers may be fractions, residues, balls or elements of a field.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from tictactoe.games.rules import RESULTS
from tictactoe.match.scores import Pair, Score, continuation, following_scores, pair_of, pairs_in_solve_order

LAST_VALUE = Fraction(-1, 13)
"""At one point each to win both and neither lead to the same score: 9 V = -3 V + 2 - 3 - V."""
Values = Mapping[Score, Any]


class Equation(NamedTuple):
    """leading y^2 + middle y + last = 0."""

    leading: int
    middle: Any
    last: Any

    @property
    def discriminant(self) -> Any:
        return self.middle * self.middle - 4 * self.leading * self.last

    def at(self, y: Any) -> Any:
        return (self.leading * y + self.middle) * y + self.last


def pairs_with_roots(winning_score: int) -> list[Pair]:
    """All pairs but the last score of the match, in solve order: those whose equations are quadratic."""
    return pairs_in_solve_order(winning_score)[1:]


def worth(score: Score, values: Values, winning_score: int) -> tuple[Any, Any, Any]:
    """What both, first and second scoring is worth to the first mover: B, F and S."""
    following = (continuation(score, *scored, winning_score) for scored in RESULTS[:3])
    both, first, second = (sign if after is None else sign * values[after] for sign, after in following)
    return both, first, second


def equation(pair: Pair, values: Values, winning_score: int) -> Equation:
    """Of y, the value of the last score of the pair.

    Off the diagonal let x be the leading side's value. The trailing side's formula is 9 y = T - x. Its own one,
    with N = -y, times the denominator D = E + y, is (9 x - M + y)(E + y) + (B + y)(F + y) = 0. With x = T - 9 y:

        79 y^2 - (9 T - M - 80 E + B + F) y - (9 T - M) E - B F = 0.

    On the diagonal N = -y, too, and (10 y - M)(E + y) + (B + y)(F + y) = 0.
    """
    both, first, second = worth(pair[0], values, winning_score)
    linear, total = 3 * both + 2 * first + 3 * second, first - second + both  # M and E
    if len(pair) == 1:
        return Equation(11, 10 * total - linear + both + first, both * first - linear * total)
    excess = 9 * trailing_sum(pair, values, winning_score) - linear
    return Equation(79, 80 * total - excess - both - first, -(excess * total) - both * first)


def trailing_sum(pair: Pair, values: Values, winning_score: int) -> Any:
    """T = 3 B + 2 F + 3 S at the trailing side of a pair."""
    both, first, second = worth(pair[-1], values, winning_score)
    return 3 * both + 2 * first + 3 * second


def values_of(pair: Pair, y: Any, values: Values, winning_score: int) -> dict[Score, Any]:
    """The values of the pair's scores, when y is that of the last one."""
    if len(pair) == 1:
        return {pair[0]: y}
    return {pair[0]: trailing_sum(pair, values, winning_score) - 9 * y, pair[1]: y}


def roots_below(winning_score: int) -> dict[Pair, frozenset[Pair]]:
    """By pair: the pairs whose square roots its values can be written with, its own one included."""
    below: dict[Pair, frozenset[Pair]] = {pairs_in_solve_order(winning_score)[0]: frozenset()}
    for pair in pairs_with_roots(winning_score):
        before = (below[pair_of(score)] for score in following_scores(pair, winning_score))
        below[pair] = frozenset({pair}).union(*before)
    return below


def name(pair: Pair) -> str:
    return ", ".join(map(str, pair))


def solved(winning_score: int, last_value: Any, solve: Any) -> Iterator[tuple[Pair, Equation, dict[Score, Any]]]:
    """Pair by pair the equation and all values up to it; solve: a root of an equation (given the pair, too)."""
    values: dict[Score, Any] = {Score(winning_score - 1, winning_score - 1): last_value}
    for pair in pairs_with_roots(winning_score):
        its_equation = equation(pair, values, winning_score)
        values |= values_of(pair, solve(pair, its_equation), values, winning_score)
        yield pair, its_equation, values
