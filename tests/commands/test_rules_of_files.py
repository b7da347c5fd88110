"""Rules of files: tables and pictures keep them. The console compare_rules.txt has reports and refusals."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from oracle.lifting import game_tree
from oracle.matches import short_rounds
from support.programs import MATCH, ROUND, call, complaint, contents, json_of
from support.slowness import slow
from support.storage_files import bincode, entries_of, imported, publish, pure_strategy

from tictactoe import GameTree, Rules, UniformStrategy, head_to_head, load_solution
from tictactoe.storage.file_format import read_file, write_file

VERSUS, IMPORT, EXPORT, COMPACT = "head-to-head", "import-solution", "export-strategy", "compact-solution"
OVER_MATCH, IN_ROUND = "best-response-multiround", "best-response-subgame"
QUICK = ("--winning-score", 1, "--max-iterations", 20, "--quiet")
FILLED, ODDS = "filled", "filled-none 2:1:0"


@pytest.fixture(scope="module", autouse=True)
def _short_rounds() -> Iterator[None]:
    """Tables of real rounds have a hundred times as many rows. These rules differ in their names alone."""
    with short_rounds("filled-none"):
        yield


@pytest.fixture(scope="module")
def original(_short_rounds: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """By rules, matches to 1 of random strategies, the table of one, and rounds that were solved for a moment."""
    world = tmp_path_factory.mktemp("rules")
    for name, rules in (("default", "three-in-a-row"), ("filled", FILLED), ("odds", ODDS)):
        imported(world / name, GameTree.build(Rules.parse(rules)), 1)
    assert call(EXPORT, "-s", world / "odds", "-o", world / "odds.csv", "--quiet").code == 0
    assert call(ROUND, "-o", world / "round", "--iterations", 30, "--algorithm", "pdcfr+", "--quiet").code == 0
    assert call(MATCH, "-o", world / "begun", "--rules", "filled", *QUICK).code == 1
    return world


@pytest.fixture
def world(original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    world = Path(shutil.copytree(original, tmp_path / "world"))
    monkeypatch.chdir(world)
    return world


@pytest.mark.parametrize(("name", "by"), [("odds", f" by the rules {ODDS}"), *slow(("default", ""))])
def test_pictures_name_the_rules(name: str, by: str, world: Path) -> None:
    assert call("plot-solution", "-s", name, "-o", "plots", "--format", "svg", "--quiet").code == 0
    drawn = re.sub(r"\s+", " ", Path("plots/values.svg").read_text())
    assert f"Who wins a match to 1{by}, from every score" in drawn
    if by:
        assert call("plot-solution", "-s", "begun", "-o", "plots", "--format", "svg", "--quiet").code == 0
        assert "Convergence of a match to 1 by the rules filled" in Path("plots/convergence.svg").read_text()


def test_tables_keep_the_rules(world: Path) -> None:
    result = json_of(IMPORT, "odds.csv", "-o", "again", "--goal-odds", "4:2:0", "--rules", "filled-none")
    assert result["rules"] == load_solution("again").rules == ODDS
    assert call(EXPORT, "-s", "again", "-o", "again.csv", "--quiet").code == 0
    assert Path("again.csv").read_bytes() == Path("odds.csv").read_bytes()


def test_opponents_by_name_play_by_the_rules_that_are_asked_for() -> None:
    tree = GameTree.build(Rules("filled-none", (2, 1, 0)))
    odds = ("--rules", "filled-none", "--goal-odds", "2:1:0")
    judged = json_of(VERSUS, "-s", "uniform", "-s", "uniform", *odds, "--winning-score", 2)
    expected = head_to_head(tree, UniformStrategy(tree, 2), UniformStrategy(tree, 2), 2)
    assert (judged["rules"], judged["a_wins_moving_first"]) == (ODDS, expected.wins_as_first)
    perfect = json_of(VERSUS, "-s", "perfect", "-s", "careless", "--rules", "filled", "--winning-score", 1)
    named = json_of(VERSUS, "-s", "filled", "-s", "careless", "--winning-score", 1)
    assert (perfect["rules"], perfect["a_wins"]) == ("filled", named["a_wins"])
    assert perfect["a_wins"] > 0.5


def refused(world: Path, name: str, *words: object, code: int = 1) -> str:
    before = contents(world)
    line = complaint(call(name, *words), code, name)
    assert contents(world) == before
    return line


def test_imports_of_other_rules(world: Path) -> None:
    tree = game_tree()
    publish(world / "theirs", {"subgame_0_0/strategy_1.bincode": bincode(entries_of(tree, pure_strategy(tree)))})
    line = refused(world, IMPORT, "theirs", "-o", "out", "--winning-score", 1, "--rules", "filled")
    assert "theirs: strategies by the rules 'three-in-a-row', not 'filled'" in line
    good = Path("odds.csv").read_text().splitlines(keepends=True)
    for rows, where in ((good[:1] + [row.replace(ODDS, "comic") for row in good[1:]], "line 2"), (good, "line 9")):
        rows[8] = rows[8].replace(ODDS, "filled")
        Path("bad.csv").write_text("".join(rows))
        assert f"bad.csv: {where}: end_rule: " in refused(world, IMPORT, "bad.csv", "-o", "out")


def test_snapshots_of_rules_that_are_other_ones_or_not_known(world: Path) -> None:
    (path,) = Path("filled/subgame_0_0").glob("snapshot_*")
    shutil.copy(next(Path("default/subgame_0_0").glob("snapshot_*")), path)
    for name, *more in (("explore",), (OVER_MATCH,), (EXPORT, "-o", "out.csv")):
        line = refused(world, name, "-s", "filled", *more)
        assert f"{path}: of a round by the rules 'three-in-a-row', not 'filled'" in line
    path = sorted(Path("round").glob("snapshot_*"))[-1]
    write_file(path, "snapshot", read_file(path, "snapshot") | {"end_rule": "misere"})
    for name in ("explore", IN_ROUND, EXPORT):
        line = refused(world, name, "-s", "round")
        assert f"{path}: made with rules that are unknown here, 'misere'; upgrade to read it" in line


def test_best_responses_beside_snapshots_of_other_rules(world: Path) -> None:
    imported(world / "even", GameTree.build(Rules("filled-none")), 1)
    imported(world / "uneven", GameTree.build(Rules("filled-none", (2, 1, 1))), 1)
    for source, target in (("default", "filled"), ("even", "uneven")):
        assert call(IN_ROUND, "-s", f"{source}/subgame_0_0", "--save", "true", "--json").code == 0
        (saved,) = Path(source, "subgame_0_0").glob("best_response_*")
        shutil.copy(saved, Path(target, "subgame_0_0"))
        seen = json_of("explore", "-s", target, "--position", "0-0")
        assert seen["best_response"] is None
        assert "of another game tree; compute it again" in seen["best_response_problem"]
        assert call(IN_ROUND, "-s", f"{target}/subgame_0_0", "--save", "true", "--json").code == 0
        seen = json_of("explore", "-s", target, "--position", "0-0")
        assert (seen["best_response"] is None, seen["best_response_problem"]) == (False, None)
