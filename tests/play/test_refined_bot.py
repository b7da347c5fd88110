"""A bot of a refined solution: its hints cost nothing after any moves, and its beliefs follow them."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from oracle.matches import SHORT_RULE, short_rounds, solve

from tictactoe import GameTree, Goal, RoundBot, Score, Seat, load_solution, open_saved, polish_solution
from tictactoe.games.cursor import Cursor
from tictactoe.play.bot import MatchBot, saved_bot
from tictactoe.play.move_costs import advise, off_equilibrium

pytest.importorskip("highspy")


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with short_rounds():
        place = tmp_path_factory.mktemp("refined")
        yield polish_solution(solve(GameTree.build(SHORT_RULE), place / "source", 2, 1e-3), place / "exact").directory


@pytest.fixture(scope="module")
def bot(directory: Path) -> RoundBot:
    return saved_bot(open_saved(directory).load(Score(1, 0)), average=True)


def test_whoever_obeys_every_hint_pays_nothing(bot: RoundBot, directory: Path) -> None:
    """At every position, after any mistakes, with any goal; without the beliefs many hints cost something."""
    unrefined = replace(bot, after_mistakes=None)
    costs = dict.fromkeys((bot, unrefined), 0)
    for node in bot.tree.decision_nodes.tolist():
        cursor = Cursor(bot.tree, bot.tree.history(node))
        for one, goal in product(costs, Goal):
            costs[one] += any(move.probability > 0.0 and move.cost > 1e-8 for move in advise(one, cursor, goal))
        assert not any(off_equilibrium(bot, cursor, Seat(seat), Goal.WIN) for seat in (0, 1))
        assert None not in [bot.belief(node, seat) for seat in Seat]
    assert costs[bot] == 0 < costs[unrefined]
    assert MatchBot(load_solution(directory)).round_bot(Score(1, 0)).after_mistakes is not None
