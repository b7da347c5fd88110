"""The checker's statement of the rules against the solver's, which it knows nothing of: endings, goals, odds, texts."""

from itertools import product

import pytest

from tictactoe import RULES, Board, Goal, Outcome, Rules
from tictactoe.games.board import FULL
from tictactoe.proof.checker_tree import BOTH, GOALS, LOSE, TIE, WIN, read_rules

EVERY_BOARD = [Board(first, second) for first, second in product(range(FULL + 1), repeat=2) if not first & second]
FILLED = [board for board in EVERY_BOARD if board.num_marks == 9 and board.first.bit_count() == 5]


@pytest.mark.parametrize("name", list(RULES))
def test_rounds_end_and_goals_come_true_as_in_the_solver(name: str) -> None:
    rules, theirs, seen = read_rules(name), Rules(name), set()
    assert (len(EVERY_BOARD), len(FILLED)) == (3**9, 126)
    for board in EVERY_BOARD:
        assert rules.ending(*board) == theirs.outcome(board), board
    for board in FILLED:
        ending, outcome = rules.ending(*board), theirs.outcome(board)
        assert ending is not None
        assert outcome is not None
        seen.add(ending)
        first_true, second_true = rules.goals_true[ending]
        for first, second in product(Goal, Goal):
            assert theirs.scores(outcome, first, second) == (first in first_true, second in second_true)
    assert seen == set(range(len(rules.goals_true)))


def test_lines_of_both_and_numbers() -> None:
    """X has the upper row, O the lower one: where the three rules part. Files hold the numbers of endings and goals."""
    assert (WIN, LOSE, TIE, BOTH) == (Outcome.WIN, Outcome.LOSE, Outcome.TIE, Outcome.BOTH_LINES)
    assert (WIN, LOSE, TIE) == GOALS == tuple(Goal)
    for name, goal in (("filled", (WIN,)), ("filled-none", ()), ("filled-tie", (TIE,))):
        rules = read_rules(name)
        ending = rules.ending(0b000_011_111, 0b111_100_000)
        assert ending is not None
        assert rules.goals_true[ending] == (goal, goal)


def test_rules_are_read_as_files_name_them() -> None:
    for text in (*RULES, "three-in-a-row 2:1:1", "filled 1:2:1", "filled-none 0:0:1", "filled-tie 7:0:5"):
        rules, theirs = read_rules(text), Rules.parse(text)
        assert (str(rules), rules) == (text, (theirs.name, theirs.goal_odds))
    for text, read in product((*NAMES, *(f"filled {odds}" for odds in ODDS)), (read_rules, Rules.parse)):
        with pytest.raises(ValueError, match=r"rules|odds"):
            read(text)


NAMES = ("", "misere", "Filled", "filled ", " filled", "filled\n", "filled  1:2:1", "filled 1:2:1 ")
ODDS = ("1:1:1", "2:4:2", "0:0:0", "1000001:1:1", "01:2:1", "1:2", "1:2:1:1", "1:2:-1", "1.5:2:1", "1:2:\u0661")
