"""The trees of a round by rules that fill the board: their counts, and that a leaf is where the ending is settled."""

from __future__ import annotations

from functools import cache
from math import perm

import numpy as np
import pytest
from oracle.lifting import boards, game_tree

from tictactoe.games.board import Board
from tictactoe.games.rules import RULES, Outcome, Rules

FILLED = ("filled", "filled-none", "filled-tie")
WIN, LOSE, TIE, BOTH = Outcome
# By moves played. Lines of both and no line are one outcome of filled-tie, which is settled earlier.
FOUR_OUTCOMES = (1, 3, 12, 66, 360, 1_710, 6_427, 15_377, 23_246)
THREE_OUTCOMES = (1, 3, 12, 66, 360, 1_710, 6_427, 15_017, 21_224)
NODES = {"filled": FOUR_OUTCOMES, "filled-none": FOUR_OUTCOMES, "filled-tie": THREE_OUTCOMES}
DECISION_NODES = {"filled": 18_952, "filled-none": 18_952, "filled-tie": 17_811}
LEAVES = {
    "filled": {WIN: 12_854, LOSE: 2_747, TIE: 4_480, BOTH: 8_169},
    "filled-none": {WIN: 12_854, LOSE: 2_747, TIE: 4_480, BOTH: 8_169},
    "filled-tie": {WIN: 12_854, LOSE: 2_747, TIE: 11_408, BOTH: 0},
}
each_rule = pytest.mark.parametrize("rules", FILLED)


@each_rule
def test_counts_by_depth_and_outcome(rules: str) -> None:
    tree = game_tree(rules=rules)
    assert tuple(np.bincount(tree.depth)) == NODES[rules]
    assert tree.num_nodes == sum(NODES[rules]) == {"filled-tie": 44_820}.get(rules, 47_202)
    assert tree.num_decision_nodes == DECISION_NODES[rules]
    assert {outcome: int(np.sum(tree.leaf_class == outcome)) for outcome in Outcome} == LEAVES[rules]


@pytest.mark.parametrize("rules", ["filled", "filled-tie"])
def test_unreduced_trees_have_every_order_of_nine_marks(rules: str) -> None:
    """9!/(9 - n)! histories of n marks, 986,410 in all; all of 9 marks are leaves, and no others."""
    tree = game_tree(False, False, rules)
    assert tree.num_nodes == 986_410
    assert tuple(np.bincount(tree.depth)) == tuple(perm(9, marks) for marks in range(10))
    np.testing.assert_array_equal(tree.leaf_class >= 0, tree.depth == 9)
    # 62, 12, 16 and 36 of the 126 full boards, each of which is reached by 5! * 4! orders of its marks.
    both = {"filled": (16, 36), "filled-tie": (16 + 36,)}[rules]
    assert np.bincount(tree.leaf_class[tree.depth == 9]).tolist() == [2_880 * full for full in (62, 12, *both)]


@each_rule
def test_leaves_are_exactly_where_the_outcome_is_decided(rules: str) -> None:
    tree, read = game_tree(rules=rules), Rules(rules)

    @cache
    def possible(board: Board) -> frozenset[Outcome]:
        """All outcomes that the round can still have: plain search over every continuation."""
        ended = read.outcome(board)
        if ended is not None:
            return frozenset({ended})
        return frozenset().union(*(possible(board.play(square)) for square in board.free_squares))

    for node, board in enumerate(boards(tree)):
        outcomes = possible(board)
        assert tree.leaf_class[node] == (min(outcomes) if len(outcomes) == 1 else -1), node
        assert tree.owner[node] == (board.num_marks % 2 if len(outcomes) > 1 else -1), node


def test_all_trees_have_fingerprints_of_their_own() -> None:
    """By their rules, odds included."""
    texts = [*RULES, "filled 2:1:1", "filled 1:2:1", "filled-none 2:1:1"]
    assert len({game_tree(rules=text).fingerprint for text in texts}) == len(texts)
