"""solve-multiround --start-from: values by formula or from a solution. solve_start_from.txt has the refusals."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from support.measured import two_seconds_a_pair
from support.programs import MATCH, call, complaint, contents, json_of, remove_scores

from tictactoe import MatchOptions, load_solution
from tictactoe.solving.start_values import start_values_by_formula, start_values_of
from tictactoe.storage.directory_layout import UNPOLISHED

__all__ = ["two_seconds_a_pair"]
pytestmark = pytest.mark.usefixtures("two_seconds_a_pair")

LOOSE = ("--algorithm", "pdcfr+", "--maximum-subgame-exploitability", "0.05")
TWO = ("--winning-score", "2", *LOOSE)


def plan(tmp_path: Path, *arguments: object) -> Any:
    return json_of(MATCH, "-o", tmp_path / "out", "--dry-run", *arguments)


@pytest.mark.parametrize("source", ["formula", "shipped"])
def test_both_ways_to_start(source: str, tmp_path: Path) -> None:
    """They lead to the values of the match. The directory goes on from the same values alone."""
    output = tmp_path / "out"
    found = json_of(MATCH, "-o", output, *TWO, "--start-from", source)
    assert [subgame["converged"] for subgame in found["subgames"]] == [True] * 4
    solution, exact = load_solution(output), start_values_by_formula(2, "three-in-a-row")
    assert {score: exact[score] for score in solution.value} == pytest.approx(solution.value, abs=0.05)
    assert found["options"]["start_from"] == solution.options["start_from"]
    before = contents(output)
    assert call(MATCH, "-o", output, *TWO, "--start-from", source, "--resume", "--quiet").code == 0
    other = "shipped" if source == "formula" else "formula"
    for start, difference in ((("--start-from", other), "has other values there"), ((), "is given there, not here")):
        line = complaint(call(MATCH, "-o", output, *TWO, *start), 1, MATCH)
        assert f"--start-from {difference}. What to do: " in line
        assert f"--start-from {difference}" in call(MATCH, "-o", output, *TWO, *start, "--dry-run").out
    assert contents(output) == before


def test_the_values_that_are_meant(tmp_path: Path) -> None:
    """A solution says by which rules; its last scores are those of a shorter match. A dry run names both."""
    for source, rules, winning_score in (
        ("shipped", "three-in-a-row", 5),
        ("filled", "filled", 3),
        ("filled-tie_match_to_1", "filled-tie", 1),
    ):
        found = plan(tmp_path, "--start-from", source, "--winning-score", winning_score)
        values = start_values_of(load_solution(source), winning_score)
        options = MatchOptions(winning_score=winning_score, start_values=values).as_dict()
        assert (found["rules"], found["options"]) == (rules, options)
    text = call(MATCH, "-o", tmp_path / "out", "--dry-run", "--start-from", "formula", "--rules", "filled").out
    digest = MatchOptions(start_values=start_values_by_formula(5, "filled")).as_dict()["start_from"]
    assert f"start_from: {digest}\n" in text
    assert contents(tmp_path) == {}


def test_a_solution_that_is_not_complete(solved: Path, tmp_path: Path) -> None:
    """Its later scores may do for a shorter match."""
    shutil.copytree(solved, tmp_path / "match")
    remove_scores(tmp_path / "match", (0, 0))
    start = ("--start-from", tmp_path / "match", "--dry-run")
    line = complaint(call(MATCH, "-o", tmp_path / "out", *TWO, *start), 1, MATCH)
    assert line == f"{MATCH}: {tmp_path}/match: has no value for the score 0-0; solve the match first"
    assert plan(tmp_path, "--winning-score", "1", *start)["subgames"] == 1


def test_a_directory_of_ones_own_that_is_called_formula(
    solved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes before the formula, as before the names of solutions that ship."""
    monkeypatch.chdir(tmp_path)
    by_formula = plan(tmp_path, *TWO, "--start-from", "formula")["options"]["start_from"]
    shutil.copytree(solved, "formula")
    from_directory = plan(tmp_path, *TWO, "--start-from", "formula")["options"]["start_from"]
    assert from_directory == plan(tmp_path, *TWO, "--start-from", tmp_path / "formula")["options"]["start_from"]
    assert by_formula != from_directory


def test_polished_from_there(tmp_path: Path) -> None:
    """As exact as without it."""
    command = ("-o", tmp_path / "out", "--winning-score", "1", *LOOSE, "--start-from", "formula", "--polish")
    assert json_of(MATCH, *command)["total_exploitability"] < 1e-12
    polished, learnt = load_solution(tmp_path / "out"), load_solution(tmp_path / "out" / UNPOLISHED)
    assert polished.options["start_from"] == learnt.options["start_from"]
    assert polished.value == pytest.approx(start_values_by_formula(1, "three-in-a-row"), abs=1e-12)
