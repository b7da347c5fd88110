"""Refined equilibria: best moves after mistakes, by beliefs that follow Bayes' rule; nobody gains more than before."""

import numpy as np
import pytest
from oracle import small_games
from oracle.matches import SHORT_RULE, short_rounds
from oracle.refined import break_of_bayes, costs_of, weights_of

from tictactoe import DoubleOracle, Game, GameTree, OutcomeValues, exploitability, kuhn_poker, uniform_strategy
from tictactoe.algorithms.refinement import refine
from tictactoe.algorithms.strategy import weights_by_belief
from tictactoe.games.payoffs import tic_tac_toe_round

pytest.importorskip("highspy")

EXACT = 3e-7
"""Beliefs have the digits of float32."""


def worst_costs(game: Game) -> tuple[float, float]:
    """The most that a played move costs in an equilibrium, and in the refined one."""
    exact = DoubleOracle(game.tree, uniform_strategy(game.tree)).solve(game).strategy
    result = refine(game, exact)
    assert exploitability(game, result.strategy).total < 1e-13
    sums = game.tree.sums_over_children(result.strategy)
    np.testing.assert_allclose(sums, 1.0, rtol=0, atol=1e-12)
    weights = weights_by_belief(game.tree, result.strategy, result.beliefs, game.prior)
    np.testing.assert_allclose(weights, weights_of(game, result.strategy, result.beliefs), rtol=1e-12)
    assert break_of_bayes(game, result.strategy, weights) < 1e-9
    return float(costs_of(game, exact, weights).max()), float(costs_of(game, result.strategy, weights).max())


@pytest.mark.parametrize("seed", range(12))
def test_every_move_that_is_played_is_a_best_one(seed: int) -> None:
    game = Game(*small_games.alternating_game(seed, first=seed % 2, max_depth=6))
    assert worst_costs(game)[1] < EXACT


def test_kuhn_poker_is_refined_as_it_is() -> None:
    assert max(worst_costs(kuhn_poker())) < EXACT


@pytest.mark.parametrize("neither", [0.0, 0.37, -0.8])
def test_a_round(neither: float) -> None:
    """The equilibrium before played bad moves after mistakes."""
    with short_rounds():
        game = tic_tac_toe_round(GameTree.build(SHORT_RULE), OutcomeValues(0.1, 1.0, -1.0, neither))
    before, after = worst_costs(game)
    assert before > 0.01
    assert after < EXACT
