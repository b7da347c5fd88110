"""The public tree of a round: nodes, histories, states, fingerprints. test_checker_tree.py has its sizes."""

import math
import random
from collections import defaultdict
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import small_games
from oracle.lifting import game_tree, possible_outcomes
from oracle.matches import SHORT_RULE, short_rounds
from support.playing import random_moves
from support.slowness import slow

from tictactoe import Cursor, GameTree, uniform_over_squares
from tictactoe.algorithms.strategy import strategy_problem, uniform_strategy
from tictactoe.games.board import SYMMETRIES, Board
from tictactoe.games.cursor import count_histories
from tictactoe.games.rules import DEFAULT_RULES, RULES, Outcome, Rules
from tictactoe.games.tic_tac_toe_tree import state_rows

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
    of_bytes = tree.owner, tree.leaf_class, tree.square
    for array, dtype in ((tree.parent, np.int32), *((array, np.int8) for array in of_bytes)):
        assert array.dtype == dtype
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


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


def test_every_free_square_is_equally_likely() -> None:
    tree, generator = game_tree(), random.Random(1)
    strategy, several = uniform_over_squares(tree), 0
    assert strategy_problem(tree, strategy, tolerance=1e-15) is None
    np.testing.assert_array_equal(uniform_over_squares(game_tree(False)), uniform_strategy(game_tree(False)))
    for _ in range(300):
        cursor = Cursor(tree, random_moves(generator, tree, generator.randrange(9)))
        free = cursor.board.free_squares
        for child, squares in cursor.squares_by_child().items():
            several += len(squares) > 1
            assert strategy[child].tolist() == [len(squares) / len(free)] * 3
    assert several > 50


def test_numbers_of_histories() -> None:
    with short_rounds():
        tree = game_tree(False, False, SHORT_RULE)
        assert count_histories(Rules(SHORT_RULE)) == tree.num_nodes == 1 + 9 + 9 * 8 + 9 * 8 * 7 + 9 * 8 * 7 * 6
    assert count_histories(Rules()) == game_tree(False, False).num_nodes == 549_946  # known since long
    orders = sum(math.perm(9, moves) for moves in range(10))
    for name in RULES:
        if name.startswith("filled"):
            assert count_histories(Rules(name, (3, 0, 1))) == orders == 986_410


def lowest_image(history: tuple[int, ...]) -> tuple[frozenset[int], ...]:
    images = [tuple(frozenset(image[s - 1] for s in history[p::2]) for p in (0, 1)) for image in SYMMETRIES]
    return min(images, key=lambda marks: [sorted(squares) for squares in marks])


def test_states() -> None:
    tree = game_tree()
    rows = state_rows(tree, "board")
    nodes = [node for node in range(1, tree.num_nodes) if tree.depth[node] <= 4 or node % 10 == 0]
    groups = defaultdict(set)
    for node in nodes:
        history = tree.history(node)
        groups[lowest_image(history[:-1]), lowest_image(history)].add(int(rows[node]))
    assert all(len(group) == 1 for group in groups.values())
    assert len(set().union(*groups.values())) == len(groups) < len(nodes) / 2
    moves: dict[int, set[int]] = {}
    for node in tree.decision_nodes.tolist():
        own = set(rows[list(tree.children(node))].tolist())
        assert len(own) == len(tree.children(node))
        for row in own:
            assert moves.setdefault(row, own) == own
    assert len(moves) == rows.max()
    assert np.array_equal(state_rows(tree, "history"), np.arange(tree.num_nodes))
    with pytest.raises(ValueError, match=r"^state: 'goal' is not one of history, board"):
        state_rows(tree, "goal")
