"""Two players who play like newcomers: they see rows, but not what moves reveal.

- naive-a, to win: completes a row of its own, else blocks one of the other, else takes the centre, else any square. To
  lose: never completes a row of its own and does not block the other. To tie: never completes its own row, blocks the
  other's if it can, and else takes any square.
- naive-b, to win: completes a row, else any square. To lose: any square that completes no row of its own. To tie: the
  moves of naive-a.

A rule that leaves no square does not count.
"""

from __future__ import annotations

from functools import cache, partial

from ..algorithms.arrays import FloatArray
from ..algorithms.public_tree import read_only
from .board import LINES, Board
from .rules import Goal
from .tic_tac_toe_tree import GameTree, even_over_squares

NAIVE_PLAYERS = ("naive-a", "naive-b")


@cache
def naive_strategy(tree: GameTree, name: str) -> FloatArray:
    """The strategy of a naive player at every score: float64 (num_nodes, 3), read-only. Raises ValueError for another
    name.

    >>> naive_strategy(GameTree.build(), "naive-a")[1:4].round(2).tolist()  # a corner, a side, the centre
    [[0.0, 0.44, 0.44], [0.0, 0.44, 0.44], [1.0, 0.11, 0.11]]
    """
    if name not in NAIVE_PLAYERS:
        raise ValueError(f"name: {name!r} is not one of {', '.join(NAIVE_PLAYERS)}")
    return read_only(even_over_squares(tree, partial(_squares, name == "naive-a")))


def _squares(sees_the_other: bool, board: Board, goal: Goal) -> tuple[int, ...]:
    mine, others = (board.first, board.second) if board.num_marks % 2 == 0 else (board.second, board.first)
    free = board.free_squares
    completes, blocks = (rows_completed(marks, free) for marks in (mine, others))
    if goal is Goal.WIN:
        if completes or not sees_the_other:
            return completes or free
        return blocks or tuple({5} & set(free)) or free
    rest = _without(free, completes)
    if goal is Goal.LOSE:
        return _without(rest, blocks) if sees_the_other else rest
    return tuple(square for square in blocks if square in rest) or rest


def rows_completed(marks: int, free: tuple[int, ...]) -> tuple[int, ...]:
    """The free squares that complete a row of these marks."""
    rows = (set(line) for line in LINES)
    wanted = [row for row in rows if sum(marks >> (square - 1) & 1 for square in row) == 2]
    return tuple(square for square in free if any(square in row for row in wanted))


def _without(squares: tuple[int, ...], others: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(square for square in squares if square not in others) or squares
