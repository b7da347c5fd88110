"""What the moves tell about goals."""

from __future__ import annotations

import numpy as np
import pytest

from tictactoe.games.goals import Seat
from tictactoe.play.beliefs import own_reach_of
from tictactoe.play.bot import RoundBot


def test_beliefs(bot: RoundBot) -> None:
    """Bayes by hand at the first move; each goal the same without one, none where no goal plays so."""
    assert bot.belief(0, Seat.FIRST) == pytest.approx((1 / 3,) * 3)
    for node in range(0, bot.tree.num_nodes, 97):
        for seat in Seat:
            belief = bot.belief(node, seat)
            assert belief is None or sum(belief) == pytest.approx(1.0)
    strategy = bot.strategy.copy()
    child = bot.tree.children(0)[0]
    strategy[child] = (0.5, 0.25, 0.0)
    changed = RoundBot(bot.tree, strategy, bot.values)
    assert changed.belief(child, Seat.FIRST) == pytest.approx((2 / 3, 1 / 3, 0.0))
    assert changed.belief(child, Seat.SECOND) == pytest.approx((1 / 3,) * 3)
    strategy[child] = 0.0
    assert changed.belief(child, Seat.FIRST) is None


def test_the_reach_of_a_node_is_that_of_the_whole_tree(bot: RoundBot) -> None:
    """The product along the path, which multiplies upwards, against the tree's own, which goes down."""
    whole = bot.tree.own_reach(bot.strategy)
    for node in range(0, bot.tree.num_nodes, 53):
        np.testing.assert_allclose(own_reach_of(bot.tree, bot.strategy, node), whole[:, node], rtol=1e-13)
