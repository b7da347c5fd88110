"""benchmarks/first_order.py: both methods come to the equilibria that regret minimization finds; how many there are."""

import importlib
from pathlib import Path

import pytest

from tictactoe import CFRSolver, update_rule
from tictactoe.algorithms.one_program import equilibrium
from tictactoe.games.named_games import named_game

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.parametrize(
    ("name", "arguments", "iterations", "least"), [("PDLP", (), 3000, 1e-10), ("Optimistic", (10.0,), 3000, 1e-3)]
)
def test_they_converge(
    name: str, arguments: tuple[float, ...], iterations: int, least: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("scipy")
    monkeypatch.syspath_prepend(FOLDER)
    method = getattr(importlib.import_module("first_order"), name)(named_game("kuhn").build(), *arguments)
    method.run(10)
    early = method.nash_conv()
    method.run(iterations)
    assert method.nash_conv() < min(least, early)


def test_the_equilibria_of_kuhn_poker(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line for the first player, of which the simplex method finds an end; a point for the second."""
    pytest.importorskip("scipy")
    monkeypatch.syspath_prepend(FOLDER)
    first_order, game = importlib.import_module("first_order"), named_game("kuhn").build()
    solver = CFRSolver(game, update_rule("rdcfr"))
    solver.run(2_000)
    dimensions, least = first_order.condition(game, first_order.plans_of(game, solver.average_strategy()))
    assert dimensions == (1, 0)
    assert 0.2 < least < 0.3
    assert first_order.condition(game, first_order.plans_of(game, equilibrium(game).strategy))[0] == (0, 0)
