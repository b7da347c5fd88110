"""The bonus for small moves: it decides between equal moves, and costs no more than its bound."""

import numpy as np
import pytest
from oracle import naive, small_games
from oracle.lifting import LevelEvaluator, game_tree, naive_round

from tictactoe import SINGLE_ROUND, BonusSchedule, CFRSolver, Game, OutcomeValues, exploitability, update_rule
from tictactoe.games.payoffs import small_move_bonus, tic_tac_toe_round


def expected_first_square(strategy: naive.Floats) -> float:
    tree = game_tree()
    moves = list(tree.children(0))
    return float((strategy[moves].mean(axis=1) * tree.square[moves]).sum())


def bonus_solver(epsilon: float, values: OutcomeValues = SINGLE_ROUND) -> CFRSolver:
    game = tic_tac_toe_round(game_tree(), values, with_bonus=epsilon > 0.0)
    return CFRSolver(game, update_rule("pdcfr+"), bonus_schedule=BonusSchedule(epsilon))


def test_the_bonus_decides_where_all_moves_are_worth_the_same() -> None:
    nothing_at_stake = OutcomeValues(0.0, 0.0, 0.0, 0.0)
    without, with_bonus = bonus_solver(0.0, values=nothing_at_stake), bonus_solver(0.01, values=nothing_at_stake)
    for solver in (without, with_bonus):
        solver.run(100)
    assert expected_first_square(without.average_strategy()) == pytest.approx(8 / 3, abs=1e-9)  # of 1, 2 and 5
    assert expected_first_square(with_bonus.average_strategy()) == pytest.approx(1.0, abs=1e-3)
    lowest = [game_tree().children(0)[0], game_tree().children(1)[0]]
    assert np.all(with_bonus.average_strategy()[lowest] > 0.999)


def test_the_bonus_moves_the_round_towards_lower_squares_and_costs_no_more_than_its_bound() -> None:
    epsilon = 0.01
    without, with_bonus = bonus_solver(0.0), bonus_solver(epsilon)
    for solver in (without, with_bonus):
        solver.run(400)
    average = with_bonus.average_strategy()
    assert expected_first_square(average) < expected_first_square(without.average_strategy()) - 0.01
    cost = exploitability(without.game, average).total
    # NashConv in the game with the bonus
    levels, _, payoffs, prior = LevelEvaluator(game_tree()), *naive_round(SINGLE_ROUND)
    reaches, paid = [levels.reach(average, seat) for seat in (1, 0)], epsilon * small_move_bonus(game_tree())
    with_it = sum(levels.best_value_at(reach, payoffs, prior, seat, paid) for seat, reach in enumerate(reaches))
    assert cost <= 2.0 * epsilon + with_it
    assert with_it < 1e-3
    assert with_bonus.evaluate().average_exploitability == pytest.approx(cost, abs=1e-13)  # the bonus is left out
    assert cost > 1e-5  # it is not free, either


def test_a_game_without_a_bonus_and_a_shared_rule_do_not_change() -> None:
    game, rule = Game(*small_games.kuhn_game()), update_rule("dcfr")
    plain, shared = (CFRSolver(game, rule, bonus_schedule=BonusSchedule(size)) for size in (0.0, 0.5))
    for solver in (plain, shared):
        solver.run(20)
    for name in ("regrets", "strategy_sums", "current_strategy"):
        assert np.array_equal(getattr(plain.state(), name), getattr(shared.state(), name))
