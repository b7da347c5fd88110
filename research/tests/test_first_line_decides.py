"""A board that is filled although the first three in a row has decided: no other game than three in a row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from oracle import small_games
from oracle.lifting import LevelEvaluator, Lifting, game_tree
from oracle.naive import Floats

from tictactoe import GameTree
from tictactoe.games.board import LINES


def first_line_decides() -> tuple[GameTree, NDArray[np.int8]]:
    """All 986,410 histories of a board that is always filled, in which whoever had three in a row first has won.

    And by node who that is, or a full board without, as a leaf class; -1 while it is open.
    """
    tree = game_tree(False, False, "filled")
    marks = np.zeros((tree.num_nodes, 2), np.int64)
    decided = np.where(tree.leaf_class < 0, -1, 2).astype(np.int8)
    has_line = np.array([any(all(m >> (s - 1) & 1 for s in line) for line in LINES) for m in range(512)])
    for depth, nodes in enumerate(tree.nodes_by_depth[1:], 1):
        parent, mover = tree.parent[nodes], (depth - 1) % 2
        marks[nodes] = marks[parent]
        marks[nodes, mover] |= 1 << (tree.square[nodes].astype(np.int64) - 1)
        now = np.where(has_line[marks[nodes, mover]], mover, decided[nodes])
        decided[nodes] = np.where(decided[parent] < 0, now, decided[parent])
    return replace(tree, leaf_class=np.where(tree.leaf_class < 0, -1, decided).astype(np.int8)), decided


def cut_forced(tree: GameTree) -> tuple[NDArray[np.signedinteger], ...]:
    """parent, owner, leaf_class and square of a tree whose leaves are where all that follows is of one leaf class."""
    lowest, highest = (np.where(tree.leaf_class < 0, none, tree.leaf_class) for none in (99, -1))
    for nodes in tree.nodes_by_depth[:0:-1]:
        np.minimum.at(lowest, tree.parent[nodes], lowest[nodes])
        np.maximum.at(highest, tree.parent[nodes], highest[nodes])
    return cut_where(tree, np.where(lowest == highest, lowest, -1))


def cut_where(tree: GameTree, ended: NDArray[np.signedinteger]) -> tuple[NDArray[np.signedinteger], ...]:
    """The same of a tree whose leaves are where `ended`, by node and from there on, says with which class: not -1."""
    kept = np.r_[True, ended[tree.parent[1:]] < 0]
    number = np.cumsum(kept) - 1
    parent = np.r_[-1, number[tree.parent[1:]]][kept]
    return parent, np.where(ended < 0, tree.owner, -1)[kept], ended[kept], tree.square[kept]


def summary(levels: LevelEvaluator, strategy: Floats, payoffs: Floats, prior: Floats) -> list[float]:
    """The expected value to the first mover, and the best-response value of either player."""
    best = [levels.best_response_value(strategy, payoffs, prior, player) for player in (0, 1)]
    return [levels.expected_value(strategy, payoffs, prior), *best]


def test_filling_the_board_changes_nothing_when_the_first_line_decides() -> None:
    """On all 986,410 histories. Cut them at the first line, and they are those of three in a row; cut the forced ends,
    too, and they are its tree. Played to the end they are worth the same, and so are the best answers."""
    whole, decided = first_line_decides()
    games = np.bincount(whole.leaf_class[whole.leaf_class >= 0])
    assert games.tolist() == [212_256, 104_544, 46_080]  # 737/1260, 121/420 and 8/63 of 9!
    assert np.sum(whole.leaf_class != game_tree(False, False, "filled").leaf_class) > 0
    for arrays, tree in ((cut_where(whole, decided), game_tree(False, False)), (cut_forced(whole), game_tree(False))):
        for name, array in zip(("parent", "owner", "leaf_class", "square"), arrays, strict=True):
            np.testing.assert_array_equal(array, getattr(tree, name))
    reduced = game_tree()
    strategy = small_games.random_strategy(reduced, 3, 0.2)
    lifted = Lifting(whole, reduced).lift(strategy, 3)
    random = np.random.default_rng(3)
    payoffs, prior = random.uniform(-1.0, 1.0, (3, 3, 3)), random.random((3, 3))
    expected = summary(LevelEvaluator(reduced), strategy, payoffs, prior / prior.sum())
    found = summary(LevelEvaluator(whole), lifted, payoffs, prior / prior.sum())
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
