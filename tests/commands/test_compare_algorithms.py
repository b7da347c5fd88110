"""compare-algorithms: its table, files and JSON, budgets, what it refuses, and what is left when it is stopped."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.pictures import save_nothing
from support.programs import Result, call, complaint, contents, environment, program
from tictactoe.tools.options import comparison_options as tool

import tictactoe
from tictactoe.algorithms.cfr.update_rules import ALGORITHMS, update_rule
from tictactoe.algorithms.comparing import convergence
from tictactoe.algorithms.comparing.contenders import Contender
from tictactoe.algorithms.comparing.measured_run import Measurement, Run, Trial, Unit
from tictactoe.errors import Interrupted
from tictactoe.figures import style
from tictactoe.games.goals import SINGLE_ROUND
from tictactoe.match.scores import Score
from tictactoe.storage.directory_layout import LOCK_FILE
from tictactoe.storage.lock import DirectoryLock
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


def labels(judged: Any) -> list[str]:
    """What was compared on the first round."""
    return [entry["label"] for entry in judged["rounds"][0]["algorithms"]]


def test_units_are_those_of_the_library() -> None:
    assert [unit.value for unit in Unit] == list(tool.BUDGET_UNITS)


def test_table_files_and_json(tmp_path: Path) -> None:
    result = call(COMPARE, "-o", tmp_path / "a", *QUICK, "--against", "nodes")
    assert result.code == 0, result
    lines = result.out.splitlines()
    headings = ["algorithm", "runs", "iterations", "nodes", "histories", "seconds", "average", "current"]
    assert lines[0].split() == headings
    assert [line.split()[:3] for line in lines[1:3]] == [["pdcfr+", "1", "10"], ["dcfr", "1", "10"]]
    assert "unit of the outcome values" in " ".join(result.out.split())
    assert "match value" not in result.out + result.err
    assert [line.startswith("ended ") for line in result.err.splitlines()] == [True, True]
    assert sorted(contents(tmp_path / "a")) == ["comparison.csv", "comparison.json", "comparison.png", "comparison.svg"]

    judged = json_of("-o", tmp_path / "b", *QUICK, "--no-plot")
    files = ["comparison.csv", "comparison.json"]
    assert sorted(contents(tmp_path / "b")) == files == [Path(name).name for name in judged.pop("files")]
    (found,) = judged["rounds"]
    assert (found["score"], judged["winning_score"], judged["overall"]) == (None, None, [])
    assert found["outcome_values"] == SINGLE_ROUND._asdict()
    assert (judged["version"], judged["rules"]) == (tictactoe.__version__, "three-in-a-row")
    assert judged["budget"] == {"amount": 10.0, "unit": "iterations"}
    assert [entry["label"] for entry in found["algorithms"]] == ["pdcfr+", "dcfr"]
    rows = read_csv(tmp_path / "b" / "comparison.csv")
    flat = [(each["label"], m) for each in found.pop("runs") for m in each["measurements"]]
    assert [(row["label"], int(row["iteration"])) for row in rows] == [(name, m["iteration"]) for name, m in flat]
    assert {(row["rules"], row["score"]) for row in rows} == {("three-in-a-row", "")}
    end = found["algorithms"][-1]["average_exploitability"]
    assert {float(rows[-1]["average_exploitability"])} == set(end.values())
    assert json.loads((tmp_path / "b" / "comparison.json").read_text()) == judged, "all but the runs, which are in CSV"

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
    judged = json_of("-o", tmp_path, *SHORTEST, *match, "--no-plot", "--quiet", "--restart")
    (found,) = judged["rounds"]
    assert found["outcome_values"] == load_solution(shipped_solution()).outcome_values(Score(4, 3))._asdict()
    assert (found["score"], judged["winning_score"]) == ([4, 3], 5)
    for entry in found["algorithms"]:
        for name in ("average_exploitability", "current_exploitability"):
            points = {field: 50.0 * value for field, value in entry[name].items()}
            assert entry[f"{name}_percentage_points"] == points


def test_all_algorithms_by_default_and_named_ones_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    judged = json_of("--budget", "2", "--no-plot", "--seeds", 1)
    assert labels(judged) == list(ALGORITHMS)
    assert sorted(contents(tmp_path)) == ["comparison", "comparison/comparison.csv", "comparison/comparison.json"]
    judged = json_of("--budget", "1", "--no-plot", "--algorithm", "cfr", "--algorithms", "dcfr, cfr", "-o", "other")
    assert labels(judged) == ["cfr", "dcfr"]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("2000", (2000.0, "iterations")),
        ("3iterations", (3.0, "iterations")),
        ("1e2", (100.0, "iterations")),
        ("5e7nodes", (5e7, "nodes")),
        ("1.5 nodes", (1.5, "nodes")),
        ("1e9histories", (1e9, "histories")),
        ("20s", (20.0, "seconds")),
        ("0.5seconds", (0.5, "seconds")),
    ],
)
def test_the_ways_to_write_a_budget(text: str, meant: tuple[float, str]) -> None:
    assert tool.read_budget(text) == meant


def test_usage_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of algorithms, and options that contradict each other."""
    monkeypatch.chdir(tmp_path)
    for name in ("DCFR", "x" * 5000, "dcfr;cfr"):
        line = complaint(call(COMPARE, f"--algorithm={name}"), 2, COMPARE)
        assert line.startswith(f"{COMPARE}: --algorithm: unknown {name[:40]!r}; known: cfr, linear-cfr, ")
        assert len(line) < 400
    for name, problem in (
        (" ", "' ' is not a name, or a name with parameters, such as dcfr(alpha=2.3)"),
        ("dcfr,", "'' is not a name, or a name with parameters, such as dcfr(alpha=2.3)"),
        ("dcfr(alpha=2", "'dcfr(alpha=2' is not a name, or a name with parameters, such as dcfr(alpha=2.3)"),
        ("dcfr(alpha=-1)", "alpha: -1.0 is not in 0 to 20"),
        ("cfr=dcfr,cfr", "dcfr and cfr are both called 'cfr'; give one of them another label, as in other=dcfr"),
    ):
        line = complaint(call(COMPARE, f"--algorithm={name}"), 2, COMPARE)
        assert line == f"{COMPARE}: --algorithm: {problem} (see {COMPARE} --help)"
    both, other = "need each other", "exclude each other"
    for arguments, expected in (
        (("--score", "1", "1"), f"--score and --values-from {both}"),
        (("--values-from", shipped_solution()), f"--score and --values-from {both}"),
        (("--all-scores",), "--all-scores needs --values-from"),
        (
            ("--all-scores", "--score", "1", "1", "--values-from", shipped_solution()),
            "--all-scores and --score exclude each other",
        ),
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
        measurements = (Measurement(1, 100, 900, 1.0, 0.1, 0.2, 0.0), Measurement(2, 200, 1800, 2.0, 0.01, 0.02, 0.0))
        yield from [Run(Trial(Contender(update_rule("pdcfr+"))), measurements)][:num_ended]
        raise Interrupted

    monkeypatch.setattr(convergence, "compare_algorithms", some)
    monkeypatch.setattr(style, "save_figure", save_nothing)
    result = call(COMPARE, "-o", tmp_path / "out", *QUICK, "--against", "seconds")
    assert (result.code, result.out) == (130, "")
    assert "interrupted" in result.err.splitlines()[-1]
    files = {"comparison.csv", "comparison.json", "comparison.png", "comparison.svg"} if num_ended else set()
    assert set(contents(tmp_path / "out")) == files
    if num_ended:
        assert [row["iteration"] for row in read_csv(tmp_path / "out" / "comparison.csv")] == ["1", "2"]


def test_a_comparison_that_is_there_is_not_overwritten_silently(tmp_path: Path) -> None:
    """It is refused before anything is run; --restart replaces it, and leaves no picture of the earlier one."""
    assert call(COMPARE, "-o", tmp_path, *SHORTEST, "--quiet").code == 0
    before = contents(tmp_path)
    line = complaint(call(COMPARE, "-o", tmp_path, "--budget", "1e15"), 1, COMPARE)
    assert line == f"{COMPARE}: {tmp_path}: holds a comparison; choose another output directory, or use --restart"
    assert contents(tmp_path) == before
    (tmp_path / "notes.txt").touch()
    assert call(COMPARE, "-o", tmp_path, *SHORTEST, "--quiet", "--no-plot", "--restart").code == 0
    assert sorted(contents(tmp_path)) == ["comparison.csv", "comparison.json", "notes.txt"]


def test_a_table_that_cannot_be_written_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what the runs came to is printed all the same."""
    arguments = ("-o", tmp_path, *SHORTEST, "--no-plot", "--restart")
    assert call(COMPARE, *arguments, "--quiet").code == 0
    before = contents(tmp_path)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    result = call(COMPARE, *arguments, "--json")
    assert (result.code, json.loads(result.out)["files"]) == (1, []), "what JSON there is, too"
    result = call(COMPARE, *arguments)
    assert "comparison.csv: No space left on device" in result.err.splitlines()[-1]
    assert (result.code, result.out.split()[:2], "written" in result.out) == (1, ["algorithm", "runs"], False)
    assert contents(tmp_path) == before
    (tmp_path / "other" / "comparison.csv").mkdir(parents=True)
    line = complaint(call(COMPARE, "-o", tmp_path / "other", "--restart", "--budget", "1e15"), 1, COMPARE)
    assert "not a regular file; choose another output directory" in line


def test_a_picture_that_cannot_be_written_leaves_all_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a new table beside an old picture nor the other way round."""
    arguments = ("-o", tmp_path, *SHORTEST, "--quiet", "--restart")
    assert call(COMPARE, *arguments).code == 0
    before = contents(tmp_path)
    assert {"comparison.csv", "comparison.png"} < set(before)

    def full(figure: object, path: Path, *_: object) -> None:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(style, "save_figure", full)
    line = complaint(call(COMPARE, *arguments), 1, COMPARE)
    assert line.startswith(f"{COMPARE}: {tmp_path}/comparison.png: No space left on device")
    journal = contents(tmp_path).keys() - before.keys()
    assert journal == {"comparison.unfinished"}
    assert {name: data for name, data in contents(tmp_path).items() if name not in journal} == before
    monkeypatch.setattr(style, "save_figure", save_nothing)
    monkeypatch.setattr(convergence, "run_algorithm", None)  # the run need not be made again
    assert call(COMPARE, *arguments[:-1]) == Result(0, "", "")
    assert contents(tmp_path).keys() == before.keys()


SEVERAL = ("--score", 1, 1, "--score", 0, 0, "--values-from", "shipped", "--algorithm", "cfr, es-mccfr", "--seeds", 2)
SEVERAL += ("--perturbations", 2, "--no-plot")


def without_time(path: Path) -> list[dict[str, str]]:
    return [{name: text for name, text in row.items() if name != "seconds"} for row in read_csv(path)]


def test_killed_and_gone_on_with(tmp_path: Path) -> None:
    """Nothing that had ended is run again, and it comes to the same."""
    arguments = (*map(str, SEVERAL), "--budget", "200")  # seconds are left after the first run
    with subprocess.Popen(
        [program(COMPARE), "-o", tmp_path / "out", *arguments], stderr=subprocess.PIPE, text=True, env=environment()
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("ended "):
                process.kill()
                break
    assert set(contents(tmp_path / "out")) - {LOCK_FILE} == {"comparison.unfinished"}
    result = call(COMPARE, "-o", tmp_path / "out", *arguments)
    assert result.code == 0
    num_before = json.loads((tmp_path / "out" / "comparison.json").read_text())["earlier_runs"]
    assert 1 <= num_before < 8
    assert result.err.splitlines()[0] == f"going on: {num_before} of 8 runs ended before"
    assert result.err.count("ended ") - 1 == 8 - num_before
    assert json_of("-o", tmp_path / "whole", *arguments)["earlier_runs"] == 0
    assert without_time(tmp_path / "out" / "comparison.csv") == without_time(tmp_path / "whole" / "comparison.csv")
    assert set(contents(tmp_path / "out")) == {"comparison.csv", "comparison.json"}


def stopped_after(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a comparison be stopped once so many runs have ended."""
    ended, whole = [], convergence.run_algorithm

    def run(*arguments: Any, **named: Any) -> Run:
        if len(ended) == number:
            raise Interrupted
        ended.append(whole(*arguments, **named))
        return ended[-1]

    monkeypatch.setattr(convergence, "run_algorithm", run)


def test_stopped_and_gone_on_with_by_other_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More algorithms are no hindrance, another budget is; --restart throws away."""
    with monkeypatch.context() as patch:
        stopped_after(1, patch)
        result = call(COMPARE, "-o", tmp_path, *QUICK, "--no-plot")
    assert (result.code, result.out) == (130, "")
    assert result.err.splitlines()[-1].endswith(
        f"the runs that had ended are in {tmp_path}, and the same command goes on"
    )
    assert set(contents(tmp_path)) == {"comparison.csv", "comparison.json", "comparison.unfinished"}
    before = contents(tmp_path)
    line = complaint(call(COMPARE, "-o", tmp_path, *QUICK, "--budget", "20"), 1, COMPARE)
    advice = "choose another output directory, or use --restart"
    journal = tmp_path / "comparison.unfinished"
    assert line == f"{COMPARE}: {journal}: of a comparison that was stopped, with other budget; {advice}"
    own = tmp_path / "own.py"
    own.write_text("from tictactoe import register_rule\nregister_rule('own', lambda table, parameters: None, {})\n")
    line = complaint(call(COMPARE, "-o", tmp_path, *QUICK, "--algorithms-from", own), 1, COMPARE)
    assert "with other algorithms of your own;" in line
    own.unlink()
    assert contents(tmp_path) == before
    found = json_of("-o", tmp_path, *QUICK, "--algorithm", "cfr", "--no-plot")
    assert (labels(found), found["earlier_runs"]) == (["pdcfr+", "dcfr", "cfr"], 1)
    journal.write_bytes(before[journal.name][:-20] + b"\n")
    line = complaint(call(COMPARE, "-o", tmp_path, *QUICK), 1, COMPARE)
    assert line.startswith(f"{COMPARE}: {journal}: line 2: not JSON at character ")
    assert line.endswith(f"; {advice}")
    assert json_of("-o", tmp_path, *QUICK, "--no-plot", "--restart")["earlier_runs"] == 0


def test_two_at_a_time_in_a_directory(tmp_path: Path) -> None:
    lock = DirectoryLock()
    lock.acquire(tmp_path)
    try:
        line = complaint(call(COMPARE, "-o", tmp_path, *SHORTEST), 1, COMPARE)
    finally:
        lock.release()
    assert line == f"{COMPARE}: {tmp_path}: another run is using it; wait for it or choose another output directory"


def test_options_that_would_do_nothing(tmp_path: Path) -> None:
    """They are refused before anything is run."""
    for words, problem in (
        (("--no-plot", "--against", "nodes"), "--against: it is about pictures, and --no-plot leaves them out"),
        (("--algorithm", "cfr,dcfr", "--seeds", "3"), "--seeds: none of these algorithms draws random numbers"),
    ):
        line = complaint(call(COMPARE, "-o", tmp_path / "out", "--budget", "1e15", *words), 2, COMPARE)
        assert line.startswith(f"{COMPARE}: {problem}")
    assert not (tmp_path / "out").exists()


def test_settings_and_labels(tmp_path: Path) -> None:
    """One row each in all that is written; what is there twice, once."""
    items = ("--algorithm", "dcfr, slow=dcfr(alpha=1, simultaneous)", "--algorithm", "dcfr(alpha=1.5),cfr")
    result = call(COMPARE, "-o", tmp_path, "--budget", "2", *items)
    assert result.code == 0, result
    assert [line.split()[:2] for line in result.out.splitlines()[1:4]] == [["dcfr", "1"], ["slow", "1"], ["cfr", "1"]]
    assert {(row["label"], row["algorithm"]) for row in read_csv(tmp_path / "comparison.csv")} == {
        ("dcfr", "dcfr"), ("slow", "dcfr(alpha=1, simultaneous)"), ("cfr", "cfr"),
    }  # fmt: skip
    assert all(f"<!-- {name} -->" in (tmp_path / "comparison.svg").read_text() for name in ("dcfr", "slow", "cfr"))


def test_several_scores_and_perturbations(tmp_path: Path) -> None:
    """A table and a picture for each, and a table over all; with as many seeds as perturbations."""
    scores = ("--score", 0, 0, "--score", 1, 0, "--values-from", shipped_solution())
    runs = ("--algorithm", "pdcfr+,es-mccfr", "--budget", "2", "--perturbations", 2, "--jobs", 2)
    result = call(COMPARE, "-o", tmp_path, *scores, *runs, "--against", "histories")
    assert result.code == 0, result
    lines = result.out.splitlines()
    for heading in ("The round at 0-0 of a match to 5:", "The round at 1-0 of a match to 5:", "Over all 2 scores:"):
        assert lines.count(heading) == 1
    assert "25 % to 75 %" in lines[1]
    assert "2 runs at a time have disturbed each other" in " ".join(result.out.split())
    assert "1-0, es-mccfr, seed 1, perturbation 1 (8 of 8)" in result.err
    assert ", about 0:0" in result.err.splitlines()[0]
    pictures = {f"comparison_{score}.{kind}" for score in ("0-0", "1-0") for kind in ("png", "svg")}
    assert set(contents(tmp_path)) == {"comparison.csv", "comparison.json", *pictures}
    rows = read_csv(tmp_path / "comparison.csv")
    found = [(row["score"], row["label"], row["seed"], row["perturbation"]) for row in rows]
    expected = [("pdcfr+", "", "0"), ("pdcfr+", "", "1"), ("es-mccfr", "0", "0"), ("es-mccfr", "1", "1")]
    assert list(dict.fromkeys(found)) == [(score, *each) for score in ("0-0", "1-0") for each in expected]
    judged = json.loads((tmp_path / "comparison.json").read_text())
    assert [each["score"] for each in judged["rounds"]] == [[0, 0], [1, 0]]
    medians = [each["algorithms"][0]["average_exploitability"]["median"] for each in judged["rounds"]]
    assert judged["overall"][0]["best"] == min(medians)
    assert judged["overall"][0]["num_games"] == 2


def test_all_scores(tmp_path: Path) -> None:
    judged = json_of("-o", tmp_path, *SHORTEST, "--all-scores", "--values-from", "match_to_1", "--no-plot")
    assert [each["score"] for each in judged["rounds"]] == [[0, 0]]
