"""A prime for every square root: it proves that the root is in no field that the roots before it generate.

Let K be such a field and d the discriminant of the next equation, a number in K. Suppose that there is a homomorphism
from K to the p-adic numbers, that it sends d to a p-adic integer, and that this integer is no square modulo p. Then d
is no square in K: its root would be sent to a root of the integer, a p-adic integer itself, whose residue would be a
root of the residue.

A witness is an odd prime p with a residue for each root before. It stands for such a homomorphism, by Hensel's lemma,
one equation after the other: where the residue y satisfies the equation modulo p and 2 * leading * y + middle, the
derivative, is not 0 there, exactly one p-adic integer with this residue satisfies the equation itself, and the
homomorphism goes on to the next field by sending the root there. (It may be sent to either root of the equation, as
that is irreducible: the root's own witness says so.) The square of the derivative is the discriminant. If that is 0
modulo p, the residue does not tell whether there is a root at all: of the p-adic integers that are 0 modulo p some are
squares, and some are not.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any, NamedTuple

from equations import LAST_VALUE, Equation, equation, pairs_with_roots, values_of

from tictactoe.match.scores import Pair, Score

DENOMINATORS = (2, 11, 13, 79)
"""What is divided by: twice the leading coefficients, and 13 in the value of the last score."""


class Witness(NamedTuple):
    """Of the square root number len(residues)."""

    prime: int
    residues: tuple[int, ...]
    """Of the values of the last scores of all pairs before, in solve order."""


def is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))


def find_witnesses(winning_score: int) -> list[Witness]:
    """For every root the least prime with a witness."""
    pairs = pairs_with_roots(winning_score)
    found: dict[int, Witness] = {}
    for prime in filter(is_prime, count(3)):
        if prime not in DENOMINATORS:
            for witness in witnesses_modulo(prime, pairs, winning_score):
                found.setdefault(len(witness.residues), witness)
        if len(found) == len(pairs):
            return [found[number] for number in range(len(pairs))]
    raise AssertionError("there is always another prime")


def witnesses_modulo(prime: int, pairs: list[Pair], winning_score: int) -> Iterator[Witness]:
    """All of them: every choice of roots modulo the prime is followed until a discriminant is no square, or 0."""
    roots: dict[int, list[int]] = {}
    for root in range(1, prime):
        roots.setdefault(root * root % prime, []).append(root)

    def follow(residues: tuple[int, ...], values: dict[Score, Any]) -> Iterator[Witness]:
        if len(residues) == len(pairs):
            return
        pair = pairs[len(residues)]
        its_equation = equation(pair, values, winning_score)
        discriminant = its_equation.discriminant % prime
        for root in roots.get(discriminant, []):
            y = (root - its_equation.middle) * pow(2 * its_equation.leading, -1, prime) % prime
            yield from follow((*residues, y), values | reduced(values_of(pair, y, values, winning_score), prime))
        if discriminant and discriminant not in roots:
            yield Witness(prime, residues)

    yield from follow((), last_value_modulo(prime, winning_score))


def last_value_modulo(prime: int, winning_score: int) -> dict[Score, Any]:
    residue = LAST_VALUE.numerator * pow(LAST_VALUE.denominator, -1, prime) % prime
    return {Score(winning_score - 1, winning_score - 1): residue}


def reduced(values: dict[Score, Any], prime: int) -> dict[Score, Any]:
    return {score: value % prime for score, value in values.items()}


def proves(witness: Witness, winning_score: int) -> bool:
    """Whether the witness is one, checked without the search: Hensel's lemma, then Euler's criterion."""
    prime, residues = witness
    if not is_prime(prime) or prime in DENOMINATORS:
        return False
    pairs = pairs_with_roots(winning_score)
    values = last_value_modulo(prime, winning_score)
    for pair, y in zip(pairs, residues, strict=False):
        its_equation = equation(pair, values, winning_score)
        if its_equation.at(y) % prime or not derivative(its_equation, y) % prime:
            return False
        values |= reduced(values_of(pair, y, values, winning_score), prime)
    discriminant = equation(pairs[len(residues)], values, winning_score).discriminant
    return bool(pow(discriminant % prime, (prime - 1) // 2, prime) == prime - 1)


def derivative(its_equation: Equation, y: int) -> Any:
    return 2 * its_equation.leading * y + its_equation.middle
