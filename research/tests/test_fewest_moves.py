"""How short tables can be: the search is held to trying everything, what it finds to best responses in fractions."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import achievable
import fewest_moves
import numpy as np
import plans
import pytest


@pytest.fixture(name="game", scope="module")
def _game() -> Any:
    return plans.Round()


def everything(game: Any, seat: int, node: int, goals: tuple[int, ...]) -> set[tuple[Fraction, ...]]:
    """What best responses get in the single round against every pure strategy from the node on, and its moves."""
    if game.outcome[node] >= 0:
        point = plans.Point(game.tree.rules, Fraction(0), Fraction(0))
        reach = tuple(frozenset("ABC" if goal in goals else "") for goal in range(3))
        return {(*point.leaf(seat, game.outcome[node], reach), Fraction(0))}
    if game.owner[node] != seat:
        below = [everything(game, seat, child, goals) for child in game.children[node]]
        return {
            (*map(max, *(one[:3] for one in ones)), sum(one[3] for one in ones)) if len(ones) > 1 else ones[0]
            for ones in itertools.product(*below)
        }
    result = set()
    for chosen in itertools.product(game.children[node], repeat=len(goals)):
        groups = [tuple(goal for goal, child in zip(goals, chosen, strict=True) if child == one) for one in set(chosen)]
        below = [everything(game, seat, *one) for one in zip(set(chosen), groups, strict=True)]
        for ones in itertools.product(*below):
            columns = [sum(column) for column in zip(*ones, strict=True)]
            result.add((*columns[:3], columns[3] + len(groups)))
    return result


@pytest.mark.parametrize(
    ("seat", "history", "goals"),
    [(1, "512863", (0, 1, 2)), (1, "15239", (0, 2)), (0, "528731", (0, 1, 2)), (0, "52467", (1, 2))],
)
def test_nothing_is_left_out(game: Any, seat: int, history: str, goals: tuple[int, ...]) -> None:
    """Late in the round all pure strategies can be tried: the search finds exactly the best of them."""
    search = achievable.Search(game, seat, fewest_moves.ROUND)
    node = game.find(history)
    found = search.rows(node, sum(1 << goal for goal in goals))
    tried = np.array([list(map(int, one)) for one in everything(game, seat, node, goals)])
    assert len(tried) > len(found)
    best = {tuple(one) for one in tried if not ((tried <= one).all(axis=1) & (tried < one).any(axis=1)).any()}
    assert {tuple(one) for one in found} == best


@pytest.mark.parametrize(
    ("seat", "lengths"), [(0, [(45, 41)]), (1, [(234, 196), (237, 195), (252, 194), (256, 193), (261, 192)])]
)
def test_how_short_tables_can_be(game: Any, seat: int, lengths: list[tuple[int, int]]) -> None:
    """Of strategies optimal in the single round, so nothing shorter is optimal in the triangle. The second mover may
    answer anything to anything; the first one keeps to the path here, the program leaves that free, too."""
    path = plans.PURE if seat == 0 else None
    search = achievable.Search(game, seat, fewest_moves.ROUND, ["moves", "positions"], path)
    found = search.optimal()
    assert [tuple(row[-2:]) for row in found] == lengths
    plan = search.plan(found[0])
    assert fewest_moves.length(game, seat, plan) == lengths[0]
    fewest_moves.check(game, seat, plan, fewest_moves.ROUND)


def test_one_that_gives_something_away_is_refused(game: Any) -> None:
    search = achievable.Search(game, 0, fewest_moves.ROUND, path=plans.PURE)
    rows = search.rows(0, 7)
    bad = rows[rows[:, :3].sum(axis=1) > 1][0]
    with pytest.raises(SystemExit, match="gains something"):
        fewest_moves.check(game, 0, search.plan(bad), fewest_moves.ROUND)


def test_what_is_left_to_an_opponent_who_begins_at_random(game: Any) -> None:
    """All lengths of the first mover's tables: longer ones leave less; the search and the count of games agree."""
    points = [*fewest_moves.ROUND, *fewest_moves.CORNERS]
    search = achievable.Search(game, 0, points, ["moves", "mistakes"], plans.PURE)
    curve = search.optimal()
    assert [row[-2] for row in curve] == list(range(45, 53))
    for row in (curve[0], curve[3], curve[-1]):
        plan = search.plan(row)
        fewest_moves.check(game, 0, plan, fewest_moves.CORNERS)
        gains = [fewest_moves.after_random_moves(game, 0, plan, random) for random in range(1, 5)]
        assert search.mistakes(row) == sum(gains, Fraction(0)) / 4
    assert search.mistakes(curve[0]) == Fraction(-49, 432)
    assert all(search.mistakes(row) < search.mistakes(before) for before, row in itertools.pairwise(curve))
