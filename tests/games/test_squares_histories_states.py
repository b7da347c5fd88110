"""Three readings of a tree: the squares of the real board, the histories of moves, and a learner's states."""

import math
import random
from collections import defaultdict

import numpy as np
import pytest
from oracle.lifting import game_tree
from oracle.matches import SHORT_RULE, short_rounds
from support.playing import random_moves

from tictactoe import RULES, Cursor, Rules, uniform_over_squares
from tictactoe.algorithms.strategy import strategy_problem, uniform_strategy
from tictactoe.games.board import SYMMETRIES
from tictactoe.games.cursor import count_histories
from tictactoe.games.tic_tac_toe_tree import state_rows


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
    """The squares of both players, of all images the one whose sorted squares come first."""
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
