"""Every value of a match, b, n, r, s and t with a proved error, and which formula holds at which score, and why.

The values are found pair by pair: the numbers of the equation are balls, and of the roots y of

    leading y^2 + middle y + last = 0

(y is the value of the pair's last score, y = -N for the side whose formula has the division) the larger one is taken.
The reason: where B = N, at y = -B, the left side is negative, which is checked. So one root lies on either side of -B.
At the smaller one B < N, and the formula that the equation comes from does not hold there; at the larger one B > N.

That the premises of both formulas hold at the values is checked, too: S <= B <= F and S <= N <= F (so b and n are
within [-1, 1]), S < F, and that B <= N or B >= N as the formula says. Then r, s and t, which are (F - N)/D, (B - N)/D
and (N - S)/D with D = F - S + B - N, are not negative, and their sum is 1.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, NamedTuple

from balls import BITS, Ball, Undecided
from equations import LAST_VALUE, Equation, solved, worth

from tictactoe.match.scores import Pair, Score


class Refuted(Exception):
    """Something that the formulas need is false."""


class Point(NamedTuple):
    """A score: the fractions are within `error` of the true numbers."""

    score: Score
    value: Fraction
    b: Fraction
    n: Fraction
    known_b: int | None
    """b, if it is exactly 1 or -1; otherwise None."""
    error: Fraction
    chances: tuple[Fraction, Fraction, Fraction] | None
    """Of the plans A, B, C where b > n, and None where b <= n, which is enough for the pure plan."""


ERROR = Fraction(1, 10**50)
"""Of b and n, at most; responses.check_at relies on it."""


def points(winning_score: int) -> list[Point]:
    """All scores of a match, in solve order, with errors of at most ERROR. Refuted when something does not hold."""
    bits = BITS
    while True:
        try:
            result = points_at_precision(winning_score, bits)
        except Undecided:
            if bits > 100 * BITS:
                raise
        else:
            if max(one.error for one in result) <= ERROR:
                return result
        bits *= 2


def points_at_precision(winning_score: int, bits: int) -> list[Point]:
    scaled = -LAST_VALUE  # b and n at the last score: both and neither are worth as much there, first 1 and second -1
    last = Score(winning_score - 1, winning_score - 1)
    result = [Point(last, LAST_VALUE, scaled, scaled, None, Fraction(0), None)]
    for pair, its_equation, values in solved(winning_score, Ball.of(LAST_VALUE, bits), larger_root):
        both = worth(pair[0], values, winning_score)[0]
        require(-its_equation.at(-both), f"{pair[0]}: the equation is not negative where B = N")
        result += [point(score, score == pair[0], values, winning_score) for score in pair]
    return result


def larger_root(_: Pair, its_equation: Equation) -> Ball:
    require(its_equation.discriminant, "a discriminant that is not positive")
    root: Ball = (its_equation.discriminant.root() - its_equation.middle) / (2 * its_equation.leading)
    return root


def point(score: Score, mixed: bool, values: dict[Score, Any], winning_score: int) -> Point:
    both, first, second = worth(score, values, winning_score)
    neither, span = -values[score.twin], first - second
    require(span, f"{score}: S is not below F")
    for worse, better in ((second, both), (both, first), (second, neither), (neither, first)):
        require(better - worse, f"{score}: b or n is outside of [-1, 1]", equal_is_enough=True)
    require(both - neither if mixed else neither - both, f"{score}: the other formula holds", equal_is_enough=not mixed)
    known_b = {first: 1, second: -1}.get(both) if isinstance(both, int) else None
    numbers = [values[score], *((2 * one - first - second) / span for one in (both, neither))]
    if mixed:
        total = span + both - neither
        numbers += [one / total for one in (first - neither, both - neither, neither - second)]
        for chance in numbers[3:]:
            require(chance, f"{score}: a plan with a negative probability")
    if known_b is not None:
        numbers[1] = Ball.of(known_b, numbers[2].bits)
    centers, errors = zip(*(one.enclosed() for one in numbers), strict=True)
    value, b, n, *chances = centers
    return Point(score, value, b, n, known_b, max(errors), tuple(chances) if mixed else None)


def require(number: Any, otherwise: str, equal_is_enough: bool = False) -> None:
    """Raises Refuted unless the number is positive. With `equal_is_enough`, an integer, which is exact, may be 0."""
    if not (number.is_positive() if isinstance(number, Ball) else number > 0 or (equal_is_enough and number == 0)):
        raise Refuted(otherwise)


def decimals(number: Fraction, error: Fraction, digits: int) -> str:
    """Rounded to so many decimals, all of them certain."""
    rounded = round(number - error, digits)
    if rounded != round(number + error, digits):
        raise Undecided("digits that are not certain")
    with localcontext() as context:
        context.prec = digits + 10
        return f"{Decimal(rounded.numerator) / rounded.denominator:.{digits}f}"
