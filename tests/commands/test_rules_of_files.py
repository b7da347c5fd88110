"""Rules and odds in the commands that read files: their reports name them, and two of them do not meet."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from oracle.lifting import game_tree
from oracle.matches import short_rounds
from support.programs import MATCH, ROUND, call, complaint, contents, json_of, text_of
from support.slowness import by_default
from support.storage_files import bincode, entries_of, imported, publish, pure_strategy

from tictactoe import GameTree, load_solution
from tictactoe.games.rules import Rules
from tictactoe.match.head_to_head import UniformStrategy, head_to_head
from tictactoe.storage.directory_layout import SOLUTION_FILE
from tictactoe.storage.file_format import read_file, write_file

VERSUS, IMPORT, EXPORT, COMPACT = "head-to-head", "import-solution", "export-strategy", "compact-solution"
OVER_MATCH, IN_ROUND = "best-response-multiround", "best-response-subgame"
ROUND_30 = ("--iterations", 30, "--algorithm", "pdcfr+", "--quiet")
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
    assert call(ROUND, "-o", world / "round", "--rules", "filled", *ROUND_30).code == 0
    assert call(MATCH, "-o", world / "begun", "--rules", "filled", *QUICK).code == 1
    return world


@pytest.fixture
def world(original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy, which is the working directory."""
    world = Path(shutil.copytree(original, tmp_path / "world"))
    monkeypatch.chdir(world)
    return world


# --- reports


@pytest.mark.parametrize(("name", "rules"), [("odds", ODDS), ("default", "three-in-a-row")])
def test_reports_name_the_rules(name: str, rules: str, world: Path) -> None:
    """Text names them unless they are the usual ones, JSON always does."""
    by = "" if name == "default" else f" by the rules {rules}"
    assert json_of(OVER_MATCH, "-s", name)["rules"] == rules
    assert json_of(IN_ROUND, "-s", f"{name}/subgame_0_0", "--save", "false")["rules"] == rules
    assert json_of(VERSUS, "-s", name, "-s", "uniform")["rules"] == rules
    assert f"bot in a match to 1{by}: " in text_of(OVER_MATCH, "-s", name)
    assert f"A: {name}, B: uniform, match to 1{by}, exact" in text_of(VERSUS, "-s", name, "-s", "uniform")
    judged = text_of(IN_ROUND, "-s", f"{name}/subgame_0_0", "--save", "false")
    assert judged.startswith(f"rules: {rules}\n" if by else "score 0-0, ")
    if by:
        assert f"1 score of a match to 1{by} in " in text_of(COMPACT, "-s", name, "-o", "small")
        assert load_solution("small").rules == rules
    assert call("plot-solution", "-s", name, "-o", "plots", "--format", "svg", "--quiet").code == 0
    drawn = re.sub(r"\s+", " ", Path("plots/values.svg").read_text())
    assert f"Who wins a match to 1{by}, from every score" in drawn


def test_tables_keep_the_rules(world: Path) -> None:
    result = json_of(IMPORT, "odds.csv", "-o", "again", "--goal-odds", "4:2:0", "--rules", "filled-none")
    assert result["rules"] == load_solution("again").rules == ODDS
    assert call(EXPORT, "-s", "again", "-o", "again.csv", "--quiet").code == 0
    assert Path("again.csv").read_bytes() == Path("odds.csv").read_bytes()
    said = text_of(IMPORT, "odds.csv", "-o", "third")
    assert said.startswith("1 score of a match to 1 by the rules filled-none 2:1:0 imported into third\n")


def test_results_name_their_rules(world: Path) -> None:
    odds = ("--rules", "filled-tie", "--goal-odds", "3:3:6")
    assert json_of(ROUND, "-o", "solved_round", *odds, *ROUND_30)["rules"] == "filled-tie 1:1:2"
    result = call(ROUND, "-o", "solved_round", *odds, "--iterations", 30, "--algorithm", "pdcfr+")
    assert "rules: filled-tie 1:1:2\n" in result.out
    solved = call(MATCH, "-o", "solved", *odds, *QUICK, "--max-iterations", 1, "--json")
    assert '"rules": "filled-tie 1:1:2"' in solved.out
    assert call(MATCH, "-o", "solved", *odds, "--winning-score", 1, "--max-iterations", 1).out.count("filled-tie") == 1
    compared = ("--budget", 2, "--algorithm", "pdcfr+", "--no-plot", "--quiet")
    assert json_of("compare-algorithms", "-o", "compared", *odds, *compared)["rules"] == "filled-tie 1:1:2"
    assert call("plot-solution", "-s", "begun", "-o", "plots", "--format", "svg", "--quiet").code == 0
    assert "Convergence of a match to 1 by the rules filled" in Path("plots/convergence.svg").read_text()


def test_opponents_by_name_play_by_the_rules_that_are_asked_for() -> None:
    tree = GameTree.build(Rules("filled-none", (2, 1, 0)))
    odds = ("--rules", "filled-none", "--goal-odds", "2:1:0")
    judged = json_of(VERSUS, "-s", "uniform", "-s", "uniform", *odds, "--winning-score", 2)
    expected = head_to_head(tree, UniformStrategy(tree, 2), UniformStrategy(tree, 2), 2)
    assert judged["rules"] == ODDS
    assert judged["a_wins_moving_first"] == expected.wins_as_first
    perfect = json_of(VERSUS, "-s", "perfect", "-s", "careless", "--rules", "filled", "--winning-score", 1)
    named = json_of(VERSUS, "-s", "filled", "-s", "careless", "--winning-score", 1)
    assert (perfect["rules"], perfect["a_wins"]) == ("filled", named["a_wins"])
    assert perfect["a_wins"] > 0.5


