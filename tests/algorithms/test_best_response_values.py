"""What a best response gets from every node on, against recursion written plainly."""

from __future__ import annotations

import numpy as np
import pytest
from oracle.naive import Floats, NaiveGame, best_response_value, leaf_values
from oracle.small_games import random_game, random_strategy

from tictactoe.algorithms.expected_values import best_response_values


def plainly(game: NaiveGame, strategy: Floats, player: int, node: int, reach: Floats) -> Floats:
    """From the node on, which the other player comes to with these probabilities, by its type."""
    tree = game.tree
    if tree.leaf_class[node] >= 0:
        return leaf_values(game.payoffs[tree.leaf_class[node]], game.prior, reach, player)
    own = tree.owner[node] == player
    after = [
        plainly(game, strategy, player, child, reach * (1.0 if own else strategy[child]))
        for child in tree.children(node)
    ]
    result: Floats = np.max(after, axis=0) if own else np.sum(after, axis=0)
    return result


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("player", [0, 1])
def test_every_node(seed: int, player: int) -> None:
    game = random_game(seed)
    strategy = random_strategy(game.tree, seed, share_of_zeros=0.3)
    found = best_response_values(game.tree, player, strategy, game.payoffs, game.prior)
    for node in range(game.tree.num_nodes):
        reach = game.tree.own_reach(strategy)[1 - player, node]
        assert found[node] == pytest.approx(plainly(game, strategy, player, node, reach), abs=1e-14)
    whole = best_response_value(game.tree, strategy, game.payoffs, game.prior, player)
    assert found[0].sum() == pytest.approx(whole, abs=1e-14)
