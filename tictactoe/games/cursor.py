"""Positions on the real board with their nodes in the tree."""

from __future__ import annotations

from typing import NamedTuple

from ..errors import IllegalMoveError
from .board import SYMMETRIES, Board
from .rules import Outcome, Rules, Seat
from .tic_tac_toe_tree import GameTree


class _Step(NamedTuple):
    square: int  # on the real board
    board: Board  # the real one
    node: int
    symmetry: tuple[int, ...]  # maps the real board to the node's


class Cursor:
    """A position of a round: the squares played on the real board, and its node in the tree.

    Raises IllegalMoveError for illegal moves, and ValueError if `tree` is not a tree.

    >>> from tictactoe import Cursor, GameTree
    >>> cursor = Cursor(GameTree.build(), (5, 9))
    >>> cursor.play(7)
    >>> cursor.moves, cursor.tree.history(cursor.node)  # corner 9 is merged into corner 1, and 7 turned with it into 3
    ((5, 9, 7), (5, 1, 3))
    """

    def __init__(self, tree: GameTree, moves: tuple[int, ...] = ()) -> None:
        if not isinstance(tree, GameTree):
            raise ValueError(f"tree: {tree!r} is not a GameTree")
        self.tree = tree
        self._steps = [_Step(0, Board(), 0, SYMMETRIES[0])]
        for move in moves:
            self.play(move)

    @property
    def moves(self) -> tuple[int, ...]:
        """The squares played on the real board, in order."""
        return tuple(step.square for step in self._steps[1:])

    @property
    def board(self) -> Board:
        return self._steps[-1].board

    @property
    def node(self) -> int:
        """The node of the position. After a forced outcome, it stays the leaf."""
        return self._steps[-1].node

    @property
    def nodes(self) -> tuple[int, ...]:
        """The nodes from the root to the position."""
        return tuple(dict.fromkeys(step.node for step in self._steps))

    @property
    def mover(self) -> Seat | None:
        """The seat to move on the real board; None when the round is over."""
        return None if self.outcome is not None else Seat((len(self._steps) - 1) % 2)

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of the round on the real board; None while the round continues."""
        return self.tree.rules.outcome(self.board)

    @property
    def forced_outcome(self) -> Outcome | None:
        """The outcome of all continuations; None if there are several."""
        return self.tree.outcome(self.node)

    def play(self, square: int) -> None:
        """Mark a free square for the mover. Changes nothing if it raises IllegalMoveError."""
        if self.outcome is not None:
            raise IllegalMoveError("the round is over")
        if isinstance(square, bool) or not hasattr(square, "__index__"):
            raise IllegalMoveError(f"{square!r} is not a square")
        if square not in self.board.free_squares:
            raise IllegalMoveError(f"square {square} is not free" if 1 <= square <= 9 else f"{square} is not a square")
        node, symmetry = self.node, self._steps[-1].symmetry
        if self.tree.outcome(node) is None:
            node, symmetry = self._child_of(square)
        self._steps.append(_Step(square, self.board.play(square), node, symmetry))

    def undo(self) -> int:
        """Take back the last move and return its square. Raises IllegalMoveError if there is none."""
        if len(self._steps) == 1:
            raise IllegalMoveError("there is no move to take back")
        return self._steps.pop().square

    def squares_by_child(self) -> dict[int, tuple[int, ...]]:
        """For every child of the node, the real squares that lead to it, in increasing order; empty at a leaf."""
        result: dict[int, list[int]] = {child: [] for child in self.tree.children(self.node)}
        if result:
            for square in self.board.free_squares:
                result[self._child_of(square)[0]].append(square)
        return {child: tuple(squares) for child, squares in result.items()}

    def _child_of(self, square: int) -> tuple[int, tuple[int, ...]]:
        symmetry = self._steps[-1].symmetry
        before = self.board.image(symmetry)
        board = before.play(symmetry[square - 1])
        children = {before.play(int(self.tree.square[child])): child for child in self.tree.children(self.node)}
        for turn in SYMMETRIES:  # the identity comes first
            child = children.get(board.image(turn))
            if child is not None:
                return child, tuple(turn[symmetry[square - 1] - 1] for square in range(1, 10))
        raise AssertionError(f"no node for square {square} after {self.moves}")


def count_histories(rules: Rules) -> int:
    """The number of nodes in the tree of the rules without reductions.

    >>> count_histories(Rules()), count_histories(Rules("filled"))
    (549946, 986410)
    """
    known: dict[Board, int] = {}

    def count(board: Board) -> int:
        key = board.canonical()
        if key not in known:
            ended = rules.outcome(board) is not None
            known[key] = 1 + (0 if ended else sum(count(board.play(square)) for square in board.free_squares))
        return known[key]

    return count(Board())
