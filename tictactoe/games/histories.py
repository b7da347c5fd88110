"""How many ways a round can go: the size of its tree before anything is left out."""

from __future__ import annotations

from .board import Board
from .rules import Rules


def count_histories(rules: Rules) -> int:
    """The number of sequences of moves that a round can begin with, from the empty one to those that end the round.

    That is the number of nodes in the tree without reductions, counted board by board and without building the tree.

    >>> count_histories(Rules()), count_histories(Rules("filled"))
    (549946, 986410)
    """
    known: dict[Board, int] = {}

    def count(board: Board) -> int:
        """The number of sequences of moves from this board on. All images of the board have the same number."""
        key = board.canonical()
        if key not in known:
            ended = rules.outcome(board) is not None
            known[key] = 1 + (0 if ended else sum(count(board.play(square)) for square in board.free_squares))
        return known[key]

    return count(Board())
