"""Exact numbers in the tower of fields: Q, then one root y of a quadratic equation after the other.

A number is a fraction, or low + high * y with numbers low and high of fields further down. high is never 0. As no root
is in the field of those before it (witnesses.py), a number can be written so in one way only: two are equal exactly if
they look the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from equations import LAST_VALUE, Equation, solved

from tictactoe.match.scores import Pair, Score


@dataclass(frozen=True)
class Root:
    """The root of an equation, which is number `level` of the tower, from 1 on."""

    level: int
    equation: Equation


@dataclass(frozen=True)
class Element:
    """low + high * the root."""

    low: Any
    high: Any
    root: Root

    def __neg__(self) -> Element:
        return Element(-self.low, -self.high, self.root)

    def __add__(self, other: Any) -> Any:
        if level(other) > self.root.level:
            return other + self
        if level(other) < self.root.level:
            return Element(self.low + other, self.high, self.root)
        return element(self.low + other.low, self.high + other.high, self.root)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        """leading y^2 = -middle y - last."""
        if level(other) > self.root.level:
            return other * self
        if level(other) < self.root.level:
            return element(self.low * other, self.high * other, self.root)
        leading, middle, last = self.root.equation
        square = self.high * other.high * Fraction(1, leading)
        cross = self.low * other.high + self.high * other.low
        return element(self.low * other.low - square * last, cross - square * middle, self.root)

    __rmul__ = __mul__

    def conjugate(self) -> Any:
        """With the equation's other root in place of the root."""
        leading, middle, _ = self.root.equation
        return Element(self.low - self.high * middle * Fraction(1, leading), -self.high, self.root)


def element(low: Any, high: Any, root: Root) -> Any:
    return low if high == 0 else Element(low, high, root)


def level(number: Any) -> int:
    """Of the last root that the number needs; 0 for fractions."""
    return number.root.level if isinstance(number, Element) else 0


def exact_values(winning_score: int, levels: int) -> tuple[list[Root], dict[Score, Any]]:
    """The first roots of the tower, and the values that they are enough for."""
    roots: list[Root] = []
    every: dict[Score, Any] = {}

    def solve(pair: Pair, its_equation: Equation) -> Element:
        roots.append(Root(len(roots) + 1, its_equation))
        return Element(Fraction(0), Fraction(1), roots[-1])

    for _, (_, _, values) in zip(range(levels), solved(winning_score, LAST_VALUE, solve), strict=False):
        every = values
    return roots, every
