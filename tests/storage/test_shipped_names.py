"""Names of the solutions that ship, and paths."""

import os
from pathlib import Path

import pytest

from tictactoe import RULES, Rules, Score, load_solution, open_saved
from tictactoe.storage import shipped as names
from tictactoe.storage.shipped import SHIPPED, SHIPPED_MATCHES, is_shipped, shipped_solution, solution_directory


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
