"""Gambit's equilibria here, where it is installed."""

import io
from typing import Any

import numpy as np
import pytest
from oracle.board_card import GAMES

from tictactoe import exploitability, gambit_text, uniform_strategy
from tictactoe.environments.gambit_text import gambit_sets


@pytest.mark.parametrize("name", GAMES)
def test_an_equilibrium_of_gambit_is_one_here(name: str) -> None:
    pygambit: Any = pytest.importorskip("pygambit")
    game = GAMES[name]()
    theirs = pygambit.read_efg(io.BytesIO(gambit_text(game, name).encode()))
    (found,) = pygambit.nash.lp_solve(theirs, rational=False).equilibria
    sets = [{each.label: each for each in player.infosets} for player in theirs.players]
    strategy = uniform_strategy(game.tree)
    for each in gambit_sets(game):
        shares = np.clip([float(found[move]) for move in sets[each.player][each.name].actions], 0.0, 1.0)
        strategy[np.ix_(list(game.tree.children(each.node)), each.types)] = shares[:, None] / shares.sum()
    assert exploitability(game, strategy).total < 1e-9
