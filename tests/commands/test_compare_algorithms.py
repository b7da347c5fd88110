"""compare-algorithms: its table, files and JSON, budgets, what it refuses, and what is left when it is stopped."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.programs import call, complaint, contents
from tictactoe.tools import compare_algorithms as tool

from tictactoe.algorithms import convergence
from tictactoe.algorithms.convergence import Measurement, Run, Unit
from tictactoe.algorithms.update_rules import ALGORITHMS
from tictactoe.errors import Interrupted
from tictactoe.figures import style
from tictactoe.games.goals import SINGLE_ROUND
from tictactoe.match.scores import Score
from tictactoe.storage.shipped import shipped_solution
from tictactoe.storage.solution import load_solution

COMPARE = "compare-algorithms"
QUICK = ("--budget", "10", "--algorithm", "pdcfr+,dcfr")
SHORTEST = ("--budget", "2", "--algorithm", "pdcfr+")


def read_csv(path: Path) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def json_of(*arguments: object) -> Any:
    result = call(COMPARE, *arguments, "--json")
    assert result.code == 0, result
    return json.loads(result.out)


def test_units_are_those_of_the_library() -> None:
    assert [unit.value for unit in Unit] == list(tool.UNITS)


def test_table_files_and_json(tmp_path: Path) -> None:
    result = call(COMPARE, "-o", tmp_path / "a", *QUICK, "--against", "nodes")
    assert result.code == 0, result
    lines = result.out.splitlines()
    assert lines[0].split() == ["algorithm", "runs", "iterations", "nodes", "seconds", "average", "current"]
    assert [line.split()[:3] for line in lines[1:3]] == [["pdcfr+", "1", "10"], ["dcfr", "1", "10"]]
    assert "unit of the outcome values" in " ".join(result.out.split())
    assert "match value" not in result.out + result.err
    assert [line.startswith("ended ") for line in result.err.splitlines()] == [True, True]
    assert sorted(contents(tmp_path / "a")) == ["comparison.csv", "comparison.png", "comparison.svg"]

    judged = json_of("-o", tmp_path / "b", *QUICK, "--no-plot")
    assert sorted(contents(tmp_path / "b")) == ["comparison.csv"] == [Path(name).name for name in judged["files"]]
    assert (judged["score"], judged["winning_score"]) == (None, None)
    assert judged["outcome_values"] == SINGLE_ROUND._asdict()
    assert judged["budget"] == {"amount": 10.0, "unit": "iterations"}
    assert [entry["algorithm"] for entry in judged["algorithms"]] == ["pdcfr+", "dcfr"]
    rows = read_csv(tmp_path / "b" / "comparison.csv")
    flat = [(each["algorithm"], m) for each in judged["runs"] for m in each["measurements"]]
    assert [(row["algorithm"], int(row["iteration"])) for row in rows] == [(name, m["iteration"]) for name, m in flat]
    assert float(rows[-1]["average_exploitability"]) == judged["algorithms"][-1]["average_exploitability"]

    def repeatable(path: Path) -> list[dict[str, str]]:
        return [row | {"seconds": ""} for row in read_csv(path)]

    assert repeatable(tmp_path / "a" / "comparison.csv") == repeatable(tmp_path / "b" / "comparison.csv")


def test_the_round_of_a_match_comes_with_both_units(tmp_path: Path) -> None:
    match = ("--score", 4, 3, "--values-from", shipped_solution())
    result = call(COMPARE, "-o", tmp_path, *SHORTEST, *match, "--no-plot")
    assert result.code == 0, result
    assert "average, matches" in result.out
    assert "percentage points of matches" in " ".join(result.out.split())
    assert all("match value" in line and "% of matches" in line for line in result.err.splitlines())
    judged = json_of("-o", tmp_path, *SHORTEST, *match, "--no-plot", "--quiet")
    assert judged["outcome_values"] == load_solution(shipped_solution()).outcome_values(Score(4, 3))._asdict()
    assert (judged["score"], judged["winning_score"]) == ([4, 3], 5)
    for entry in judged["algorithms"]:
        for name in ("average_exploitability", "current_exploitability"):
            assert entry[f"{name}_percentage_points"] == 50.0 * entry[name]


def test_all_algorithms_by_default_and_named_ones_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    judged = json_of("--budget", "2", "--no-plot", "--seeds", 1)
    assert [entry["algorithm"] for entry in judged["algorithms"]] == list(ALGORITHMS)
    assert sorted(contents(tmp_path)) == ["comparison", "comparison/comparison.csv"]
    judged = json_of("--budget", "1", "--no-plot", "--algorithm", "cfr", "--algorithms", "dcfr, cfr")
    assert [entry["algorithm"] for entry in judged["algorithms"]] == ["cfr", "dcfr"]


def test_seeds_in_the_command(tmp_path: Path) -> None:
    result = call(COMPARE, "-o", tmp_path, *SHORTEST, "--algorithm", "es-mccfr", "--seeds", 2, "--no-plot")
    assert result.code == 0, result
    assert [row["seed"] for row in read_csv(tmp_path / "comparison.csv") if row["iteration"] == "2"] == ["", "0", "1"]
    assert [line.split()[:2] for line in result.out.splitlines()[1:3]] == [["pdcfr+", "1"], ["es-mccfr", "2"]]
    assert "es-mccfr, seed 1 (3 of 3)" in result.err


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("2000", (2000.0, "iterations")),
        ("3iterations", (3.0, "iterations")),
        ("1e2", (100.0, "iterations")),
        ("5e7nodes", (5e7, "nodes")),
        ("1.5 nodes", (1.5, "nodes")),
        ("20s", (20.0, "seconds")),
        ("0.5seconds", (0.5, "seconds")),
    ],
)
def test_the_ways_to_write_a_budget(text: str, meant: tuple[float, str]) -> None:
    assert tool.BudgetType().convert(text, None, None) == meant


BAD_BUDGETS = (
    "",
    "0",
    "-1",
    "nan",
    "inf",
    "1.5",
    "1e-3",
    "0s",
    "1h",
    "s",
    "nodes",
    "1e999nodes",
    "1.2.3s",
    "1e16s",
    "9" * 5000,
    "x" * 5000,
    "٣",
    "1NODES",
)


def test_usage_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Budgets and names of algorithms, and options that contradict each other."""
    monkeypatch.chdir(tmp_path)
    for budget in BAD_BUDGETS:
        line = complaint(call(COMPARE, f"--budget={budget}"), 2, COMPARE)
        assert line.startswith(f"{COMPARE}: Invalid value for '--budget': ")
    for name in ("", "DCFR", "dcfr,", "x" * 5000, "dcfr;cfr"):
        line = complaint(call(COMPARE, f"--algorithm={name}"), 2, COMPARE)
        shown = "" if name == "dcfr," else name[:40]
        assert line.startswith(f"{COMPARE}: --algorithm: unknown {shown!r}; known: cfr, linear-cfr, ")
        assert len(line) < 300
    both, other = "need each other", "exclude each other"
    for arguments, expected in (
        (("--score", "1", "1"), f"--score and --values-from {both}"),
        (("--values-from", shipped_solution()), f"--score and --values-from {both}"),
        (("--score", "5", "0", "--values-from", shipped_solution()), "--score: 5-0 is no score of a match to 5"),
        (
            ("--outcome-values", 0, 1, -1, 0, "--score", 1, 1, "--values-from", shipped_solution()),
            f"--outcome-values and --score {other}",
        ),
    ):
        line = complaint(call(COMPARE, "--budget", "1", "--no-plot", *arguments), 2, COMPARE)
        assert line == f"{COMPARE}: {expected} (see {COMPARE} --help)"
    assert contents(tmp_path) == {}


