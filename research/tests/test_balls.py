"""Balls: a result's ball contains the exact result."""

from __future__ import annotations

import random
from fractions import Fraction

import balls
import conjugates
import numpy as np
import pytest


def times(one: tuple, two: tuple) -> tuple:
    return one[0] * two[0] - one[1] * two[1], one[0] * two[1] + one[1] * two[0]


def contains(ball, number: tuple) -> bool:
    """In fractions."""
    real, imaginary, radius = (Fraction(int(part), 1 << ball.bits) for part in (ball.real, ball.imaginary, ball.radius))
    return (number[0] - real) ** 2 + (number[1] - imaginary) ** 2 <= radius**2


def test_results_of_operations_are_in_the_balls() -> None:
    """Numbers on the edges of balls with 12 bits, where rounding shows; the radius must be of some use, too."""
    rng = random.Random(0)
    steps = [(3, 4), (-4, 3), (5, 0), (0, -5)]  # of length 5

    def draw(radius: int) -> tuple:
        parts = [rng.choice((-1, 1)) * rng.randrange(5 * radius + 1, 9000) for _ in range(2)]
        step = rng.choice(steps)
        number = tuple(Fraction(5 * part + radius * one, 5 << 12) for part, one in zip(parts, step, strict=True))
        return balls.Ball(*parts, radius, 12), number

    for _ in range(500):
        (a, x), (b, y) = draw(rng.randrange(40)), draw(rng.randrange(40))
        norm = y[0] ** 2 + y[1] ** 2
        assert contains(a + b, (x[0] + y[0], x[1] + y[1]))
        assert contains(7 - a, (7 - x[0], -x[1]))
        assert contains(a * b, times(x, y))
        assert contains(a / b, times(x, (y[0] / norm, -y[1] / norm)))
        assert contains(a / -13, (x[0] / -13, x[1] / -13))
        assert (a * b).radius < 800


@pytest.mark.parametrize("outwards", [1, -1])
def test_no_radius_is_smaller_than_it_must_be(outwards: int) -> None:
    """Where center and error have the same direction (or opposite ones), all errors add up."""
    rng = random.Random(2)

    def draw() -> tuple:
        step, radius = rng.choice([(3, 4), (-4, 3), (5, 0), (0, -5)]), rng.randrange(999)
        length = rng.randrange(radius + 100, 9000)
        number = tuple(Fraction(part * (length + outwards * radius), 1 << 12) for part in step)
        return balls.Ball(*(part * length for part in step), 5 * radius, 12), number

    for _ in range(200):
        (a, x), (b, y) = draw(), draw()
        norm = y[0] ** 2 + y[1] ** 2
        assert contains(a * b, times(x, y))
        assert contains(a / b, times(x, (y[0] / norm, -y[1] / norm)))


def test_square_roots_are_in_the_balls() -> None:
    """For large and small numbers, whose balls have small and large radii."""
    rng = random.Random(3)
    for size in (10**3, 10**4, 10**6):
        for _ in range(200):
            exact = tuple(Fraction(rng.randrange(-size, size), 1 << 12) for _ in range(2))
            parts = [int(part * (1 << 12)) for part in times(exact, exact)]
            if max(map(abs, parts)) > 40:
                root = balls.Ball(*parts, 2, 12).root()
                assert contains(root, exact) or contains(-root, exact)
                assert root.radius < 400


def test_arrays_of_balls_are_balls() -> None:
    parts = [(5 << 400, 0), (-3 << 400, 2 << 400), (-7 << 400, 0), (1 << 390, -1 << 400)]
    many = balls.Ball(*(np.array(one, dtype=object) for one in (*zip(*parts, strict=True), (0, 1, 2, 3))))
    roots = conjugates.as_list((many * many - many / 3).root() / many)
    for (real, imaginary), radius, root in zip(parts, range(4), roots, strict=True):
        one = balls.Ball(real, imaginary, radius)
        alone = (one * one - one / 3).root() / one
        assert (root.real, root.imaginary, root.radius) == (alone.real, alone.imaginary, alone.radius)


def test_what_cannot_be_told_is_said() -> None:
    around_zero = balls.Ball(1, 0, 2)
    for wrong in (around_zero.is_positive, lambda: 1 * around_zero / around_zero, balls.Ball(0, 0, 1).root):
        with pytest.raises(balls.Undecided):
            wrong()
