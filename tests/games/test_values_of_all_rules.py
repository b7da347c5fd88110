"""Values of a round by each of the rules: by minimax where the goals are known, by the oracle's payoffs and the exact
checker where they are not."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from oracle import naive, small_games
from oracle.lifting import BOTH_LINES, GENERIC_VALUES, LevelEvaluator, game_tree
from support.slowness import by_default, slow

from tictactoe import RULES, SINGLE_ROUND, CFRSolver, tic_tac_toe_round, update_rule
from tictactoe.games.board import LINES, SQUARES
from tictactoe.proof.checker import BotRound, probabilities
from tictactoe.proof.checker_rules import read_rules
from tictactoe.proof.checker_tree import reduced_tree

VALUES = {"filled": Fraction(-2, 9), "filled-none": Fraction(-1, 9), "filled-tie": 0}
"""Of a round on its own to the first mover."""
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
    [  # by default each of the rules once, and each of the goals
        pytest.param(rules, odds, marks=[] if index % 3 == place else pytest.mark.slow)
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


@pytest.mark.parametrize("rules", by_default(VALUES, "filled"))
def test_values_of_a_round_on_its_own(rules: str) -> None:
    """Proved by the exact checker on a tree of its own, by rules in its own words; the oracle finds the same bounds."""
    tree = game_tree(rules=rules)
    solver = CFRSolver(tic_tac_toe_round(tree, SINGLE_ROUND), update_rule("rdcfr"))
    solver.run(300)
    strategy = solver.average_strategy()
    checked, worth = reduced_tree(read_rules(rules)), [Fraction(value) for value in SINGLE_ROUND]
    bots = [probabilities(checked, strategy.T.tolist(), seat) for seat in (0, 1)]
    upper = BotRound(checked, bots[1]).best_response(worth)
    lower = -BotRound(checked, bots[0]).best_response([-value for value in worth])
    assert lower <= VALUES[rules] <= upper < lower + Fraction(1, 10_000)
    payoffs, prior = small_games.round_payoffs(SINGLE_ROUND, *BOTH_LINES[rules]), small_games.uniform_prior()
    best = [LevelEvaluator(tree).best_response_value(strategy, payoffs, prior, player) for player in (0, 1)]
    assert best == pytest.approx([float(upper), -float(lower)], abs=1e-12)


@pytest.mark.parametrize("rules", ["filled 2:1:0", *slow("three-in-a-row 3:2:1", "filled-none 1:2:5")])
def test_best_responses_under_odds(rules: str) -> None:
    name, _, odds = rules.partition(" ")
    tree = game_tree(rules=rules)
    weights = np.random.default_rng(1).integers(0, 3, (tree.num_nodes, 3))
    strategy = naive.average_strategy(tree, weights)
    game = tic_tac_toe_round(tree, GENERIC_VALUES)
    payoffs = small_games.round_payoffs(GENERIC_VALUES, *BOTH_LINES[name])
    prior = small_games.prior_of_odds(*map(int, odds.split(":")))
    assert game.payoffs == pytest.approx(payoffs)
    assert game.prior == pytest.approx(prior, abs=1e-15)
    for player in (0, 1):
        expected = LevelEvaluator(tree).best_response_value(strategy, payoffs, prior, player)
        checked = reduced_tree(read_rules(rules))
        bot = probabilities(checked, weights.T.tolist(), 1 - player)
        worth = [Fraction(value if player == 0 else -value) for value in GENERIC_VALUES]
        assert float(BotRound(checked, bot).best_response(worth)) == pytest.approx(expected, abs=1e-12)
