"""Refined equilibria: best moves after mistakes, by beliefs that tiny chances of mistakes explain."""

from dataclasses import replace
from functools import partial
from typing import Any
from unittest import mock

import numpy as np
import pytest
from oracle import small_games
from oracle.matches import SHORT, SHORT_RULE, short_rounds, short_rule
from oracle.refined import Trembles, break_of_bayes, break_of_trembles, costs_of, trembles_of, weights_of

from tictactoe import DoubleOracle, Game, GameTree, OutcomeValues, exploitability, kuhn_poker, uniform_strategy
from tictactoe.algorithms.punishing_double_oracle import trembling_player
from tictactoe.algorithms.refinement import _Refinement, refine
from tictactoe.algorithms.strategy import weights_by_belief
from tictactoe.games.payoffs import tic_tac_toe_round
from tictactoe.games.rules import RULES

pytest.importorskip("highspy")

EXACT = 3e-7
"""Beliefs have the digits of float32."""


def worst_costs(game: Game) -> tuple[float, float]:
    exact = DoubleOracle(game.tree, uniform_strategy(game.tree)).solve(game).strategy
    result = refine(game, exact)
    assert exploitability(game, result.strategy).total < 1e-13
    sums = game.tree.sums_over_children(result.strategy)
    np.testing.assert_allclose(sums, 1.0, rtol=0, atol=1e-12)
    weights = weights_by_belief(game.tree, result.strategy, result.beliefs, game.prior)
    np.testing.assert_allclose(weights, weights_of(game, result.strategy, result.beliefs), rtol=1e-12)
    assert break_of_bayes(game, result.strategy, weights) < 1e-9
    trembles = trembles_of(game, result.strategy, weights)
    assert isinstance(trembles, Trembles), f"contradictory beliefs at the nodes {trembles}"
    assert break_of_trembles(game, result.strategy, weights, trembles) < EXACT
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


def test_a_costly_move_that_is_hardly_ever_made_is_noise_of_the_solver() -> None:
    """A mistake after which one type goes on that would make it once in 1e12 rounds."""
    game = Game(*small_games.alternating_game(1, first=1, max_depth=6))
    tree = game.tree
    exact = DoubleOracle(tree, uniform_strategy(tree)).solve(game).strategy
    result, models = refine(game, exact), [trembling_player(tree, player, exact) for player in (0, 1)]
    weights = weights_of(game, result.strategy, result.beliefs)
    played = weights[tree.mover, np.maximum(tree.parent, 0)] > 0.0
    mistakes = np.flatnonzero(
        (played & (result.strategy == 0.0)).any(axis=1) & ~(played & (result.strategy > 0.0)).any(axis=1)
    )
    dropped = 0
    for node in mistakes[mistakes > 0].tolist():
        noisy = _Refinement(game, result.strategy, models, result.strategy, is_tied=True)
        noisy._beliefs = result.beliefs.copy()
        noisy._beliefs[node] = 0.0
        own = int(np.flatnonzero(played[node])[0])
        noisy._strategy[node, own] = 1e-12
        before = costs_of(game, noisy._strategy, weights_of(game, noisy._strategy, noisy._beliefs)).max()
        noisy._drop_noise()
        after = costs_of(game, noisy._strategy, weights_of(game, noisy._strategy, noisy._beliefs))
        if noisy._strategy[node, own] == 0.0:
            dropped += 1
            assert before > EXACT
            assert noisy._beliefs[node, own] == 1.0
            assert noisy._beliefs[node].sum() == 1.0
            assert after[tree.parent[node]].max() < EXACT
    assert dropped > 0


def test_two_types_that_erred_have_one_ratio_everywhere() -> None:
    with mock.patch.dict(RULES, {"six-moves": replace(SHORT, outcome=partial(short_rule, moves=6))}):
        game = tic_tac_toe_round(GameTree.build("six-moves"), OutcomeValues(0.1, 1.0, -1.0, 0.37))
        assert worst_costs(game)[1] < EXACT


@pytest.mark.parametrize(
    ("after_left", "after_right", "has_trembles"),
    [((1, 0.5, 0.25), (4, 2, 1), True), ((1, 0.5, 0.25), (1, 0.25, 0.5), False), ((1, 0.5, 0), (1, 0, 0.5), False)],
)
def test_beliefs_after_two_mistakes_must_agree(after_left: Any, after_right: Any, has_trembles: bool) -> None:
    """Types 1 and 2 should not come in, and then err together with type 0, which comes in alone."""
    parent, owner = [-1, 0, 0, 1, 1, 3, 3, 5, 5, 4, 4, 9, 9], [0, 1, -1, 0, 0, 1, -1, -1, -1, 1, -1, -1, -1]
    game = Game(
        small_games.make_tree(parent, owner, [-1 if each >= 0 else 0 for each in owner]),
        np.ones((1, 3, 3)),
        np.full((3, 3), 1 / 9),
    )
    strategy, beliefs = np.full((13, 3), 0.5), np.zeros((13, 3))
    strategy[[1, 6, 10]], strategy[[2, 5, 9]] = [1, 0, 0], [0, 1, 1]
    beliefs[5], beliefs[9] = after_left, after_right
    weights = weights_of(game, strategy, beliefs)
    trembles = trembles_of(game, strategy, weights)
    assert isinstance(trembles, Trembles) is has_trembles
    if isinstance(trembles, Trembles):
        assert break_of_trembles(game, strategy, weights, trembles) < EXACT
