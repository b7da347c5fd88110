"""When a round ends, and how: the rules by the name that files store."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum

from .board import FULL, Board, has_line


class Outcome(IntEnum):
    """How the board of a round ended, as the player who moved first sees it.

    >>> from tictactoe import Outcome
    >>> Outcome.WIN.reversed().name
    'LOSE'
    """

    WIN = 0
    LOSE = 1
    TIE = 2

    def reversed(self) -> Outcome:
        """The same ending as the player who moved second sees it."""
        return _REVERSED[self]


_REVERSED = {Outcome.WIN: Outcome.LOSE, Outcome.LOSE: Outcome.WIN, Outcome.TIE: Outcome.TIE}

EndRule = Callable[[Board], Outcome | None]
"""Says how a round with this board has ended, or None while it goes on."""


def three_in_a_row(board: Board) -> Outcome | None:
    """The round ends with the first three in a row, or in a tie when the board is full."""
    if has_line(board.first):
        return Outcome.WIN
    if has_line(board.second):
        return Outcome.LOSE
    return Outcome.TIE if board.first | board.second == FULL else None


END_RULES: dict[str, EndRule] = {"three-in-a-row": three_in_a_row}
"""Every rule that can end a round, by the name that files store."""

DEFAULT_END_RULE = "three-in-a-row"
