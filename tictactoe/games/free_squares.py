"""Marking any free square of the real board, while the tree keeps only one of several symmetric moves."""

from __future__ import annotations

from collections import Counter

import numpy as np

from ..algorithms.arrays import NUM_TYPES, FloatArray
from .board import SQUARES, Board
from .tic_tac_toe_tree import GameTree

_SECOND = 1 << len(SQUARES)  # the bits of a board as one number: those of the second mover stand above the first's


def uniform_over_squares(tree: GameTree) -> FloatArray:
    """float64 (num_nodes, 3): every free square of the real board equally likely, whatever the goal.

    A move of the tree that stands for four symmetric squares is four times as likely as a move that stands for one
    square. `uniform_strategy`, by contrast, makes all moves of the tree equally likely.

    >>> from tictactoe import GameTree, uniform_over_squares
    >>> (9 * uniform_over_squares(GameTree.build())[1:4, 0]).tolist()  # a corner, a side, the centre
    [4.0, 4.0, 1.0]
    """
    marks = np.zeros(tree.num_nodes, np.intp)
    for depth, nodes in enumerate(tree.nodes_by_depth[1:]):
        move = 1 << (tree.square[nodes].astype(np.intp) - 1)
        marks[nodes] = marks[tree.parent[nodes]] + move * (_SECOND if depth % 2 else 1)
    boards, board_of = np.unique(marks[tree.decision_nodes], return_inverse=True)  # few boards for many histories
    merged = np.array([_num_images(Board(code % _SECOND, code // _SECOND)) for code in boards.tolist()])
    decision_of = np.repeat(np.arange(tree.num_decision_nodes), tree.num_children[tree.decision_nodes])
    num_free = len(SQUARES) - tree.depth[tree.parent[1:]]
    is_whole = tree.num_children[tree.parent[1:]] == num_free  # no move was merged here, in any tree
    num_squares = np.where(is_whole, 1, merged[board_of[decision_of], tree.square[1:] - 1])
    result = np.ones((tree.num_nodes, NUM_TYPES))
    result[1:] = (num_squares / num_free)[:, None]
    return result


def _num_images(board: Board) -> list[int]:
    """By square: the number of free squares, itself included, that lead to images of the same board; 0 if taken."""
    after = {square: board.play(square).canonical() for square in board.free_squares}
    count = Counter(after.values())
    return [count[after[square]] if square in after else 0 for square in SQUARES]
