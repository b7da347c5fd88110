"""Types that are never drawn, as goals with the odds 0: they change nothing for the others and trouble no algorithm.

Small games whose prior has rows and columns of 0, against the oracle, and by trying every pure strategy.
"""

from __future__ import annotations

import numpy as np
import pytest
from oracle import naive, small_games

from tictactoe.algorithms.best_response import best_response_value, exploitability
from tictactoe.algorithms.cfr.solver import CFRSolver
from tictactoe.algorithms.cfr.update_rules import FULL_WIDTH_ALGORITHMS, update_rule
from tictactoe.algorithms.exact.double_oracle import DoubleOracle
from tictactoe.algorithms.game import Game

PRIORS = {
    "1:0:1": small_games.prior_of_odds(1, 0, 1),
    "0:3:1": small_games.prior_of_odds(0, 3, 1),
    "1:1:0": small_games.prior_of_odds(1, 1, 0),
    "0:1:0": small_games.prior_of_odds(0, 1, 0),
    "one's alone": np.array([[0.0, 0.0, 0.0], [0.125, 0.25, 0.125], [0.125, 0.125, 0.25]]),
}
each_prior = pytest.mark.parametrize("prior", PRIORS)


def games(prior: str, *, alternating: bool = False) -> list[naive.NaiveGame]:
    make = small_games.alternating_game if alternating else small_games.random_game
    return [make(seed)._replace(prior=PRIORS[prior]) for seed in range(70, 76)]


def others_moved(game: naive.NaiveGame, strategy: naive.Floats) -> naive.Floats:
    """Another strategy of the types that are never drawn, at random; the same of all others."""
    random, result = small_games.random_strategy(game.tree, 5), strategy.copy()
    for player in (0, 1):
        moves = np.r_[False, game.tree.owner[game.tree.parent[1:]] == player]
        drawn = game.prior.sum(axis=1 - player) > 0.0
        result[np.ix_(moves, ~drawn)] = random[np.ix_(moves, ~drawn)]
    return result


@each_prior
@pytest.mark.parametrize("algorithm", FULL_WIDTH_ALGORITHMS)
def test_solvers_follow_the_oracle(algorithm: str, prior: str) -> None:
    """And play at random with types that are never drawn, having learnt nothing."""
    for game in games(prior)[:3]:
        solver, oracle = CFRSolver(Game(*game), update_rule(algorithm)), naive.NaiveSolver(*game, algorithm)
        solver.run(9)
        for _ in range(9):
            oracle.iterate()
        average = solver.average_strategy()
        np.testing.assert_allclose(solver.state().regrets, oracle.regrets, rtol=0, atol=1e-12)
        expected = naive.average_strategy(game.tree, oracle.strategy_sums)
        np.testing.assert_allclose(average, expected, rtol=0, atol=1e-12)
        uniform = naive.uniform_strategy(game.tree)
        for player in (0, 1):
            moves = np.r_[False, game.tree.owner[game.tree.parent[1:]] == player]
            never = game.prior.sum(axis=1 - player) == 0.0
            learnt, nothing = (strategy[np.ix_(moves, never)] for strategy in (average, uniform))
            np.testing.assert_allclose(learnt, nothing, rtol=0, atol=1e-15)


@each_prior
@pytest.mark.parametrize("variant", [0, 1])
def test_sampling_never_draws_them(prior: str, variant: int) -> None:
    """It comes to the same equilibrium, with both averages, and with own types drawn and not."""
    game = games(prior)[0]
    solver = CFRSolver(Game(*game), update_rule("es-mccfr", full_average=variant, draw_own_type=variant))
    solver.run(20_000)
    average = solver.average_strategy()
    assert np.isfinite(average).all()
    assert naive.exploitability(game.tree, average, game.payoffs, game.prior) < 0.05


@each_prior
def test_best_responses_are_those_of_all_pure_strategies(prior: str) -> None:
    """However the types that are never drawn play."""
    for seed in range(80, 84):
        game = small_games.random_game(seed, max_depth=2)._replace(prior=PRIORS[prior])
        strategy = small_games.random_strategy(game.tree, seed, 0.2)
        for player in (0, 1):
            found = best_response_value(Game(*game), player, strategy)
            expected = naive.brute_force_best_response(game.tree, strategy, game.payoffs, game.prior, player)
            assert found == pytest.approx(expected, abs=1e-13)
            other = best_response_value(Game(*game), player, others_moved(game, strategy))
            assert other == pytest.approx(found, abs=1e-13)


@each_prior
def test_equilibria_are_exact(prior: str) -> None:
    """By linear programs, from random and from uniform references."""
    for game in games(prior, alternating=True):
        for zeros in (0.2, 1.0):
            reference = small_games.random_strategy(game.tree, 3, zeros)
            found = DoubleOracle(game.tree, reference).solve(Game(*game))
            assert naive.exploitability(game.tree, found.strategy, game.payoffs, game.prior) < 1e-12
            value = naive.expected_value(game.tree, found.strategy, game.payoffs, game.prior)
            assert found.value == pytest.approx(value, abs=1e-14)
            moved = exploitability(Game(*game), others_moved(game, found.strategy))
            assert moved.total < 1e-12
