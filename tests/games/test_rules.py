"""Rules: who scores, said once more in other words; the odds of the goals; rules as text."""

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tictactoe.games.board import LINES, SQUARES, Board
from tictactoe.games.goals import Goal
from tictactoe.games.rules import MOST_ODDS, RULES, Outcome, Rules, parse_odds

FILLED = ("filled", "filled-none", "filled-tie")
odds = st.tuples(*[st.integers(0, 60)] * 3).filter(any)


def goals_by_words(name: str, mine: bool, theirs: bool) -> set[Goal]:
    """The goals of a player that come true on a full board, told who has three in a row; as the comic's readers say."""
    if mine and theirs:
        return {"filled": {Goal.WIN}, "filled-none": set(), "filled-tie": {Goal.TIE}}[name]
    return {Goal.WIN} if mine else {Goal.LOSE} if theirs else {Goal.TIE}


@pytest.mark.parametrize("name", FILLED)
def test_who_scores_on_every_full_board(name: str) -> None:
    rules, seen = Rules(name), set()
    for squares in itertools.combinations(SQUARES, 5):
        board = Board(*(sum(1 << (s - 1) for s in SQUARES if (s in squares) == own) for own in (True, False)))
        first, second = (any(all(marks >> (s - 1) & 1 for s in line) for line in LINES) for marks in board)
        outcome = rules.outcome(board)
        assert outcome is not None
        seen.add((first, second))
        for mine, others in itertools.product(Goal, Goal):
            expected = mine in goals_by_words(name, first, second), others in goals_by_words(name, second, first)
            assert rules.scores(outcome, mine, others) == expected
    assert len(seen) == 4
    board = Board()
    for square in (1, 4, 2, 5, 3, 6, 7, 8):
        board = board.play(square)
        assert rules.outcome(board) is None
    assert rules.outcome(board.play(9)) is not None


def test_every_outcome_has_goals_and_words() -> None:
    assert tuple(map(int, Outcome)) == (0, 1, 2, 3)
    for of_round in RULES.values():
        outcomes = list(of_round.goals_true)
        assert outcomes == list(Outcome)[: len(outcomes)]
        assert set(of_round.happened) >= set(outcomes) <= set(of_round.briefly)
        assert set(of_round.to_do) == set(Goal)
        assert of_round.text.endswith(".")


@given(st.sampled_from(list(RULES)), odds)
def test_text_is_read_back(name: str, goal_odds: tuple[int, int, int]) -> None:
    rules = Rules(name, goal_odds)
    assert Rules.parse(str(rules)) == rules == Rules(name, tuple(3 * one for one in goal_odds))  # type: ignore[arg-type]
    assert (str(rules) == name) is (len(set(goal_odds)) == 1)
    assert sum(rules.goal_probabilities) == pytest.approx(1.0, abs=1e-15)
    total = sum(goal_odds)
    assert rules.goal_probabilities == pytest.approx([one / total for one in goal_odds])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("misere", "rules: unknown rules 'misere'; known: three-in-a-row, filled"),
        ("", "rules: unknown rules ''"),
        ("filled 1:1:1", "rules: 'filled 1:1:1' where 'filled' would be right"),
        ("filled ", "rules: 'filled ' where 'filled' would be right"),
        ("filled 0:0:0", "goal_odds: all are 0"),
        ("filled 1:-1:1", "goal_odds: '1:-1:1' are not whole numbers win:lose:tie, such as 2:1:1"),
        ("filled 999999999:1:1", "goal_odds: (999999999, 1, 1) are not three whole numbers from 0 to 1,000,000"),
    ],
)
def test_other_texts_are_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        Rules.parse(text)


def test_odds() -> None:
    assert parse_odds("2:01:0") == (2, 1, 0)
    for bad in ((1, 1), (1, 1, 1, 1), (1.0, 1, 1), (True, 1, 1), (-1, 1, 1), (MOST_ODDS + 1, 1, 1)):
        with pytest.raises(ValueError, match=r"^goal_odds: "):
            Rules("filled", bad)
