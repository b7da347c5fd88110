"""The conjugates of all values, in ball arithmetic, and the proof that they are different.

Every square root gets an axis of length 2, its two signs; a value is an array of balls, of length 2 along the axes of
the roots that it depends on and of length 1 along the others.

As every root doubles the field before it (witnesses.py), the homomorphisms from the field of all roots to the complex
numbers are the choices of signs: once the roots before are sent somewhere, the next one can be sent to either root of
what its equation becomes. A value generates the field of its roots exactly if all homomorphisms of that field send it
to different numbers; the value's degree is then the degree of the field.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from balls import BITS, Ball, Undecided
from equations import LAST_VALUE, Equation, pairs_with_roots, solved

from tictactoe.match.scores import Pair, Score


def conjugates(winning_score: int) -> dict[Score, Ball]:
    """By score all conjugates; index 0 of every axis is the root that belongs to the value itself, the larger one."""
    pairs = pairs_with_roots(winning_score)

    def solve(pair: Pair, its_equation: Equation) -> Ball:
        signs = np.array([1, -1], dtype=object).reshape([2 if other == pair else 1 for other in pairs])
        solution: Ball = (its_equation.discriminant.root() * signs - its_equation.middle) / (2 * its_equation.leading)
        return solution

    every: dict[Score, Ball] = {}
    for _, _, values in solved(winning_score, Ball.of(LAST_VALUE), solve):
        every = values
    return every


def as_list(many: Ball) -> list[Ball]:
    parts = np.broadcast_arrays(*(np.asarray(part, dtype=object) for part in (many.real, many.imaginary, many.radius)))
    return [Ball(*one) for one in zip(*(part.ravel().tolist() for part in parts), strict=True)]


def number_of(many: Ball) -> int:
    return len(as_list(many))


def number_not_real(many: Ball) -> int:
    """The number of conjugates that are certainly not real: their balls do not meet the real line."""
    return sum(abs(ball.imaginary) > ball.radius for ball in as_list(many))


def least_distance(many: Ball) -> Fraction:
    """A lower bound of the distance of any two; Undecided unless it is positive.

    The balls are sorted by real part. Each ball is compared with later balls until the difference of the real parts
    reaches the least distance so far: all further balls are at least that far away.
    """
    balls = sorted(as_list(many), key=lambda ball: ball.real)
    largest = max(ball.radius for ball in balls)
    least = (balls[0] - balls[1]).modulus()[0]
    for number, one in enumerate(balls):
        for other in balls[number + 1 :]:
            if other.real - one.real - 2 * largest >= least:
                break
            least = min(least, (one - other).modulus()[0] - one.radius - other.radius)
    if least <= 0:
        raise Undecided("two conjugates that may be the same")
    return Fraction(least, 1 << BITS)
