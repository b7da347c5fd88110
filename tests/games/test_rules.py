"""Rules: words for every outcome, the odds of the goals, rules as text. test_checker_rules.py has who scores."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tictactoe.games.rules import MOST_ODDS, RULES, Goal, Outcome, Rules, parse_odds

odds = st.tuples(*[st.integers(0, 60)] * 3).filter(any)


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
