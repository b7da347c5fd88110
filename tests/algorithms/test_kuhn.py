"""Kuhn poker, a game from outside: all algorithms against known figures and the oracle. H. W. Kuhn 1950: the value to
the first player is -1/18; equilibria are a family, by how often the first player bets the jack, 0 to 1/3."""

import runpy
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from oracle import naive, small_games

from tictactoe import CFRSolver, Game, kuhn_poker, uniform_strategy, update_rule
from tictactoe.algorithms.best_response import best_response, best_response_value, best_responses, exploitability
from tictactoe.algorithms.cfr.update_rules import FULL_WIDTH_ALGORITHMS

KUHN = kuhn_poker()
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


@pytest.mark.parametrize("seed", range(6))
def test_best_responses_against_the_oracle(seed: int) -> None:
    strategy = small_games.random_strategy(KUHN.tree, seed, share_of_zeros=0.3)
    found = best_responses(KUHN, strategy)
    for player, sign in ((0, 1.0), (1, -1.0)):
        best = pytest.approx(oracle_best(strategy, player), abs=1e-14)
        assert best_response_value(KUHN, player, strategy) == best
        assert found.values[player] == best
        assert (found.by_types[player] * KUHN.prior).sum() == best
        response = best_response(KUHN, player, strategy).strategy
        assert sign * oracle_value(response) == best
        own = KUHN.tree.mover == player
        np.testing.assert_array_equal(found.strategy[own], response[own])
    assert found.value == pytest.approx(oracle_value(strategy), abs=1e-15)
    assert found.exploitability == pytest.approx(exploitability(KUHN, strategy).total, abs=1e-15)


def test_a_best_response_makes_the_first_of_equally_good_moves() -> None:
    nothing_at_stake = Game(KUHN.tree, np.zeros_like(KUHN.payoffs), KUHN.prior)
    for player in (0, 1):
        response = best_response(nothing_at_stake, player, uniform_strategy(KUHN.tree)).strategy
        first = KUHN.tree.first_child[KUHN.tree.owner == player]
        assert np.all(response[first] == 1.0)


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


def test_the_example_that_compares_algorithms_on_it() -> None:
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
