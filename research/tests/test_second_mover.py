"""Moving second is better at every score: the induction's step in fractions, and what it says of real matches."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import second_mover

from tictactoe.formulas.match_values import values_by_formula

POINTS = 25
NEEDED = [(i, j) for i in range(1, POINTS + 1) for j in range(1, POINTS + 1)]


@pytest.fixture(scope="module")
def values() -> np.ndarray:
    """p(i, j) by the points needed, with the ended matches."""
    table = np.full((POINTS + 1, POINTS + 1), 1.0)
    table[:, 0] = -1.0
    table[1:, 1:] = values_by_formula(POINTS)[::-1, ::-1]
    return table


def steps_of(values: np.ndarray) -> list[tuple[float, float]]:
    """(delta nearer, delta farther) for a difference of 1, as long as floats can tell."""
    s, delta = (values - values.T) / 2, -(values + values.T)
    pairs = [((i - 1, j), (i, j)) for i, j in NEEDED] + [((i, j - 1), (i, j)) for i, j in NEEDED]
    with_sizes = [(delta[near], abs(s[near] - s[far]), delta[far]) for near, far in pairs]
    return [(x / size, y / size) for x, size, y in with_sizes if size > 1e-8]


def test_the_step_of_the_induction() -> None:
    assert 0.01 < second_mover.check_induction() < 0.02


def test_a_smaller_triangle_does_not_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps lead out of it: the check can fail."""
    smaller = [(x / 2, y / 2) for x, y in second_mover.TRIANGLE]
    found = second_mover.follow(smaller, Fraction(0), Fraction(1)).steps
    assert max(3 * x + 5 * y for x, y in found) > 1


def test_a_block_is_solved_as_the_formula_says() -> None:
    block = second_mover.Block(*map(Fraction, ("1/10", "1", "1/20", "2/3", "1/30")))
    p, q = block.solved(Fraction(1, 3), Fraction(1, 4))
    both, first, second = block.both / 2, block.gain + block.gained / 2, block.lost / 2 - block.loss
    assert 9 * p == 3 * both + 2 * first + 3 * second + q - Fraction(1, 3) * (both - q)
    twin_both, twin_first, twin_second = -both, second - block.lost, first - block.gained
    assert 9 * q == 3 * twin_both + 2 * twin_first + 3 * twin_second + p + Fraction(1, 4) * (p - twin_both)


def test_a_correction_can_undo_the_other_one() -> None:
    """Without corrections both sides would need one (b > n). The twin's correction alone makes b < n, so the other side
    needs none. The bounds must hold for the resulting point, too: it lies in the hull that follows from the corners of
    a triangle of steps."""
    corners = [tuple(map(Fraction, corner)) for corner in (("0", "1/10"), ("1/5", "1/20"), ("1/3", "1/10"))]
    block = second_mover.Block(*map(Fraction, ("1", "429/100", "41/100", "323/100", "323/1000")))
    least, most = Fraction(2, 5), Fraction(1, 2)
    p, q = block.solved(Fraction(0), most)
    assert min(block.leads(), block.twin_leads()) > 0
    assert min(q - block.both / 2, p + block.both / 2) > 0
    first, second = block.gain + block.gained / 2, block.lost / 2 - block.loss
    middle, half = (first + second) / 2, (first - second) / 2
    around = second_mover.hull(second_mover.follow(corners, least, most).less)
    point = ((block.both / 2 - middle) / half, (q - middle) / half)
    sides = zip(around, [*around[1:], around[0]], strict=True)
    assert min(second_mover.turn(a, b, point) for a, b in sides) >= 0


def test_real_matches_are_within_the_bounds(values: np.ndarray) -> None:
    bounds = second_mover.narrow(2)
    assert len(bounds.steps) < 12
    real = outcome_values_of(values)
    more, less = [(b, n) for b, n in real if b > n], [(b, n) for b, n in real if b <= n]
    for points, inside in ((bounds.steps, steps_of(values)), (bounds.more, more), (bounds.less, less)):
        around = second_mover.hull(points)
        assert len(inside) > 80
        for point in inside:
            sides = zip(around, [*around[1:], around[0]], strict=True)
            assert min(second_mover.turn(a, b, point) for a, b in sides) > -1e-7
    shares = [(1 - n) / (2 + b - n) for b, n in more]
    assert Fraction(1, 5) < bounds.least_share < min(shares) < max(shares) < bounds.most_share < Fraction(6, 10)


def outcome_values_of(values: np.ndarray) -> list[tuple[float, float]]:
    found = []
    for i, j in NEEDED[1:]:
        both, first, second, neither = -values[j - 1, i - 1], -values[j, i - 1], -values[j - 1, i], -values[j, i]
        if first - second > 1e-8:
            middle, half = (first + second) / 2, (first - second) / 2
            found.append(((both - middle) / half, (neither - middle) / half))
    return found


def test_the_second_mover_is_better_off_also_where_a_lead_is_large() -> None:
    seen = second_mover.measured(60)
    assert seen.scores == 60 * 60 - 1
    assert 0.04 < seen.least < seen.most < 0.08
    assert seen.other_signs == 0
