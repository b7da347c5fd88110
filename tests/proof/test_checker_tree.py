"""The checker's own trees, by each rule: the reduced tree of the solver, and the tree of the real game."""

import random
from collections import Counter

import numpy as np
import pytest
from oracle.lifting import game_tree
from support.slowness import by_default, slow

from tictactoe import RULES, SINGLE_ROUND, Cursor, Goal, RoundBot
from tictactoe.proof import checker_tree
from tictactoe.proof.checker_tree import BOTH, LOSE, TIE, WIN, fingerprint, read_rules, unreduced_tree

THREE, FILLED, FILLED_TIE = "three-in-a-row", "filled", "filled-tie"
REDUCED = {
    THREE: (37_538, 14_409, {WIN: 11_828, LOSE: 6_821, TIE: 4_480}),
    FILLED: (47_202, 18_952, {WIN: 12_854, LOSE: 2_747, TIE: 4_480, BOTH: 8_169}),
    "filled-none": (47_202, 18_952, {WIN: 12_854, LOSE: 2_747, TIE: 4_480, BOTH: 8_169}),
    FILLED_TIE: (44_820, 17_811, {WIN: 12_854, LOSE: 2_747, TIE: 11_408}),
}
"""Nodes, decision nodes, leaves by ending."""


def counts(tree: checker_tree.Tree) -> tuple[int, int, dict[int, int]]:
    return tree.num_nodes, len(tree.blocks), dict(Counter(outcome for outcome in tree.outcome if outcome >= 0))


@pytest.mark.parametrize("text", ["three-in-a-row", "filled 2:0:1", "filled-tie", *slow("filled", "filled-none")])
def test_the_reduced_tree_is_the_solvers(text: str) -> None:
    tree, theirs = checker_tree.reduced_tree(read_rules(text)), game_tree(rules=text)
    assert counts(tree) == REDUCED[theirs.rules.name]
    assert fingerprint(tree) == theirs.fingerprint
    assert list(tree.outcome) == theirs.leaf_class.tolist()
    assert [square + 1 for square in tree.square] == theirs.square.tolist()
    assert [block.node for block in tree.blocks] == theirs.decision_nodes.tolist()
    for node, start, stop, owner in tree.blocks:
        assert range(start, stop) == theirs.children(node)
        assert owner == theirs.owner[node]


@pytest.mark.parametrize("name", by_default(RULES, THREE))
def test_the_unreduced_tree_has_every_history(name: str) -> None:
    """Known counts of tic-tac-toe. When the board is filled, 9! games; 5! * 4! orders of marks reach a full board."""
    games = {WIN: 62 * 2_880, LOSE: 12 * 2_880, TIE: 16 * 2_880, BOTH: 36 * 2_880}
    expected = {
        THREE: (549_946, 549_946 - 255_168, {WIN: 131_184, LOSE: 77_904, TIE: 46_080}),
        FILLED_TIE: (986_410, 623_530, {WIN: games[WIN], LOSE: games[LOSE], TIE: games[TIE] + games[BOTH]}),
    }
    assert sum(games.values()) == 362_880 == 986_410 - 623_530
    assert counts(unreduced_tree(read_rules(name))) == expected.get(name, (986_410, 623_530, games))
    assert unreduced_tree(read_rules(f"{name} 2:1:1")).blocks is unreduced_tree(read_rules(name)).blocks
    assert checker_tree.num_histories(read_rules(name)) == unreduced_tree(read_rules(name)).num_nodes


@pytest.mark.parametrize("name", by_default([THREE, FILLED, FILLED_TIE], THREE))
def test_a_bot_is_lifted_as_it_is_played(name: str) -> None:
    chance, tree, theirs = random.Random(2), unreduced_tree(read_rules(name)), game_tree(rules=name)
    strategy = np.random.default_rng(3).random((theirs.num_nodes, 3))
    strategy /= np.maximum(theirs.at_children(theirs.sums_over_children(strategy)), 1e-300)
    bot, goal = RoundBot(theirs, strategy, SINGLE_ROUND), Goal.LOSE
    blocks = {block.node: block for block in tree.blocks}
    for _ in range(200):
        node, cursor = 0, Cursor(theirs)
        while node in blocks:
            _, start, stop, owner = blocks[node]
            assert owner == 1 - (stop - start) % 2  # of as many children as squares are free
            assert {*tree.alike[1 - owner][start:stop]} == {tree.alike[1 - owner][node]}
            if cursor.forced_outcome is not None:  # the lowest free square, whatever the goal
                assert tree.move[start:stop] == [
                    checker_tree.SURE_MOVE,
                    *(stop - start - 1) * [checker_tree.NEVER_MOVE],
                ]
                assert {*tree.alike[owner][start:stop]} == {tree.alike[owner][node]}
                node = chance.randrange(start, stop)
                continue
            choices = ((choice, square) for choice in bot.choices(cursor, goal) for square in choice.squares)
            alike, moves = tree.alike[owner], {tree.square[child] + 1: child for child in range(start, stop)}
            lifted = {at: strategy[tree.move[to], goal] * alike[node] / alike[to] for at, to in moves.items()}
            assert lifted == {square: choice.probability / len(choice.squares) for choice, square in choices}
            node = chance.randrange(start, stop)
            cursor.play(tree.square[node] + 1)
            assert tree.move[node] == cursor.node
