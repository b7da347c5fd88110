"""The coefficients of every update rule by hand, and the options that a run depends on."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tictactoe import rules
from tictactoe.options import MatchOptions, SmallMoves
from tictactoe.rules import ALGORITHMS, FULL_WIDTH_ALGORITHMS, LARGEST_EXPONENT, UpdateRule, update_rule

INF = math.inf


def rows(rule: UpdateRule, first_iteration: int = 1, num_iterations: int = 3) -> list[list[float]]:
    """Positive discount, negative discount, floor, prediction discount, prediction weight, averaging weight, bonus."""
    table = rule.coefficients(first_iteration, num_iterations)
    assert table.dtype == np.float64
    assert table.shape == (num_iterations, rules.NUM_RULE_COLUMNS)
    return [[float(number) for number in row] for row in table]


def assert_table(actual: list[list[float]], expected: list[list[float]]) -> None:
    np.testing.assert_allclose(actual, expected, rtol=1e-15, atol=0)


# --- coefficients ------------------------------------------------------------------------------------------------


def test_every_column_has_a_name_of_its_own() -> None:
    names = [name for name in vars(rules) if name.isupper() and isinstance(getattr(rules, name), int)]
    columns = {name: getattr(rules, name) for name in names}
    assert columns.pop("NUM_RULE_COLUMNS") == 7
    assert sorted(columns.values()) == [0, 1, 2, 3, 4, 5, 6]


def test_cfr_by_hand() -> None:
    # no discount, no floor, the prediction plays no part, uniform average
    assert_table(rows(update_rule("cfr")), [[1, 1, -INF, 1, 0, 1, 0]] * 3)


def test_cfr_plus_by_hand() -> None:
    assert_table(rows(update_rule("cfr+")), [[1, 1, 0, 1, 0, t, 0] for t in (1, 2, 3)])


def test_dcfr_by_hand() -> None:
    # before adding the regret of iteration t: (t-1)^1.5 / ((t-1)^1.5 + 1) and, with beta 0, 1/2
    third = 2**1.5 / (2**1.5 + 1)
    expected = [[0, 0.5, -INF, 1, 0, 1, 0], [0.5, 0.5, -INF, 1, 0, 4, 0], [third, 0.5, -INF, 1, 0, 9, 0]]
    assert_table(rows(update_rule("dcfr")), expected)


def test_pdcfr_plus_by_hand() -> None:
    first, second, third, fourth = 0.0, 0.5, 2**2.3 / (2**2.3 + 1), 3**2.3 / (3**2.3 + 1)
    table = np.array(rows(update_rule("pdcfr+")))
    np.testing.assert_allclose(table[:, rules.POSITIVE_DISCOUNT], [first, second, third], rtol=1e-15)
    np.testing.assert_allclose(table[:, rules.PREDICTION_DISCOUNT], [second, third, fourth], rtol=1e-15)
    assert table[:, rules.PREDICTION_WEIGHT].tolist() == [1, 1, 1]
    assert table[:, rules.FLOOR].tolist() == [0, 0, 0]
    assert table[:, rules.AVERAGING_WEIGHT].tolist() == [1, 32, 243]
    assert table[:, rules.BONUS_EPSILON].tolist() == [0, 0, 0]


def test_linear_cfr_by_hand() -> None:
    # R / t of the paper's R, so that iteration t's discount is (t-1)/t
    expected = [[0, 0, -INF, 1, 0, 1, 0], [1 / 2, 1 / 2, -INF, 1, 0, 2, 0], [2 / 3, 2 / 3, -INF, 1, 0, 3, 0]]
    assert_table(rows(update_rule("linear-cfr")), expected)


def test_pcfr_plus_by_hand() -> None:
    assert_table(rows(update_rule("pcfr+")), [[1, 1, 0, 1, 1, t**2, 0] for t in (1, 2, 3)])


def test_scheduled_dcfr_by_hand() -> None:
    # horizon 4: before the third iteration p = 2/4, alpha = 2.5, beta = -2; gamma = 30 - 5 * 2/4 in the second
    table = np.array(rows(update_rule("hs-dcfr", horizon=4.0), num_iterations=9))
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
    assert {after: restart.factor for after, restart in rule.restarts.items()} == {3: 0.03, 5: 2.0}
    table = rule.coefficients(1, 8)
    assert table[:, rules.AVERAGING_WEIGHT].tolist() == [1, 4, 9, 1, 4, 1, 4, 9]  # t from the last restart
    assert rule.coefficients(5, 2)[:, rules.AVERAGING_WEIGHT].tolist() == [4, 1]
    assert not update_rule("pcfr+").restarts
    with pytest.raises(ValueError, match="first_restart"):
        update_rule("rpcfr+", first_restart=5.0, second_restart=5.0)


def test_sampling_leaves_regrets_as_they_are() -> None:
    assert update_rule("es-mccfr").samples
    assert not any(update_rule(algorithm).samples for algorithm in FULL_WIDTH_ALGORITHMS)
    assert_table(rows(update_rule("es-mccfr")), [[1, 1, -INF, 1, 0, 1, 0]] * 3)


def test_whole_exponents_by_hand() -> None:
    rule = update_rule("dcfr", alpha=1.0, beta=2.0, gamma=3.0)
    expected = [[0, 0, -INF, 1, 0, 1, 0], [1 / 2, 1 / 2, -INF, 1, 0, 8, 0], [2 / 3, 4 / 5, -INF, 1, 0, 27, 0]]
    assert_table(rows(rule), expected)


def test_beta_zero_halves_from_the_first_iteration_on() -> None:
    table = update_rule("dcfr", beta=0.0).coefficients(1, 50)
    assert table[:, rules.NEGATIVE_DISCOUNT].tolist() == [0.5] * 50


def test_a_negative_beta_forgets_more_and_more() -> None:
    # (t-1)^-1 / ((t-1)^-1 + 1) = 1 / t; what is discounted in iteration 1 is 0 anyhow
    table = update_rule("dcfr", beta=-1.0).coefficients(1, 5)
    np.testing.assert_allclose(table[:, rules.NEGATIVE_DISCOUNT], [1, 1 / 2, 1 / 3, 1 / 4, 1 / 5], rtol=1e-15)


def test_alpha_zero_and_gamma_zero() -> None:
    table = update_rule("dcfr", alpha=0.0, gamma=0.0).coefficients(1, 4)
    assert table[:, rules.POSITIVE_DISCOUNT].tolist() == [0.5] * 4
    assert table[:, rules.AVERAGING_WEIGHT].tolist() == [1.0] * 4


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_later_piece_of_the_table_is_the_same(algorithm: str) -> None:
    rule = update_rule(algorithm)
    assert np.array_equal(rule.coefficients(1, 100)[40:60], rule.coefficients(41, 20))
    assert rule.coefficients(7, 0).shape == (0, rules.NUM_RULE_COLUMNS)


@pytest.mark.parametrize("beta", [-LARGEST_EXPONENT, LARGEST_EXPONENT])
@pytest.mark.parametrize("alpha", [0.0, LARGEST_EXPONENT])
def test_coefficients_at_the_limits_are_finite_and_discounts_are_in_0_to_1(alpha: float, beta: float) -> None:
    rule = update_rule("dcfr", alpha=alpha, beta=beta, gamma=LARGEST_EXPONENT)
    for first in (1, 10**6, 10**9):
        table = rule.coefficients(first, 3)
        discounts = table[:, [rules.POSITIVE_DISCOUNT, rules.NEGATIVE_DISCOUNT]]
        assert np.all((discounts >= 0.0) & (discounts <= 1.0))
        assert np.all(np.isfinite(table[:, rules.AVERAGING_WEIGHT]))


# --- update_rule -------------------------------------------------------------------------------------------------


def test_defaults() -> None:
    assert ALGORITHMS == ("cfr", "linear-cfr", "cfr+", "dcfr", "hs-dcfr", "pcfr+", "pdcfr+", "rpcfr+", "es-mccfr")
    assert ALGORITHMS[:-1] == FULL_WIDTH_ALGORITHMS
    defaults = {algorithm: dict(update_rule(algorithm).parameters) for algorithm in ALGORITHMS}
    assert defaults == {
        "cfr": {},
        "linear-cfr": {},
        "cfr+": {},
        "dcfr": {"alpha": 1.5, "beta": 0.0, "gamma": 2.0},
        "hs-dcfr": {"horizon": 1000.0},
        "pcfr+": {"gamma": 2.0},
        "es-mccfr": {},
        "pdcfr+": {"alpha": 2.3, "gamma": 5.0},
        "rpcfr+": {"gamma": 10.0, "first_restart": 300.0, "second_restart": 2300.0, "shrink": 0.03, "grow": 2.0,
                   "blend": 0.2},
    }  # fmt: skip
    assert [update_rule(algorithm).algorithm for algorithm in ALGORITHMS] == list(ALGORITHMS)


def test_a_parameter_that_is_none_takes_its_default_and_others_stay() -> None:
    assert update_rule("dcfr", alpha=None, beta=None, gamma=None) == update_rule("dcfr")
    assert dict(update_rule("dcfr", beta=-0.5).parameters) == {"alpha": 1.5, "beta": -0.5, "gamma": 2.0}
    assert update_rule("dcfr").parameters["beta"] == 0.0  # the defaults themselves have not changed


def test_unknown_algorithm() -> None:
    with pytest.raises(ValueError, match=r"algorithm.*'sarsa'.*cfr.*pdcfr\+"):
        update_rule("sarsa")


@pytest.mark.parametrize(
    ("algorithm", "name"),
    [("cfr", "alpha"), ("cfr", "gamma"), ("cfr+", "beta"), ("pdcfr+", "beta"), ("dcfr", "delta")],
)
def test_a_parameter_that_the_algorithm_does_not_have(algorithm: str, name: str) -> None:
    with pytest.raises(ValueError, match=rf"{name}: {algorithm.replace('+', '.')} has no such parameter"):
        update_rule(algorithm, **{name: 1.0})


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name in ("alpha", "beta", "gamma") for value in (math.nan, INF, -INF, 20.001, -20.001)]
    + [("alpha", -0.001), ("gamma", -0.001)],
)
def test_a_parameter_out_of_range(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=rf"{name}: {value}"):
        update_rule("dcfr", **{name: value})


def test_the_limits_themselves_are_allowed() -> None:
    extreme = update_rule("dcfr", alpha=LARGEST_EXPONENT, beta=-LARGEST_EXPONENT, gamma=LARGEST_EXPONENT)
    assert dict(extreme.parameters) == {"alpha": 20.0, "beta": -20.0, "gamma": 20.0}
    assert dict(update_rule("dcfr", alpha=0, gamma=0).parameters) == {"alpha": 0.0, "beta": 0.0, "gamma": 0.0}


# --- options -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [math.nan, INF, -INF, -1e-9, 1.0 + 1e-9])
@pytest.mark.parametrize("name", ["epsilon", "decay"])
def test_small_moves_rejects(name: str, value: float) -> None:
    label = {"epsilon": "small_move_epsilon", "decay": "small_move_epsilon_decay"}[name]
    with pytest.raises(ValueError, match=rf"{label}: {value}"):
        SmallMoves(**{name: value})


def test_small_moves_by_hand() -> None:
    np.testing.assert_allclose(SmallMoves(0.5, 0.1).at(np.array([1.0, 2.0, 3.0])), [0.5, 0.45, 0.405], rtol=1e-15)
    assert SmallMoves(0.5, 1.0).at(np.array([1.0, 2.0, 3.0])).tolist() == [0.5, 0.0, 0.0]
    assert SmallMoves(0.5).at(np.array([1.0, 1e9])).tolist() == [0.5, 0.5]
    assert SmallMoves().at(np.array([1.0, 2.0])).tolist() == [0.0, 0.0]
    assert SmallMoves(1.0, 1.0) == SmallMoves(epsilon=1.0, decay=1.0)


def test_match_options_defaults_are_those_of_the_documented_program() -> None:
    assert MatchOptions().as_dict() == {
        "winning_score": 5,
        "maximum_subgame_exploitability": 1e-6,
        "check_exploitability_every": 10,
        "algorithm": "dcfr",
        "discount_alpha": 1.5,
        "discount_beta": 0.0,
        "discount_gamma": 2.0,
        "alternate_updates": True,
        "small_move_epsilon": 0.0,
        "small_move_epsilon_decay": 0.0,
        "snapshot_at": None,
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("winning_score", 0),
        ("winning_score", -3),
        ("check_exploitability_every", 0),
        ("check_exploitability_every", -10),
        ("maximum_subgame_exploitability", 0.0),
        ("maximum_subgame_exploitability", -1e-6),
        ("maximum_subgame_exploitability", math.nan),
        ("maximum_subgame_exploitability", INF),
        ("snapshot_at", (0, 5, -1)),
    ],
)
def test_match_options_rejects(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"^{name}: "):
        MatchOptions(**{name: value})


@pytest.mark.parametrize(
    "changed",
    [
        {"winning_score": 4},
        {"maximum_subgame_exploitability": 1e-5},
        {"check_exploitability_every": 11},
        {"rule": update_rule("cfr+")},
        {"rule": update_rule("dcfr", alpha=1.6)},
        {"rule": update_rule("dcfr", beta=0.1)},
        {"rule": update_rule("dcfr", gamma=2.1)},
        {"alternate_updates": False},
        {"small_moves": SmallMoves(1e-3)},
        {"small_moves": SmallMoves(0.0, 0.1)},
        {"snapshot_at": ()},
        {"snapshot_at": (5,)},
    ],
)
def test_everything_that_a_result_depends_on_stands_in_the_dictionary(changed: dict[str, Any]) -> None:
    assert MatchOptions(**changed).as_dict() != MatchOptions().as_dict()


def test_the_dictionary_is_plain_data() -> None:
    for value in MatchOptions(rule=update_rule("pdcfr+"), snapshot_at=(1, 2)).as_dict().values():
        assert type(value) in (int, float, str, bool, list, type(None))


def test_the_geometric_schedule() -> None:
    options = MatchOptions()
    assert [at for at in range(-1, 1200) if at >= 0 and options.is_snapshot(at)] == [0, 1, 10, 100, 1000]
    nexts = {-1: 0, 0: 1, 1: 10, 9: 10, 10: 100, 99: 100, 100: 1000, 999_999: 1_000_000}
    assert {at: options.next_snapshot(at) for at in nexts} == nexts


def test_a_schedule_of_ones_own() -> None:
    options = MatchOptions(snapshot_at=(30, 5, 5, 12))
    assert [at for at in range(40) if options.is_snapshot(at)] == [5, 12, 30]
    nexts = {-1: 5, 0: 5, 4: 5, 5: 12, 12: 30, 29: 30, 30: None, 1000: None}
    assert {at: options.next_snapshot(at) for at in nexts} == nexts
    assert MatchOptions(snapshot_at=()).next_snapshot(-1) is None
    assert not MatchOptions(snapshot_at=()).is_snapshot(0)
    assert MatchOptions(snapshot_at=(0,)).is_snapshot(0)
