"""Rules and odds in the commands that read files: named in what they print, and refused where two of them meet."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle.lifting import game_tree
from support.programs import MATCH, ROUND, call, complaint, contents, json_of, text_of
from support.slowness import by_default
from support.storage_files import bincode, entries_of, imported, publish, pure_strategy

from tictactoe.games.rules import Rules
from tictactoe.games.tic_tac_toe_tree import GameTree
from tictactoe.match.head_to_head import UniformStrategy, head_to_head
from tictactoe.storage.directory_layout import SOLUTION_FILE
from tictactoe.storage.file_format import read_file, write_file
from tictactoe.storage.shipped import shipped_solution
from tictactoe.storage.solution import load_solution

VERSUS, IMPORT, EXPORT, COMPACT = "head-to-head", "import-solution", "export-strategy", "compact-solution"
ROUND_30 = ("--iterations", 30, "--algorithm", "pdcfr+", "--quiet")
QUICK = ("--winning-score", 1, "--max-iterations", 20, "--quiet")
FILLED, ODDS = "filled", "filled-none 2:1:0"


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """By rules, matches to 1 of random strategies, the table of one, and rounds that were solved for a moment."""
    world = tmp_path_factory.mktemp("rules")
    for name, rules in (("default", "three-in-a-row"), ("filled", FILLED), ("odds", ODDS)):
        imported(world / name, GameTree.build(Rules.parse(rules)), 1)
    assert call(EXPORT, "-s", world / "odds", "-o", world / "odds.csv", "--quiet").code == 0
    assert call(ROUND, "-o", world / "round", "--rules", "filled", *ROUND_30).code == 0
    assert call(MATCH, "-o", world / "begun", "--rules", "filled", *QUICK).code == 1
    return world


@pytest.fixture
def world(original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy, which is the working directory."""
    world = Path(shutil.copytree(original, tmp_path / "world"))
    monkeypatch.chdir(world)
    return world


# What is said


def test_reports_name_the_rules(world: Path) -> None:
    for name in ("odds", "default"):
        rules = {"filled": FILLED, "odds": ODDS, "default": "three-in-a-row"}[name]
        assert json_of("best-response-multiround", "-s", name)["rules"] == rules
        assert json_of("best-response-subgame", "-s", f"{name}/subgame_0_0", "--save", "false")["rules"] == rules
        assert json_of(VERSUS, "-s", name, "-s", "uniform")["rules"] == rules
        by = "" if name == "default" else f" by the rules {rules}"
        assert f"bot in a match to 1{by}: " in text_of("best-response-multiround", "-s", name)
        assert f"A: {name}, B: uniform, match to 1{by}, exact" in text_of(VERSUS, "-s", name, "-s", "uniform")
        assert f"1 score of a match to 1{by} in " in text_of(COMPACT, "-s", name, "-o", f"{name}_small")
        judged = text_of("best-response-subgame", "-s", f"{name}/subgame_0_0", "--save", "false")
        assert judged.startswith(f"rules: {rules}\n" if by else "score 0-0, ")
        assert load_solution(f"{name}_small").rules == rules


def test_tables_keep_the_rules(world: Path) -> None:
    result = json_of(IMPORT, "odds.csv", "-o", "again", "--goal-odds", "4:2:0", "--rules", "filled-none")
    assert result["rules"] == load_solution("again").rules == ODDS
    assert call(EXPORT, "-s", "again", "-o", "again.csv", "--quiet").code == 0
    assert Path("again.csv").read_bytes() == Path("odds.csv").read_bytes()
    ours, theirs = load_solution("again").average_strategy[0, 0], load_solution("odds").average_strategy[0, 0]
    np.testing.assert_array_equal(ours, theirs)
    said = text_of(IMPORT, "odds.csv", "-o", "third")
    assert said.startswith("1 score of a match to 1 by the rules filled-none 2:1:0 imported into third\n")


def test_what_is_solved_says_its_rules(world: Path) -> None:
    odds = ("--rules", "filled-tie", "--goal-odds", "3:3:6")
    assert json_of(ROUND, "-o", "solved_round", *odds, *ROUND_30)["rules"] == "filled-tie 1:1:2"
    solved = call(MATCH, "-o", "solved", *odds, *QUICK, "--max-iterations", 1, "--json")
    assert '"rules": "filled-tie 1:1:2"' in solved.out
    result = call(ROUND, "-o", "solved_round", *odds, "--iterations", 30, "--algorithm", "pdcfr+")
    assert "rules: filled-tie 1:1:2\n" in result.out
    compared = ("--budget", 2, "--algorithm", "pdcfr+", "--no-plot", "--quiet")
    assert json_of("compare-algorithms", "-o", "compared", *odds, *compared)["rules"] == "filled-tie 1:1:2"
    assert call(MATCH, "-o", "solved", *odds, "--winning-score", 1, "--max-iterations", 1).out.count("filled-tie") == 1


