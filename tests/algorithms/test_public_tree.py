"""The container of any public tree: the order of its nodes, derived arrays, and trees and games that are refused."""

from typing import Any

import numpy as np
import pytest
from oracle import small_games

from tictactoe import Game


@pytest.mark.parametrize(
    ("parent", "owner", "leaf_class", "message"),
    [
        ([-1], [0], [-1], "at least two"),
        ([-1, 0, 0], [0, -1], [-1, 0, 0], "one entry per node"),
        ([0, 0, 0], [0, -1, -1], [-1, 0, 0], "root"),
        ([-1, 0, 3, 0], [0, -1, -1, 0], [-1, 0, 0, -1], "before their children"),
        ([-1, 0, 0], [0, -1, 1], [-1, 0, 0], "decision node or a leaf"),
        ([-1, 0, 0], [0, 1, -1], [-1, -1, 0], "owner: 0, 1 or CHANCE at a node with children"),  # it has no children
        ([-1, 0, 0, 1, 1], [0, -1, -1, -1, -1], [-1, 0, 0, 0, 0], "-1 at a leaf"),  # it has children
        ([-1, 0, 0], [5, -1, -1], [-1, 0, 0], "owner: 0, 1 or CHANCE"),
        ([-1, 0, 1, 0, 1], [0, 1, -1, -1, -1], [-1, -1, 0, 0, 0], "blocks of children"),
        # subtree_end would be wrong: kernels that skip a subtree would skip others' nodes
        ([-1, 0, 0, 1, 1, 2, 2, 3, 3], [0] * 4 + [-1] * 5, [-1] * 4 + [0] * 5, "preorder .* build_game"),
        ([-1, 0, 0, 2, 2, 1, 1], [0] * 3 + [-1] * 4, [-1] * 3 + [0] * 4, "preorder"),  # second child before the first
    ],
)
def test_malformed_trees(parent: list[int], owner: list[int], leaf_class: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        small_games.make_tree(parent, owner, leaf_class)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("payoffs", np.zeros((3, 3, 3))),  # Kuhn's leaves have four classes
        ("payoffs", np.zeros((4, 3, 2))),
        ("payoffs", np.full((4, 3, 3), np.nan)),
        ("prior", np.full((3, 3), 1.0)),
        ("prior", np.full((2, 2), 0.25)),
        ("prior", np.diag([2.0, -1.0, 0.0])),
        ("bonus", np.zeros(8)),
    ],
)
def test_malformed_games(name: str, value: Any) -> None:
    arrays = {**small_games.kuhn_game()._asdict(), name: value}
    with pytest.raises(ValueError, match=rf"^{name}: "):
        Game(**arrays)
