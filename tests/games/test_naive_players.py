"""The naive players do what their words say, by all rules and on trees with and without reductions."""

import random

import pytest
from oracle.lifting import game_tree
from support.playing import random_moves
from support.slowness import by_default

from tictactoe import RULES, Cursor, GameTree, Goal
from tictactoe.algorithms.strategy import strategy_problem
from tictactoe.games.board import LINES
from tictactoe.games.naive_players import NAIVE_PLAYERS, naive_strategy


def allowed(name: str, cursor: Cursor, goal: Goal) -> set[int]:
    """Written once more from the words, for the real board."""
    free, me = set(cursor.board.free_squares), len(cursor.moves) % 2
    marks = [set(cursor.moves[seat::2]) for seat in (me, 1 - me)]
    mine, theirs = ({s for s in free if any(s in line and set(line) - {s} <= own for line in LINES)} for own in marks)
    if goal is Goal.WIN and name == "naive-b":
        return mine or free
    if goal is Goal.WIN:
        return mine or theirs or {5} & free or free
    rest = free - mine or free
    if goal is Goal.TIE:
        return theirs & rest or rest
    return rest - theirs or rest if name == "naive-a" else rest


@pytest.mark.parametrize("rules", by_default([*RULES, "unmerged"], "filled"))
def test_each_allowed_square_is_equally_likely_and_no_other_one_is_marked(rules: str) -> None:
    tree, generator = game_tree(False) if rules == "unmerged" else GameTree.build(rules), random.Random(1)
    for name in NAIVE_PLAYERS:
        strategy = naive_strategy(tree, name)
        assert strategy_problem(tree, strategy, tolerance=1e-12) is None
        for _ in range(50):
            cursor = Cursor(tree, random_moves(generator, tree, generator.randrange(9)))
            for child, squares in cursor.squares_by_child().items():
                for goal in Goal:
                    wanted = allowed(name, cursor, goal)
                    assert strategy[child, goal] == pytest.approx(len(wanted & set(squares)) / len(wanted), abs=1e-15)


def test_no_other_player_is_naive() -> None:
    with pytest.raises(ValueError, match=r"^name: 'naive-c' is not one of naive-a, naive-b$"):
        naive_strategy(GameTree.build(), "naive-c")
