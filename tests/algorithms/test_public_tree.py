"""The container of any public tree: the order of its nodes, derived arrays, and trees and games that are refused."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import small_games
from oracle.lifting import LevelEvaluator, game_tree

from tictactoe import Game, PublicTree

QUICK = settings(max_examples=25, deadline=None, derandomize=True, database=None)
SEEDS = st.integers(0, 10**6)


def preorder(tree: PublicTree) -> list[int]:
    result, stack = [], [0]
    while stack:
        node = stack.pop()
        result.append(node)
        stack.extend(reversed(tree.children(node)))
    return result


def assert_layout(tree: PublicTree) -> None:
    """Decision nodes stand in preorder, and subtrees are ranges of nodes and of decision nodes."""
    num_nodes, num_decisions, sweep = tree.num_nodes, tree.num_decision_nodes, tree.sweep_arrays
    np.testing.assert_array_equal(tree.decision_nodes, [node for node in preorder(tree) if tree.owner[node] >= 0])
    assert num_decisions == len(tree.decision_nodes)
    shapes = [(num_decisions,), (num_decisions + 1,), (num_decisions,), (num_nodes,)]
    assert [array.shape for array in sweep[:4]] == shapes
    assert sweep.group is None
    assert [array.dtype for array in sweep[:4]] == [np.int8, np.int32, np.int32, np.int32]
    assert sweep.first_child[-1] == num_nodes
    leaves = np.flatnonzero(tree.leaf_class >= 0)
    np.testing.assert_array_equal(sweep.target[leaves] - num_decisions, tree.leaf_class[leaves])
    size, last, decisions_below = np.ones(num_nodes, int), np.arange(num_nodes), (tree.owner >= 0).astype(int)
    for node in range(num_nodes - 1, 0, -1):
        parent = tree.parent[node]
        size[parent] += size[node]
        decisions_below[parent] += decisions_below[node]
        last[parent] = max(last[parent], last[node])
    for decision, node in enumerate(tree.decision_nodes.tolist()):
        children = tree.children(node)
        assert last[node] - children[0] + 1 == size[node] - 1
        assert last[node] == sweep.first_child[sweep.subtree_end[decision]] - 1
        assert sweep.subtree_end[decision] == decision + decisions_below[node]
        assert sweep.owner[decision] == tree.owner[node]
        assert range(sweep.first_child[decision], sweep.first_child[decision + 1]) == children
        assert sweep.target[node] == decision


def test_layout_of_tic_tac_toe_kuhn_and_random_trees() -> None:
    random_trees = (small_games.random_game(seed, max_depth=6).tree for seed in range(60))
    for tree in (game_tree(), small_games.kuhn_game().tree, *random_trees):
        assert_layout(tree)
    tree = game_tree()
    # Derived arrays are cached and shared by every solver of the tree: a write through one would corrupt all.
    derived = tree.num_children, tree.first_child, tree.decision_nodes, tree.depth, tree.mover, *tree.sweep_arrays[:4]
    assert not any(array.flags.writeable for array in derived)


@QUICK
@given(SEEDS)
def test_depth_and_mover_by_loops(seed: int) -> None:
    tree = small_games.random_game(seed).tree
    assert sorted(np.concatenate(tree.nodes_by_depth).tolist()) == list(range(tree.num_nodes))
    assert tree.nodes_by_depth[0].tolist() == [0]
    for above, below in pairwise(tree.nodes_by_depth):
        assert set(tree.parent[below].tolist()) <= set(above.tolist())
        assert len(below) > 0
    assert tree.mover.tolist() == [-1, *(tree.owner[tree.parent[node]] for node in range(1, tree.num_nodes))]
    assert tree.depth.tolist() == [0, *(tree.depth[tree.parent[node]] + 1 for node in range(1, tree.num_nodes))]


def test_own_reach_is_that_of_an_evaluation_level_by_level() -> None:
    for tree in (game_tree(), *(small_games.random_game(seed, max_depth=5).tree for seed in range(25))):
        strategy = small_games.random_strategy(tree, 3, 0.3)
        reach = tree.own_reach(strategy)
        for player in (0, 1):
            expected = LevelEvaluator(tree).reach(strategy, player)
            np.testing.assert_array_equal(reach[player], expected)
            np.testing.assert_array_equal(tree.own_reach_of_player(player, strategy), expected)
        np.testing.assert_array_equal(tree.reached(strategy > 0.0), reach > 0.0)


@QUICK
@given(SEEDS)
def test_sums_and_largest_over_children_by_loops(seed: int) -> None:
    tree = small_games.random_game(seed).tree
    array = np.random.default_rng(seed).normal(size=(tree.num_nodes, 3))
    sums, largest = tree.sums_over_children(array), tree.largest_over_children(array)
    per_decision = np.random.default_rng(seed + 1).normal(size=(tree.num_decision_nodes, 3))
    repeated = tree.at_children(per_decision)
    assert sums.shape == largest.shape == per_decision.shape
    assert repeated.shape == array.shape
    assert repeated[0].tolist() == [0.0, 0.0, 0.0]
    for index, node in enumerate(tree.decision_nodes.tolist()):
        children = list(tree.children(node))
        np.testing.assert_allclose(sums[index], sum(array[child] for child in children), rtol=0, atol=1e-14)
        np.testing.assert_array_equal(largest[index], np.max([array[child] for child in children], axis=0))
        for child in children:
            np.testing.assert_array_equal(repeated[child], per_decision[index])


@pytest.mark.parametrize(
    ("parent", "owner", "leaf_class", "message"),
    [
        ([-1], [0], [-1], "two nodes"),
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
