"""benchmarks/first_order.py: both methods come to the equilibria that regret minimization finds."""

import importlib
from pathlib import Path

import pytest

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
