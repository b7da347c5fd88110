"""head-to-head: exact matches between solutions. consoles/head_to_head.txt shows its words, and what is refused."""

from pathlib import Path

import pytest
from oracle.lifting import game_tree
from support.programs import MATCH, call, complaint, json_of, remove_scores

from tictactoe import OPPONENTS, Score, UniformStrategy, head_to_head, load_solution

VERSUS = "head-to-head"
SOLVED = ("--algorithm", "pdcfr+", "--maximum-subgame-exploitability", "0.002", "--quiet")


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("judging") / "one"
    assert call(MATCH, "-o", output, "--winning-score", 1, *SOLVED).code == 0
    return output


def test_head_to_head_json(two: Path, short: Path) -> None:
    judged = json_of(VERSUS, "-s", two, "-s", "uniform")
    solution = load_solution(two)
    uniform = UniformStrategy(game_tree(), 2)
    expected = head_to_head(game_tree(), solution.average_strategy, uniform, 2)
    assert judged == {
        "rules": "three-in-a-row",
        "winning_score": 2,
        "a": str(two),
        "b": "uniform",
        "a_wins": expected.wins,
        "a_wins_moving_first": expected.wins_as_first,
        "a_wins_moving_second": expected.wins_as_second,
        "expected_rounds_a_moving_first": expected.rounds_as_first,
        "expected_rounds_a_moving_second": expected.rounds_as_second,
    }
    assert judged["a_wins"] > 0.7
    reverse = json_of(VERSUS, "-s", "uniform", "-s", two)
    assert reverse["a_wins"] == pytest.approx(1.0 - judged["a_wins"], abs=1e-12)
    assert reverse["a_wins_moving_first"] == pytest.approx(1.0 - judged["a_wins_moving_second"], abs=1e-12)
    assert json_of(VERSUS, "-s", two, "-s", two)["a_wins"] == pytest.approx(0.5, abs=1e-12)
    current = json_of(VERSUS, "-s", two, "-s", "uniform", "--average-strategy", "false")
    expected = head_to_head(game_tree(), solution.strategies(average=False), uniform, 2)
    assert current["a_wins"] == expected.wins != judged["a_wins"]
    shorter = json_of(VERSUS, "-s", two, "-s", short)
    ours = {Score(0, 0): solution.average_strategy[Score(1, 1)]}
    expected = head_to_head(game_tree(), ours, load_solution(short).average_strategy, 1)
    assert (shorter["winning_score"], shorter["a_wins_moving_first"]) == (1, expected.wins_as_first)
    assert json_of(VERSUS, "-s", two, "-s", "uniform", "--winning-score", 1)["winning_score"] == 1


def test_head_to_head_with_missing_scores(mine: Path) -> None:
    remove_scores(mine, (0, 1))
    for sides in ((mine, "uniform"), ("uniform", mine), (mine, mine)):
        line = complaint(call(VERSUS, "-s", sides[0], "-s", sides[1]), 1, VERSUS)
        assert "0-1" in line
        assert str(mine) in line
    assert call(VERSUS, "-s", mine, "-s", "uniform", "--winning-score", 1).code == 0


def test_opponents_by_name() -> None:
    judged = json_of(VERSUS, "-s", "perfect", "-s", "learner-10")
    assert (judged["winning_score"], judged["a"], judged["b"]) == (5, "perfect", "learner-10")
    assert round(100 * judged["a_wins"]) == OPPONENTS["learner-10"].wins["three-in-a-row"].perfect
    judged = json_of(VERSUS, "-s", "careless", "-s", "perfect", "--winning-score", 1)
    assert 0.2 < judged["a_wins"] < 0.5
    assert json_of(VERSUS, "-s", "learner-1", "-s", "learner-100", "--winning-score", 6)["a_wins"] < 0.2
