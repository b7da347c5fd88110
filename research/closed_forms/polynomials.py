"""Minimal polynomials by norms, and values written with square roots.

A polynomial is its coefficients, the constant one first.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import count
from math import lcm
from typing import Any, NamedTuple

from field import Element, Root, level


def minimal_polynomial(value: Any) -> list[int]:
    """With integer coefficients without a common divisor, the leading one positive; the number is a root of it.

    X - value is multiplied by its conjugate over the field below, the product by its own, and so on, until no root is
    left in the coefficients, and in the end by their common denominator. The degree is 2 to the number of those roots.
    If that of the value is no less (conjugates.py), this is the minimal polynomial, and irreducible.
    """
    polynomial = [-value, Fraction(1)]
    while top := max(map(level, polynomial)):
        other = [one.conjugate() if level(one) == top else one for one in polynomial]
        polynomial = product(polynomial, other)
    denominator = lcm(*(one.denominator for one in polynomial))
    return [int(one * denominator) for one in polynomial]


def product(one: Sequence[Any], two: Sequence[Any]) -> list[Any]:
    result: list[Any] = [Fraction(0)] * (len(one) + len(two) - 1)
    for i, a in enumerate(one):
        for j, b in enumerate(two):
            result[i + j] += a * b
    return result


def at(polynomial: Sequence[int], number: Any) -> Any:
    result = polynomial[-1] * number
    for coefficient in reversed(polynomial[1:-1]):
        result = (result + coefficient) * number
    return result + polynomial[0]


def in_words(polynomial: Sequence[int]) -> str:
    terms = [(coefficient, degree) for degree, coefficient in enumerate(polynomial) if coefficient]
    powers = {0: "", 1: " x"}
    return " ".join(
        f"{'-' if coefficient < 0 else '+'} {abs(coefficient)}{powers.get(degree, f' x^{degree}')}"
        for coefficient, degree in reversed(terms)
    ).removeprefix("+ ")


class Radical(NamedTuple):
    """(rational + by_root sqrt(m) + sqrt(under_rational + under_root sqrt(m))) / denominator, in integers.

    The last root is 0 for a number of the first field, and positive.
    """

    square_free: int
    rational: int
    by_root: int
    under_rational: int
    under_root: int
    denominator: int

    def __str__(self) -> str:
        inner = f"sqrt({self.square_free})"
        outer = f" + sqrt({self.under_rational} {self.under_root:+} {inner})" if self.under_rational else ""
        return f"({self.rational} {self.by_root:+} {inner}{outer})/{self.denominator}"


def radical(value: Element, first: Root) -> Radical:
    """Of a number of the first field, or of the root of an equation over it; roots are the larger ones.

    A root is (-middle + sqrt(discriminant)) / (2 * leading) then.
    """
    its_equation, under = value.root.equation, (Fraction(0), Fraction(0))
    if value.root == first:
        rational, by_root = parts(value, first)
    else:
        half = Fraction(1, 2 * its_equation.leading)
        rational, by_root = parts(-its_equation.middle * half, first)
        under = parts(its_equation.discriminant * half * half, first)
    least = lcm(rational.denominator, by_root.denominator)
    denominator = next(d for d in count(least, least) if all((one * d * d).denominator == 1 for one in under))
    outside = (int(rational * denominator), int(by_root * denominator))
    inside = (int(under[0] * denominator**2), int(under[1] * denominator**2))
    return Radical(square_free_part(first)[0], *outside, *inside, denominator)


def parts(number: Any, first: Root) -> tuple[Fraction, Fraction]:
    """The rational part of a number of the first field, and what sqrt(m) is multiplied by."""
    if level(number) == 0:
        return number, Fraction(0)
    leading, middle, _ = first.equation
    half = number.high * Fraction(1, 2 * leading)
    return number.low - half * middle, half * square_free_part(first)[1]


def square_free_part(first: Root) -> tuple[int, Fraction]:
    """m without square divisors and a fraction f: the discriminant of the first equation is f^2 m."""
    discriminant = first.equation.discriminant
    whole, square = discriminant.numerator * discriminant.denominator, 1
    divisor = 2
    while divisor * divisor <= whole:
        while whole % (divisor * divisor) == 0:
            whole //= divisor * divisor
            square *= divisor
        divisor += 1
    return whole, Fraction(square, discriminant.denominator)
