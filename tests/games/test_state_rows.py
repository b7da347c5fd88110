"""What a learner keeps in mind: histories, or boards up to symmetry."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from tictactoe.games.board import SYMMETRIES
from tictactoe.games.state_rows import state_rows
from tictactoe.games.tic_tac_toe_tree import GameTree

TREE = GameTree.build()


def lowest_image(history: tuple[int, ...]) -> tuple[frozenset[int], ...]:
    """The squares of both players, of all images the one whose sorted squares come first."""
    images = [tuple(frozenset(image[s - 1] for s in history[p::2]) for p in (0, 1)) for image in SYMMETRIES]
    return min(images, key=lambda marks: [sorted(squares) for squares in marks])


def test_moves_share_a_row_when_boards_before_and_after_are_images() -> None:
    """Worked out from the histories; at every tenth position, and all to four moves."""
    rows = state_rows(TREE, "board")
    nodes = [node for node in range(1, TREE.num_nodes) if TREE.depth[node] <= 4 or node % 10 == 0]
    groups = defaultdict(set)
    for node in nodes:
        history = TREE.history(node)
        groups[lowest_image(history[:-1]), lowest_image(history)].add(int(rows[node]))
    assert all(len(group) == 1 for group in groups.values())
    assert len(set().union(*groups.values())) == len(groups) < len(nodes) / 2


def test_one_state_has_the_same_moves_wherever_it_comes_up() -> None:
    rows = state_rows(TREE, "board")
    moves: dict[int, set[int]] = {}
    for node in TREE.decision_nodes.tolist():
        own = set(rows[list(TREE.children(node))].tolist())
        assert len(own) == len(TREE.children(node))
        for row in own:
            assert moves.setdefault(row, own) == own
    assert len(moves) == rows.max()


def test_history_and_others() -> None:
    assert np.array_equal(state_rows(TREE, "history"), np.arange(TREE.num_nodes))
    with pytest.raises(ValueError, match=r"^state: 'goal' is not one of history, board"):
        state_rows(TREE, "goal")
