"""The checker's statement of the rules against the solver's, which it knows nothing of: endings, goals, odds, texts."""

from __future__ import annotations

from itertools import product

import pytest

from tictactoe.games.board import FULL, Board
from tictactoe.games.goals import Goal
from tictactoe.games.rules import RULES, Outcome, Rules
from tictactoe.proof.checker_rules import BOTH, GOALS, LOSE, TIE, WIN, read_rules

EVERY_BOARD = [Board(first, second) for first, second in product(range(FULL + 1), repeat=2) if not first & second]
FILLED = [board for board in EVERY_BOARD if board.num_marks == 9 and board.first.bit_count() == 5]


def test_endings_and_goals_have_the_solvers_numbers() -> None:
    """Files hold them."""
    assert (WIN, LOSE, TIE, BOTH) == (Outcome.WIN, Outcome.LOSE, Outcome.TIE, Outcome.BOTH_LINES)
    assert (WIN, LOSE, TIE) == GOALS == tuple(Goal)


@pytest.mark.parametrize("name", list(RULES))
def test_rounds_end_as_the_solver_has_it(name: str) -> None:
    """On all 19,683 ways to mark nine squares, whether a round can come to them or not."""
    ending, theirs = read_rules(name).ending, Rules(name)
    assert len(EVERY_BOARD) == 3**9
    for board in EVERY_BOARD:
        assert ending(*board) == theirs.outcome(board), board


@pytest.mark.parametrize("name", list(RULES))
def test_who_scores_on_every_full_board(name: str) -> None:
    """As the solver has it, on all 126 of them and for all pairs of goals; and every ending there is occurs."""
    rules, theirs, seen = read_rules(name), Rules(name), set()
    assert len(FILLED) == 126
    for board in FILLED:
        ending, outcome = rules.ending(*board), theirs.outcome(board)
        assert ending is not None
        assert outcome is not None
        seen.add(ending)
        first_true, second_true = rules.goals_true[ending]
        for first, second in product(Goal, Goal):
            assert theirs.scores(outcome, first, second) == (first in first_true, second in second_true)
    assert seen == set(range(len(rules.goals_true)))


@pytest.mark.parametrize(
    ("name", "goals"), [("filled", ((WIN,), (WIN,))), ("filled-none", ((), ())), ("filled-tie", ((TIE,), (TIE,)))]
)
def test_what_lines_of_both_are(name: str, goals: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    """X has the upper row, O the lower one: where the three rules part."""
    rules = read_rules(name)
    ending = rules.ending(0b000_011_111, 0b111_100_000)
    assert ending is not None
    assert rules.goals_true[ending] == goals


@pytest.mark.parametrize(
    "text", [*RULES, "three-in-a-row 2:1:1", "filled 1:2:1", "filled-none 0:0:1", "filled-tie 7:0:5"]
)
def test_rules_are_read_as_files_name_them(text: str) -> None:
    rules, theirs = read_rules(text), Rules.parse(text)
    assert str(rules) == text
    assert rules == (theirs.name, theirs.goal_odds)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "misere",
        "Filled",
        "filled ",
        " filled",
        "filled\n",
        "filled 1:1:1",
        "filled 2:2:2",
        "filled 2:4:2",
        "filled 0:0:0",
        "filled 1000001:1:1",
        "filled 01:2:1",
        "filled 1:2",
        "filled 1:2:1:1",
        "filled 1:2:-1",
        "filled 1:2:1 ",
        "filled  1:2:1",
        "filled 1.5:2:1",
        "filled 1:2:\u0661",
    ],
    ids=ascii,
)
def test_other_rules_are_unknown(text: str) -> None:
    """And so are known ones that are spelt otherwise; the solver refuses them, too."""
    for read in (read_rules, Rules.parse):
        with pytest.raises(ValueError, match=r"rules|odds"):
            read(text)
