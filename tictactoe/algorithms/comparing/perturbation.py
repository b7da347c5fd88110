"""The same game with payoffs that differ in their last bits, to tell an algorithm's strength from luck.

Rounding chooses among moves that are exactly as good as each other, and after some thousand iterations the
exploitability may differ a lot. A result that the algorithm is good for shows in most perturbations.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..game import Game

MOST_UNITS = 8
"""The largest change of a payoff, in units of 2^-52 of its size; the smallest is 1."""


def perturbed(game: Game, number: int) -> Game:
    """The game with every payoff multiplied by 1 + k * 2^-52, k from -8 to 8 but not 0; as it is for number 0.

    Payoffs that are equal stay equal, and 0 stays 0. The numbers k are drawn with `number` as the seed.

    >>> from tictactoe import kuhn_poker
    >>> from tictactoe.algorithms.comparing.perturbation import perturbed
    >>> kuhn = kuhn_poker()
    >>> change = abs(perturbed(kuhn, 1).payoffs - kuhn.payoffs)
    >>> 0 < float(change.max()) < 1e-14
    True
    >>> perturbed(kuhn, 0) is kuhn
    True
    """
    if number == 0:
        return game
    draw = np.random.default_rng(number)
    values, places = np.unique(game.payoffs, return_inverse=True)
    units = draw.integers(1, MOST_UNITS + 1, len(values)) * draw.choice([-1, 1], len(values))
    changed = values * (1.0 + units * np.finfo(np.float64).eps)
    return replace(game, payoffs=changed[places].reshape(game.payoffs.shape))
