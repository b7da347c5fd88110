"""Complex numbers known up to an error that is proved: balls, on Python's integers alone.

A ball is a center and a radius, multiples of 2^-bits: all complex numbers that are no farther from the center.
The result of an operation contains the results for all numbers in the operands. A ball stands for one number, or, with
arrays of integers (dtype object) in its fields, for many; arrays are broadcast as numpy does.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor, isqrt
from typing import Any

import numpy as np

BITS = 400
"""About 120 decimals."""
ROUNDING = 2
"""More than the error of a center both of whose parts are rounded down."""
_floor_root: Any = np.frompyfunc(isqrt, 1, 1)


class Undecided(Exception):
    """The balls are too large to tell."""


@dataclass(frozen=True, eq=False)
class Ball:
    """In units of 2^-bits, all of them integers or arrays of integers. Operands must have the same bits."""

    __array_ufunc__ = None  # array * Ball is for Ball to do

    real: Any
    imaginary: Any
    radius: Any
    bits: int = BITS

    @classmethod
    def of(cls, number: Fraction | int, bits: int = BITS) -> Ball:
        """Around a fraction."""
        scaled = Fraction(number) * (1 << bits)
        return cls(floor(scaled), 0, 0 if scaled == floor(scaled) else 1, bits)

    def __neg__(self) -> Ball:
        return Ball(-self.real, -self.imaginary, self.radius, self.bits)

    def __add__(self, other: Any) -> Ball:
        if not isinstance(other, Ball):  # an integer: exact
            return Ball(self.real + (other << self.bits), self.imaginary, self.radius, self.bits)
        parts = (self.real + other.real, self.imaginary + other.imaginary, self.radius + other.radius)
        return Ball(*parts, self.bits)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Ball:
        difference: Ball = self + -other
        return difference

    def __rsub__(self, other: Any) -> Ball:
        difference: Ball = -self + other
        return difference

    def __mul__(self, other: Any) -> Ball:
        if not isinstance(other, Ball):  # an integer: exact
            return Ball(self.real * other, self.imaginary * other, self.radius * abs(other), self.bits)
        real = self.real * other.real - self.imaginary * other.imaginary
        imaginary = self.real * other.imaginary + self.imaginary * other.real
        radius = self.modulus()[1] * other.radius + (other.modulus()[1] + other.radius) * self.radius
        bits = self.bits
        return Ball(real >> bits, imaginary >> bits, (radius >> bits) + 1 + ROUNDING, bits)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Ball:
        """By an integer but 0, or by a ball without 0 (Undecided otherwise)."""
        if isinstance(other, Ball):
            return self * other._inverse()
        return Ball(self.real // other, self.imaginary // other, self.radius // abs(other) + 1 + ROUNDING, self.bits)

    def _inverse(self) -> Ball:
        """|1/z - 1/c| = |z - c| / (|z| |c|), and |z| is at least |c| - radius."""
        low = self.modulus()[0]
        if np.any(low <= self.radius):
            raise Undecided("a division by a ball that may contain 0")
        square = self.real * self.real + self.imaginary * self.imaginary
        twice = 2 * self.bits
        radius = (self.radius << twice) // (low * (low - self.radius)) + 1 + ROUNDING
        return Ball((self.real << twice) // square, -(self.imaginary << twice) // square, radius, self.bits)

    def modulus(self) -> tuple[Any, Any]:
        """Of the center, rounded down and rounded up."""
        below = _floor_root(self.real * self.real + self.imaginary * self.imaginary)
        return below, below + 1

    def root(self) -> Ball:
        """Of every number z of the ball the result contains one square root, and its negative the other one.

        Take any w but 0, and of the two roots s of z one with Re(s / w) >= 0. Then |s + w| >= |w|, so
        |s - w| = |z - w^2| / |s + w| <= (radius + |center - w^2|) / |w|. For a positive z the result contains the
        positive root, because w is positive. How w is found does not matter: the radius says how good it is.
        """
        part = _floor_root((self.modulus()[0] + abs(self.real)) << (self.bits - 1))
        if np.any(part == 0):
            raise Undecided("the square root of a ball around 0")
        other = (self.imaginary << (self.bits - 1)) // part
        right = (self.real >= 0) * 1  # otherwise `part` is the imaginary part; -w would do, too
        center = Ball(right * part + (1 - right) * other, right * other + (1 - right) * part, 0, self.bits)
        miss = self - center * center
        radius = ((miss.modulus()[1] + miss.radius) << self.bits) // center.modulus()[0] + 1
        return Ball(center.real, center.imaginary, radius, self.bits)

    def is_positive(self) -> bool:
        """Whether the ball, a single one around a real number, has only positive numbers. Undecided if it has 0."""
        if abs(self.real) <= self.radius:
            raise Undecided("a sign that cannot be told")
        return bool(self.real > 0)

    def enclosed(self) -> tuple[Fraction, Fraction]:
        """For one ball: the real part of the center, and the radius."""
        return Fraction(int(self.real), 1 << self.bits), Fraction(int(self.radius), 1 << self.bits)
