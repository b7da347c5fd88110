"""The trees of a round by all rules: leaves stand where the ending is certain, and the counts of filled boards."""

from math import perm

import numpy as np
import pytest
from oracle.lifting import boards, game_tree, possible_outcomes
from support.slowness import slow

from tictactoe.games.rules import RULES, Outcome, Rules

FILLED = ("filled", "filled-none", "filled-tie")
WIN, LOSE, TIE, BOTH = Outcome
# By moves played. Lines of both and no line are one outcome of filled-tie, which is certain earlier.
FOUR_OUTCOMES = (1, 3, 12, 66, 360, 1_710, 6_427, 15_377, 23_246)
THREE_OUTCOMES = (1, 3, 12, 66, 360, 1_710, 6_427, 15_017, 21_224)
NODES = {"filled": FOUR_OUTCOMES, "filled-none": FOUR_OUTCOMES, "filled-tie": THREE_OUTCOMES}
DECISION_NODES = {"filled": 18_952, "filled-none": 18_952, "filled-tie": 17_811}
LEAVES = {
    "filled": {WIN: 12_854, LOSE: 2_747, TIE: 4_480, BOTH: 8_169},
    "filled-none": {WIN: 12_854, LOSE: 2_747, TIE: 4_480, BOTH: 8_169},
    "filled-tie": {WIN: 12_854, LOSE: 2_747, TIE: 11_408, BOTH: 0},
}


@pytest.mark.parametrize("rules", FILLED)
def test_counts_by_depth_and_outcome(rules: str) -> None:
    tree = game_tree(rules=rules)
    assert tuple(np.bincount(tree.depth)) == NODES[rules]
    assert tree.num_nodes == sum(NODES[rules]) == {"filled-tie": 44_820}.get(rules, 47_202)
    assert tree.num_decision_nodes == DECISION_NODES[rules]
    assert {outcome: int(np.sum(tree.leaf_class == outcome)) for outcome in Outcome} == LEAVES[rules]


@pytest.mark.parametrize("rules", ["filled", *slow("filled-tie")])
def test_unreduced_trees_have_every_order_of_nine_marks(rules: str) -> None:
    """9!/(9 - n)! histories of n marks, 986,410 in all; the leaves are the histories of 9 marks."""
    tree = game_tree(False, False, rules)
    assert tree.num_nodes == 986_410
    assert tuple(np.bincount(tree.depth)) == tuple(perm(9, marks) for marks in range(10))
    np.testing.assert_array_equal(tree.leaf_class >= 0, tree.depth == 9)
    # 62, 12, 16 and 36 of the 126 full boards, each of which is reached by 5! * 4! orders of its marks.
    both = {"filled": (16, 36), "filled-tie": (16 + 36,)}[rules]
    assert np.bincount(tree.leaf_class[tree.depth == 9]).tolist() == [2_880 * full for full in (62, 12, *both)]


@pytest.mark.parametrize(
    ("rules", "merge_symmetric", "cut_forced"),
    [*((rules, True, True) for rules in RULES), ("three-in-a-row", True, False), ("three-in-a-row", False, True)],
)
def test_leaves_are_exactly_where_the_outcome_is_decided(rules: str, merge_symmetric: bool, cut_forced: bool) -> None:
    tree, read = game_tree(merge_symmetric, cut_forced, rules), Rules(rules)
    leaf_class, owner = tree.leaf_class.tolist(), tree.owner.tolist()
    for node, board in enumerate(boards(tree)):
        outcomes = possible_outcomes(read, board) if cut_forced else {read.outcome(board)} - {None} or set(Outcome)
        assert leaf_class[node] == (min(outcomes) if len(outcomes) == 1 else -1), node
        assert owner[node] == (board.num_marks % 2 if len(outcomes) > 1 else -1), node
