"""Kuhn poker: three cards, an ante of 1, one bet of 1. The smallest game with private types that is worth solving.

H. W. Kuhn 1950, "A simplified two-person poker". Its value to the player who moves first is -1/18. The library has it
as a second game for the algorithms, which know nothing of tic-tac-toe.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from ..algorithms.game import Game
from ..algorithms.public_tree import PublicTree


class Card(IntEnum):
    """The private type of a player; the higher card wins a showdown."""

    JACK = 0
    QUEEN = 1
    KING = 2


def kuhn_poker() -> Game:
    """Kuhn poker: 9 nodes, 4 of them decisions; payoffs in antes, to the player who moves first.

    Nodes: 0 root; 1 check, 2 bet; 3 check-check, 4 check-bet; 5 check-bet-fold, 6 check-bet-call; 7 bet-fold,
    8 bet-call.
    Leaf classes: 0 showdown for 1, 1 the first player has folded, 2 showdown for 2, 3 the second player has folded.

    >>> from tictactoe import CFRSolver, exploitability, kuhn_poker, update_rule
    >>> solver = CFRSolver(kuhn_poker(), update_rule("dcfr"))
    >>> solver.run(1000)
    >>> round(18 * exploitability(kuhn_poker(), solver.average_strategy()).value, 3)
    -1.0
    """
    tree = PublicTree(
        parent=np.array([-1, 0, 0, 1, 1, 4, 4, 2, 2], np.int32),
        owner=np.array([0, 1, 1, -1, 0, -1, -1, -1, -1], np.int8),
        leaf_class=np.array([-1, -1, -1, 0, -1, 1, 2, 3, 2], np.int8),
    )
    showdown = np.sign(np.subtract.outer(np.arange(3.0), np.arange(3.0)))
    payoffs = np.array([showdown, np.full((3, 3), -1.0), 2.0 * showdown, np.full((3, 3), 1.0)])
    prior = (1.0 - np.eye(len(Card))) / 6.0  # two different cards
    return Game(tree, payoffs, prior)
