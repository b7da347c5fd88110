"""The coefficients of every update rule by hand, its parameters; the bonus for small moves, and what it costs."""

import math
from itertools import islice, product

import numpy as np
import pytest
from oracle import naive
from oracle.lifting import LevelEvaluator, game_tree, naive_round

from tictactoe import SINGLE_ROUND, BonusSchedule, CFRSolver, OutcomeValues, exploitability, tic_tac_toe_round
from tictactoe.algorithms import rule_definition as rules
from tictactoe.algorithms.cfr.built_in_rules import LARGEST_EXPONENT
from tictactoe.algorithms.cfr.update_rules import ALGORITHMS, FULL_WIDTH_ALGORITHMS, UpdateRule, update_rule
from tictactoe.games.payoffs import small_move_bonus

INF = math.inf


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        # before adding the regret of iteration t: (t-1)^1 / ((t-1)^1 + 1) and, with beta 2, (t-1)^2 / ((t-1)^2 + 1)
        (
            update_rule("dcfr", alpha=1.0, beta=2.0, gamma=3.0),
            [[p, n, -INF, 1, 0, t**3, 0] for t, p, n in ((1, 0, 0), (2, 1 / 2, 1 / 2), (3, 2 / 3, 4 / 5))],
        ),
        # exponents of zero and below: (t-1)^-1 / ((t-1)^-1 + 1) = 1 / t; no regret comes before iteration 1
        (update_rule("dcfr", alpha=0.0, beta=-1.0, gamma=0.0), [[1 / 2, 1 / t, -INF, 1, 0, 1, 0] for t in (1, 2, 3)]),
    ],
)
def test_coefficients_by_hand(rule: UpdateRule, expected: list[list[float]]) -> None:
    """Discounts of positive and negative regrets, floor, the prediction's discount and weight, averaging, bonus. With
    the usual parameters test_cfr.py holds all rules to the oracle."""
    table = rule.coefficients(1, 3)
    assert table.dtype == np.float64
    np.testing.assert_allclose(table, expected, rtol=1e-15, atol=0)


def test_scheduled_dcfr_by_hand() -> None:
    # horizon 4: before the third iteration p = 2/4, alpha = 2.5, beta = -2; gamma = 30 - 5 * 2/4 in the second
    table = update_rule("hs-dcfr", horizon=4.0).coefficients(1, 9)
    np.testing.assert_allclose(table[2, rules.POSITIVE_DISCOUNT], 2**2.5 / (2**2.5 + 1), rtol=1e-14)
    np.testing.assert_allclose(table[2, rules.NEGATIVE_DISCOUNT], 2**-2 / (2**-2 + 1), rtol=1e-14)
    weights = table[:, rules.AVERAGING_WEIGHT]
    np.testing.assert_allclose(weights[:2], [1.0, 2**27.5], rtol=1e-13)
    np.testing.assert_allclose(weights[3] / weights[2], (4 / 3) ** 25, rtol=1e-13)
    # after the horizon the exponents stay
    np.testing.assert_allclose(table[8, rules.POSITIVE_DISCOUNT], 8**4 / (8**4 + 1), rtol=1e-14)
    np.testing.assert_allclose(table[8, rules.NEGATIVE_DISCOUNT], 8**-3 / (8**-3 + 1), rtol=1e-14)
    np.testing.assert_allclose(weights[8] / weights[7], (9 / 8) ** 25, rtol=1e-13)


def test_restarted_pcfr_plus_by_hand() -> None:
    rule = update_rule("rpcfr+", gamma=2.0, first_restart=3.0, second_restart=5.0)
    assert [(after, restart.factor) for after, restart in rule.restarts()] == [(3, 0.03), (5, 2.0)]
    table = rule.coefficients(1, 8)
    assert table[:, rules.AVERAGING_WEIGHT].tolist() == [1, 4, 9, 1, 4, 1, 4, 9]  # t from the last restart
    assert rule.coefficients(5, 2)[:, rules.AVERAGING_WEIGHT].tolist() == [4, 1]
    assert not [*update_rule("pcfr+").restarts()]
    with pytest.raises(ValueError, match="first_restart"):
        update_rule("rpcfr+", first_restart=5.0, second_restart=5.0)


def test_restarted_dcfr_by_hand() -> None:
    """Discounts as dcfr's throughout; the average's t from the last restart, after 2, 4, 8, ... iterations."""
    rule, plain = update_rule("rdcfr", gamma=3.0, first_restart=2.0), update_rule("dcfr", gamma=3.0)
    assert [after for after, _ in islice(rule.restarts(), 4)] == [2, 4, 8, 16]
    assert [rule.restart_after(iteration) is not None for iteration in range(6)] == [0, 0, 1, 0, 1, 0]
    expected = plain.coefficients(1, 9)
    expected[:, rules.AVERAGING_WEIGHT] = [1, 8, 1, 8, 1, 8, 27, 64, 1]
    assert np.array_equal(rule.coefficients(1, 9), expected)
    assert (rule.averages_twice, plain.averages_twice) == (True, False)
    assert (rule.warm_start_at, plain.warm_start_at, update_rule("rpcfr+").warm_start_at) == (2, None, None)


