"""Best responses in exact arithmetic, and their values as polynomials in b and n."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from plans import EVERYBODY, Number, Plan, Reach, Round, outcomes, to_adversary

from tictactoe.games.rules import Goal


def best_response(
    game: Round,
    seat: int,
    plan: Plan,
    leaf: Callable[[int, Reach], list[Number]],
    best: Callable[[Iterator[Number]], Number],
) -> list[Number]:
    """By the adversary's goal, what a best response to `seat` gets, times 9; best: the largest of some numbers."""

    def values(node: int, reach: Reach) -> list[Any]:
        if game.outcome[node] >= 0:
            return leaf(game.outcome[node], reach)
        if game.owner[node] != seat:
            return [best(iter(column)) for column in zip(*(values(c, reach) for c in game.children[node]), strict=True)]
        parts = []
        for child in game.children[node]:
            below = tuple(
                frozenset(one for one in plans if plan[node, goal, one] == child) for goal, plans in enumerate(reach)
            )
            if any(below):
                parts.append(values(child, below))
        return [sum(column[1:], column[0]) for column in zip(*parts, strict=True)]

    return values(0, EVERYBODY)


def best_response_to_array(
    game: Round, seat: int, strategy: NDArray[np.float64], payoffs: Sequence[Fraction], scale: int = 1
) -> Fraction:
    """The value of a best response to `seat`, in exact arithmetic: a float stands for exactly its fraction.

    scale: what the probabilities of a strategy sum to.
    """
    gains = to_adversary(game.tree.rules, seat, payoffs)

    def values(node: int, reach: list[Fraction]) -> list[Fraction]:
        if (outcome := game.outcome[node]) >= 0:
            return [sum((reach[own] * gains[outcome][own][other] for own in Goal), Fraction(0)) for other in Goal]
        if game.owner[node] != seat:
            return list(map(max, zip(*(values(child, reach) for child in game.children[node]), strict=True)))
        rows = [[Fraction(one) / scale for one in strategy[child].tolist()] for child in game.children[node]]
        if any(reach[goal] and sum(row[goal] for row in rows) != 1 for goal in Goal):
            raise SystemExit(f"{game.name(node)}: probabilities that do not sum to 1")
        total = [Fraction(0)] * 3
        for child, row in zip(game.children[node], rows, strict=True):
            below = [there * probability for there, probability in zip(reach, row, strict=True)]
            if any(below):
                total = [one + more for one, more in zip(total, values(child, below), strict=True)]
        return total

    return sum(values(0, [Fraction(1)] * 3), Fraction(0)) / 9


class Polynomial(NamedTuple):
    """In b and n, of degree 2 at most: the coefficients of 1, b, n, bb, bn, nn."""

    coefficients: tuple[int, ...]

    def __add__(self, other: Any) -> Polynomial:
        return Polynomial(tuple(one + two for one, two in zip(self.coefficients, other.coefficients, strict=True)))

    def __rmul__(self, number: Any) -> Polynomial:
        return Polynomial(tuple(number * one for one in self.coefficients))

    def __mul__(self, other: Any) -> Polynomial:
        """The product of two linear ones."""
        (a, b, n, *_), (c, d, m, *_) = self.coefficients, other.coefficients
        return Polynomial((a * c, a * d + b * c, a * m + n * c, b * d, b * m + n * d, n * m))

    def at_b(self, b: int) -> Polynomial:
        """The same with b known."""
        one, by_b, by_n, by_bb, by_bn, by_nn = self.coefficients
        return Polynomial((one + b * by_b + b * b * by_bb, 0, by_n + b * by_bn, 0, 0, by_nn))

    def at(self, b: Fraction, n: Fraction) -> Fraction:
        powers = (Fraction(1), b, n, b * b, b * n, n * n)
        return sum((one * power for one, power in zip(self.coefficients, powers, strict=True)), Fraction(0))


def linear(one: int, b: int, n: int) -> Polynomial:
    return Polynomial((one, b, n, 0, 0, 0))


PAYOFFS = (linear(0, 1, 0), linear(1, 0, 0), linear(-1, 0, 0), linear(0, 0, 1))
WEIGHTS = {"A": linear(1, 0, -1), "B": linear(0, 1, -1), "C": linear(1, 0, 1)}
"""Of the plans, times TOTAL."""
TOTAL = linear(2, 1, -1)
NINE_VALUES = {"pure": linear(-1, 3, 1) * TOTAL, "mixed": linear(-1, 3, 1) * TOTAL + -1 * (WEIGHTS["B"] * WEIGHTS["A"])}
"""9 times the value of the round to the first mover, times TOTAL."""
DECIDED = Fraction(1, 10**30)
LARGEST = 10**19
"""Of the sums of absolute coefficients. As |b| and |n| are at most 1, both known within 1e-50, a polynomial is known
within 2.1e-50 times this sum, which is less than DECIDED."""


def check_at(game: Round, plan: Plan, name: str, b: Fraction, n: Fraction, known_b: int | None) -> None:
    """Check that the strategy is optimal for both seats where b and n are within 1e-50 of the given ones.

    name: of the formula for the value. known_b: b when it is exactly 1 or -1. SystemExit when the strategy is not
    optimal or cannot be seen to be.
    """

    def simplified(one: Polynomial) -> Polynomial:
        return one if known_b is None else one.at_b(known_b)

    def best(numbers: Iterator[Polynomial]) -> Polynomial:
        largest = next(numbers)
        for one in numbers:
            difference = one + -1 * largest
            number = difference.at(b, n)
            if sum(map(abs, difference.coefficients)) > LARGEST:
                raise SystemExit("coefficients that are too large")
            if any(difference.coefficients) and abs(number) < DECIDED:
                raise SystemExit("a comparison that cannot be decided")
            if number > 0:
                largest = one
        return largest

    for seat in (0, 1):
        gains = to_adversary(game.tree.rules, seat, PAYOFFS)
        table = {
            (end, own, other, plan): simplified(gains[end][own][other] * WEIGHTS[plan])
            for end in outcomes(game.tree.rules)
            for own in Goal
            for other in Goal
            for plan in "ABC"
        }
        zero = linear(0, 0, 0)

        def leaf(outcome: int, reach: Reach, table: Any = table, zero: Polynomial = zero) -> list[Polynomial]:
            return [
                sum((table[outcome, own, other, plan] for own in Goal for plan in reach[own]), zero) for other in Goal
            ]

        total = sum(best_response(game, seat, plan, leaf, best), zero)
        if total != simplified((-1 if seat == 0 else 1) * NINE_VALUES[name]):
            raise SystemExit(f"seat {seat}: the adversary gains something at b = {float(b)}, n = {float(n)}")
