"""Types that are never drawn, as goals with the odds 0: they change nothing for the others and trouble no algorithm."""

from itertools import product

import numpy as np
import pytest
from oracle import naive, small_games
from oracle.agreement import follow
from support.slowness import by_default

from tictactoe import CFRSolver, DoubleOracle, Game, best_response_value, exploitability, update_rule
from tictactoe.algorithms.cfr.update_rules import FULL_WIDTH_ALGORITHMS

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
        where = np.ix_(game.tree.mover == player, game.prior.sum(axis=1 - player) == 0.0)
        result[where] = random[where]
    return result


@each_prior
def test_solvers_follow_the_oracle(prior: str) -> None:
    for number, game in enumerate(games(prior)[:3]):
        for algorithm in FULL_WIDTH_ALGORITHMS[number::3]:
            solver, oracle = CFRSolver(Game(*game), update_rule(algorithm)), naive.NaiveSolver(*game, algorithm)
            follow(solver, oracle, (9,))
            average, uniform = solver.average_strategy(), naive.uniform_strategy(game.tree)
            for player in (0, 1):
                never = game.prior.sum(axis=1 - player) == 0.0
                where = np.ix_(game.tree.mover == player, never)
                np.testing.assert_allclose(average[where], uniform[where], rtol=0, atol=1e-15)


@pytest.mark.parametrize("prior", by_default(PRIORS, "0:3:1"))
def test_sampling_never_draws_them(prior: str) -> None:
    game = games(prior)[0]
    for variant in (0, 1):
        solver = CFRSolver(Game(*game), update_rule("es-mccfr", full_average=variant, draw_own_type=variant))
        solver.run(20_000)
        average = solver.average_strategy()
        assert np.isfinite(average).all()
        assert naive.exploitability(game.tree, average, game.payoffs, game.prior) < 0.05


@each_prior
def test_best_responses_and_equilibria(prior: str) -> None:
    for seed in range(80, 84):
        game = small_games.random_game(seed, max_depth=2)._replace(prior=PRIORS[prior])
        strategy = small_games.random_strategy(game.tree, seed, 0.2)
        for player in (0, 1):
            best = best_response_value(Game(*game), player, strategy)
            expected = naive.best_response_value(game.tree, strategy, game.payoffs, game.prior, player)
            assert best == pytest.approx(expected, abs=1e-13)
            other = best_response_value(Game(*game), player, others_moved(game, strategy))
            assert other == pytest.approx(best, abs=1e-13)
    for game, zeros in product(games(prior, alternating=True), (0.2, 1.0)):
        found = DoubleOracle(game.tree, small_games.random_strategy(game.tree, 3, zeros)).solve(Game(*game))
        assert naive.exploitability(game.tree, found.strategy, game.payoffs, game.prior) < 1e-12
        value = naive.expected_value(game.tree, found.strategy, game.payoffs, game.prior)
        assert found.value == pytest.approx(value, abs=1e-14)
        assert exploitability(Game(*game), others_moved(game, found.strategy)).total < 1e-12
