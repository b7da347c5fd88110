"""Rules and odds by which a match between perfect players never ends: against a plain search over boards."""

from functools import cache
from pathlib import Path

import pytest
from oracle.lifting import game_tree
from oracle.matches import endless_bot, random_bot
from support.slowness import slow

from tictactoe import Board, GameTree, Goal, MatchOptions, Rules, Seat, polish_solution, solve_match
from tictactoe.errors import EndlessMatchError
from tictactoe.match.endless import check_that_it_ends, rounds_at_last_score
from tictactoe.solving import match_run


def keeps(rules: Rules, seat: Seat, own: Goal) -> bool:
    others = [goal for goal in Goal if rules.goal_odds[goal]]

    @cache
    def safe(board: Board) -> bool:
        outcome = rules.outcome(board)
        if outcome is None:
            after = (safe(board.play(square)) for square in board.free_squares)
            return any(after) if board.num_marks % 2 == seat else all(after)
        for other in others:
            first, second = rules.scores(outcome, *((own, other) if seat is Seat.FIRST else (other, own)))
            if (second and not first) if seat is Seat.FIRST else (first and not second):
                return False
        return True

    return safe(Board())


@pytest.mark.parametrize(
    "text",
    [
        *("three-in-a-row 1:0:0", "three-in-a-row", "filled 1:1:0", "filled 0:1:1", "filled-tie 1:5:0"),
        *slow("three-in-a-row 3:1:0", "three-in-a-row 0:1:1", "filled 0:1:0", "filled-none 1:1:0"),
        *slow("filled-none 1:0:1", "filled-tie 0:1:1"),
    ],
)
def test_which_matches_never_end(text: str) -> None:
    rules = Rules.parse(text)
    drawn = [goal for goal in Goal if rules.goal_odds[goal]]
    if all(keeps(rules, seat, own) for seat in Seat for own in drawn):
        with pytest.raises(EndlessMatchError, match=f"^by the rules {text} each player can keep the other from "):
            check_that_it_ends(GameTree.build(rules))
    else:
        check_that_it_ends(GameTree.build(rules))


def test_rounds_until_somebody_scores_alone() -> None:
    assert rounds_at_last_score(game_tree(), endless_bot(), 1) == float("inf")
    assert 1.0 < rounds_at_last_score(game_tree(), random_bot(2, 7), 2) < 10.0


def test_such_a_match_is_neither_solved_nor_polished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("highspy")
    tree, options = GameTree.build("three-in-a-row 0:1:0"), MatchOptions(winning_score=1)
    with pytest.raises(EndlessMatchError):
        solve_match(tmp_path / "solved", tree, options)
    assert not (tmp_path / "solved").exists()
    monkeypatch.setattr(match_run, "check_that_it_ends", lambda tree: None)
    solution = solve_match(tmp_path / "solved", tree, options, max_iterations=20)
    with pytest.raises(EndlessMatchError):
        polish_solution(solution, tmp_path / "exact")
    assert not (tmp_path / "exact").exists()
