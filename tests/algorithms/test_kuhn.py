"""Kuhn poker, a game from outside: all algorithms against known figures and the oracle.

H. W. Kuhn 1950: the value to the first player is -1/18; equilibria are a family, by how often the first player bets
the jack, 0 to 1/3. Uniform play is worth 1/8 and has a NashConv of 11/12.
"""

from __future__ import annotations

import runpy
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from oracle import naive, small_games

from tictactoe import ALGORITHMS, Budget, CFRSolver, DoubleOracle, Unit, compare_algorithms, kuhn_poker, update_rule
from tictactoe.algorithms.best_response import best_response, best_response_value, best_responses, exploitability
from tictactoe.algorithms.cfr.update_rules import FULL_WIDTH_ALGORITHMS
from tictactoe.algorithms.comparing.convergence import planned_trials
from tictactoe.algorithms.strategy import uniform_strategy

KUHN = kuhn_poker()
ORACLE = small_games.kuhn_game()
VALUE = -1 / 18


def oracle_best(strategy: naive.Floats, player: int) -> float:
    return naive.best_response_value(KUHN.tree, strategy, KUHN.payoffs, KUHN.prior, player)


def oracle_value(strategy: naive.Floats) -> float:
    return naive.expected_value(KUHN.tree, strategy, KUHN.payoffs, KUHN.prior)


def oracle_exploitability(strategy: naive.Floats) -> float:
    return naive.exploitability(KUHN.tree, strategy, KUHN.payoffs, KUHN.prior)


@pytest.mark.parametrize("alpha", [0.0, 0.2, 1 / 3])
def test_the_family_of_equilibria(alpha: float) -> None:
    strategy = small_games.kuhn_equilibrium(alpha)
    assert exploitability(KUHN, strategy) == pytest.approx((VALUE, 0.0, 0.0), abs=1e-15)
    assert oracle_value(strategy) == pytest.approx(VALUE, abs=1e-15)
    assert [oracle_best(strategy, player) for player in (0, 1)] == pytest.approx([VALUE, -VALUE], abs=1e-15)
    strategy[[1, 2], 2] = 0.9 - alpha, 0.1 + alpha  # too few bets with the king
    assert exploitability(KUHN, strategy).total == pytest.approx(oracle_exploitability(strategy), abs=1e-15)
    assert oracle_exploitability(strategy) > 0.01


def test_uniform_play() -> None:
    uniform = uniform_strategy(KUHN.tree)
    np.testing.assert_array_equal(uniform, naive.uniform_strategy(KUHN.tree))
    judged = exploitability(KUHN, uniform)
    for value in (judged.value, CFRSolver(KUHN, update_rule("cfr")).evaluate().value, oracle_value(uniform)):
        assert value == pytest.approx(1 / 8, abs=1e-15)
    assert judged.total == pytest.approx(11 / 12, abs=1e-15)
    assert oracle_exploitability(uniform) == pytest.approx(11 / 12, abs=1e-15)


@pytest.mark.parametrize("seed", range(6))
def test_best_responses_by_brute_force(seed: int) -> None:
    """Every pure strategy tried. A response plays for its own figures, by types, too."""
    strategy = small_games.random_strategy(KUHN.tree, seed, share_of_zeros=0.3)
    found = best_responses(KUHN, strategy)
    for player, sign in ((0, 1.0), (1, -1.0)):
        brute = naive.brute_force_best_response(*ORACLE[:1], strategy, *ORACLE[1:], player)
        assert oracle_best(strategy, player) == pytest.approx(brute, abs=1e-14)
        assert best_response_value(KUHN, player, strategy) == pytest.approx(brute, abs=1e-14)
        assert found.values[player] == pytest.approx(brute, abs=1e-14)
        assert (found.by_types[player] * KUHN.prior).sum() == pytest.approx(brute, abs=1e-14)
        response = best_response(KUHN, player, strategy).strategy
        played = oracle_value(response)
        assert sign * played == pytest.approx(brute, abs=1e-14)
        own = KUHN.tree.mover == player
        np.testing.assert_array_equal(found.strategy[own], response[own])
    assert found.value == pytest.approx(oracle_value(strategy), abs=1e-15)
    assert found.exploitability == pytest.approx(exploitability(KUHN, strategy).total, abs=1e-15)