# --- refusals, which change nothing


def refused(world: Path, name: str, *words: object, code: int = 1) -> str:
    before = contents(world)
    line = complaint(call(name, *words), code, name)
    assert contents(world) == before
    return line


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        (f"{VERSUS} -s default -s filled", 1, "default is a match by the rules three-in-a-row and filled is a match"),
        (f"{VERSUS} -s shipped -s odds", 1, "filled-none 2:1:0: they cannot"),
        (
            f"{VERSUS} -s uniform -s odds --rules filled",
            2,
            "--rules: odds is played by filled-none 2:1:0, not by filled",
        ),
        (f"{VERSUS} -s uniform -s odds --goal-odds 1:1:1", 2, "--goal-odds: odds is played by filled-none 2:1:0, not"),
        (f"{VERSUS} -s odds -s perfect", 2, "no match to 5 by the rules filled-none 2:1:0 comes with the program"),
        (f"{VERSUS} -s careless -s uniform --rules filled-none --goal-odds 2:1:0", 2, "no match to 5 by the rules"),
        (f"{VERSUS} -s odds -s learner-10", 1, "learner-10 has learnt "),
        (f"{IMPORT} odds.csv -o out --rules filled", 1, "odds.csv: strategies by the rules 'filled-none 2:1:0', not"),
        (
            f"{ROUND} -o out --score 0 0 --values-from odds --rules filled",
            2,
            "--rules: odds is played by filled-none 2",
        ),
        ("compare-algorithms -o out --score 0 0 --values-from odds --rules filled", 2, "--rules: odds is played by"),
    ],
)
def test_two_rules_do_not_meet(line: str, code: int, said: str, world: Path) -> None:
    name, *words = line.split()
    assert said in refused(world, name, *words, code=code)


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


def test_going_on_by_other_rules(world: Path) -> None:
    for rules, said in (
        (("--rules", "filled-tie"), "--rules is filled there, filled-tie here"),
        ((), "--rules is filled there, three-in-a-row here"),
        (("--rules", "filled", "--goal-odds", "2:1:1"), "--goal-odds is 1:1:1 there, 2:1:1 here"),
    ):
        for name, output, words in ((MATCH, "begun", QUICK), (ROUND, "round", ROUND_30)):
            assert said in refused(world, name, "-o", output, *rules, *words)
    assert call(ROUND, "-o", "round", "--rules", "filled", *ROUND_30).code == 0


READERS: dict[str, tuple[str, ...]] = {
    "explore": ("-s", "filled"),
    VERSUS: ("-s", "filled", "-s", "uniform"),
    OVER_MATCH: ("-s", "filled"),
    COMPACT: ("-s", "filled", "-o", "out"),
    "plot-solution": ("-s", "filled", "-o", "out"),
    EXPORT: ("-s", "filled", "-o", "out.csv"),
    ROUND: ("-o", "out", "--score", "0", "0", "--values-from", "filled"),
    MATCH: ("-o", "filled", "--winning-score", "1"),
}


@pytest.mark.parametrize("name", by_default(READERS, "explore", EXPORT, MATCH))
def test_records_of_rules_that_are_not_known(name: str, world: Path) -> None:
    path = world / "filled" / SOLUTION_FILE
    content = read_file(path, "solution")
    for rules, said in (
        ("misere", "made with rules that are unknown here, 'misere'; upgrade to read it"),
        ("filled 2:2:2", "made with rules that are unknown here, 'filled 2:2:2'; upgrade"),
        ("filled-tie", "made with another game tree; solve it again"),
    ):
        write_file(path, "solution", content | {"end_rule": rules})
        expected = f"filled/solution.msgpack: {said}"
        if name == MATCH:
            expected = "filled: cannot go on with what it holds: it was imported, not solved"
        assert expected in refused(world, name, *READERS[name])


@pytest.mark.parametrize("name", by_default(list(READERS)[:6], "explore", OVER_MATCH))
def test_snapshots_of_other_rules_in_a_solution(name: str, world: Path) -> None:
    (path,) = (world / "filled" / "subgame_0_0").glob("snapshot_*")
    shutil.copy(next((world / "default" / "subgame_0_0").glob("snapshot_*")), path)
    line = refused(world, name, *READERS[name])
    assert f"{path.relative_to(world)}: of a round by the rules 'three-in-a-row', not 'filled'" in line


def test_a_subgame_of_rules_that_are_not_known(world: Path) -> None:
    path = sorted(Path("round").glob("snapshot_*"))[-1]
    write_file(path, "snapshot", read_file(path, "snapshot") | {"end_rule": "misere"})
    for name in ("explore", IN_ROUND, EXPORT):
        line = refused(world, name, "-s", "round")
        assert f"{path}: made with rules that are unknown here, 'misere'; upgrade to read it" in line


def test_best_responses_beside_snapshots_of_other_rules(world: Path) -> None:
    """A response of another tree, or of the same tree by other odds, is not shown as an answer."""
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
