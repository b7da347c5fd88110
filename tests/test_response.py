"""Best response, exploitability and the distribution of results against the plain recursion of naive.py."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lifting import LevelEvaluator, game_tree

from tictactoe import kernels
from tictactoe.arrays import make_workspace
from tictactoe.board import Outcome
from tictactoe.game import GOAL_PRIOR, RoundGame, result_probabilities, tic_tac_toe_round
from tictactoe.match import RESULTS, SINGLE_ROUND, Goal, OutcomeValues, scores
from tictactoe.response import (
    best_response_value,
    expected_value,
    exploitability,
    leaf_distribution,
    padded,
    padded_best_response_value,
    padded_leaf_distribution,
    padded_nash_conv,
)
from tictactoe.tree import PublicTree

GENERIC_VALUES = OutcomeValues(both=0.3141592653, first=0.8717297, second=-0.9424777, neither=-0.1234567891)


def assert_agrees_with_the_oracle(game: naive.Game, strategy: naive.Floats, tolerance: float = 1e-13) -> None:
    tree, payoffs, prior = game
    compiled = RoundGame(*game)
    value = naive.expected_value(tree, strategy, payoffs, prior)
    best = [naive.best_response_value(tree, strategy, payoffs, prior, player) for player in (0, 1)]
    for player in (0, 1):
        assert best_response_value(compiled, player, strategy) == pytest.approx(best[player], abs=tolerance)
    result = exploitability(compiled, strategy)
    assert result.value == pytest.approx(value, abs=tolerance)
    assert result.first_gain == pytest.approx(best[0] - value, abs=tolerance)
    assert result.second_gain == pytest.approx(best[1] + value, abs=tolerance)
    assert result.total == pytest.approx(naive.exploitability(tree, strategy, payoffs, prior), abs=tolerance)
    assert min(result.first_gain, result.second_gain) > -tolerance
    distribution = leaf_distribution(tree, strategy)
    expected = naive.leaf_distribution(tree, strategy, prior)
    assert distribution.shape == expected.shape
    np.testing.assert_allclose(distribution * prior, expected, rtol=0, atol=tolerance)
    np.testing.assert_allclose(distribution.sum(axis=0), np.ones((3, 3)), rtol=0, atol=tolerance)
    assert expected_value(compiled, distribution) == pytest.approx(value, abs=tolerance)


@settings(max_examples=80, deadline=None, derandomize=True, database=None)
@given(seed=st.integers(0, 10**6), share_of_zeros=st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.0]))
def test_random_games(seed: int, share_of_zeros: float) -> None:
    game = naive.random_game(seed, max_depth=5)
    assert_agrees_with_the_oracle(game, naive.random_strategy(game.tree, seed, share_of_zeros))


def pure_strategy(game: naive.Game, seed: int) -> naive.Floats:
    """All types make the same move, so that nobody reaches most of the subtrees."""
    random = np.random.default_rng(seed)
    weights = np.zeros((game.tree.num_nodes, 3))
    for node in game.tree.decision_nodes.tolist():
        weights[random.choice(list(game.tree.children(node)))] = 1.0
    return naive.average_strategy(game.tree, weights)


@pytest.mark.parametrize("seed", range(8))
def test_pure_strategies_of_random_games(seed: int) -> None:
    game = naive.random_game(seed, max_depth=5)
    assert_agrees_with_the_oracle(game, pure_strategy(game, seed))


def test_games_with_few_leaf_classes() -> None:
    for seed in range(20):
        game = naive.random_game(seed, max_depth=4, num_classes=2)
        assert_agrees_with_the_oracle(game, naive.random_strategy(game.tree, seed, 0.3))


@pytest.mark.parametrize("share_of_zeros", [0.0, 0.4, 0.9])
@pytest.mark.parametrize("seed", range(5))
def test_kuhn(seed: int, share_of_zeros: float) -> None:
    game = naive.kuhn_game()
    assert_agrees_with_the_oracle(game, naive.random_strategy(game.tree, seed, share_of_zeros))


def test_kuhn_by_brute_force() -> None:
    game = naive.kuhn_game()
    for seed in range(4):
        strategy = naive.random_strategy(game.tree, seed, 0.3)
        for player in (0, 1):
            brute = naive.brute_force_best_response(*game[:1], strategy, *game[1:], player)
            assert best_response_value(RoundGame(*game), player, strategy) == pytest.approx(brute, abs=1e-14)


def test_uniform_play_of_kuhn() -> None:
    game = naive.kuhn_game()
    result = exploitability(RoundGame(*game), naive.uniform_strategy(game.tree))
    assert result.value == pytest.approx(1 / 8, abs=1e-15)
    assert result.total == pytest.approx(11 / 12, abs=1e-15)


@pytest.mark.parametrize("alpha", [0.0, 0.2, 1 / 3])
def test_equilibria_of_kuhn(alpha: float) -> None:
    result = exploitability(RoundGame(*naive.kuhn_game()), naive.kuhn_equilibrium(alpha))
    assert result.value == pytest.approx(-1 / 18, abs=1e-15)
    assert result.total == pytest.approx(0.0, abs=1e-15)


# --- the round ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share_of_zeros", [0.0, 0.7])
def test_the_round_agrees_with_the_oracle(share_of_zeros: float) -> None:
    tree = game_tree()
    game = naive.Game(tree, naive.round_payoffs(GENERIC_VALUES), naive.uniform_prior())
    assert_agrees_with_the_oracle(game, naive.random_strategy(tree, 5, share_of_zeros))


@pytest.mark.parametrize("share_of_zeros", [0.3, 0.5, 0.9, 1.0])
def test_the_round_agrees_with_an_evaluation_level_by_level(share_of_zeros: float) -> None:
    tree = game_tree()
    game = tic_tac_toe_round(tree, GENERIC_VALUES)
    levels = LevelEvaluator(tree)
    strategy = naive.random_strategy(tree, 17, share_of_zeros)
    result = exploitability(game, strategy)
    assert result.value == pytest.approx(levels.expected_value(strategy, game.payoffs, game.prior), abs=1e-13)
    gains = (result.first_gain + result.value, result.second_gain - result.value)
    for player, gain in enumerate(gains):
        best = levels.best_response_value(strategy, game.payoffs, game.prior, player)
        assert gain == pytest.approx(best, abs=1e-13)
    distribution = levels.leaf_distribution(strategy, game.prior)
    np.testing.assert_allclose(leaf_distribution(tree, strategy) * GOAL_PRIOR, distribution, rtol=0, atol=1e-14)


def test_uniform_play_of_the_round() -> None:
    tree = game_tree()
    game = tic_tac_toe_round(tree, SINGLE_ROUND)
    uniform = naive.uniform_strategy(tree)
    result = exploitability(game, uniform)
    # the first mover's best is +0.463194 against a uniform second mover, and can be held to -0.571517
    assert best_response_value(game, 0, uniform) == pytest.approx(0.463194, abs=5e-7)
    assert -best_response_value(game, 1, uniform) == pytest.approx(-0.571517, abs=5e-7)
    assert result.total == pytest.approx(1.034711, abs=5e-7)
    assert result.value == pytest.approx(0.0, abs=1e-12)
    probabilities = result_probabilities(leaf_distribution(tree, uniform))
    assert probabilities.neither == pytest.approx(4 / 9, abs=1e-12)
    assert probabilities.second == pytest.approx(2 / 9, abs=1e-12)
    assert probabilities.first == pytest.approx(2 / 9, abs=1e-12)
    assert probabilities.both == pytest.approx(1 / 9, abs=1e-12)


def test_result_probabilities_by_hand() -> None:
    """Outcome, goals and who scores, one at a time."""
    for outcome in Outcome:
        for first_goal in Goal:
            for second_goal in Goal:
                distribution = np.zeros((3, 3, 3))
                distribution[outcome, first_goal, second_goal] = 9.0
                probabilities = result_probabilities(distribution)
                result = RESULTS.index(scores(outcome, first_goal, second_goal))
                assert probabilities == pytest.approx([float(index == result) for index in range(4)], abs=1e-15)


@pytest.mark.parametrize("seed", range(3))
def test_result_probabilities_are_the_value_for_any_outcome_values(seed: int) -> None:
    tree = game_tree()
    random = np.random.default_rng(seed)
    distribution = leaf_distribution(tree, naive.random_strategy(tree, seed, 0.4))
    probabilities = result_probabilities(distribution)
    assert sum(probabilities) == pytest.approx(1.0, abs=1e-13)
    assert min(probabilities) >= 0.0
    values = OutcomeValues(*random.uniform(-1.0, 1.0, 4).tolist())
    game = tic_tac_toe_round(tree, values)
    expected = sum(chance * value for chance, value in zip(probabilities, values, strict=True))
    assert expected == pytest.approx(expected_value(game, distribution), abs=1e-13)


def test_the_bonus_is_ignored() -> None:
    tree = game_tree()
    strategy = naive.random_strategy(tree, 8)
    plain = exploitability(tic_tac_toe_round(tree, GENERIC_VALUES), strategy)
    assert exploitability(tic_tac_toe_round(tree, GENERIC_VALUES, with_bonus=True), strategy) == plain


def test_one_workspace_serves_again_and_again() -> None:
    """What an evaluation leaves in the scratch buffers means nothing to the next one."""
    game = tic_tac_toe_round(game_tree(), GENERIC_VALUES)
    tree = game.tree
    work = make_workspace(tree.num_nodes, tree.num_decision_nodes)
    for seed, share_of_zeros in ((1, 0.0), (2, 0.9), (3, 0.3)):
        strategy = padded(tree, naive.random_strategy(tree, seed, share_of_zeros))
        fresh = exploitability(game, strategy[:, :3].copy())
        assert padded_nash_conv(game, strategy, work) == pytest.approx(fresh.total, abs=1e-15)
        assert padded_best_response_value(game, 1, strategy, work) == pytest.approx(
            fresh.second_gain - fresh.value, abs=1e-15
        )
        distribution = padded_leaf_distribution(tree, strategy, work)
        assert np.array_equal(distribution, leaf_distribution(tree, strategy[:, :3].copy()))


def test_values_of_subtrees_that_are_not_reached_are_zero() -> None:
    """The kernel promises it for every decision node, whatever stood in its output before."""
    num_unreached = 0
    for seed in range(5):
        game = naive.random_game(seed, max_depth=5)
        tree, compiled = game.tree, RoundGame(*game)
        strategy = pure_strategy(game, seed)
        work = make_workspace(tree.num_nodes, tree.num_decision_nodes)
        for player in (0, 1):
            reach = np.ones((tree.num_nodes, 3))
            for node in range(1, tree.num_nodes):
                parent = tree.parent[node]
                reach[node] = reach[parent] * (1.0 if tree.owner[parent] == player else strategy[node])
            unreached = ~reach[tree.decision_nodes].any(axis=1)
            num_unreached += int(unreached.sum())
            values = np.full((tree.num_decision_nodes, 4), np.nan)
            kernels.best_response(compiled.arrays, player, padded(tree, strategy), work, values)
            assert np.all(values[unreached] == 0.0)
            assert np.all(np.isfinite(values))
    assert num_unreached > 20


@pytest.mark.parametrize("player", [-1, 2])
def test_a_player_that_does_not_exist_is_refused(player: int) -> None:
    """Compiled code does not check the index: it would answer with whatever it finds in memory."""
    game = naive.kuhn_game()
    with pytest.raises(ValueError, match=rf"player: {player}"):
        best_response_value(RoundGame(*game), player, naive.uniform_strategy(game.tree))


# --- what is no strategy -----------------------------------------------------------------------------------------


def kuhn_strategy(node: int = 1, own_type: int = 0, value: float = 0.5) -> tuple[PublicTree, naive.Floats]:
    tree = naive.kuhn_game().tree
    strategy = naive.uniform_strategy(tree)
    strategy[node, own_type] = value
    return tree, strategy


def test_a_padded_strategy_is_a_copy_with_a_column_of_zeros() -> None:
    tree, strategy = kuhn_strategy()
    rows = padded(tree, strategy)
    assert rows.shape == (9, 4)
    assert rows.flags.c_contiguous
    assert np.array_equal(rows[:, :3], strategy)
    assert np.all(rows[:, 3] == 0.0)
    rows[:] = 7.0
    assert strategy.max() == 1.0


@pytest.mark.parametrize("shape", [(9, 4), (8, 3), (10, 3), (9,), (3, 9)])
def test_another_shape_is_refused(shape: tuple[int, ...]) -> None:
    tree, _ = kuhn_strategy()
    with pytest.raises(ValueError, match=r"strategy: shape .*, expected \(9, 3\)"):
        padded(tree, np.full(shape, 0.5))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -0.5, 0.5 + 1e-8, 0.5 - 1e-8, 1.5, 0.0])
@pytest.mark.parametrize(("node", "own_type"), [(1, 0), (2, 2), (6, 1), (8, 2)])
def test_probabilities_that_are_none_are_refused(node: int, own_type: int, value: float) -> None:
    tree, strategy = kuhn_strategy(node, own_type, value)
    with pytest.raises(ValueError, match="strategy: probabilities"):
        padded(tree, strategy)
    game = RoundGame(*naive.kuhn_game())
    for refusing in (
        lambda: exploitability(game, strategy),
        lambda: best_response_value(game, 0, strategy),
        lambda: leaf_distribution(tree, strategy),
    ):
        with pytest.raises(ValueError, match="strategy: probabilities"):
            refusing()


def test_a_negative_probability_is_refused_where_the_sum_is_right() -> None:
    tree, strategy = kuhn_strategy()
    strategy[1, 0], strategy[2, 0] = -0.25, 1.25
    with pytest.raises(ValueError, match="strategy: probabilities"):
        padded(tree, strategy)


def test_rounding_in_the_sums_is_allowed() -> None:
    tree, strategy = kuhn_strategy(1, 0, 0.5 + 5e-10)
    assert padded(tree, strategy)[1, 0] == 0.5 + 5e-10
