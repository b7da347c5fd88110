"""The public tree of a round: nodes, histories, fingerprints. test_checker_tree.py has its numbers of nodes."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import small_games
from oracle.lifting import game_tree, possible_outcomes
from support.slowness import slow

from tictactoe import GameTree
from tictactoe.games.board import Board
from tictactoe.games.rules import DEFAULT_RULES, RULES, Outcome, Rules

FINGERPRINT = "73864aa1c4e8715e62a24305fe902e94a4ee48853c3076d8cdb355b494bd02ac"


@pytest.mark.parametrize("cut_forced", [True, False])
@pytest.mark.parametrize("merge_symmetric", [True, *slow(False)])
def test_order_of_nodes(merge_symmetric: bool, cut_forced: bool) -> None:
    tree = game_tree(merge_symmetric, cut_forced)
    siblings = tree.parent[1:-1] == tree.parent[2:]
    assert np.all(tree.square[1:-1][siblings] < tree.square[2:][siblings])
    np.testing.assert_array_equal(tree.depth[1:], tree.depth[tree.parent[1:]] + 1)
    np.testing.assert_array_equal(tree.owner[tree.owner >= 0], tree.depth[tree.owner >= 0] % 2)
    assert (tree.history(0), tree.square[0]) == ((), 0)
    assert tree.history(tree.children(0)[-1]) == (5 if merge_symmetric else 9,)
    if not merge_symmetric:  # every free square is a move
        np.testing.assert_array_equal(tree.num_children, np.where(tree.leaf_class < 0, 9 - tree.depth, 0))


def test_defining_arrays_are_read_only_and_of_the_promised_types() -> None:
    tree = game_tree()
    for array, dtype in ((tree.parent, np.int32), (tree.owner, np.int8), (tree.leaf_class, np.int8)):
        assert array.dtype == dtype
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    assert tree.square.dtype == np.int8
    assert not tree.square.flags.writeable
    with pytest.raises(AttributeError):
        tree.rules = Rules()  # type: ignore[misc]


@settings(deadline=None)
@given(node=st.integers(0, 37_537))
def test_histories_are_plays_and_find_inverts_them(node: int) -> None:
    tree, board = game_tree(), Board()
    history = tree.history(node)
    assert len(history) == tree.depth[node]
    assert tree.find(history) == tree.find(iter(history)) == tree.find(np.array(history, int)) == node
    assert all(type(square) is int for square in history)
    for square in history:
        assert len(possible_outcomes(tree.rules, board)) > 1
        board = board.play(square)
    outcome = tree.outcome(node)
    assert outcome == (None if tree.leaf_class[node] < 0 else Outcome(int(tree.leaf_class[node])))
    if outcome is not None:
        assert possible_outcomes(tree.rules, board) == {outcome}


def test_histories_and_nodes_that_are_not_in_the_tree() -> None:
    for tree, history, message in (
        (game_tree(), (3,), r"no move 3 after \(\)"),  # merged into 1
        (game_tree(), (5, 5), r"no move 5 after \(5,\)"),
        (game_tree(), (0,), r"no move 0 after \(\)"),
        (game_tree(False, False), (1, 4, 2, 5, 3, 6), r"no move 6 after \(1, .*, 3\)"),  # the round is over
    ):
        with pytest.raises(KeyError, match=message):
            tree.find(history)
    for node in (-1, 37_538):
        with pytest.raises(IndexError, match=str(node)):
            game_tree().history(node)


def test_a_tree_is_built_once_for_a_rule_whatever_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert GameTree.build() is GameTree.build("three-in-a-row", cut_forced=True) is GameTree.build(Rules())
    assert GameTree.build() is not game_tree(False)
    after_one = replace(RULES[DEFAULT_RULES], outcome=lambda board: Outcome.TIE if board.num_marks == 1 else None)
    monkeypatch.setitem(RULES, DEFAULT_RULES, after_one)
    assert GameTree.build(cut_forced=False).history(3) == (5,)
    assert GameTree.build(cut_forced=False).num_nodes == 4


def test_fingerprints_are_stable_and_depend_on_everything() -> None:
    assert str(game_tree().rules) == DEFAULT_RULES == "three-in-a-row"
    # Files name their tree by it: if this has to change, so has the format version of every file.
    assert game_tree().fingerprint == FINGERPRINT
    built = [game_tree(*flags).fingerprint for flags in product((True, False), repeat=2)]
    texts = [*RULES, "filled 2:1:1", "filled 1:2:1", "filled-none 2:1:1"]
    assert len({*built, *(game_tree(rules=text).fingerprint for text in texts)}) == len(built) + len(texts) - 1
    small = small_games.make_tree([-1, 0, 0, 2, 2], [0, -1, 1, -1, -1], [-1, 0, -1, 1, 2])
    parts: dict[str, Any] = {"parent": small.parent, "owner": small.owner, "leaf_class": small.leaf_class}
    parts |= {"square": np.arange(5, dtype=np.int8), "rules": Rules()}
    changed: dict[str, Any] = {
        "parent": np.array([-1, 0, 0, 0, 2], np.int32),
        "owner": np.array([1, -1, 1, -1, -1], np.int8),
        "leaf_class": np.array([-1, 0, -1, 1, 1], np.int8),
        "square": np.array([0, 1, 2, 3, 5], np.int8),
        "rules": Rules("three-in-a-row", (2, 1, 1)),
    }
    assert GameTree(**parts).fingerprint == GameTree(**parts).fingerprint
    others = {GameTree(**(parts | {name: changed[name]})).fingerprint for name in parts}
    assert len(others - {GameTree(**parts).fingerprint}) == len(parts)
