"""The constants of the paper's theorems on long matches hold, and the checks of them can fail."""

from __future__ import annotations

from fractions import Fraction
from math import erf, exp, log, pi, sqrt

import order_and_limit
import pytest

from tictactoe.formulas.match_values import values_by_formula


def test_all_steps_hold() -> None:
    order_and_limit.check_two_rounds()
    order_and_limit.check_limit()
    assert order_and_limit.check_room() == Fraction(8, 553)
    assert order_and_limit.check_filled() == Fraction(1, 7)
    edges = order_and_limit.check_filled_none()
    assert len(edges) == 29
    assert {case for case, _ in edges} == {"00", "0+", "+0"}
    assert order_and_limit.measured_corrections(20) == (pytest.approx(0.2), (3, 2))


def test_filled_none_is_within_the_claim() -> None:
    """7x + 12y <= 4E at all steps of a match to 9, in fractions."""
    longest = 9
    table = values_by_formula(longest, "filled-none", exact=True)

    def both_seats(i: int, j: int) -> tuple[Fraction, Fraction]:
        if i == 0 or j == 0:
            return (Fraction(1), Fraction(1)) if i == 0 else (Fraction(-1), Fraction(-1))
        return table[longest - i, longest - j], -table[longest - j, longest - i]

    most = Fraction(0)
    for i in range(1, longest + 1):
        for j in range(1, longest + 1):
            for near in {(i - 1, j), (i, j - 1)} - {(0, 0)}:
                (p, q), (p_near, q_near) = both_seats(i, j), both_seats(*near)
                size = abs(p + q - p_near - q_near) / 2
                if size:
                    most = max(most, (7 * (q_near - p_near) + 12 * (q - p)) / size)
    assert 2 < most <= 4


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
    """The score (2, 2) has the least measured margin, 0.4552."""
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


def survival(rounds: int) -> list[float]:
    """P(sigma > k) for k = 0, 1, ..., of the lead D = 1 of a player who moves first."""
    law = {1: 1.0}
    found = [1.0]
    for k in range(rounds):
        up, down = ((2 / 9, 3 / 9), (3 / 9, 2 / 9))[k % 2]
        after: dict[int, float] = {}
        for lead, chance in law.items():
            for step, share in ((1, up), (-1, down), (0, 4 / 9)):
                if lead + step > 0:
                    after[lead + step] = after.get(lead + step, 0.0) + share * chance
        law = after
        found.append(sum(law.values()))
    return found


def test_the_lemma_on_the_walk() -> None:
    """The two bounds of the paper's Lemma 2, beside the exact probabilities."""
    exact = survival(401)
    for m in range(1, 201):
        assert exact[2 * m] <= sqrt(2 / (pi * m)) < 1.5 * exact[2 * m]
        assert 1.5 * 16 / 9 / sqrt(2.5 * pi * (m + 1)) > exact[2 * m + 1] >= 16 / 9 / sqrt(2.5 * pi * (m + 1))


def heat(lead: float, points: float) -> float:
    return erf(lead / sqrt(2 * 88 / 189 * points))


def slope(lead: float, points: float) -> float:
    """g_d."""
    theta = 88 / 189
    return sqrt(2 / (pi * theta * points)) * exp(-lead * lead / (2 * theta * points))


def nine_times(both: float, first: float, second: float, neither: float) -> float:
    assert second < both < first
    assert second < neither < first
    share = (first - neither) / (first - second + both - neither) if both > neither else 0.0
    return (3 - share) * both + 2 * first + 3 * second + (1 + share) * neither


@pytest.mark.parametrize("x", [-2.5, -1.5, -0.5, -0.001, 0.0, 0.001, 0.5, 1.5, 2.5])
@pytest.mark.parametrize("points", [10**5, 10**6])
def test_the_supersolution(x: float, points: int) -> None:
    """What the two equations leave is 10 h g_d to 12 h g_d, where the shift grows by h in a point made; the proof of
    the paper's Proposition 1 says 10 h g_d less what is of the order of (1 + x^2) g_d / m."""
    grows = 40.0
    lead = round(x * sqrt(88 / 189 * points) - grows * log(points))

    def values(d: int, m: int) -> tuple[float, float]:
        at = d + grows * log(m)
        seat = slope(at, m) / 18 + abs(at) / (2 * m) * slope(at, m) / 36
        return heat(at, m) - seat, heat(at, m) + seat

    here, less = values(lead, points), values(lead, points - 2)
    ahead, behind = values(lead + 1, points - 1), values(lead - 1, points - 1)
    left_first = 9 * here[0] - nine_times(less[1], ahead[1], behind[1], here[1])
    left_second = 9 * here[1] + nine_times(-less[0], -behind[0], -ahead[0], -here[0])
    gain = grows / points * slope(lead + grows * log(points), points)
    assert 9.5 * gain < left_first < 12.5 * gain
    assert 9.5 * gain < left_second < 12.5 * gain


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("lead", [-100, -10, -1, 0, 1, 10, 100])
def test_what_the_walk_leaves_near_level_scores(share: float, lead: int) -> None:
    """In the proof of the paper's Theorem 6 it is of the order of (1 + |D|) n^(-3/2), whatever r is."""
    n = 10**6
    m = 2 * n

    def second(d: int, points: int) -> float:
        return heat(d, points) + slope(d, points) / 18

    less, here = second(lead, m - 2), second(lead, m)
    after = (3 - share) * less + 2 * second(lead + 1, m - 1) + 3 * second(lead - 1, m - 1) + (1 + share) * here
    left = after / 9 - (heat(lead, m) - slope(lead, m) / 18)
    assert abs(left) < 0.3 * (1 + abs(lead)) * n**-1.5
    if lead == 100 and share == 1.0:
        assert abs(left) > 0.03 * lead * n**-1.5
