"""Kuhn poker, a game from outside: all that the algorithms do, against what is known of it and the oracle.

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

from tictactoe.algorithms.best_response import best_response, best_response_value, best_responses, exploitability
from tictactoe.algorithms.cfr.solver import CFRSolver
from tictactoe.algorithms.cfr.update_rules import ALGORITHMS, FULL_WIDTH_ALGORITHMS, update_rule
from tictactoe.algorithms.comparing.convergence import compare_algorithms, planned_trials
from tictactoe.algorithms.comparing.measured_run import Budget, Unit
from tictactoe.algorithms.exact.double_oracle import DoubleOracle
from tictactoe.algorithms.strategy import uniform_strategy
from tictactoe.games.kuhn import kuhn_poker

KUHN = kuhn_poker()
ORACLE = small_games.kuhn_game()
VALUE = -1 / 18


def oracle_best(strategy: naive.Floats, player: int) -> float:
    return naive.best_response_value(KUHN.tree, strategy, KUHN.payoffs, KUHN.prior, player)


@pytest.mark.parametrize("alpha", [0.0, 0.2, 1 / 3])
def test_the_family_of_equilibria(alpha: float) -> None:
    strategy = small_games.kuhn_equilibrium(alpha)
    assert exploitability(KUHN, strategy) == pytest.approx((VALUE, 0.0, 0.0), abs=1e-15)
    assert naive.expected_value(*ORACLE[:1], strategy, *ORACLE[1:]) == pytest.approx(VALUE, abs=1e-15)
    assert [oracle_best(strategy, player) for player in (0, 1)] == pytest.approx([VALUE, -VALUE], abs=1e-15)
    strategy[[1, 2], 2] = 0.9 - alpha, 0.1 + alpha  # too few bets with the king
    assert exploitability(KUHN, strategy).total > 0.01
    assert naive.exploitability(*ORACLE[:1], strategy, *ORACLE[1:]) > 0.01


def test_uniform_play() -> None:
    uniform = uniform_strategy(KUHN.tree)
    np.testing.assert_array_equal(uniform, naive.uniform_strategy(KUHN.tree))
    for found in (exploitability(KUHN, uniform), CFRSolver(KUHN, update_rule("cfr")).evaluate()):
        assert found.value == pytest.approx(1 / 8, abs=1e-15)
    assert exploitability(KUHN, uniform).total == pytest.approx(11 / 12, abs=1e-15)
    assert naive.expected_value(*ORACLE[:1], uniform, *ORACLE[1:]) == pytest.approx(1 / 8, abs=1e-15)
    assert naive.exploitability(*ORACLE[:1], uniform, *ORACLE[1:]) == pytest.approx(11 / 12, abs=1e-15)


@pytest.mark.parametrize("seed", range(6))
def test_best_responses_by_brute_force(seed: int) -> None:
    """Every pure strategy tried; and what a response says that it gets, by types too, is what it gets."""
    strategy = small_games.random_strategy(KUHN.tree, seed, share_of_zeros=0.3)
    found = best_responses(KUHN, strategy)
    for player, sign in ((0, 1.0), (1, -1.0)):
        brute = naive.brute_force_best_response(*ORACLE[:1], strategy, *ORACLE[1:], player)
        assert oracle_best(strategy, player) == pytest.approx(brute, abs=1e-14)
        assert best_response_value(KUHN, player, strategy) == pytest.approx(brute, abs=1e-14)
        assert found.values[player] == pytest.approx(brute, abs=1e-14)
        assert (found.by_types[player] * KUHN.prior).sum() == pytest.approx(brute, abs=1e-14)
        response = best_response(KUHN, player, strategy).strategy
        played = naive.expected_value(*ORACLE[:1], response, *ORACLE[1:])
        assert sign * played == pytest.approx(brute, abs=1e-14)
        own = KUHN.tree.mover == player
        np.testing.assert_array_equal(found.strategy[own], response[own])
    assert found.value == pytest.approx(naive.expected_value(*ORACLE[:1], strategy, *ORACLE[1:]), abs=1e-15)
    assert found.exploitability == pytest.approx(exploitability(KUHN, strategy).total, abs=1e-15)


# about twice the NashConv of the average after 400 iterations; where that is near rounding, which decides it, 1e-8
ALTERNATING = 8e-3, 1.2e-3, 1.1e-3, 2e-3, 5e-7, 1e-2, 1.5e-6, 1e-8, 1e-8
SIMULTANEOUS = 5e-2, 5e-2, 2e-2, 4e-2, 2e-2, 0.17, 4e-3, 6e-3, 6e-2
LIMITS = dict(zip(product((True, False), FULL_WIDTH_ALGORITHMS), ALTERNATING + SIMULTANEOUS, strict=True))


@pytest.mark.parametrize(("alternate", "algorithm"), LIMITS)
def test_every_full_width_algorithm_reaches_the_value(algorithm: str, alternate: bool) -> None:
    """The solver does, and so does the oracle's recursion."""
    solver = CFRSolver(KUHN, update_rule(algorithm), alternate_updates=alternate)
    oracle = naive.NaiveSolver(*ORACLE, algorithm, alternate)
    limit = LIMITS[alternate, algorithm]
    solver.run(20)
    before = solver.evaluate().average_exploitability
    solver.run(380)
    evaluation = solver.evaluate()
    assert evaluation.average_exploitability < before / 2 < 0.5
    for name, strategy, found in (
        ("average", solver.average_strategy(), evaluation.average_exploitability),
        ("current", solver.current_strategy(), evaluation.current_exploitability),
    ):
        exact = naive.exploitability(*ORACLE[:1], strategy, *ORACLE[1:])
        assert found == pytest.approx(exact, abs=1e-14), name
    for _ in range(400):
        oracle.iterate()
    average = naive.average_strategy(KUHN.tree, oracle.strategy_sums)
    of_oracle = naive.exploitability(*ORACLE[:1], average, *ORACLE[1:])
    assert max(of_oracle, evaluation.average_exploitability) < limit
    assert evaluation.value == pytest.approx(VALUE, abs=limit)


@pytest.mark.parametrize(("full_average", "draw_own_type"), list(product((0, 1), (0, 1))))
def test_sampling_comes_close(full_average: int, draw_own_type: int) -> None:
    rule = update_rule("es-mccfr", full_average=full_average, draw_own_type=draw_own_type)
    solver = CFRSolver(KUHN, rule, seed=1)
    solver.run(20_000)
    assert exploitability(KUHN, solver.average_strategy()).total < 0.02
    assert solver.evaluate().value == pytest.approx(VALUE, abs=0.01)


@pytest.mark.parametrize("kind", ["uniform", "random", "sparse", "pure", "equilibrium"])
def test_linear_programs_reach_it_from_any_reference(kind: str) -> None:
    """The double oracle on the sequence form: by the oracle, exact."""
    reference = {
        "uniform": naive.uniform_strategy(KUHN.tree),
        "random": small_games.random_strategy(KUHN.tree, 1),
        "sparse": small_games.random_strategy(KUHN.tree, 2, 0.7),
        "pure": (small_games.random_strategy(KUHN.tree, 3) > 0.5).astype(float),
        "equilibrium": small_games.kuhn_equilibrium(0.2),
    }[kind]
    solver = DoubleOracle(KUHN.tree, naive.average_strategy(KUHN.tree, reference))
    found = solver.solve(KUHN)
    assert found.value == pytest.approx(VALUE, abs=1e-14)
    assert naive.exploitability(*ORACLE[:1], found.strategy, *ORACLE[1:]) < 1e-12


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
