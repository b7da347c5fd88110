"""Parameters of update rules and the limits of their coefficients; the bonus for small moves."""

import math
from itertools import product

import numpy as np
import pytest
from oracle import naive
from oracle.lifting import game_tree

from tictactoe import SINGLE_ROUND, BonusSchedule, CFRSolver, exploitability, tic_tac_toe_round
from tictactoe.algorithms import rule_definition as rules
from tictactoe.algorithms.built_in_rules import LARGEST_EXPONENT
from tictactoe.algorithms.update_rules import ALGORITHMS, FULL_WIDTH_ALGORITHMS, update_rule

INF = math.inf


def test_coefficients_at_the_limits() -> None:
    for alpha, beta in product((0.0, LARGEST_EXPONENT), (-LARGEST_EXPONENT, LARGEST_EXPONENT)):
        rule = update_rule("dcfr", discount_alpha=alpha, discount_beta=beta, discount_gamma=LARGEST_EXPONENT)
        for first in (1, 10**6, 10**9):
            table = rule.coefficients(first, 3)
            discounts = table[:, [rules.POSITIVE_DISCOUNT, rules.NEGATIVE_DISCOUNT]]
            assert np.all((discounts >= 0.0) & (discounts <= 1.0))
            assert np.all(np.isfinite(table[:, rules.AVERAGING_WEIGHT]))


def test_defaults_are_those_of_the_papers() -> None:
    assert (*FULL_WIDTH_ALGORITHMS, "es-mccfr", "os-mccfr") == ALGORITHMS
    assert [name for name in ALGORITHMS if update_rule(name).samples] == ["es-mccfr", "os-mccfr"]
    without = {algorithm: {} for algorithm in ("cfr", "linear-cfr", "cfr+")}
    switches = {
        "es-mccfr": {"full_average": 1.0, "draw_own_type": 1.0},
        "os-mccfr": {"exploration": 0.6, "full_average": 0.0},
    }
    defaults = {algorithm: dict(update_rule(algorithm).parameters) for algorithm in ALGORITHMS}
    assert defaults == {name: rule.parameters for name, rule in naive.RULES.items()} | without | switches


def test_parameters_that_are_none_and_the_limits_of_others() -> None:
    assert update_rule("dcfr", discount_alpha=None, discount_beta=None, discount_gamma=None) == update_rule("dcfr")
    names = "discount_alpha", "discount_beta", "discount_gamma"
    for given in ((1.5, -0.5, 2.0), (1.5, 0.0, 2.0), (20.0, -20.0, 20.0), (0.0, 0.0, 0.0)):
        usual = {"discount_alpha": 1.5, "discount_beta": 0.0, "discount_gamma": 2.0}
        changed = {name: value for name, value in zip(names, given, strict=True) if value != usual[name]}
        assert update_rule("dcfr", **changed).parameters == dict(zip(names, given, strict=True))
    beyond = [*product(names, (math.nan, INF, -INF, 20.001, -20.001))]
    for name, value in (*beyond, ("discount_alpha", -0.001), ("discount_gamma", -0.001)):
        with pytest.raises(ValueError, match=rf"{name}: {value}"):
            update_rule("dcfr", **{name: value})
    with pytest.raises(ValueError, match="first_restart: 5 is not before second_restart"):
        update_rule("rpcfr+", first_restart=5.0, second_restart=5.0)


@pytest.mark.parametrize("name", ["full_average", "draw_own_type"])
def test_a_switch_is_0_or_1(name: str) -> None:
    for value in (0, 1, 1.0, True):
        assert getattr(update_rule("es-mccfr", **{name: value}), name) is (value == 1)
    for value, problem in ((0.5, "is neither 0 nor 1"), (2, "is not from 0 to 1"), (math.nan, "is not from 0 to 1")):
        with pytest.raises(ValueError, match=f"^{name}: {value} {problem}$"):
            update_rule("es-mccfr", **{name: value})


def test_the_bonus_schedule() -> None:
    assert not BonusSchedule().at(np.array([1.0, 2.0])).any()
    names = "small_move_epsilon", "small_move_epsilon_decay"
    for name, value in product(names, (math.nan, INF, -INF, -1e-9, 1.0 + 1e-9)):
        with pytest.raises(ValueError, match=rf"^{name}: {value} is not from 0 to 1$"):
            BonusSchedule(**{name: value})
    lost = r"^small_move_epsilon_decay: 1e-17 is so small that nothing is ever lost; use 0, or"
    with pytest.raises(ValueError, match=lost):
        BonusSchedule(0.5, 1e-17)  # and not taken for 0 without a word
    assert BonusSchedule(0.5, 2e-16).at(np.array([1e12]))[0] < 0.5


def test_an_evaluation_leaves_the_bonus_out() -> None:
    without, with_bonus = (tic_tac_toe_round(game_tree(), SINGLE_ROUND, with_bonus=bonus) for bonus in (False, True))
    solver = CFRSolver(with_bonus, update_rule("pdcfr+"), bonus_schedule=BonusSchedule(0.01))
    solver.run(400)
    cost = exploitability(without, solver.average_strategy()).total
    assert solver.evaluate().average_exploitability == pytest.approx(cost, abs=1e-13)
    assert cost > 1e-5, "the bonus is not free"
