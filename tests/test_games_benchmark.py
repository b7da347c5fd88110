"""benchmarks/games.py compares like with like: its contenders run the same algorithm on the same game."""

import importlib
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspiel", reason="open_spiel is not installed: pip install '.[openspiel]'")


def test_the_same_algorithm_in_every_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[1] / "benchmarks")
    games: Any = importlib.import_module("games")
    monkeypatch.setitem(games.ITERATIONS, "kuhn_poker", 30)
    monkeypatch.setattr(games, "LEAST_SECONDS", 1e-9)
    figures = [each for each in games.measure(["kuhn_poker"], 2, 0.0) if each.library != "LiteEFG"]
    assert [each.algorithm for each in figures] == ["cfr", "cfr+", games.FASTEST_RULE, "cfr", "cfr+", "cfr", "cfr+"]
    for algorithm in ("cfr", "cfr+"):
        ours, *theirs = [each.nash_conv for each in figures if each.algorithm == algorithm]
        assert theirs == pytest.approx([ours, ours], rel=1e-9)
    assert all(len(each.microseconds) == 2 and min(each.microseconds) > 0.0 for each in figures)
    assert [set(each.reached) for each in figures] == [{"0.001", "1e-06"}] * 7
    assert len(games.table(figures)) == 3 + len(figures)