def test_pictures_name_the_rules(world: Path) -> None:
    for name, by in (("odds", " by the rules filled-none 2:1:0"), ("default", "")):
        assert call("plot-solution", "-s", name, "-o", "plots", "--format", "svg", "--quiet").code == 0
        drawn = Path("plots/values.svg").read_text()
        assert f"Who wins a match to 1{by}, from every score" in re.sub(r"\s+", " ", drawn)
    assert call("plot-solution", "-s", "begun", "-o", "plots", "--format", "svg", "--quiet").code == 0
    assert "Convergence of a match to 1 by the rules filled" in Path("plots/convergence.svg").read_text()


# Opponents by name


def test_opponents_by_name_play_by_the_rules_that_are_asked_for() -> None:
    tree = GameTree.build(Rules("filled-none", (2, 1, 0)))
    odds = ("--rules", "filled-none", "--goal-odds", "2:1:0")
    judged = json_of(VERSUS, "-s", "uniform", "-s", "uniform", *odds, "--winning-score", 2)
    expected = head_to_head(tree, UniformStrategy(tree, 2), UniformStrategy(tree, 2), 2)
    assert judged["rules"] == ODDS
    assert judged["a_wins_moving_first"] == expected.wins_as_first
    perfect = json_of(VERSUS, "-s", "perfect", "-s", "careless", "--rules", "filled", "--winning-score", 1)
    named = json_of(VERSUS, "-s", shipped_solution("filled"), "-s", "careless", "--winning-score", 1)
    assert (perfect["rules"], perfect["a_wins"]) == ("filled", named["a_wins"])
    assert perfect["a_wins"] > 0.5


def test_opponents_of_which_none_has_these_rules(world: Path) -> None:
    for sides in (("perfect", "uniform"), ("careless", "uniform"), ("odds", "perfect")):
        rules = () if sides[0] == "odds" else ("--rules", "filled-none", "--goal-odds", "2:1:0")
        line = complaint(call(VERSUS, "-s", sides[0], "-s", sides[1], *rules), 2, VERSUS)
        assert "no match to 5 by the rules filled-none 2:1:0 comes with the program" in line
    line = complaint(call(VERSUS, "-s", "odds", "-s", "learner-10"), 1, VERSUS)
    assert re.search("learner-10 has learnt .*three-in-a-row", line)


# What is refused, and changes nothing


def refused(world: Path, name: str, *words: object, code: int = 1) -> str:
    before = contents(world)
    line = complaint(call(name, *words), code, name)
    assert contents(world) == before
    return line


def test_two_rules_do_not_meet(world: Path) -> None:
    line = refused(world, VERSUS, "-s", "default", "-s", "filled")
    assert "default is a match by the rules three-in-a-row and filled is a match by the rules filled: they" in line
    assert "filled-none 2:1:0: they cannot" in refused(world, VERSUS, "-s", "shipped", "-s", "odds")
    line = refused(world, VERSUS, "-s", "uniform", "-s", "odds", "--rules", "filled", code=2)
    assert "--rules: odds is played by filled-none 2:1:0, not by filled 2:1:0" in line
    line = refused(world, VERSUS, "-s", "uniform", "-s", "odds", "--goal-odds", "1:1:1", code=2)
    assert "--goal-odds: odds is played by filled-none 2:1:0, not by filled-none" in line


def test_imports_of_other_rules(world: Path) -> None:
    line = refused(world, IMPORT, "odds.csv", "-o", "out", "--rules", "filled")
    assert "odds.csv: strategies by the rules 'filled-none 2:1:0', not 'filled'" in line
    tree = game_tree()
    publish(world / "theirs", {"subgame_0_0/strategy_1.bincode": bincode(entries_of(tree, pure_strategy(tree)))})
    line = refused(world, IMPORT, "theirs", "-o", "out", "--winning-score", 1, "--rules", "filled")
    assert "theirs: strategies by the rules 'three-in-a-row', not 'filled'" in line
    good = Path("odds.csv").read_text().splitlines(keepends=True)
    for rows, where in ((good[:1] + [row.replace(ODDS, "comic") for row in good[1:]], "line 2"), (good, "line 9")):
        rows[8] = rows[8].replace(ODDS, "filled")
        Path("bad.csv").write_text("".join(rows))
        line = refused(world, IMPORT, "bad.csv", "-o", "out")
        assert f"bad.csv: {where}: end_rule: " in line


