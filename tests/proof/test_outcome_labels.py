"""Possible worths of a round's results at the score that its file names."""

from itertools import product

import pytest
from support.slowness import by_default

from tictactoe import RULES, Score
from tictactoe.formulas.match_values import formula_table
from tictactoe.match.scores import outcome_values
from tictactoe.proof.bot_files import label_problem
from tictactoe.proof.checker_tree import read_rules


@pytest.mark.parametrize("rules", by_default(RULES, "three-in-a-row"))
def test_values_of_perfect_players_are_no_problem(rules: str) -> None:
    for winning_score in (1, 5, 40):
        table = formula_table(winning_score, rules).values()
        values = {Score(*at): float(table[at]) for at in product(range(winning_score), repeat=2)}
        ends = [Score(0, 0), Score(20, 20), Score(39, 0), Score(0, 39), Score(39, 39)]
        for score in ends if winning_score == 40 else values:
            for factor in (1.0, 1 - 1e-4):
                known = {other: factor * value for other, value in values.items()}
                right = outcome_values(score, known, winning_score)
                assert label_problem(read_rules(rules), score, winning_score, right) is None


PROBLEMS: list[tuple[str, tuple[int, int], int, list[float], str]] = [
    ("filled", (0, 0), 5, [0.0] * 4, "first: 0.0, and second: 0.0: it must matter"),
    ("filled 2:1:1", (0, 0), 5, [0.02, -0.4, 0.4, 0.02], "both: 0.02 is not between second: 0.4 and first: -0.4"),
    ("three-in-a-row", (0, 0), 5, [0.02, 0.4, -0.4, 0.41], "neither: 0.41 is not between second: -0.4 and first: 0.4"),
    ("three-in-a-row", (0, 0), 5, [0.0, 0.01, -0.01, 0.0], "first: 0.01, but it is 0.4"),
    ("three-in-a-row", (0, 0), 5, [0.95] * 4, "both: 0.95, but it is 0.02"),
    ("three-in-a-row", (4, 3), 5, [1.0, 1.0, 0.077, 0.2], "neither: 0.2, but it is 0.722"),
    ("three-in-a-row", (4, 4), 5, [0.9, 1.0, -1.0, 0.9], "both: 0.9, but it is 0.076923 between perfect players"),
    ("three-in-a-row", (0, 0), 101, [0.0, 0.05, -0.05, 0.0], "winning_score: 101 is more than 100"),
]


def test_impossible_values_are_a_problem() -> None:
    """Except by three in a row where two players want nothing but to win: they can keep each other from it for ever."""
    for rules, score, winning_score, values, problem in PROBLEMS:
        assert problem in (label_problem(read_rules(rules), Score(*score), winning_score, values) or "")
    assert label_problem(read_rules("three-in-a-row 1:0:0"), Score(0, 0), 5, [0.0] * 4) is None
