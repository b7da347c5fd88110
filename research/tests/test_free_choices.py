"""Polytopes of optimal strategies: those of Kuhn poker, which are known, and answers to what ships."""

from __future__ import annotations

from fractions import Fraction

import exact_extremes
import face_programs
import joint_choices
import numpy as np
import optimal_sets
import plans
import pytest
import sparse_equations
from oracle.lifting import game_tree

from tictactoe import kuhn_poker
from tictactoe.games.rules import Goal
from tictactoe.storage.open_saved import open_saved

UNIT = 6  # Kuhn's payoffs are whole numbers, and all six deals are as likely
J, Q, K = range(3)
THIRD = Fraction(1, 3)


@pytest.fixture(name="kuhn")
def _kuhn() -> tuple:
    game = kuhn_poker()
    duel = optimal_sets.Duel(game.tree, np.round(game.payoffs * game.prior * UNIT).astype(int).tolist())
    points = [face_programs.inner_point(game, player, UNIT) for player in (0, 1)]
    return game, duel, points


def optimal_pair(duel, points) -> list:
    return [
        optimal_sets.OptimalSet(duel, player, points[player][0], points[1 - player][0], points[player][1])
        for player in (0, 1)
    ]


def test_kuhn_poker_has_the_textbook_equilibria(kuhn: tuple) -> None:
    """Kuhn (1950): the first player bluffs with a in 0..1/3, bets the king with 3a, calls the queen with a + 1/3."""
    game, duel, points = kuhn
    sets = optimal_pair(duel, points)
    value = optimal_sets.prove(*sets)
    assert value / UNIT == Fraction(-1, 18)
    assert [one.dimension for one in sets] == [1, 0]
    first, second = (
        exact_extremes.Prover(
            face_programs.Extremes(game, UNIT, sets[player], value), sets[player], sets[1 - player], value
        )
        for player in (0, 1)
    )

    def ends(prover, card: int, *history: int) -> tuple[Fraction, Fraction]:
        move = game.tree.find(history), card
        return -prover.largest({move: Fraction(-1)}), prover.largest({move: Fraction(1)})

    assert ends(first, J, 2) == (0, THIRD)
    assert ends(first, Q, 2) == (0, 0)
    assert ends(first, K, 2) == (0, 1)
    assert ends(first, Q, 1, 2, 2) == (THIRD, 2 * THIRD)
    bluff, king = (game.tree.find([2]), J), (game.tree.find([2]), K)
    assert first.largest({bluff: Fraction(3), king: Fraction(-1)}) == 0
    assert first.largest({bluff: Fraction(-3), king: Fraction(1)}) == 0
    assert ends(second, J, 1, 2) == (THIRD, THIRD)
    assert ends(second, Q, 2, 2) == (THIRD, THIRD)
    assert sets[0].dimension_seen([bluff, king]) == 1
    assert sets[0].dimension_seen([(game.tree.find([1]), Q)]) == 0


def test_what_is_not_inner_is_refused(kuhn: tuple) -> None:
    """A vertex of the first player's polytope in place of an inner point, for either seat."""
    _, duel, points = kuhn
    vertex = points[0][0].copy()
    tree = duel.tree
    for card in (J, K):  # never bets: then only the queen's call is left, with 1/3
        vertex[tree.find([2]), card], vertex[tree.find([1]), card] = 0.0, 1.0
    assert points[0][0][tree.find([2]), J] > 0.01
    with pytest.raises(ValueError, match=r"gains something|neither is made|do not add up|contradict"):
        optimal_sets.prove(*optimal_pair(duel, [(vertex, points[0][1]), points[1]]))


def test_a_sum_that_is_too_small_is_no_bound(kuhn: tuple) -> None:
    game, duel, points = kuhn
    sets = optimal_pair(duel, points)
    value = optimal_sets.prove(*sets)
    extremes = face_programs.Extremes(game, UNIT, sets[0], value)
    prover = exact_extremes.Prover(extremes, *sets, value)
    bluff = {(game.tree.find([2]), J): Fraction(1)}
    largest, _, shadow = extremes.largest(bluff)
    assert largest == THIRD
    prover._bound(bluff, shadow, largest)
    with pytest.raises(ValueError, match="not proved"):
        prover._bound(bluff, shadow, largest - Fraction(1, 10**6))


def test_answers_to_the_match_to_1_as_it_ships() -> None:
    """Exactly the value, and with the goal W an answer to 5 in the middle of an edge loses something."""
    tree = game_tree()
    payoffs = (1, 13, -13, 1)
    worth = [
        [[payoffs[plans.result(tree.rules, 0, end, first, second)] for second in Goal] for first in Goal]
        for end in range(3)
    ]
    duel = optimal_sets.Duel(tree, worth)
    strategy = open_saved("match_to_1").load().average_strategy
    reach = tree.own_reach_of_player(0, strategy)
    plan = {move: Fraction(float(reach[move])) for move in duel.moves(0)} | {(0, goal): Fraction(1) for goal in Goal}
    answer = optimal_sets.Answer(duel, 0, plan)
    assert answer.value == 9 * 13 * Fraction(1, 13)
    losing = answer.losing()
    assert (tree.find([5, 2]), Goal.WIN) in losing
    assert not losing & {(tree.find([5, 1]), goal) for goal in Goal}
    plan[tree.find([5]), Goal.LOSE] = Fraction(1, 2)
    with pytest.raises(ValueError, match="do not add up"):
        optimal_sets.Answer(duel, 0, plan)


def test_equations() -> None:
    one = Fraction(1)
    rows = [({0: one, 1: one}, one), ({1: one, 2: -2 * one}, Fraction(0)), ({0: one, 2: 2 * one}, one)]
    equations = sparse_equations.Equations(3, rows)
    assert equations.rank == 2
    (free,) = equations.free
    solved = equations.solve({free: Fraction(1, 7)})
    assert all(sum(number * solved[at] for at, number in row.items()) == right for row, right in rows)
    with pytest.raises(ValueError, match="contradict"):
        sparse_equations.Equations(3, [*rows, ({0: one, 2: 2 * one}, 2 * one)])


def test_the_six_corners_of_the_openings() -> None:
    """In the single round, where they are worked out by hand: halves and thirds."""
    names, corners = joint_choices.corners(joint_choices.openings(Fraction(0)))
    assert names == ["L1", "T1", "T2", "W1", "W2"]
    half = Fraction(1, 2)
    assert {tuple(corner[name] for name in names) for corner in corners} == {
        (1, 1, 0, 1, 0),
        (1, half, half, half, half),
        (0, 0, 0, 0, 0),
        (2 * THIRD, THIRD, THIRD, THIRD, 0),
        (1, half, 0, half, 0),
        (2 * THIRD, 2 * THIRD, 0, THIRD, 0),
    }
