"""docs/comparison.md and what makes its tables: settings that are compared can be run, and tuning is even-handed."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tictactoe import ALGORITHMS, parse_contender, update_rule
from tictactoe.algorithms.measured_run import distinct, parse_contenders
from tictactoe.algorithms.update_rules import FULL_WIDTH_ALGORITHMS

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")


def test_every_rule_is_compared_and_tuned_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    benchmark = importlib.import_module("comparison_parts")
    compared = [
        parse_contender(text) for text in (*benchmark.PUBLISHED, *benchmark.OURS, *benchmark.SAMPLING, *benchmark.LATER)
    ]
    assert {each.rule.name for each in compared} == set(ALGORITHMS)
    assert set(benchmark.SETTINGS) == {name for name in FULL_WIDTH_ALGORITHMS if update_rule(name).parameters} - {
        *benchmark.LATER
    }
    for rule, settings in benchmark.SETTINGS.items():
        contenders = distinct(map(parse_contender, settings))
        assert (len(contenders), {each.rule.name for each in contenders}) == (8, {rule})
        assert rule in [each.label for each in contenders]


def test_the_page_names_rules_that_can_be_run() -> None:
    measured, commands = PAGE.split("## Reproduction")
    named = re.findall(r"^\| `([^`]+)` \|", measured, re.MULTILINE)
    items = re.findall(r"--algorithm '([^']+)'", commands)
    assert len(named) > 30
    assert items
    for text in (*named, *items):
        parse_contenders(text)


def test_the_tables_are_those_of_the_results(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose figures have two digits where they are older than the file."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    tables, nowhere = importlib.import_module("comparison_tables"), Path("nowhere")
    assert tables.worst_runs(nowhere) in PAGE
    made = tables.kinds(nowhere)
    shown = PAGE[PAGE.index(made.splitlines()[0]) :].partition("\n\n")[0]
    ours, theirs = (re.findall(r"[\d.]+e-\d+", text) for text in (made, shown))
    assert [*map(float, theirs)] == pytest.approx([*map(float, ours)], rel=0.1)
    for rule in (*tables.PUBLISHED, *tables.OURS):
        again, before = (tables.by_score(nowhere / part, rule) for part in ("again", f"all/{rule}"))
        assert all(tables.short(tables.middle(again[at])) == tables.short(tables.middle(before[at])) for at in again)


def test_the_tables_of_restarts_are_those_of_the_results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    page = (ROOT / "docs" / "restarts.md").read_text(encoding="utf-8")
    made = importlib.import_module("restarts_tables").tables()
    assert made.count("\n") > 40
    assert made in page


def test_a_run_on_a_variant_ends_after_the_same_seconds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    tables = importlib.import_module("restarts_tables")
    path = tmp_path / "dcfr_1.csv"
    path.write_text(
        "iteration,visits,seconds,nash_conv\n10,20,1.0,0.1\n20,40,1.9,1e-6\n30,60,2.1,1e-5\n40,80,4.0,0.0\n"
    )
    assert [*tables._kept(path, 2.0, False)] == [[20, 40, "1.9", "1e-06"], [30, 60, "2.1", "1e-05"]]
    assert [*tables._kept(path, 1e9, False)] == [[20, 40, "1.9", "1e-06"], [40, 80, "4", "0"]]
    assert tables.most_seconds("match, 2-2", 1) < tables.most_seconds("match, 2-2", 0) == tables.most_seconds("kuhn", 1)


IMPORT_ALL = """
import importlib, pathlib
for path in pathlib.Path().glob("*.py"):
    try:
        importlib.import_module(path.stem)
    except ModuleNotFoundError as error:  # a library that the tests can do without
        if error.name is None or error.name.startswith("tictactoe"):
            raise
"""


def test_benchmarks_find_what_they_import() -> None:
    """In a program of their own, as one of them registers a rule."""
    subprocess.run([sys.executable, "-c", IMPORT_ALL], cwd=ROOT / "benchmarks", check=True)
