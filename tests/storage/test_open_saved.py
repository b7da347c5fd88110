"""Opening a solution, one of its subgames, or a shipped one by its name."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.storage_files import imported, refusal

from tictactoe import RULES, GameOptions, GameTree, Rules, Score, Snapshot, load_solution, open_saved, solve_game
from tictactoe.errors import FormatError, NotSavedError
from tictactoe.games.named_games import named_game
from tictactoe.storage import shipped as names
from tictactoe.storage.directory_layout import snapshot_name
from tictactoe.storage.shipped import SHIPPED, SHIPPED_MATCHES, is_shipped, shipped_solution, solution_directory


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match to 2 of random strategies in which one score has none."""
    directory = tmp_path_factory.mktemp("open") / "solution"
    return imported(directory, GameTree.build(), 2, leave_out=(Score(0, 1),))


def test_a_solution_and_a_subgame_of_it(solved: Path) -> None:
    rounds, only = open_saved(solved), open_saved(solved / "subgame_1_1")
    assert (rounds.scores, only.scores) == ([Score(1, 1)], None)
    assert np.array_equal(rounds.load().strategy(False), only.load().strategy(False))
    assert rounds.load().response is None
    for call, message in (
        (lambda: rounds.load(Score(0, 0)), "the score 0-0 is not solved; solved: 1-1"),
        (lambda: rounds.snapshot(Score(0, 1)), "iteration 0 is not saved; saved: none"),
        (lambda: only.load(None, 7), "iteration 7 is not saved; saved: 0"),
        (lambda: only.load(Score(0, 0)), "only the score 1-1 is open; for others, start explore with a whole solution"),
    ):
        with pytest.raises(NotSavedError, match=f"^{message}$"):
            call()


def test_refusals(tmp_path: Path, solved: Path) -> None:
    (tmp_path / "file").write_text("kept")
    said = "a file; give the directory of a solution, or of one subgame in it"
    assert refusal(open_saved, tmp_path / "file") == said
    said = f"a whole solution: take a subgame of it, such as {solved / 'subgame_0_0'}"
    assert refusal(lambda path: open_saved(path).require_subgame(), solved) == said


def test_files_that_do_not_belong(tmp_path: Path, solved: Path) -> None:
    subgame = tmp_path / "subgame"
    shutil.copytree(solved / "subgame_1_1", subgame)
    shutil.copy(subgame / snapshot_name(0), subgame / snapshot_name(5))
    with pytest.raises(FormatError, match=r"it has iteration 0, not the one in its name; rename it to snapshot_"):
        open_saved(subgame).load()
    other = Snapshot.load(solved / "subgame_1_0" / snapshot_name(0), GameTree.build())
    replace(other, iteration=5).save(subgame / snapshot_name(5))
    rounds = open_saved(subgame)
    rounds.load(None, 0)
    with pytest.raises(FormatError, match=r"snapshot_000005.msgpack: a snapshot of 1-0 among those of 1-1$"):
        rounds.load(None, 5)


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_names_parts_of_them_and_other_texts() -> None:
    for name in SHIPPED:
        directory = solution_directory(name)
        assert directory == open_saved(name).directory == shipped_solution(name)
        assert is_shipped(directory)
        assert open_saved(name).load().iteration >= 0
    shipped = shipped_solution()
    assert load_solution("shipped").directory == load_solution("shipped/").directory == shipped
    assert solution_directory("shipped/subgame_4_3") == shipped / "subgame_4_3"
    assert open_saved("shipped/subgame_4_3").load().score == Score(4, 3)
    single = open_saved("single_round")
    assert (single.solution, single.scores, single.load().score, single.iterations()) == (None, None, (0, 0), [0])
    for text in ("./shipped", "shippe", "shipped2", "a/shipped", "", "/shipped", "../shipped", "Shipped"):
        assert solution_directory(text) == Path(text)
        assert not is_shipped(solution_directory(text))
    assert solution_directory(Path("shipped")) == Path("shipped")


@pytest.mark.parametrize("rules", RULES)
def test_the_points_of_matches(rules: str) -> None:
    for name, points in SHIPPED_MATCHES.items():
        directory = names.shipped_for(Rules(rules), name)
        longest = names.shipped_match(Rules(rules), points)
        if directory is not None:
            assert load_solution(directory).winning_score == points
            assert longest is not None
            assert load_solution(longest).winning_score >= points


def test_existing_paths_come_first(tmp_path: Path) -> None:
    (tmp_path / "shipped").mkdir()
    assert solution_directory("shipped") == Path("shipped")
    assert solution_directory("shipped/subgame_4_3") == Path("shipped/subgame_4_3")
    assert open_saved().directory == shipped_solution(), "the default is no name"
    assert names.with_names(f"{shipped_solution()}: wrong") == "match_to_5: wrong"
    os.rename("shipped", "match_to_5")
    assert names.with_names(f"{shipped_solution() / 'subgame_4_3'}: wrong") == f"shipped{os.sep}subgame_4_3: wrong"


def test_a_solution_of_another_game(tmp_path: Path) -> None:
    solve_game(tmp_path, named_game("kuhn").build(), GameOptions(iterations=1))
    with pytest.raises(FormatError, match=r": belongs to the game 'kuhn', not to a round of tic-tac-toe$"):
        open_saved(tmp_path).snapshot()
