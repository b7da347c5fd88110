"""The bound for strategies that toss coins holds whatever the linear program says, and is as good as the program."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import achievable
import fewest_moves_mixed
import numpy as np
import plans
import pytest

NODE = "513"  # a departure of the first mover, small enough


@pytest.fixture(name="program", scope="module")
def _program() -> tuple[Any, int]:
    """That of the departure, and its last row: what the first mover's goals get there together."""
    mixed = fewest_moves_mixed
    game = plans.Round()
    program = mixed.Support(game, 1, mixed.ROUND[0], game.find(NODE))
    return program, program.row(-np.inf, -1.0, mixed.together(program.top))


def pure_minimum(game: Any) -> int:
    rows = achievable.Search(game, 1, fewest_moves_mixed.ROUND).rows(game.find(NODE), 7)
    return int(rows[rows[:, :3].sum(axis=1) <= -1][:, -1].min())


def test_the_bound_is_exact_and_as_good_as_the_program(program: tuple[Any, int]) -> None:
    support, optimal = program
    highs = support.model()
    highs.run()
    value = highs.getInfo().objective_function_value
    bound = fewest_moves_mixed.exact_bound(support, list(highs.getSolution().row_dual), optimal, Fraction(-1))
    assert isinstance(bound, Fraction)
    assert float(bound) == pytest.approx(value, abs=1e-6)
    assert 10 < bound <= pure_minimum(support.game)


def test_nonsense_proves_less(program: tuple[Any, int]) -> None:
    """Whatever comes from the dual program, the bound is one."""
    support, optimal = program
    most = pure_minimum(support.game)
    rng = np.random.default_rng(1)
    for scale in (0.0, 0.1, 1.0, 10.0):
        dual = list(scale * rng.normal(size=len(support.rows)))
        assert fewest_moves_mixed.exact_bound(support, dual, optimal, Fraction(-1)) < most
