"""What the results of a round can be worth at the score that its file names."""

from __future__ import annotations

import pytest

from tictactoe.formulas.match_values import formula_table
from tictactoe.match.scores import Score, outcome_values
from tictactoe.proof.checker_rules import read_rules
from tictactoe.proof.outcome_labels import label_problem

ALL_RULES = ("three-in-a-row", "filled", "filled-none", "filled-tie")


@pytest.mark.parametrize("rules", ALL_RULES)
@pytest.mark.parametrize("winning_score", [1, 2, 5, 100])
def test_what_perfect_players_get_is_no_problem(rules: str, winning_score: int) -> None:
    """At all scores, also where a long match is all but decided, and a little off, as solvers leave it."""
    table = formula_table(winning_score, rules).values()
    values = {
        Score(*at): float(table[at]) for at in [(a, b) for a in range(winning_score) for b in range(winning_score)]
    }
    for score in (
        values if winning_score < 10 else [Score(0, 0), Score(50, 50), Score(99, 0), Score(0, 99), Score(99, 99)]
    ):
        right = outcome_values(score, values, winning_score)
        assert label_problem(read_rules(rules), score, winning_score, right) is None
        off = {each: value * (1 - 1e-4) for each, value in values.items()}
        assert label_problem(read_rules(rules), score, winning_score, outcome_values(score, off, winning_score)) is None


PROBLEMS: list[tuple[str, tuple[int, int], int, list[float], str]] = [
    ("filled", (0, 0), 5, [0.0] * 4, "first: 0.0, and second: 0.0: whoever scores"),
    ("filled 2:1:1", (0, 0), 5, [0.0] * 4, "first: 0.0, and second: 0.0: whoever scores"),
    ("filled 2:1:1", (0, 0), 5, [0.02, -0.4, 0.4, 0.02], "both: 0.02 is not between second: 0.4 and first: -0.4"),
    ("three-in-a-row", (0, 0), 5, [0.02, 0.4, -0.4, 0.41], "neither: 0.41 is not between second: -0.4 and first: 0.4"),
    ("three-in-a-row", (0, 0), 5, [0.0, 0.01, -0.01, 0.0], "first: 0.01 where it is 0.4"),
    ("three-in-a-row", (0, 0), 5, [0.95] * 4, "both: 0.95 where it is 0.02"),
    ("three-in-a-row", (4, 3), 5, [1.0, 1.0, 0.077, 0.2], "neither: 0.2 where it is 0.722"),
    ("three-in-a-row", (4, 4), 5, [0.9, 1.0, -1.0, 0.9], "both: 0.9 where it is 0.076923 between perfect players"),
    ("three-in-a-row", (0, 0), 101, [0.0, 0.05, -0.05, 0.0], "winning_score: 101 is more than 100"),
]


@pytest.mark.parametrize(("rules", "score", "winning_score", "values", "problem"), PROBLEMS)
def test_what_cannot_be_is_a_problem(
    rules: str, score: tuple[int, int], winning_score: int, values: list[float], problem: str
) -> None:
    assert problem in (label_problem(read_rules(rules), Score(*score), winning_score, values) or "")


def test_where_nobody_may_ever_score_nothing_has_to_be_worth_anything() -> None:
    """By three in a row two players who want nothing but to win can keep each other from it for ever."""
    assert label_problem(read_rules("three-in-a-row 1:0:0"), Score(0, 0), 5, [0.0] * 4) is None
