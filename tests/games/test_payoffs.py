"""The round as a game: its payoffs, its prior, the bonus for small squares."""

from itertools import product

import numpy as np
import pytest
from oracle import small_games
from oracle.lifting import GENERIC_VALUES, game_tree

from tictactoe import SINGLE_ROUND, OutcomeValues, tic_tac_toe_round
from tictactoe.games.payoffs import small_move_bonus


def test_the_payoffs_of_the_round() -> None:
    game = tic_tac_toe_round(game_tree(), GENERIC_VALUES)
    assert np.array_equal(game.payoffs, small_games.round_payoffs(GENERIC_VALUES))
    np.testing.assert_allclose(game.prior, small_games.uniform_prior(), rtol=1e-15)
    assert game.bonus is None
    for position, bad in product(range(4), (np.nan, np.inf, -np.inf)):
        numbers = [0.0, 1.0, -1.0, 0.0]
        numbers[position] = bad
        with pytest.raises(ValueError, match="finite"):
            tic_tac_toe_round(game_tree(), OutcomeValues(*numbers))


def test_the_bonus() -> None:
    tree, bonus = game_tree(), small_move_bonus(game_tree())
    assert (bonus.shape, bonus[0]) == ((tree.num_nodes,), 0.0)
    assert 0.5 < np.abs(bonus).max() <= 1.0
    assert np.array_equal(tic_tac_toe_round(tree, SINGLE_ROUND, with_bonus=True).bonus, bonus)
    # An earlier smaller move outweighs all later ones: squares are digits to the base 9.
    leaves = np.flatnonzero(tree.leaf_class >= 0).tolist()
    expected = []
    for history in map(tree.history, leaves):
        own = [sum((9 - s) / 9 ** (k + 1) for k, s in enumerate(history[player::2])) for player in (0, 1)]
        expected.append(own[0] - own[1])
    np.testing.assert_allclose(bonus[leaves], expected, rtol=0, atol=1e-15)
    assert tree.history(1) == (1,)
    assert bonus[1] == pytest.approx(8 / 9, abs=1e-15)
