"""solve-multiround --start-from: values by formula or from a solution, and what of them cannot be used."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from support.measured import two_seconds_a_pair
from support.programs import MATCH, call, complaint, contents, json_of
from tictactoe.tools.options.start_option import StartSource

from tictactoe import MatchOptions, load_solution
from tictactoe.solving.start_values import start_values_by_formula, start_values_of
from tictactoe.storage.directory_layout import UNPOLISHED
from tictactoe.storage.file_format import read_file, write_file
from tictactoe.storage.solution import SOLUTION_KIND

__all__ = ["two_seconds_a_pair"]
pytestmark = pytest.mark.usefixtures("two_seconds_a_pair")

LOOSE = ("--algorithm", "pdcfr+", "--maximum-subgame-exploitability", "0.05")
TWO = ("--winning-score", "2", *LOOSE)


def plan(tmp_path: Path, *arguments: object) -> Any:
    return json_of(MATCH, "-o", tmp_path / "out", "--dry-run", *arguments)


def test_both_kinds_of_start(tmp_path: Path) -> None:
    """By formula and from what ships they agree to rounding; the directory goes on from the same values alone."""
    output = tmp_path / "out"
    for source in ("formula", "shipped"):
        found = json_of(MATCH, "-o", output, *TWO, "--start-from", source, "--restart")
        assert [subgame["converged"] for subgame in found["subgames"]] == [True] * 4
        exact = start_values_by_formula(2, "three-in-a-row")
        for score, value in load_solution(output).value.items():
            assert value == pytest.approx(exact[score], abs=0.05)
        assert found["options"]["start_from"] == load_solution(output).options["start_from"]
    before = contents(output)
    assert call(MATCH, "-o", output, *TWO, "--start-from", "shipped", "--resume", "--quiet").code == 0
    for other, what in ((("--start-from", "formula"), "has other values there"), ((), "is given there, not here")):
        line = complaint(call(MATCH, "-o", output, *TWO, *other), 1, MATCH)
        assert f"cannot go on with what it holds: --start-from {what}. What to do: use the options" in line
        assert f"--start-from {what}" in call(MATCH, "-o", output, *TWO, *other, "--dry-run").out
    assert contents(output) == before


def test_the_values_that_are_meant(tmp_path: Path) -> None:
    """A solution says by which rules; its last scores are those of a shorter match. A dry run names both."""
    for source, rules, winning_score in (
        ("shipped", "three-in-a-row", 5),
        ("filled", "filled", 5),
        ("filled", "filled", 3),
        ("filled-tie_match_to_1", "filled-tie", 1),
    ):
        found = plan(tmp_path, "--start-from", source, "--winning-score", winning_score)
        values = start_values_of(load_solution(source), winning_score)
        options = MatchOptions(winning_score=winning_score, start_values=values).as_dict()
        assert (found["rules"], found["options"]) == (rules, options)
    text = call(MATCH, "-o", tmp_path / "out", "--dry-run", "--start-from", "formula", "--rules", "filled").out
    digest = MatchOptions(start_values=start_values_by_formula(5, "filled")).as_dict()["start_from"]
    assert "rules: filled\n" in text
    assert f"start_from: {digest}\n" in text
    assert contents(tmp_path) == {}


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        ("filled --rules three-in-a-row", 2, "--rules: filled is played by filled, not by three-in-a-row"),
        ("shipped --goal-odds 1:2:1", 2, "--goal-odds: shipped is played by three-in-a-row, not by three-in-a-row"),
        (
            "formula --goal-odds 1:2:1",
            1,
            "--start-from: no closed form is known for a match to 5 by the rules three-in-a-row 1:2:1",
        ),
        ("shipped --winning-score 6", 1, "shipped: a match to 5, which has no values for one to 6"),
        ("nowhere", 1, "nowhere: no solution here: solution.msgpack is missing"),
        ("single_round", 1, "single_round: no solution here: solution.msgpack is missing"),
        ("", 2, "Invalid value for '--start-from': the name is empty"),
    ],
)
@pytest.mark.parametrize("dry_run", [False, True])
def test_what_cannot_be_started_from(arguments: str, code: int, expected: str, dry_run: bool, tmp_path: Path) -> None:
    """In a line, before anything is written."""
    words = arguments.split() or [""]
    result = call(MATCH, "-o", tmp_path / "out", "--start-from", *words, *["--dry-run"] * dry_run)
    assert complaint(result, code, MATCH).startswith(f"{MATCH}: {expected}")
    assert contents(tmp_path) == {}


def test_a_solution_that_is_not_complete(solved: Path, tmp_path: Path) -> None:
    """Its later scores may do for a shorter match."""
    shutil.copytree(solved, tmp_path / "match")
    record = tmp_path / "match" / "solution.msgpack"
    content = read_file(record, SOLUTION_KIND)
    content["subgames"] = [entry for entry in content["subgames"] if entry["score"] != [0, 0]]
    write_file(record, SOLUTION_KIND, content)
    start = ("--start-from", tmp_path / "match", "--dry-run")
    line = complaint(call(MATCH, "-o", tmp_path / "out", *TWO, *start), 1, MATCH)
    assert line == f"{MATCH}: {tmp_path}/match: has no value for the score 0-0; solve the match first"
    assert plan(tmp_path, "--winning-score", "1", *start)["subgames"] == 1


def test_a_directory_of_ones_own_that_is_called_formula(
    solved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Comes first, as with the names of what ships."""
    monkeypatch.chdir(tmp_path)
    assert StartSource().convert("formula", None, None) == "formula"
    by_formula = plan(tmp_path, *TWO, "--start-from", "formula")["options"]["start_from"]
    shutil.copytree(solved, "formula")
    from_directory = plan(tmp_path, *TWO, "--start-from", "formula")["options"]["start_from"]
    assert from_directory == plan(tmp_path, *TWO, "--start-from", tmp_path / "formula")["options"]["start_from"]
    assert by_formula != from_directory


def test_polished_from_there(tmp_path: Path) -> None:
    """The same as without: exact, and gone on with by the same command."""
    command = ("-o", tmp_path / "out", "--winning-score", "1", *LOOSE, "--start-from", "formula", "--polish")
    found = json_of(MATCH, *command)
    assert found["total_exploitability"] < 1e-12
    polished, learnt = load_solution(tmp_path / "out"), load_solution(tmp_path / "out" / UNPOLISHED)
    assert polished.options["start_from"] == learnt.options["start_from"]
    assert polished.value == pytest.approx(start_values_by_formula(1, "three-in-a-row"), abs=1e-12)
    before = contents(tmp_path)
    assert call(MATCH, *command, "--quiet").code == 0
    assert contents(tmp_path) == before
