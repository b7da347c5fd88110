"""Three plans are optimal wherever b >= n: the proof is held to best responses at points, and fails when it has to."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import half_square
import plans
import pytest
import responses
import tables

from tictactoe.games.rules import Seat

POINTS = [(Fraction(b, 4), Fraction(n, 4)) for b, n in ((4, 4), (4, -4), (-4, -4), (3, 2), (0, -1), (4, 1), (-2, -3))]


@pytest.fixture(name="game", scope="module")
def _game() -> Any:
    return plans.Round()


def at_points(game: Any, seat: Seat, plan: Any) -> list[list[Fraction]]:
    """What best responses get at POINTS, in fractions, times 2 + b - n."""
    result = []
    for b, n in POINTS:
        point = plans.Point(game.tree.rules, b, n)

        def leaf(outcome: int, reach: Any, point: Any = point) -> list[Fraction]:
            return point.leaf(seat, outcome, reach)

        gains = responses.best_response(game, seat, plan, leaf, max)
        result.append([(2 + b - n) * gain for gain in gains])
    return result


@pytest.mark.parametrize("seat", Seat)
def test_the_tables_are_optimal_in_the_whole_half(game: Any, seat: Seat) -> None:
    plan = tables.shipped_plan(game, "three-in-a-row-three-plans")
    assert half_square.is_optimal(game, seat, plan)
    value = responses.NINE_VALUES["mixed"]
    assert [sum(gains) for gains in at_points(game, seat, plan)] == [
        (-1 if seat == Seat.FIRST else 1) * value.at(*point) for point in POINTS
    ]


@pytest.mark.parametrize("seat", Seat)
def test_any_plan_gets_what_the_polynomials_say(game: Any, seat: Seat) -> None:
    """Also for mixed-up plans, which are not optimal: no polynomial is dropped that is the largest at some point."""
    plan = tables.shipped_plan(game, "three-in-a-row-three-plans")
    following = {"A": "B", "B": "C", "C": "A"}
    wrong = {(node, goal, following[one]): child for (node, goal, one), child in plan.items()}
    assert not half_square.is_optimal(game, seat, wrong)
    found = half_square.best_responses(game, seat, wrong)
    assert at_points(game, seat, wrong) == [[max(one.at(b, n) for one in some) for some in found] for b, n in POINTS]


def test_bernstein() -> None:
    """Of the squares and products of the triangle's coordinates, whose coefficients are 1 and 1/2 in one place each."""
    linear = responses.linear
    coordinates = [linear(1, -1, 0), linear(0, 1, -1), linear(1, 0, 1)]  # times 2
    for at, one in enumerate(coordinates):
        assert half_square.bernstein(one * one) == [8 if at == place else 0 for place in range(6)]
    for place, (left, right) in enumerate(((0, 1), (0, 2), (1, 2)), 3):
        product = coordinates[left] * coordinates[right]
        assert half_square.bernstein(product) == [4 if at == place else 0 for at in range(6)]
