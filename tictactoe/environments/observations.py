"""A player's observation as numbers: everything that the player may know of the round and the score, and no more.

An observation is a float32 vector of 106 numbers from 0 to 1:

=========  =================================================================================================
0 to 8     1 where the player has marked square 1, 2, ..., 9
9 to 17    1 where the opponent has marked square 1, 2, ..., 9
18 to 98   the order of the moves: 18 + 9 k + s is 1 if move k (0 is the first) was on square s + 1. The board alone
           does not tell the order, and the order tells about the opponent's goal
99 to 101  the player's own goal: 1 in one place, for win, lose, tie
102, 103   its seat: 1 in one place, for moving first, moving second
104, 105   its own points and the opponent's, divided by the winning score; 0 in a single round
=========  =================================================================================================

Earlier rounds are left out: their goals were drawn independently, so that only the score counts. An action is the
square less 1, 0 to 8; an action mask is int8 (9,), 1 for the squares that may be marked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ..checked_numbers import whole_number
from ..games.board import SQUARES
from ..games.goals import Goal, Seat
from ..match.scores import checked_score

Observations = NDArray[np.float32]
Masks = NDArray[np.int8]

NUM_SQUARES = len(SQUARES)
OWN_MARKS = slice(0, 9)
OPPONENTS_MARKS = slice(9, 18)
MOVES = slice(18, 99)
GOAL = slice(99, 102)
SEAT = slice(102, 104)
POINTS = slice(104, 106)
OBSERVATION_SIZE = 106


def observation(
    moves: Sequence[int], goal: Goal, seat: Seat, points: tuple[int, int] = (0, 0), winning_score: int | None = None
) -> Observations:
    """The observation of a player, float32 (106,), laid out as the module says.

    moves: the squares (1-9) played in this round, in order.
    points: the player's own and the opponent's.
    winning_score: None for a single round.
    Raises ValueError for a move that is no square, and for points below 0.

    >>> from tictactoe import Goal, Seat, observation
    >>> seen = observation((5, 1), Goal.TIE, Seat.FIRST, (2, 4), winning_score=5)
    >>> seen[:9].tolist(), seen[9:18].tolist()
    ([0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    >>> seen[99:].round(1).tolist()
    [0.0, 0.0, 1.0, 1.0, 0.0, 0.4000000059604645, 0.800000011920929]
    """
    result = np.zeros(OBSERVATION_SIZE, np.float32)
    for number, square in enumerate(moves):
        if square not in SQUARES or isinstance(square, bool):
            raise ValueError(f"moves: {square!r} is not a square, 1 to 9")
        marks = OWN_MARKS if number % 2 == seat else OPPONENTS_MARKS
        result[marks.start + square - 1] = 1.0
        result[MOVES.start + NUM_SQUARES * number + square - 1] = 1.0
    result[GOAL.start + goal] = 1.0
    result[SEAT.start + seat] = 1.0
    if winning_score is not None:
        result[POINTS] = np.divide(checked_score("points", points), whole_number("winning_score", winning_score, 1))
    return result


def action_mask(squares: Iterable[int]) -> Masks:
    """The action mask that allows these squares (1-9)."""
    result = np.zeros(NUM_SQUARES, np.int8)
    result[[square - 1 for square in squares]] = 1
    return result
