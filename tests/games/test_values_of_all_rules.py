"""Values of a round by each of the rules in which nothing is secret: by minimax."""

from functools import cache

import pytest
from oracle.lifting import GENERIC_VALUES, game_tree

from tictactoe import RULES, CFRSolver, tic_tac_toe_round, update_rule
from tictactoe.games.board import LINES, SQUARES

Marks = frozenset[int]


def scores(rules: str, goal: str, own: bool, other: bool) -> bool:
    """Whether a player scores whose goal is `goal`: own and other say who has three in a row at the end."""
    if own and other:
        return {"filled": "win", "filled-none": "nothing", "filled-tie": "tie"}[rules] == goal
    return goal == ("win" if own else "lose" if other else "tie")


def minimax(rules: str, goal: str) -> float:
    @cache
    def value(first: Marks, second: Marks) -> float:
        lines = [any(marks.issuperset(line) for line in LINES) for marks in (first, second)]
        free = set(SQUARES) - first - second
        if not free or (rules == "three-in-a-row" and any(lines)):
            missed = 2 * (not scores(rules, goal, *lines)) + (not scores(rules, goal, *lines[::-1]))
            return GENERIC_VALUES[missed]
        if len(first) == len(second):
            return max(value(first | {square}, second) for square in free)
        return min(value(first, second | {square}) for square in free)

    return value(frozenset(), frozenset())


ALL_ALIKE = ("1:0:0", "0:1:0", "0:0:1")


@pytest.mark.parametrize(
    ("rules", "odds"),
    [  # by default three of the rules, each with another goal
        pytest.param(rules, odds, marks=[] if index % 3 == place and index < 3 else pytest.mark.slow)
        for index, rules in enumerate(RULES)
        for place, odds in enumerate(ALL_ALIKE)
    ],
)
def test_rounds_in_which_everybody_has_the_same_goal(rules: str, odds: str) -> None:
    """Two of three goals have the odds 0: nothing is secret. Ordinary tic-tac-toe is one of these twelve."""
    game = tic_tac_toe_round(game_tree(rules=f"{rules} {odds}"), GENERIC_VALUES)
    solver = CFRSolver(game, update_rule("rdcfr"))
    solver.run(300)
    judged = solver.evaluate(current=False)
    expected = minimax(rules, ("win", "lose", "tie")[odds.split(":").index("1")])
    assert abs(judged.value - expected) <= judged.average_exploitability + 1e-12 < 1e-3
