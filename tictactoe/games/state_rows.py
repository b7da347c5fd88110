"""What a learner remembers of a round: which moves of the tree share a row of its table."""

from __future__ import annotations

from functools import cache

import numpy as np

from ..algorithms.arrays import IntArray
from ..algorithms.public_tree import read_only
from .board import Board
from .tic_tac_toe_tree import GameTree

STATES = ("history", "board")


@cache
def state_rows(tree: GameTree, state: str) -> IntArray:
    """int32 (num_nodes,), read-only: the row of the move into a node in a learner's table; the root has a row, too.

    state: one of STATES.
        "history": every move has a row of its own. The learner remembers everything that it may know: its own goal, its
            seat and all moves in order.
        "board": moves between the same boards, up to symmetry, share a row. The learner forgets the order of the moves,
            and with it part of what they tell about the opponent's goal. The number of marks tells its seat.

    Raises ValueError for another state.

    >>> tree = GameTree.build()
    >>> [int(state_rows(tree, state).max()) + 1 for state in ("history", "board")]
    [37538, 1943]
    """
    if state not in STATES:
        raise ValueError(f"state: {state!r} is not one of {', '.join(STATES)}")
    if state == "history":
        return read_only(np.arange(tree.num_nodes, dtype=np.int32))
    boards = [Board()]
    kept: dict[Board, Board] = {}
    rows: dict[tuple[Board, Board], int] = {(Board(), Board()): 0}
    result = np.zeros(tree.num_nodes, np.int32)
    for node in range(1, tree.num_nodes):
        before = boards[tree.parent[node]]
        after = before.play(int(tree.square[node]))
        boards.append(after)
        pair = tuple(kept.setdefault(board, board.canonical()) for board in (before, after))
        result[node] = rows.setdefault((pair[0], pair[1]), len(rows))
    return read_only(result)
