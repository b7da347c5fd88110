"""Comparing algorithms: what is counted, when it is measured, the table as CSV, and compare-algorithms."""

from __future__ import annotations

import csv
import json
import math
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from commands import call, complaint, contents, run
from lifting import game_tree
from tictactoe.tools import compare_algorithms as tool

from tictactoe import comparison, plots
from tictactoe.cfr import RoundEvaluation, RoundSolver
from tictactoe.comparison import (
    CSV_COLUMNS,
    Budget,
    Measurement,
    Run,
    Unit,
    compare_algorithms,
    run_algorithm,
    summarize,
    write_csv,
)
from tictactoe.directory import Interrupted
from tictactoe.files import FormatError
from tictactoe.game import RoundGame, tic_tac_toe_round
from tictactoe.match import SINGLE_ROUND, Score
from tictactoe.rules import ALGORITHMS, update_rule
from tictactoe.solution import load_solution, shipped_solution

COMPARE = "compare-algorithms"
QUICK = ("--budget", "10", "--algorithm", "pdcfr+,dcfr")
SHORTEST = ("--budget", "2", "--algorithm", "pdcfr+")
DCFR = update_rule("dcfr")
SAMPLED = update_rule("es-mccfr")


@pytest.fixture(scope="module")
def game() -> RoundGame:
    return tic_tac_toe_round(game_tree(), SINGLE_ROUND)


def without_seconds(each: Run) -> Run:
    return replace(each, measurements=tuple(replace(m, seconds=0.0) for m in each.measurements))


# --- what is counted, and when


@pytest.mark.parametrize("iterations", [1, 2, 7, 10, 13, 130])
def test_a_budget_in_iterations_is_kept_exactly(iterations: int, game: RoundGame) -> None:
    measured = [m.iteration for m in run_algorithm(game, DCFR, Budget(iterations, Unit.ITERATIONS)).measurements]
    every = [1, 2, 3, 4, 5, 6, 8, 10, 20, 30, 40, 50, 60, 80, 100, 130]
    assert measured == [at for at in every if at < 0.95 * iterations] + [iterations]


def test_a_budget_in_nodes(game: RoundGame) -> None:
    most_per_iteration = 2 * game.tree.num_decision_nodes
    for amount in (1.0, 2e5, 3e6):
        nodes = [m.nodes for m in run_algorithm(game, DCFR, Budget(amount, Unit.NODES)).measurements]
        assert nodes == sorted(set(nodes))
        assert amount <= nodes[-1] < amount + 10 * most_per_iteration
        assert all(n < amount for n in nodes[:-1])
    assert 8 <= sum(3e5 <= n < 3e6 for n in nodes) <= 11


def test_a_budget_in_seconds(game: RoundGame) -> None:
    measurements = run_algorithm(game, DCFR, Budget(0.05, Unit.SECONDS)).measurements
    assert measurements[-1].seconds >= 0.05
    assert all(m.seconds < 0.05 for m in measurements[:-1])


def test_measuring_changes_nothing_and_does_not_count(game: RoundGame) -> None:
    """Nodes and strategies are those of an uninterrupted run, bit for bit, also at the stops between two flushes."""
    for rule in map(update_rule, ALGORITHMS):
        for m in run_algorithm(game, rule, Budget(13, Unit.ITERATIONS)).measurements:
            if m.iteration in (3, 10, 13):
                solver = RoundSolver(game, rule)
                solver.run(m.iteration)
                evaluation = solver.evaluate()
                assert m.average_exploitability == evaluation.average_exploitability
                assert m.current_exploitability == evaluation.current_exploitability
                assert (m.value, m.nodes) == (evaluation.value, solver.num_visits)


def test_evaluating_takes_no_time(game: RoundGame, monkeypatch: pytest.MonkeyPatch) -> None:
    evaluate = RoundSolver.evaluate

    def slowly(self: RoundSolver, game: RoundGame | None = None) -> RoundEvaluation:
        time.sleep(0.2)
        return evaluate(self, game)

    monkeypatch.setattr(RoundSolver, "evaluate", slowly)
    assert run_algorithm(game, DCFR, Budget(2, Unit.ITERATIONS)).measurements[-1].seconds < 0.2


def test_everything_but_the_seconds_is_repeatable(game: RoundGame) -> None:
    for budget in (Budget(12, Unit.ITERATIONS), Budget(3e5, Unit.NODES)):
        runs = [run_algorithm(game, DCFR, budget) for _ in range(2)]
        assert without_seconds(runs[0]) == without_seconds(runs[1])
        seconds = [m.seconds for m in runs[0].measurements]
        assert seconds == sorted(seconds)
        assert seconds[0] > 0.0