def test_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It fails before it runs anything; --no-plot does without."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    line = complaint(call(COMPARE, "-o", tmp_path / "a", "--budget", "1e15"), 1, COMPARE)
    assert ": pip install matplotlib; or leave the pictures out" in line
    assert "--no-plot" in line
    assert contents(tmp_path) == {}
    assert call(COMPARE, "-o", tmp_path / "a", *SHORTEST, "--no-plot").code == 0


@pytest.mark.parametrize("num_ended", [0, 1])
def test_interrupted(num_ended: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What had ended is written, and the exit code tells."""

    def some(*arguments: object, **keywords: object) -> Iterator[Run]:
        measurements = (Measurement(1, 100, 1.0, 0.1, 0.2, 0.25), Measurement(2, 200, 2.0, 0.01, 0.02, 0.25))
        yield from [Run("pdcfr+", None, measurements)][:num_ended]
        raise Interrupted

    monkeypatch.setattr(convergence, "compare_algorithms", some)
    monkeypatch.setattr(style, "save_figure", lambda figure, path: path.touch())
    result = call(COMPARE, "-o", tmp_path / "out", *QUICK, "--against", "seconds")
    assert (result.code, result.out) == (130, "")
    assert "interrupted" in result.err.splitlines()[-1]
    files = {"comparison.csv", "comparison.png", "comparison.svg"} if num_ended else set()
    assert set(contents(tmp_path / "out")) == files
    if num_ended:
        assert [row["iteration"] for row in read_csv(tmp_path / "out" / "comparison.csv")] == ["1", "2"]


def test_a_table_that_cannot_be_written_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert call(COMPARE, "-o", tmp_path, *SHORTEST, "--no-plot", "--quiet").code == 0
    before = contents(tmp_path)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    line = complaint(call(COMPARE, "-o", tmp_path, "--budget", "1", "--no-plot", "--quiet"), 1, COMPARE)
    assert "comparison.csv: No space left on device" in line
    assert contents(tmp_path) == before
    (tmp_path / "other" / "comparison.csv").mkdir(parents=True)
    line = complaint(call(COMPARE, "-o", tmp_path / "other", *SHORTEST, "--no-plot", "--quiet"), 1, COMPARE)
    assert "not a regular file; choose another output file" in line
