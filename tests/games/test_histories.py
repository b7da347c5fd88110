"""How many sequences of moves there are: against trees from which nothing is left out, and by hand."""

from __future__ import annotations

import math

from oracle.matches import SHORT_RULE, short_rounds

from tictactoe.games.histories import count_histories
from tictactoe.games.rules import RULES, Rules
from tictactoe.games.tic_tac_toe_tree import GameTree


def test_as_many_as_the_tree_without_reductions_has_nodes() -> None:
    with short_rounds():
        tree = GameTree.build(SHORT_RULE, merge_symmetric=False, cut_forced=False)
        assert count_histories(Rules(SHORT_RULE)) == tree.num_nodes == 1 + 9 + 9 * 8 + 9 * 8 * 7 + 9 * 8 * 7 * 6
    assert count_histories(Rules()) == 549_946  # known since long


def test_a_board_that_is_filled_is_filled_in_every_order() -> None:
    """Whatever the odds of the goals are."""
    orders = sum(math.perm(9, moves) for moves in range(10))
    for name in RULES:
        if name.startswith("filled"):
            assert count_histories(Rules(name, (3, 0, 1))) == orders == 986_410
