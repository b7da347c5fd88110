"""A bot of a refined solution: its hints cost nothing after any moves, and its beliefs follow them."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest
from oracle.matches import SHORT_RULE, short_rounds

from tictactoe import DoubleOracle, GameTree, Goal, OutcomeValues, RoundBot, Seat, uniform_strategy
from tictactoe.algorithms.refinement import refine
from tictactoe.games.cursor import Cursor
from tictactoe.games.payoffs import tic_tac_toe_round
from tictactoe.play.move_costs import advise, off_equilibrium

pytest.importorskip("highspy")


@pytest.fixture(scope="module")
def bot() -> Iterator[RoundBot]:
    with short_rounds():
        tree, values = GameTree.build(SHORT_RULE), OutcomeValues(0.1, 1.0, -1.0, 0.2)
        game = tic_tac_toe_round(tree, values)
        refined = refine(game, DoubleOracle(tree, uniform_strategy(tree)).solve(game).strategy)
        yield RoundBot(tree, refined.strategy, values, refined.beliefs)


def test_whoever_obeys_every_hint_pays_nothing(bot: RoundBot) -> None:
    """At every position, after any mistakes, with any goal; without the beliefs many hints cost something."""
    unrefined = replace(bot, after_mistakes=None)
    costs = dict.fromkeys((bot, unrefined), 0)
    for node in bot.tree.decision_nodes.tolist():
        cursor = Cursor(bot.tree, bot.tree.history(node))
        for one, goal in product(costs, Goal):
            costs[one] += any(move.probability > 0.0 and move.cost for move in advise(one, cursor, goal))
        assert not any(off_equilibrium(bot, cursor, Seat(seat), Goal.WIN) for seat in (0, 1))
    assert costs[bot] == 0 < costs[unrefined]