def test_every_seed_is_a_run(game: RoundGame) -> None:
    rules, budget = [SAMPLED, update_rule("cfr")], Budget(10, Unit.ITERATIONS)
    runs = list(compare_algorithms(game, rules, budget, num_seeds=3))
    names = [(each.algorithm, each.seed) for each in runs]
    assert names == [("es-mccfr", 0), ("es-mccfr", 1), ("es-mccfr", 2), ("cfr", None)]
    assert without_seconds(runs[1]) == without_seconds(run_algorithm(game, SAMPLED, budget, seed=1))
    ends = sorted(each.measurements[-1].average_exploitability for each in runs[:3])
    assert ends[0] < ends[1] < ends[2]
    assert summarize(runs)[0].average_exploitability == ends[1]


def test_without_randomness_the_seed_means_nothing(game: RoundGame) -> None:
    assert run_algorithm(game, DCFR, Budget(1, Unit.ITERATIONS), seed=7).seed is None


def test_the_observer_hears_of_every_measurement(game: RoundGame) -> None:
    heard: list[tuple[str, int | None, int]] = []
    each = run_algorithm(
        game, DCFR, Budget(20, Unit.ITERATIONS), observer=lambda name, seed, m: heard.append((name, seed, m.iteration))
    )
    assert heard == [("dcfr", None, m.iteration) for m in each.measurements]


def test_a_run_that_is_stopped(game: RoundGame) -> None:
    stop = Event()
    runs: Iterator[Run] = compare_algorithms(
        game, [DCFR, update_rule("cfr")], Budget(20, Unit.ITERATIONS), stop=stop,
        observer=lambda name, seed, m: stop.set() if name == "cfr" else None,
    )  # fmt: skip
    assert next(runs).algorithm == "dcfr"
    with pytest.raises(Interrupted):
        next(runs)


@pytest.mark.parametrize("amount", [0.0, -1.0, math.nan, math.inf])
@pytest.mark.parametrize("unit", Unit)
def test_budgets_that_are_none(amount: float, unit: Unit) -> None:
    with pytest.raises(ValueError, match="amount"):
        Budget(amount, unit)


def test_half_an_iteration_is_no_budget() -> None:
    with pytest.raises(ValueError, match="whole"):
        Budget(1.5, Unit.ITERATIONS)


# --- summaries


def made_up(algorithm: str, exploitabilities: Sequence[float], seed: int | None = None, speed: int = 1) -> Run:
    """A run of an iteration per exploitability, 100 nodes and a second each."""
    return Run(algorithm, seed, tuple(
        Measurement(speed * at, speed * 100 * at, float(speed * at), exploitability, 2.0 * exploitability, 0.25)
        for at, exploitability in enumerate(exploitabilities, 1)
    ))  # fmt: skip


def test_summaries() -> None:
    runs = [
        made_up("one", [0.5, 9e-4, 2e-3, 1e-4]),
        made_up("many", [1e-3, 1e-5], seed=0),
        made_up("many", [1e-2, 1e-3, 3e-5], seed=1, speed=2),
        made_up("many", [1e-2, 1e-2], seed=2),
    ]
    one, many = summarize(runs)
    assert (one.algorithm, one.num_runs, one.iterations, one.nodes) == ("one", 1, 4, 400)
    assert (one.average_exploitability, one.current_exploitability) == (1e-4, 2e-4)
    assert one.reached[1e-3] == comparison.Reached(2, 200, 2.0), "the first time, although it gets worse again"
    assert one.reached[1e-4] == comparison.Reached(4, 400, 4.0)
    assert one.reached[1e-5] is None
    assert (many.num_runs, many.iterations, many.average_exploitability) == (3, 2, 3e-5)
    assert many.reached[1e-3] == comparison.Reached(4, 400, 4.0), "1, 4, never"
    assert many.reached[1e-5] is None, "only one of three got there"


# --- CSV


def read_csv(path: Path) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_table_holds_every_digit(game: RoundGame, tmp_path: Path) -> None:
    runs = [run_algorithm(game, DCFR, Budget(20, Unit.ITERATIONS)), made_up("a, \"b\"", [1 / 3, 1e-17], seed=4)]
    write_csv(tmp_path / "table.csv", runs)
    assert (tmp_path / "table.csv").read_bytes().startswith(",".join(CSV_COLUMNS).encode() + b"\n")
    rows = read_csv(tmp_path / "table.csv")
    back = [
        (row["algorithm"], int(row["seed"]) if row["seed"] else None, Measurement(
            int(row["iteration"]), int(row["nodes_touched"]), float(row["seconds"]),
            float(row["average_exploitability"]), float(row["current_exploitability"]), float(row["value"]),
        ))
        for row in rows
    ]  # fmt: skip
    assert back == [(each.algorithm, each.seed, m) for each in runs for m in each.measurements]