def test_later_pieces_of_the_table_and_its_limits() -> None:
    for algorithm in ALGORITHMS:
        rule = update_rule(algorithm)
        assert np.array_equal(rule.coefficients(1, 100)[40:60], rule.coefficients(41, 20))
        assert rule.coefficients(7, 0).shape == (0, rules.NUM_RULE_COLUMNS)
    for alpha, beta in product((0.0, LARGEST_EXPONENT), (-LARGEST_EXPONENT, LARGEST_EXPONENT)):
        rule = update_rule("dcfr", alpha=alpha, beta=beta, gamma=LARGEST_EXPONENT)
        for first in (1, 10**6, 10**9):
            table = rule.coefficients(first, 3)
            discounts = table[:, [rules.POSITIVE_DISCOUNT, rules.NEGATIVE_DISCOUNT]]
            assert np.all((discounts >= 0.0) & (discounts <= 1.0))
            assert np.all(np.isfinite(table[:, rules.AVERAGING_WEIGHT]))


def test_defaults_are_those_of_the_papers() -> None:
    names = "cfr", "linear-cfr", "cfr+", "dcfr", "rdcfr", "hs-dcfr", "pcfr+", "pdcfr+", "rpcfr+", "es-mccfr"
    assert names == ALGORITHMS
    assert ALGORITHMS[:-1] == FULL_WIDTH_ALGORITHMS
    assert [algorithm for algorithm in ALGORITHMS if update_rule(algorithm).samples] == ["es-mccfr"]
    without = {algorithm: {} for algorithm in ("cfr", "linear-cfr", "cfr+")}
    switches = {"es-mccfr": {"full_average": 1.0, "draw_own_type": 1.0}}
    defaults = {algorithm: dict(update_rule(algorithm).parameters) for algorithm in ALGORITHMS}
    assert defaults == naive.DEFAULTS | without | switches
    assert [update_rule(algorithm).algorithm for algorithm in ALGORITHMS] == list(ALGORITHMS)


def test_parameters_that_are_none_and_the_limits_of_others() -> None:
    assert update_rule("dcfr", alpha=None, beta=None, gamma=None) == update_rule("dcfr")
    assert update_rule("dcfr", beta=-0.5).parameters == {"alpha": 1.5, "beta": -0.5, "gamma": 2.0}
    assert update_rule("dcfr").parameters["beta"] == 0.0  # the defaults themselves have not changed
    extreme = update_rule("dcfr", alpha=LARGEST_EXPONENT, beta=-LARGEST_EXPONENT, gamma=LARGEST_EXPONENT)
    assert dict(extreme.parameters) == {"alpha": 20.0, "beta": -20.0, "gamma": 20.0}
    assert dict(update_rule("dcfr", alpha=0, gamma=0).parameters) == {"alpha": 0.0, "beta": 0.0, "gamma": 0.0}
    beyond = [*product(("alpha", "beta", "gamma"), (math.nan, INF, -INF, 20.001, -20.001))]
    for name, value in (*beyond, ("alpha", -0.001), ("gamma", -0.001)):
        with pytest.raises(ValueError, match=rf"{name}: {value}"):
            update_rule("dcfr", **{name: value})


@pytest.mark.parametrize("name", ["full_average", "draw_own_type"])
def test_a_switch_is_0_or_1(name: str) -> None:
    for value in (0, 1, 1.0, True):
        assert getattr(update_rule("es-mccfr", **{name: value}), name) is (value == 1)
    for value, problem in ((0.5, "is neither 0 nor 1"), (2, "is not in 0 to 1"), (math.nan, "is not in 0 to 1")):
        with pytest.raises(ValueError, match=f"^{name}: {value} {problem}$"):
            update_rule("es-mccfr", **{name: value})


def test_small_moves_by_hand() -> None:
    at = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(BonusSchedule(0.5, 0.1).at(at), [0.5, 0.45, 0.405], rtol=1e-15)
    assert BonusSchedule(0.5, 1.0).at(at).tolist() == [0.5, 0.0, 0.0]
    assert BonusSchedule(0.5).at(np.array([1.0, 1e9])).tolist() == [0.5, 0.5]
    assert BonusSchedule().at(at).tolist() == [0.0, 0.0, 0.0]
    assert BonusSchedule(1.0, 1.0) == BonusSchedule(epsilon=1.0, decay=1.0)
    for name, value in product(("epsilon", "decay"), (math.nan, INF, -INF, -1e-9, 1.0 + 1e-9)):
        with pytest.raises(ValueError, match=rf"^{name}: {value} is not in 0 to 1$"):
            BonusSchedule(**{name: value})
    with pytest.raises(ValueError, match=r"^decay: 1e-17 is so small that nothing is ever lost; use 0, or"):
        BonusSchedule(0.5, 1e-17)  # and not taken for 0 without a word
    assert BonusSchedule(0.5, 2e-16).at(np.array([1e12]))[0] < 0.5


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
