"""Rules of files: tables and pictures keep them. The console compare_rules.txt has reports and refusals."""

import re
from pathlib import Path

import pytest
from oracle.matches import short_rounds_in_module
from support.programs import MATCH, call, json_of
from support.storage_files import imported

from tictactoe import GameTree, Rules, load_solution

IMPORT, EXPORT = "import-solution", "export-strategy"
ODDS = "filled-none 2:1:0"


_short_rounds = short_rounds_in_module("filled-none")
"""Tables of real rounds have a hundred times as many rows. These rules differ in their names alone."""


@pytest.fixture
def world(_short_rounds: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working directory, with matches to 1 of random strategies, by two rules."""
    monkeypatch.chdir(tmp_path)
    for name, rules in (("default", "three-in-a-row"), ("odds", ODDS)):
        imported(Path(name), GameTree.build(Rules.parse(rules)), 1)


@pytest.mark.usefixtures("world")
def test_pictures_name_the_rules() -> None:
    solved = ("--winning-score", 1, "--max-iterations", 20, "--quiet")
    assert call(MATCH, "-o", "begun", "--rules", "filled", *solved).code == 1
    for name, picture, title in (
        ("odds", "values", f"Who wins a match to 1 by the rules {ODDS}, from every score"),
        ("default", "values", "Who wins a match to 1, from every score"),
        ("begun", "convergence", "Convergence of a match to 1 by the rules filled"),
    ):
        assert call("plot-solution", "-s", name, "-o", f"{name}_plots", "--format", "svg", "--quiet").code == 0
        assert title in re.sub(r"\s+", " ", Path(f"{name}_plots", f"{picture}.svg").read_text())


@pytest.mark.usefixtures("world")
def test_tables_keep_the_rules() -> None:
    assert call(EXPORT, "-s", "odds", "-o", "odds.csv", "--quiet").code == 0
    result = json_of(IMPORT, "odds.csv", "-o", "again", "--goal-odds", "4:2:0", "--rules", "filled-none")
    assert result["rules"] == load_solution("again").rules == ODDS
    assert call(EXPORT, "-s", "again", "-o", "again.csv", "--quiet").code == 0
    assert Path("again.csv").read_bytes() == Path("odds.csv").read_bytes()
