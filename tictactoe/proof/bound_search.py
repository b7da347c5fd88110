"""The search for bounds that the checker will accept. A proof does not rest on it: the checker checks every bound."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from .checker import AdversaryState, ByState, Group, Rounds, step

GRID_UNITS = 2**120
"""Bounds that are not simple fractions are multiples of 1 / GRID_UNITS."""
SIMPLE_BITS = 64
"""A fraction is simple when its denominator has at most that many bits."""
_WORKING_UNITS = 2**240  # the search computes with multiples of 1 / _WORKING_UNITS
_CLOSE_ENOUGH = Fraction(1, 2**180)  # the distance at which the first search stops


def find_bounds(
    group: Group, rounds: Rounds, later: ByState, start: Fraction, winning_score: int
) -> dict[AdversaryState, Fraction]:
    """Bounds of both states that the checker accepts.

    A step of the checker maps them to themselves, exactly or after rounding up to the grid. So the checker refuses
    either bound if it is lowered by one unit of the grid. later: bounds of the states that follow the group. start:
    where the search begins, a match value of the first state.
    """
    first, second = group

    def second_bound(bound_of_first: Fraction) -> Fraction:
        """A bound of the second state, given one of the first."""
        return step(second, rounds[second], {**later, first: bound_of_first}, winning_score)

    def first_bound(bound_of_second: Fraction) -> Fraction:
        """A bound of the first state, given one of the second."""
        return step(first, rounds[first], {**later, second: bound_of_second}, winning_score)

    def two_rounds(bound_of_first: Fraction, units: int) -> Fraction:
        """A bound of the first state, given one for two rounds later; each round rounds up to 1 / units."""
        return _rounded_up(first_bound(_rounded_up(second_bound(bound_of_first), units)), units)

    found = _near_fixed_point(lambda bound: two_rounds(bound, _WORKING_UNITS), start)
    simple = found.limit_denominator(2**SIMPLE_BITS)
    if abs(simple - found) < _CLOSE_ENOUGH:
        bounds = {first: simple, second: second_bound(simple)}
        if _is_simple(bounds[second]) and first_bound(bounds[second]) == simple:
            return bounds
    start_on_grid = found.numerator * GRID_UNITS // found.denominator
    bound = Fraction(
        _fixed_point(lambda at: int(two_rounds(Fraction(at, GRID_UNITS), GRID_UNITS) * GRID_UNITS), start_on_grid),
        GRID_UNITS,
    )
    return {first: bound, second: _rounded_up(second_bound(bound), GRID_UNITS)}


def _near_fixed_point(function: Callable[[Fraction], Fraction], start: Fraction) -> Fraction:
    """Approximately the fixed point of an increasing, piecewise linear function with slopes below 1.

    Uses Aitken's delta-squared process, which is exact within one linear piece.
    """
    before, here = start, function(start)
    for _ in range(40):
        if abs(here - before) < _CLOSE_ENOUGH:
            break
        following = function(here)
        slope = (following - here) / (here - before)
        guess = here + (following - here) / (1 - slope) if slope < 1 else following
        before = max(Fraction(-1), min(Fraction(1), _rounded_up(guess, _WORKING_UNITS)))
        here = function(before)
    return here


def _fixed_point(function: Callable[[int], int], start: int) -> int:
    """A fixed point of an increasing function: by iteration, or by bisection (Tarski) if iteration is slow."""
    for _ in range(50):
        image = function(start)
        if image == start:
            return start
        start = image
    below, above = -GRID_UNITS, GRID_UNITS  # no bound is below -1 or above 1
    while True:
        middle = (below + above) // 2
        image = function(middle)
        if image == middle:
            return middle
        below, above = (image, above) if image > middle else (below, image)


def claimable(value: Fraction) -> Fraction:
    """The value, if it is a simple fraction; otherwise the value rounded up to the grid."""
    return value if _is_simple(value) else _rounded_up(value, GRID_UNITS)


def _is_simple(value: Fraction) -> bool:
    return value.denominator.bit_length() <= SIMPLE_BITS


def _rounded_up(value: Fraction, units: int) -> Fraction:
    """The least multiple of 1 / units that is not below the value."""
    return Fraction(-(-value.numerator * units // value.denominator), units)
