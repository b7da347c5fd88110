"""The checker's own trees: the reduced one is the solver's, the other one is all of the real game."""

from __future__ import annotations

import random

from oracle.lifting import game_tree

from tictactoe.games.board import Board
from tictactoe.games.rules import Rules
from tictactoe.proof.checker_tree import NEVER, SURE, fingerprint, reduced_tree, unreduced_tree


def test_the_reduced_tree_is_the_solvers() -> None:
    tree, theirs = reduced_tree(), game_tree()
    assert fingerprint(tree) == theirs.fingerprint
    assert list(tree.outcome) == theirs.leaf_class.tolist()
    assert [square + 1 for square in tree.square] == theirs.square.tolist()
    assert [block.node for block in tree.blocks] == theirs.decision_nodes.tolist()
    for node, start, stop, owner in tree.blocks:
        assert range(start, stop) == theirs.children(node)
        assert owner == theirs.owner[node]


def test_a_changed_tree_has_another_fingerprint() -> None:
    tree = reduced_tree()
    outcome = list(tree.outcome)
    outcome[outcome.index(2)] = 1
    assert fingerprint(tree._replace(outcome=outcome)) != fingerprint(tree)
    assert fingerprint(tree._replace(blocks=tree.blocks[:-1])) != fingerprint(tree)


def test_the_unreduced_tree_has_every_history() -> None:
    """Known counts: 549,946 histories; 255,168 games, of which 131,184, 77,904 and 46,080 are won, lost and tied."""
    tree = unreduced_tree()
    assert tree.num_nodes == 549_946
    assert [list(tree.outcome).count(outcome) for outcome in (0, 1, 2)] == [131_184, 77_904, 46_080]
    assert len(tree.blocks) == 549_946 - 255_168


def test_the_unreduced_tree_is_the_real_game_and_its_moves_are_images_of_the_reduced_ones() -> None:
    tree, theirs = unreduced_tree(), game_tree()
    parent = [0] * tree.num_nodes
    for node, start, stop, _ in tree.blocks:
        parent[start:stop] = [node] * (stop - start)
    for node in random.Random(1).sample(range(1, tree.num_nodes), 3000):
        path = [node]
        while path[-1]:
            path.append(parent[path[-1]])
        board = Board()
        for step_of in reversed(path[:-1]):
            board = board.play(tree.square[step_of] + 1)
        outcome = Rules().outcome(board)
        assert tree.outcome[node] == (-1 if outcome is None else outcome)
        if tree.move[node] >= 0:
            image = Board()
            for square in theirs.history(tree.move[node]):
                image = image.play(square)
            assert image.canonical() == board.canonical()


def test_a_bot_always_has_one_way_to_play_every_move_of_the_reduced_tree() -> None:
    """At every history: the moves of one decision node, each once, or one move that is sure."""
    blocks = {block.start: block for block in reduced_tree().blocks}
    for node, start, stop, owner in unreduced_tree().blocks:
        moves = sorted(move for move in unreduced_tree().move[start:stop] if move != NEVER)
        assert moves, node
        if moves != [SURE]:
            block = blocks[moves[0]]
            assert moves == list(range(block.start, block.stop))
            assert owner == block.owner
