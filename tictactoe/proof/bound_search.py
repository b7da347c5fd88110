"""Looking for bounds that the checker will accept. Nothing here need be believed: what is found is checked."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from .checker import AdversaryState, ByState, Group, Rounds, step

GRID = 2**120
"""Bounds that are not simple fractions are multiples of 1 / GRID."""
SIMPLE_BITS = 64
"""A fraction is simple when its denominator has at most that many bits."""
_WORKING = 2**240  # what the search computes with are multiples of 1 / _WORKING
_CLOSE = Fraction(1, 2**180)


def find_bounds(
    group: Group, rounds: Rounds, later: ByState, start: Fraction, winning_score: int
) -> dict[AdversaryState, Fraction]:
    """Bounds for which one step gives the bounds themselves, exactly or rounded up to the grid.

    So lowering either by one unit in the last place is refused. start: where to look first, for the first state.
    """
    first, second = group

    def second_bound(bound_of_first: Fraction) -> Fraction:
        """What the second state is worth when the first is worth that."""
        return step(second, rounds[second], {**later, first: bound_of_first}, winning_score)

    def first_bound(bound_of_second: Fraction) -> Fraction:
        """What the first state is worth when the second is worth that."""
        return step(first, rounds[first], {**later, second: bound_of_second}, winning_score)

    def two_rounds(bound_of_first: Fraction, units: int) -> Fraction:
        """What the first state is worth when it is worth that two rounds later, rounded up after each round."""
        return _rounded_up(first_bound(_rounded_up(second_bound(bound_of_first), units)), units)

    found = _near_fixed_point(lambda bound: two_rounds(bound, _WORKING), start)
    simple = found.limit_denominator(2**SIMPLE_BITS)
    if abs(simple - found) < _CLOSE:
        bounds = {first: simple, second: second_bound(simple)}
        if _is_simple(bounds[second]) and first_bound(bounds[second]) == simple:
            return bounds
    start_on_grid = found.numerator * GRID // found.denominator
    bound = Fraction(_fixed_point(lambda at: int(two_rounds(Fraction(at, GRID), GRID) * GRID), start_on_grid), GRID)
    return {first: bound, second: _rounded_up(second_bound(bound), GRID)}


def _near_fixed_point(function: Callable[[Fraction], Fraction], start: Fraction) -> Fraction:
    """About where a function that is increasing, of slope below 1 and piecewise linear has its fixed point.

    Aitken's delta-squared process, which is exact once it is in the right piece.
    """
    before, here = start, function(start)
    for _ in range(40):
        if abs(here - before) < _CLOSE:
            break
        following = function(here)
        slope = (following - here) / (here - before)
        guess = here + (following - here) / (1 - slope) if slope < 1 else following
        before = max(Fraction(-1), min(Fraction(1), _rounded_up(guess, _WORKING)))
        here = function(before)
    return here


def _fixed_point(function: Callable[[int], int], start: int) -> int:
    """A fixed point of an increasing function: by iteration, and should that be slow, by bisection (Tarski)."""
    for _ in range(50):
        image = function(start)
        if image == start:
            return start
        start = image
    below, above = -GRID, GRID  # no bound is below -1 or above 1
    while True:
        middle = (below + above) // 2
        image = function(middle)
        if image == middle:
            return middle
        below, above = (image, above) if image > middle else (below, image)


def claimable(value: Fraction) -> Fraction:
    """The value itself if it is a simple fraction; otherwise rounded up to the grid."""
    return value if _is_simple(value) else _rounded_up(value, GRID)


def _is_simple(value: Fraction) -> bool:
    return value.denominator.bit_length() <= SIMPLE_BITS


def _rounded_up(value: Fraction, units: int) -> Fraction:
    """To a multiple of 1 / units."""
    return Fraction(-(-value.numerator * units // value.denominator), units)
