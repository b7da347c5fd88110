"""Rounds as values: the same rounds as the tree's, from any start."""

import copy
import doctest
import pickle
import subprocess
import sys

import numpy as np
import pytest

from tictactoe import RULES, SINGLE_ROUND, Board, Cursor, GameTree, Goal, Outcome, Rules
from tictactoe.environments import round_play
from tictactoe.environments.round_play import RoundPlay, RoundVariant
from tictactoe.errors import IllegalMoveError
from tictactoe.games.tic_tac_toe_tree import boards_of


def test_examples_and_copies() -> None:
    assert doctest.testmod(round_play).failed == 0
    assert doctest.testmod(sys.modules[boards_of.__module__]).failed == 0
    play = RoundPlay(RoundVariant(Rules("filled", (1, 0, 1)), start=(5,)), (Goal.WIN,), (5, 1), Board(16, 1))
    assert copy.deepcopy({"play": play})["play"] is play
    assert pickle.loads(pickle.dumps(play)) == play
    assert play.outcome is None
    assert play.variant.values == SINGLE_ROUND
    assert Outcome.WIN in play.variant.rules.of_round.goals_true


@pytest.mark.parametrize("rules", RULES)
def test_rounds_are_those_of_the_tree(rules: str) -> None:
    tree, generator = GameTree.build(rules), np.random.default_rng(1)
    for _ in range(100):
        play, node = RoundVariant(Rules(rules)).play.draw(Goal.LOSE).draw(Goal.TIE), 0
        while play.outcome is None:
            assert play.squares == tuple(tree.move(child) for child in tree.children(node))
            assert play.mover == tree.owner[node]
            chosen = int(generator.integers(len(play.squares)))
            play, node = play.mark(play.squares[chosen]), tree.children(node)[chosen]
        assert play.outcome is tree.outcome(node)
        assert play.moves == tree.history(node)
        assert play.scored == tree.rules.scores(play.outcome, Goal.LOSE, Goal.TIE)


@pytest.mark.parametrize("start", [(5, 1, 9), (9, 5, 1, 3), (3, 2, 9)])
@pytest.mark.parametrize("rules", ["three-in-a-row 2:1:1", "filled"])
def test_a_later_start_is_a_part_of_the_tree(start: tuple[int, ...], rules: str) -> None:
    """Node by node the subtree that a cursor finds, though the board may be turned, and the same game."""
    tree, later = GameTree.build(rules), RoundVariant(Rules.parse(rules), start=start).game()
    top = Cursor(tree, start).node
    known = {0}
    waiting = [(top, 0)]
    while waiting:
        node, other = waiting.pop()
        assert tree.owner[node] == later.tree.owner[other]
        assert len(tree.children(node)) == len(later.tree.children(other))
        squares = Cursor(tree, start + later.tree.history(other)).squares_by_child()
        for child in later.tree.children(other):
            waiting += [(below, child) for below, shared in squares.items() if later.tree.move(child) in shared]
            known.add(child)
    assert len(known) == later.tree.num_nodes
    assert later.prior.sum() == pytest.approx(1.0)


def test_starts_and_moves_that_are_refused() -> None:
    for start, message in {
        (5, 5): "start: 55 are not different squares from 1 to 9",
        (5, 0): "start: 50 are not different squares from 1 to 9",
        (1, 4, 2, 5, 3): "start: the round is decided after 14253",
        (1, 4, 2, 5, 3, 6): "start: the round is decided before the last move of 142536",
    }.items():
        for cut_forced in (True, False):
            with pytest.raises(ValueError, match=message):
                RoundVariant(start=start, cut_forced=cut_forced)
    play = RoundVariant().play
    with pytest.raises(ValueError, match="the round goes on"):
        _ = play.scored
    play = play.draw(Goal.WIN).draw(Goal.WIN)
    with pytest.raises(ValueError, match="both have been drawn"):
        play.draw(Goal.WIN)
    for square in (3, 10):
        with pytest.raises(IllegalMoveError, match=rf"square {square} is not one of \(1, 2, 5\)"):
            play.mark(square)


def test_the_import_says_what_is_missing() -> None:
    code = """
import sys
sys.modules["pyspiel"] = None
from tictactoe import TicTacToeError
try:
    import tictactoe.environments.open_spiel
except ImportError as error:
    print(isinstance(error, TicTacToeError), error)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    assert run.stdout == "True this needs the package open_spiel, which is not installed: pip install open_spiel\n"
