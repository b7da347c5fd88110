"""The public tree of a round, and the container of any public tree."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lifting import boards, game_tree
from numpy.typing import NDArray

from tictactoe.board import SYMMETRIES, Board, Outcome, three_in_a_row
from tictactoe.match import Goal
from tictactoe.tree import DEFAULT_END_RULE, GameTree, PublicTree

# design.md, section 2, by moves played.
NODES = (1, 3, 12, 66, 360, 1_710, 5_974, 14_066, 15_346)
DECISION_NODES = (1, 3, 12, 66, 360, 1_532, 4_762, 7_673, 0)
LEAVES = (0, 0, 0, 0, 0, 178, 1_212, 6_393, 15_346)

FINGERPRINT = "73864aa1c4e8715e62a24305fe902e94a4ee48853c3076d8cdb355b494bd02ac"

BUILDS = [(True, True), (True, False), (False, True)]

any_node = st.integers(0, sum(NODES) - 1)


def make(parent: list[int], owner: list[int], leaf_class: list[int]) -> PublicTree:
    return naive.make_tree(parent, owner, leaf_class)


@cache
def possible_outcomes(board: Board) -> frozenset[Outcome]:
    """All outcomes that the round can still have: plain search over every continuation."""
    ended = three_in_a_row(board)
    if ended is not None:
        return frozenset({ended})
    return frozenset().union(*(possible_outcomes(board.play(square)) for square in board.free_squares))


def preorder(tree: PublicTree) -> list[int]:
    result, stack = [], [0]
    while stack:
        node = stack.pop()
        result.append(node)
        stack.extend(reversed(tree.children(node)))
    return result


# --- counts ------------------------------------------------------------------------------------------------------


def test_counts_by_depth() -> None:
    tree = game_tree()
    leaf = tree.leaf_class >= 0
    assert tuple(np.bincount(tree.depth, minlength=9)) == NODES
    assert tuple(np.bincount(tree.depth[~leaf], minlength=9)) == DECISION_NODES
    assert tuple(np.bincount(tree.depth[leaf], minlength=9)) == LEAVES


def test_counts_in_all() -> None:
    tree = game_tree()
    assert tree.num_nodes == sum(NODES) == 37_538
    assert tree.num_decision_nodes == sum(DECISION_NODES) == 14_409
    assert sum(LEAVES) == 23_129
    assert tree.num_decision_nodes * len(Goal) == 43_227


def test_leaves_by_outcome() -> None:
    tree = game_tree()
    counts = {outcome: int(np.sum(tree.leaf_class == outcome)) for outcome in Outcome}
    assert counts == {Outcome.WIN: 11_828, Outcome.LOSE: 6_821, Outcome.TIE: 4_480}


def test_unreduced_tree_is_all_of_tic_tac_toe() -> None:
    tree = game_tree(False, False)
    assert tree.num_nodes == 549_946
    leaf = tree.leaf_class >= 0
    assert int(leaf.sum()) == 255_168
    # The well-known numbers of complete games: by outcome, and by length.
    assert tuple(np.bincount(tree.leaf_class[leaf])) == (131_184, 77_904, 46_080)
    assert tuple(np.bincount(tree.depth[leaf])) == (0, 0, 0, 0, 0, 1_440, 5_328, 47_952, 72_576, 127_872)


# --- what the nodes are ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("merge_symmetric", "cut_forced"), BUILDS)
def test_leaves_are_exactly_where_the_outcome_is_decided(merge_symmetric: bool, cut_forced: bool) -> None:
    tree = game_tree(merge_symmetric, cut_forced)
    for node, board in enumerate(boards(tree)):
        if cut_forced:
            possible = possible_outcomes(board)
            expected = min(possible) if len(possible) == 1 else None
        else:
            expected = three_in_a_row(board)
        assert tree.leaf_class[node] == (-1 if expected is None else expected), node
        assert tree.owner[node] == (board.num_marks % 2 if expected is None else -1), node


def test_kept_moves_are_the_lowest_of_their_symmetry_classes() -> None:
    tree = game_tree()
    for node, board in enumerate(boards(tree)):
        if tree.leaf_class[node] >= 0:
            continue
        lowest: dict[frozenset[Board], int] = {}
        for square in board.free_squares:
            after = board.play(square)
            lowest.setdefault(frozenset(after.image(symmetry) for symmetry in SYMMETRIES), square)
        assert [int(tree.square[child]) for child in tree.children(node)] == sorted(lowest.values()), node


@pytest.mark.parametrize("cut_forced", [True, False])
def test_without_merging_every_free_square_is_a_move(cut_forced: bool) -> None:
    tree = game_tree(False, cut_forced)
    decision = tree.leaf_class < 0
    np.testing.assert_array_equal(tree.num_children[decision], 9 - tree.depth[decision])
    assert np.all(tree.num_children[~decision] == 0)


def test_first_moves() -> None:
    tree = game_tree()
    assert [tree.history(child) for child in tree.children(0)] == [(1,), (2,), (5,)]
    assert [tree.history(child) for child in tree.children(tree.find((5,)))] == [(5, 1), (5, 2)]
    assert tree.history(0) == ()
    assert tree.square[0] == 0
    assert tree.owner[0] == 0


# --- structure ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("merge_symmetric", "cut_forced"), [*BUILDS, (False, False)])
def test_parents_before_children_and_siblings_together(merge_symmetric: bool, cut_forced: bool) -> None:
    tree = game_tree(merge_symmetric, cut_forced)
    nodes = np.arange(tree.num_nodes)
    assert tree.parent[0] == -1
    assert np.all(tree.parent[1:] < nodes[1:])
    for node in np.random.default_rng(1).integers(0, tree.num_nodes, 300).tolist():
        np.testing.assert_array_equal(np.flatnonzero(tree.parent == node), list(tree.children(node)))
    siblings = tree.parent[1:-1] == tree.parent[2:]
    assert np.all(tree.square[1:-1][siblings] < tree.square[2:][siblings])  # children stand in square order
    np.testing.assert_array_equal(tree.depth[1:], tree.depth[tree.parent[1:]] + 1)
    np.testing.assert_array_equal(tree.num_children == 0, tree.leaf_class >= 0)
    np.testing.assert_array_equal(tree.owner >= 0, tree.leaf_class < 0)
    np.testing.assert_array_equal(tree.owner[tree.owner >= 0], tree.depth[tree.owner >= 0] % 2)


def assert_decision_nodes_in_preorder(tree: PublicTree) -> None:
    expected = [node for node in preorder(tree) if tree.owner[node] >= 0]
    np.testing.assert_array_equal(tree.decision_nodes, expected)
    assert tree.num_decision_nodes == len(expected)


def assert_subtrees_are_ranges(tree: PublicTree) -> None:
    """Of nodes and of decision nodes, as PublicTree and SweepArrays promise."""
    sweep = tree.sweep_arrays
    num_nodes = tree.num_nodes
    size, last = np.ones(num_nodes, int), np.arange(num_nodes)
    num_decisions = (tree.owner >= 0).astype(int)
    for node in range(num_nodes - 1, 0, -1):
        parent = tree.parent[node]
        size[parent] += size[node]
        num_decisions[parent] += num_decisions[node]
        last[parent] = max(last[parent], last[node])
    for decision, node in enumerate(tree.decision_nodes.tolist()):
        children = tree.children(node)
        assert last[node] - children[0] + 1 == size[node] - 1
        assert sweep.subtree_end[decision] == decision + num_decisions[node]
        assert last[node] == sweep.first_child[sweep.subtree_end[decision]] - 1


def assert_sweep_arrays_describe(tree: PublicTree) -> None:
    sweep = tree.sweep_arrays
    num_decisions = tree.num_decision_nodes
    shapes = [array.shape for array in sweep]
    assert shapes == [(num_decisions,), (num_decisions + 1,), (num_decisions,), (tree.num_nodes,)]
    assert [array.dtype for array in sweep] == [np.int8, np.int32, np.int32, np.int32]
    assert sweep.first_child[-1] == tree.num_nodes
    for decision, node in enumerate(tree.decision_nodes.tolist()):
        assert sweep.owner[decision] == tree.owner[node]
        assert range(sweep.first_child[decision], sweep.first_child[decision + 1]) == tree.children(node)
        assert sweep.target[node] == decision
    leaves = np.flatnonzero(tree.leaf_class >= 0)
    np.testing.assert_array_equal(-1 - sweep.target[leaves], tree.leaf_class[leaves])


CHECKS = [assert_decision_nodes_in_preorder, assert_subtrees_are_ranges, assert_sweep_arrays_describe]


@pytest.mark.parametrize("check", CHECKS)
def test_layout_of_the_game_tree(check: Callable[[PublicTree], None]) -> None:
    check(game_tree())


@pytest.mark.parametrize("check", CHECKS)
def test_layout_of_kuhn(check: Callable[[PublicTree], None]) -> None:
    check(naive.kuhn_game().tree)


@pytest.mark.parametrize("check", CHECKS)
def test_layout_of_random_trees(check: Callable[[PublicTree], None]) -> None:
    for seed in range(60):
        check(naive.random_game(seed, max_depth=6).tree)


def test_sweep_arrays_of_kuhn() -> None:
    sweep = naive.kuhn_game().tree.sweep_arrays
    assert sweep.owner.tolist() == [0, 1, 0, 1]
    assert sweep.first_child.tolist() == [1, 3, 5, 7, 9]
    assert sweep.subtree_end.tolist() == [4, 3, 3, 4]
    assert sweep.target.tolist() == [0, 1, 3, -1, 2, -2, -3, -4, -3]


def test_defining_arrays_are_read_only_and_of_the_promised_types() -> None:
    tree = game_tree()
    for array, dtype in ((tree.parent, np.int32), (tree.owner, np.int8), (tree.leaf_class, np.int8)):
        assert array.dtype == dtype
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    assert tree.square.dtype == np.int8
    assert not tree.square.flags.writeable
    with pytest.raises(AttributeError):
        tree.end_rule = "other"  # type: ignore[misc]


def derived_arrays() -> dict[str, NDArray[np.integer]]:
    tree = game_tree()
    names = ("num_children", "first_child", "decision_nodes", "depth")
    sweep = {f"sweep_arrays.{name}": array for name, array in tree.sweep_arrays._asdict().items()}
    return {name: getattr(tree, name) for name in names} | sweep


def test_derived_arrays_are_read_only() -> None:
    """They are cached and shared by every solver of the tree: a write through one would corrupt all."""
    assert [name for name, array in derived_arrays().items() if array.flags.writeable] == []


# --- histories ---------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(node=any_node)
def test_find_inverts_history(node: int) -> None:
    tree = game_tree()
    history = tree.history(node)
    assert len(history) == tree.depth[node]
    assert tree.find(history) == node
    assert all(type(square) is int for square in history)


@settings(deadline=None)
@given(node=any_node)
def test_histories_are_plays_and_leaves_have_their_outcome(node: int) -> None:
    tree = game_tree()
    board = Board()
    for square in tree.history(node):
        assert len(possible_outcomes(board)) > 1
        board = board.play(square)
    outcome = tree.outcome(node)
    assert outcome == (None if tree.leaf_class[node] < 0 else Outcome(int(tree.leaf_class[node])))
    if outcome is not None:
        assert possible_outcomes(board) == {outcome}


@pytest.mark.parametrize("node", [-1, 37_538])
def test_history_of_a_node_that_does_not_exist(node: int) -> None:
    with pytest.raises(IndexError, match=str(node)):
        game_tree().history(node)


@pytest.mark.parametrize(
    ("history", "message"),
    [
        ((3,), r"no move 3 after \(\)"),  # merged into 1
        ((5, 5), r"no move 5 after \(5,\)"),
        ((0,), r"no move 0 after \(\)"),
        ((1, 4, 2, 5, 3, 6), r"no move 6 after \(1, .*, 3\)"),  # the round is over
    ],
)
def test_find_what_is_not_in_the_tree(history: tuple[int, ...], message: str) -> None:
    tree = game_tree() if len(history) < 6 else game_tree(False, False)
    with pytest.raises(KeyError, match=message):
        tree.find(history)


def test_find_accepts_any_iterable() -> None:
    tree = game_tree()
    assert tree.find(iter([5, 1, 3])) == tree.find((5, 1, 3)) == tree.find(np.array([5, 1, 3]))


# --- building ----------------------------------------------------------------------------------------------------


def test_unknown_end_rule() -> None:
    with pytest.raises(ValueError, match=r"end_rule.*'four-in-a-row'.*three-in-a-row"):
        GameTree.build("four-in-a-row")


def test_fingerprint_is_stable() -> None:
    """Files name their tree by it: if this has to change, so has the format version of every file."""
    assert game_tree().end_rule == DEFAULT_END_RULE == "three-in-a-row"
    assert game_tree().fingerprint == FINGERPRINT
    assert GameTree.build(DEFAULT_END_RULE).fingerprint == FINGERPRINT


def test_fingerprints_differ() -> None:
    built = [game_tree(*flags).fingerprint for flags in product((True, False), repeat=2)]
    assert len(set(built)) == 4


@pytest.mark.parametrize("name", ["parent", "owner", "leaf_class", "square", "end_rule"])
def test_fingerprint_depends_on_everything_that_defines_the_tree(name: str) -> None:
    parts: dict[str, Any] = {
        "parent": np.array([-1, 0, 0, 1, 1], np.int32),
        "owner": np.array([0, 1, -1, -1, -1], np.int8),
        "leaf_class": np.array([-1, -1, 0, 1, 2], np.int8),
        "square": np.array([0, 1, 2, 3, 4], np.int8),
    }
    changed: dict[str, Any] = {
        "parent": np.array([-1, 0, 0, 0, 1], np.int32),
        "owner": np.array([1, 1, -1, -1, -1], np.int8),
        "leaf_class": np.array([-1, -1, 0, 1, 1], np.int8),
        "square": np.array([0, 1, 2, 3, 5], np.int8),
    }
    tree = GameTree(**parts, end_rule="three-in-a-row")
    assert GameTree(**parts, end_rule="three-in-a-row").fingerprint == tree.fingerprint
    if name == "end_rule":
        other = GameTree(**parts, end_rule="full-board")
    else:
        other = GameTree(**(parts | {name: changed[name]}), end_rule="three-in-a-row")
    assert other.fingerprint != tree.fingerprint


# --- trees that are refused --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parent", "owner", "leaf_class", "message"),
    [
        ([-1], [0], [-1], "two nodes"),
        ([-1, 0, 0], [0, -1], [-1, 0, 0], "one entry per node"),
        ([0, 0, 0], [0, -1, -1], [-1, 0, 0], "root"),
        ([-1, 0, 3, 0], [0, -1, -1, 0], [-1, 0, 0, -1], "before their children"),
        ([-1, 0, -1], [0, -1, -1], [-1, 0, 0], "root"),
        ([-1, 0, 0], [0, -1, 1], [-1, 0, 0], "decision node or a leaf"),
        ([-1, 0, 0], [0, -1, -1], [-1, -1, 0], "decision node or a leaf"),
        ([-1, 0, 1, 0, 1], [0, 1, -1, -1, -1], [-1, -1, 0, 0, 0], "blocks of children"),
    ],
)
def test_malformed_trees(parent: list[int], owner: list[int], leaf_class: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(parent, owner, leaf_class)


@pytest.mark.parametrize(
    ("parent", "owner", "leaf_class"),
    [
        pytest.param([-1, 0, 0], [0, 1, -1], [-1, -1, 0], id="decision node without children"),
        pytest.param([-1, 0, 0, 1, 1], [0, -1, -1, -1, -1], [-1, 0, 0, 0, 0], id="leaf with children"),
        pytest.param([-1, 0, 0], [5, -1, -1], [-1, 0, 0], id="owner other than 0 and 1"),
    ],
)
def test_nodes_that_are_neither_leaves_nor_decision_nodes(
    parent: list[int], owner: list[int], leaf_class: list[int]
) -> None:
    with pytest.raises(ValueError, match=r"owner|leaf|decision|children"):
        make(parent, owner, leaf_class)


@pytest.mark.parametrize(
    ("parent", "decisions"),
    [
        pytest.param([-1, 0, 0, 1, 1, 2, 2, 3, 3], {0, 1, 2, 3}, id="breadth first"),
        pytest.param([-1, 0, 0, 2, 2, 1, 1], {0, 1, 2}, id="second child before the first"),
    ],
)
def test_blocks_of_children_that_are_not_in_preorder(parent: list[int], decisions: set[int]) -> None:
    """subtree_end is wrong for such a tree: kernels that skip a subtree would skip others' nodes."""
    owner = [0 if node in decisions else -1 for node in range(len(parent))]
    leaf_class = [-1 if node in decisions else 0 for node in range(len(parent))]
    with pytest.raises(ValueError, match="preorder"):
        make(parent, owner, leaf_class)


@settings(deadline=None)
@given(seed=st.integers(0, 10**6))
def test_random_trees_in_the_documented_order_are_accepted(seed: int) -> None:
    tree = naive.random_game(seed).tree
    assert tree.decision_nodes[0] == 0
    assert int(tree.num_children.sum()) == tree.num_nodes - 1
    assert tree.children(0)[0] == tree.first_child[0] == 1