# about twice the NashConv of the average after 400 iterations; 1e-8 where rounding decides it
ALTERNATING = 8e-3, 1.2e-3, 1.1e-3, 2e-3, 5e-7, 1e-2, 1.5e-6, 1e-8, 1e-8
SIMULTANEOUS = 5e-2, 5e-2, 2e-2, 4e-2, 2e-2, 0.17, 4e-3, 6e-3, 6e-2
LIMITS = dict(zip(product((True, False), FULL_WIDTH_ALGORITHMS), ALTERNATING + SIMULTANEOUS, strict=True))


@pytest.mark.parametrize(("alternate", "algorithm"), LIMITS)
def test_every_full_width_algorithm_reaches_the_value(algorithm: str, alternate: bool) -> None:
    solver = CFRSolver(KUHN, update_rule(algorithm), alternate_updates=alternate)
    solver.run(20)
    before = solver.evaluate().average_exploitability
    solver.run(380)
    evaluation = solver.evaluate()
    assert evaluation.average_exploitability < before / 2 < 0.5
    average = oracle_exploitability(solver.average_strategy())
    assert evaluation.average_exploitability == pytest.approx(average, abs=1e-14)
    current = oracle_exploitability(solver.current_strategy())
    assert evaluation.current_exploitability == pytest.approx(current, abs=1e-14)
    limit = LIMITS[alternate, algorithm]
    assert evaluation.average_exploitability < limit
    assert evaluation.value == pytest.approx(VALUE, abs=limit)


@pytest.mark.parametrize("full_average", [0, 1])
@pytest.mark.parametrize("draw_own_type", [0, 1])
def test_sampling_comes_close(full_average: int, draw_own_type: int) -> None:
    rule = update_rule("es-mccfr", full_average=full_average, draw_own_type=draw_own_type)
    solver = CFRSolver(KUHN, rule, seed=1)
    solver.run(20_000)
    assert exploitability(KUHN, solver.average_strategy()).total < 0.02
    assert solver.evaluate().value == pytest.approx(VALUE, abs=0.01)


def test_linear_programs_reach_it_from_any_reference() -> None:
    for reference in (
        naive.uniform_strategy(KUHN.tree),
        small_games.random_strategy(KUHN.tree, 1),
        small_games.random_strategy(KUHN.tree, 2, 0.7),
        small_games.pure_strategy(KUHN.tree, 3),
        small_games.kuhn_equilibrium(0.2),
    ):
        found = DoubleOracle(KUHN.tree, reference).solve(KUHN)
        assert found.value == pytest.approx(VALUE, abs=1e-14)
        assert oracle_exploitability(found.strategy) < 1e-12


def test_algorithms_are_compared_on_it() -> None:
    runs = list(
        compare_algorithms(
            KUHN, planned_trials(list(map(update_rule, ALGORITHMS)), num_seeds=1), Budget(50, Unit.ITERATIONS)
        )
    )
    assert [run.algorithm for run in runs] == list(ALGORITHMS)
    for run in runs:
        first, last = run.measurements[0], run.measurements[-1]
        assert (first.iteration, last.iteration) == (1, 50)
        assert 0.0 <= last.average_exploitability + 1e-12 < first.average_exploitability <= 11 / 12
        assert 0 < first.nodes <= 8 < last.nodes


def test_the_example_that_compares_algorithms_on_it() -> None:
    """A row per rule, labels and parameters included, with medians over the runs."""
    example = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "compare_on_kuhn.py"))
    *_, first, second = example["table"](["pdcfr+", "slow=cfr(simultaneous)"], 100, 3).splitlines()
    (name, average, *_), (other, slower, *_) = (
        [cell.strip() for cell in row.split("|")[1:]] for row in (first, second)
    )
    assert (name, other) == ("`pdcfr+`", "`slow`")
    solver = CFRSolver(KUHN, update_rule("pdcfr+"))
    solver.run(100)
    assert float(average) == pytest.approx(solver.evaluate().average_exploitability, rel=0.1)
    assert float(slower) > 100 * float(average)
