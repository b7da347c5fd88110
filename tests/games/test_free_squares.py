"""Random play on the real board: as on the tree of all histories, move by move and in what it is worth."""

from __future__ import annotations

import random

import numpy as np
import pytest
from oracle.lifting import game_tree
from support.playing import random_moves

from tictactoe.algorithms.best_response import exploitability
from tictactoe.algorithms.strategy import strategy_problem, uniform_strategy
from tictactoe.games.cursor import Cursor
from tictactoe.games.free_squares import uniform_over_squares
from tictactoe.games.goals import SINGLE_ROUND
from tictactoe.games.tic_tac_toe import tic_tac_toe_round


@pytest.mark.parametrize("merge_symmetric", [True, False])
@pytest.mark.parametrize("cut_forced", [True, False])
def test_it_is_worth_what_it_is_worth_without_reductions(merge_symmetric: bool, cut_forced: bool) -> None:
    """The figures of uniform play on all histories, as in tests/games/test_reductions.py."""
    tree = game_tree(merge_symmetric, cut_forced)
    strategy = uniform_over_squares(tree)
    assert strategy_problem(tree, strategy, tolerance=1e-15) is None
    found = exploitability(tic_tac_toe_round(tree, SINGLE_ROUND), strategy)
    assert found.total == pytest.approx(1.059634, abs=5e-7)
    if not merge_symmetric:
        np.testing.assert_array_equal(strategy, uniform_strategy(tree))


def test_every_free_square_is_equally_likely() -> None:
    """Brute force: random games on the real board, and at every position what each square leads to."""
    tree, generator = game_tree(), random.Random(1)
    strategy, several = uniform_over_squares(tree), 0
    for _ in range(300):
        cursor = Cursor(tree, random_moves(generator, tree, generator.randrange(9)))
        free = cursor.board.free_squares
        for child, squares in cursor.squares_by_child().items():
            several += len(squares) > 1
            assert strategy[child].tolist() == [len(squares) / len(free)] * 3
    assert several > 50
