"""The search for bounds: its bounds are accepted, and by a unit less are refused."""

from fractions import Fraction
from typing import Any

import pytest
from support.certifying import UNIT

from tictactoe.proof.bound_search import claimable, find_bounds
from tictactoe.proof.checker import Refused, check_group, group_of

FIRST, SECOND = GROUP = group_of((0, 0))


class Affine:
    """A round that is worth the same mixture of its results whatever the adversary does."""

    def __init__(self, *shares: Fraction) -> None:
        self._shares = shares

    def best_response(self, worth: list[Fraction]) -> Fraction:
        return sum((share * value for share, value in zip(self._shares, worth, strict=True)), Fraction(0))


def test_simple_fractions_are_claimed_exactly_and_others_rounded_up() -> None:
    ninth = Fraction(1, 9)  # at the last score V = -1/9 - 4/9 V, so that V = -1/13
    rounds: Any = dict.fromkeys(GROUP, Affine(ninth, 2 * ninth, 3 * ninth, 3 * ninth))
    assert find_bounds(GROUP, rounds, {}, Fraction(1, 3), 1) == {FIRST: Fraction(-1, 13), SECOND: Fraction(1, 13)}
    assert claimable(Fraction(-1, 3)) == Fraction(-1, 3)
    fine = Fraction(-1, 3**50)
    assert fine < claimable(fine) < fine + UNIT
    assert (claimable(fine) / UNIT).denominator == 1


@pytest.mark.parametrize("leaving", [Fraction(1, 2), Fraction(1, 3**50), Fraction(2, 10**9 + 7)])
def test_other_bounds_are_fixed_points_on_the_grid(leaving: Fraction) -> None:
    """However slowly the match goes on, lowering one bound by a unit breaks the claim."""
    won = leaving * Fraction(2**70 + 3, 3**45)
    share = Affine(Fraction(0), won, leaving - won, 1 - leaving)
    rounds: Any = {FIRST: share, SECOND: Affine(Fraction(0), leaving / 3, leaving * 2 / 3, 1 - leaving)}
    bounds = find_bounds(GROUP, rounds, {}, Fraction(0), 1)
    leaves = dict.fromkeys(GROUP, leaving)
    check_group(GROUP, rounds, bounds, leaves, 1)
    for state in GROUP:
        assert (bounds[state] / UNIT).denominator == 1
        with pytest.raises(Refused, match="bound"):
            check_group(GROUP, rounds, bounds | {state: bounds[state] - UNIT}, leaves, 1)
