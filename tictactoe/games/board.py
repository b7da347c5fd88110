"""Squares, lines, symmetries and outcomes of a tic-tac-toe board.

Squares are numbered like the keys of a phone::

    1 2 3
    4 5 6
    7 8 9
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import NamedTuple

SQUARES = tuple(range(1, 10))
LINES = ((1, 2, 3), (4, 5, 6), (7, 8, 9), (1, 4, 7), (2, 5, 8), (3, 6, 9), (1, 5, 9), (3, 5, 7))
FULL = 0b111_111_111
"""The bit mask of all squares."""


class Board(NamedTuple):
    """The marks on the board: one bit per square (square 1 is bit 0) and player.

    >>> from tictactoe import Board
    >>> board = Board().play(5).play(1)
    >>> board, board.free_squares
    (Board(first=16, second=1), (2, 3, 4, 6, 7, 8, 9))
    """

    first: int = 0
    second: int = 0

    @property
    def num_marks(self) -> int:
        return (self.first | self.second).bit_count()

    @property
    def free_squares(self) -> tuple[int, ...]:
        taken = self.first | self.second
        return tuple(square for square in SQUARES if not taken >> (square - 1) & 1)

    def play(self, square: int) -> Board:
        """The board after the mover marks `square`. Raises ValueError if it is not free."""
        if square not in SQUARES or isinstance(square, bool):
            raise ValueError(f"square {square} is not from 1 to 9")
        mark = 1 << (square - 1)
        if (self.first | self.second) & mark:
            raise ValueError(f"square {square} is taken")
        if self.num_marks % 2 == 0:
            return Board(self.first | mark, self.second)
        return Board(self.first, self.second | mark)

    def image(self, symmetry: tuple[int, ...]) -> Board:
        """The board with every mark moved from square s to square symmetry[s - 1]."""
        return Board(_move_bits(self.first, symmetry), _move_bits(self.second, symmetry))

    def canonical(self) -> Board:
        """One of the board's eight images, the same for all of them."""
        return _canonical(self)


@cache
def _canonical(board: Board) -> Board:
    first, second = board
    return Board(*min((_move_bits(first, symmetry), _move_bits(second, symmetry)) for symmetry in SYMMETRIES))


@cache
def _move_bits(mask: int, symmetry: tuple[int, ...]) -> int:
    return sum(1 << (symmetry[bit] - 1) for bit in range(9) if mask >> bit & 1)


def _symmetries() -> tuple[tuple[int, ...], ...]:
    identity = SQUARES
    quarter_turn = tuple((s - 1) % 3 * 3 + 2 - (s - 1) // 3 + 1 for s in SQUARES)
    mirror = tuple((s - 1) // 3 * 3 + 2 - (s - 1) % 3 + 1 for s in SQUARES)
    result = []
    for start in (identity, mirror):
        image = start
        for _ in range(4):
            result.append(image)
            image = tuple(quarter_turn[s - 1] for s in image)
    return tuple(result)


SYMMETRIES = _symmetries()
"""The eight symmetries of the square. symmetry[s - 1] is the image of square s."""

_LINE_MASKS = tuple(sum(1 << (s - 1) for s in line) for line in LINES)


@cache
def has_line(marks: int) -> bool:
    """Whether the squares in the bit mask `marks` include three in a row."""
    return any(marks & line == line for line in _LINE_MASKS)


def lines_of(marks: int) -> tuple[tuple[int, ...], ...]:
    """The lines in the bit mask `marks`, as squares.

    >>> lines_of(0b001_010_111)
    ((1, 2, 3), (3, 5, 7))
    """
    return tuple(line for line, mask in zip(LINES, _LINE_MASKS, strict=True) if marks & mask == mask)


def final_lines(board: Board) -> frozenset[tuple[bool, bool]]:
    """Over all ways to fill the board: whether the first and whether the second mover has three in a row.

    >>> final_lines(Board(first=0b100_101_011, second=0b011_010_000))  # square 3 is free
    frozenset({(True, False)})
    """
    free = board.free_squares
    found = set()
    for squares in combinations(free, (len(free) + 1 - board.num_marks % 2) // 2):
        mine = sum(1 << (square - 1) for square in squares)
        others = FULL & ~(board.first | board.second | mine)
        found.add((has_line(board.first | mine), has_line(board.second | others)))
    return frozenset(found)