def test_going_on_by_other_rules(world: Path) -> None:
    for rules, said in (
        (("--rules", "filled-tie"), "--rules is filled there, filled-tie here"),
        ((), "--rules is filled there, three-in-a-row here"),
        (("--rules", "filled", "--goal-odds", "2:1:1"), "--goal-odds is 1:1:1 there, 2:1:1 here"),
    ):
        for name, output, words in ((MATCH, "begun", QUICK), (ROUND, "round", ROUND_30)):
            assert said in refused(world, name, "-o", output, *rules, *words)
    assert call(ROUND, "-o", "round", "--rules", "filled", *ROUND_30).code == 0


@pytest.mark.parametrize("name", [ROUND, "compare-algorithms"])
def test_values_from_other_rules(name: str, world: Path) -> None:
    words = ("-o", "out", "--score", 0, 0, "--values-from", "odds")
    line = refused(world, name, *words, "--rules", "filled", code=2)
    assert "--rules: odds is played by filled-none 2:1:0, not by filled" in line


def of_other_rules(content: dict[str, Any]) -> None:
    content["end_rule"] = "filled-tie"


def of_unknown_rules(content: dict[str, Any]) -> None:
    content["end_rule"] = "misere"


def of_unlikely_odds(content: dict[str, Any]) -> None:
    content["end_rule"] = "filled 2:2:2"


READERS: dict[str, tuple[str, ...]] = {
    "explore": ("-s", "filled"),
    VERSUS: ("-s", "filled", "-s", "uniform"),
    "best-response-multiround": ("-s", "filled"),
    COMPACT: ("-s", "filled", "-o", "out"),
    "plot-solution": ("-s", "filled", "-o", "out"),
    EXPORT: ("-s", "filled", "-o", "out.csv"),
    ROUND: ("-o", "out", "--score", "0", "0", "--values-from", "filled"),
    MATCH: ("-o", "filled", "--winning-score", "1"),
}


@pytest.mark.parametrize("name", by_default(READERS, "explore", EXPORT, MATCH))
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            of_unknown_rules,
            "filled/solution.msgpack: made with rules that are unknown here, 'misere'; upgrade to read it",
        ),
        (of_unlikely_odds, "filled/solution.msgpack: made with rules that are unknown here, 'filled 2:2:2'; upgrade"),
        (of_other_rules, "filled/solution.msgpack: made with another game tree; solve it again"),
    ],
)
def test_records_of_rules_that_are_not_known(
    change: Callable[[dict[str, Any]], None], said: str, name: str, world: Path
) -> None:
    path = world / "filled" / SOLUTION_FILE
    content = read_file(path, "solution")
    change(content)
    write_file(path, "solution", content)
    line = refused(world, name, *READERS[name])
    if name == MATCH:
        assert re.search("filled: cannot go on with what it holds: it was imported, not solved", line)
    else:
        assert said in line


@pytest.mark.parametrize("name", by_default(list(READERS)[:6], "explore", "best-response-multiround"))
def test_snapshots_of_other_rules_in_a_solution(name: str, world: Path) -> None:
    (path,) = (world / "filled" / "subgame_0_0").glob("snapshot_*")
    shutil.copy(next((world / "default" / "subgame_0_0").glob("snapshot_*")), path)
    line = refused(world, name, *READERS[name])
    assert f"{path.relative_to(world)}: of a round by the rules 'three-in-a-row', not 'filled'" in line


def test_a_subgame_of_rules_that_are_not_known(world: Path) -> None:
    path = sorted(Path("round").glob("snapshot_*"))[-1]
    write_file(path, "snapshot", read_file(path, "snapshot") | {"end_rule": "misere"})
    for words in (("explore", "-s", "round"), ("best-response-subgame", "-s", "round"), (EXPORT, "-s", "round")):
        assert f"{path}: made with rules that are unknown here, 'misere'; upgrade to read it" in refused(world, *words)


def test_best_responses_beside_snapshots_of_other_rules(world: Path) -> None:
    """The one that is there is of another tree, or of the same with other odds: it is not shown as an answer."""
    imported(world / "even", GameTree.build(Rules("filled")), 1)
    imported(world / "uneven", GameTree.build(Rules("filled", (2, 1, 1))), 1)
    for source, target in (("default", "filled"), ("even", "uneven")):
        assert call("best-response-subgame", "-s", f"{source}/subgame_0_0", "--save", "true", "--json").code == 0
        (saved,) = Path(source, "subgame_0_0").glob("best_response_*")
        shutil.copy(saved, Path(target, "subgame_0_0"))
        seen = json_of("explore", "-s", target, "--position", "0-0")
        assert seen["best_response"] is None
        assert "of another game tree; compute it again" in seen["best_response_problem"]
        assert call("best-response-subgame", "-s", f"{target}/subgame_0_0", "--save", "true", "--json").code == 0
        seen = json_of("explore", "-s", target, "--position", "0-0")
        assert (seen["best_response"] is None, seen["best_response_problem"]) == (False, None)
