"""Goals, seats, and the results of a round with their values."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class Goal(IntEnum):
    """The secret goal of a player for one round, as seen from that player's own seat: the private type of the game.

    >>> from tictactoe import Goal
    >>> [goal.name for goal in Goal]
    ['WIN', 'LOSE', 'TIE']
    """

    WIN = 0
    LOSE = 1
    TIE = 2


class Seat(IntEnum):
    """Who moves first and who moves second in a round.

    >>> from tictactoe import Seat
    >>> int(Seat.FIRST), int(Seat.SECOND)
    (0, 1)
    """

    FIRST = 0
    SECOND = 1


class OutcomeValues(NamedTuple):
    """What the four results of a round are worth to the player who moved first (match value, -1 to 1).

    The fields are named by who scores.

    >>> from tictactoe import SINGLE_ROUND, OutcomeValues
    >>> SINGLE_ROUND == OutcomeValues(both=0.0, first=1.0, second=-1.0, neither=0.0)
    True
    """

    both: float
    first: float
    second: float
    neither: float


SINGLE_ROUND = OutcomeValues(both=0.0, first=1.0, second=-1.0, neither=0.0)
"""One round on its own: a player's points less the opponent's."""

RESULTS = ((True, True), (True, False), (False, True), (False, False))
"""(first scores, second scores) in the order of the fields of OutcomeValues."""


GOAL_NAMES = tuple(goal.name.lower() for goal in Goal)
"""win, lose, tie."""


def goal_name(goal: int) -> str:
    """win, lose or tie."""
    return Goal(goal).name.lower()
