"""docs/comparison.md and what makes its tables: settings that are compared can be run, and tuning is even-handed."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest

from tictactoe.algorithms.cfr.update_rules import ALGORITHMS, update_rule
from tictactoe.algorithms.comparing.contenders import distinct, parse_contender, parse_contenders

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("comparison_parts")


def test_every_rule_is_compared(benchmark: ModuleType) -> None:
    compared = [parse_contender(text) for text in (*benchmark.PUBLISHED, *benchmark.OURS, *benchmark.SAMPLING)]
    assert {each.rule.algorithm for each in compared} == set(ALGORITHMS)


def test_the_same_budget_of_tuning_for_every_rule_with_parameters(benchmark: ModuleType) -> None:
    """Eight different settings, with what is published among them."""
    assert set(benchmark.SETTINGS) == {name for name in ALGORITHMS if update_rule(name).parameters} - {"es-mccfr"}
    for rule, settings in benchmark.SETTINGS.items():
        contenders = distinct(map(parse_contender, settings))
        assert (len(contenders), {each.rule.algorithm for each in contenders}) == (8, {rule})
        assert rule in [each.label for each in contenders]


def test_the_page_names_rules_that_can_be_run() -> None:
    """In its tables, and in its commands."""
    measured, commands = PAGE.split("## How to make it again")
    named = re.findall(r"^\| `([^`]+)` \|", measured, re.MULTILINE)
    assert len(named) > 30
    for text in named:
        parse_contender(text)
    items = re.findall(r"--algorithm '([^']+)'", commands)
    assert items
    for text in items:
        parse_contenders(text)