def test_a_table_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "table.csv"
    write_csv(path, [made_up("one", [1.0])])
    (tmp_path / "directory.csv").mkdir()
    before = contents(tmp_path)
    with pytest.raises(FormatError):
        write_csv(tmp_path / "directory.csv", [])

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_csv(path, [])
    assert contents(tmp_path) == before


# --- the command


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
        ("2000", (2000.0, "iterations")), ("3iterations", (3.0, "iterations")), ("1e2", (100.0, "iterations")),
        ("5e7nodes", (5e7, "nodes")), ("1.5 nodes", (1.5, "nodes")), ("20s", (20.0, "seconds")),
        ("0.5seconds", (0.5, "seconds")),
    ],
)  # fmt: skip
def test_the_ways_to_write_a_budget(text: str, meant: tuple[float, str]) -> None:
    assert tool.BudgetType().convert(text, None, None) == meant


BAD_BUDGETS = ("", "0", "-1", "nan", "inf", "1.5", "1e-3", "0s", "1h", "s", "nodes", "1e999nodes", "1.2.3s", "1e16s",
               "9" * 5000, "x" * 5000, "٣", "1NODES")  # fmt: skip


def test_usage_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for budget in BAD_BUDGETS:
        assert "--budget" in complaint(call(COMPARE, f"--budget={budget}"), 2, COMPARE)
    for name in ("", "DCFR", "dcfr,", "x" * 5000, "dcfr;cfr"):
        line = complaint(call(COMPARE, f"--algorithm={name}"), 2, COMPARE)
        assert "--algorithm" in line
        assert len(line) < 300
    for arguments in (
        ("--seeds", "0"), ("--seeds", "x"), ("--against", "time"), ("--score", "1", "1"), ("surplus",),
        ("--values-from", str(shipped_solution())), ("--score", "5", "0", "--values-from", str(shipped_solution())),
        ("--outcome-values", "0", "1", "-1"), ("-o", ""),
        ("--outcome-values", "0", "1", "-1", "0", "--score", "1", "1", "--values-from", str(shipped_solution())),
    ):  # fmt: skip
        complaint(call(COMPARE, "--budget", "1", *arguments), 2, COMPARE)
    line = complaint(call(COMPARE, "--score", "1", "1", "--values-from", tmp_path / "missing"), 1, COMPARE)
    assert "missing" in line
    assert contents(tmp_path) == {}
    assert "--nonsense" in complaint(run(COMPARE, "--nonsense", cwd=tmp_path), 2, COMPARE)


def test_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It fails before it runs anything; --no-plot does without."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    line = complaint(call(COMPARE, "-o", tmp_path / "a", "--budget", "1e15"), 1, COMPARE)
    assert "pip install 'smbc-tictactoe[plots]'" in line
    assert "--no-plot" in line
    assert contents(tmp_path) == {}
    assert call(COMPARE, "-o", tmp_path / "a", *SHORTEST, "--no-plot").code == 0


def test_an_output_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"mine")
    before = contents(tmp_path)
    assert "file" in complaint(call(COMPARE, "-o", tmp_path / "file", "--budget", "1e15"), 2, COMPARE)
    assert "file" in complaint(call(COMPARE, "-o", tmp_path / "file" / "below", "--budget", "1e15"), 1, COMPARE)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("num_ended", [0, 1])
def test_interrupted(num_ended: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What had ended is written, and the exit code tells."""

    def some(*arguments: object, **keywords: object) -> Iterator[Run]:
        yield from [made_up("pdcfr+", [0.1, 0.01])][:num_ended]
        raise Interrupted

    monkeypatch.setattr(comparison, "compare_algorithms", some)
    monkeypatch.setattr(plots, "save_figure", lambda figure, path: path.touch())
    result = call(COMPARE, "-o", tmp_path / "out", *QUICK, "--against", "seconds")
    assert (result.code, result.out) == (130, "")
    assert "interrupted" in result.err.splitlines()[-1]
    files = {"comparison.csv", "comparison.png", "comparison.svg"} if num_ended else set()
    assert set(contents(tmp_path / "out")) == files
    if num_ended:
        assert [row["iteration"] for row in read_csv(tmp_path / "out" / "comparison.csv")] == ["1", "2"]


def test_quiet(tmp_path: Path) -> None:
    result = call(COMPARE, "-o", tmp_path, *SHORTEST, "--no-plot", "--quiet")
    assert (result.code, result.out, result.err) == (0, "", "")


def test_help(tmp_path: Path) -> None:
    result = call(COMPARE, "--help")
    assert result.code == 0
    assert "Nodes touched are the decision nodes" in " ".join(result.out.split())
    assert f"\n  {COMPARE} --" in result.out
    for parameter in tool.command.params:
        assert all(option in result.out for option in parameter.opts)
