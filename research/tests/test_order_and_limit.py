"""The constants of the paper's theorems on long matches hold, and the checks of them can fail."""

from __future__ import annotations

from fractions import Fraction

import order_and_limit
import pytest

from tictactoe.formulas.match_values import values_by_formula


def test_all_steps_hold() -> None:
    order_and_limit.check_two_rounds()
    order_and_limit.check_limit()
    assert order_and_limit.check_room() == Fraction(8, 553)
    assert order_and_limit.check_filled() == Fraction(1, 7)


def test_leads_of_one() -> None:
    table = values_by_formula(20)
    found = [float(value) for value, _ in order_and_limit.check_leads_of_one()]
    assert found == pytest.approx([table[20 - (n - 1), 20 - n] for n in range(2, 21)], abs=1e-14)


def test_bounds_are_between_the_values() -> None:
    for n in (20, 100, 10_000):
        assert 0.1 < order_and_limit.lower_bound(n) < 0.79 < order_and_limit.upper_bound(n) < 1.7


def test_a_polynomial_that_is_negative_somewhere_is_seen() -> None:
    one, start, end = Fraction(1), Fraction(0), Fraction(1)
    assert order_and_limit.not_negative([one, -4 * one, 5 * one], start, end)
    assert not order_and_limit.not_negative([one, -5 * one, 5 * one], start, end)


@pytest.mark.parametrize(("i", "j"), [(2, 2), (1, 3), (4, 2)])
def test_the_margin_of_filled_is_that_of_the_values(i: int, j: int) -> None:
    """At (2, 2) it is the least that was measured, 0.4552."""
    table = values_by_formula(5, "filled", exact=True)

    def value(needs: int, other: int) -> Fraction:
        if needs == 0 or other == 0:
            return Fraction(1 if needs == 0 else -1)
        result: Fraction = table[5 - needs, 5 - other]
        return result

    both, first, second, neither = (-value(*at) for at in ((j - 1, i - 1), (j, i - 1), (j - 1, i), (j, i)))
    margin = (2 * neither - both - second) / (first - second)
    assert margin >= Fraction(1, 7)
    assert (i, j) != (2, 2) or 0.4552 < margin < 0.4553
