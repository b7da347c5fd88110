"""What the moves of a player cost against the bot's best ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..games.cursor import Cursor
from ..games.goals import Goal, Seat
from .bot import RoundBot


class MoveCost(NamedTuple):
    """What a move gave away, in the unit of the outcome values, against the best move at its position."""

    number: int  # of the move in the round, from 1
    square: int
    cost: float
    best: tuple[int, ...]  # the squares that cost nothing


def review(bot: RoundBot, moves: tuple[int, ...], seat: Seat, goal: Goal, *, given: int = 0) -> list[MoveCost]:
    """The cost of every move of the player in `seat` that could still change the outcome of the round.

    The opponent's goal is weighed by what its moves so far have told, each goal the same if they fit none. The first
    `given` moves, from which the round started, are nobody's.

    >>> from tictactoe.storage.open_saved import open_saved
    >>> saved = open_saved("single_round").load()
    >>> bot = RoundBot(saved.tree, saved.average_strategy, saved.snapshot.outcome_values)
    >>> [(move.number, move.best) for move in review(bot, (1, 4, 2, 5, 9), Seat.FIRST, Goal.WIN)][-1]
    (5, (3,))
    """
    result = []
    cursor = Cursor(bot.tree)
    for number, square in enumerate(moves, 1):
        if number > given and cursor.mover is seat and cursor.forced_outcome is None:
            groups = cursor.squares_by_child()
            weights = np.array(bot.belief(cursor.node, Seat(1 - seat)) or (1 / 3, 1 / 3, 1 / 3))
            children = bot.expected[list(groups)]
            worth = children[:, goal, :] @ weights if seat is Seat.FIRST else -(children[:, :, goal] @ weights)
            best = float(worth.max())
            played = next(worth[i] for i, squares in enumerate(groups.values()) if square in squares)
            good = [sq for i, squares in enumerate(groups.values()) if worth[i] == best for sq in squares]
            result.append(MoveCost(number, square, best - float(played), tuple(sorted(good))))
        cursor.play(square)
    return result
