"""Best response, exploitability and the distribution of results against the plain recursion of naive.py."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import naive, small_games
from oracle.lifting import LevelEvaluator, game_tree, naive_round
from support.slowness import slow

from tictactoe import Game, PublicTree, best_response_value, exploitability
from tictactoe.algorithms import best_response, kernels
from tictactoe.algorithms.arrays import TYPES, make_workspace, zero_rows
from tictactoe.algorithms.best_response import as_rows, best_responses, leaf_distribution
from tictactoe.algorithms.strategy import best_response_values


def assert_agrees_with_the_oracle(game: naive.NaiveGame, strategy: naive.Floats, tolerance: float = 1e-13) -> None:
    tree, payoffs, prior = game
    compiled = Game(*game)
    value = naive.expected_value(tree, strategy, payoffs, prior)
    best = [naive.best_response_value(tree, strategy, payoffs, prior, player) for player in (0, 1)]
    found = best_responses(compiled, strategy)
    for player, sign in ((0, 1.0), (1, -1.0)):
        right = pytest.approx(best[player], abs=tolerance)
        assert best_response_value(compiled, player, strategy) == found.values[player] == right
        assert (found.by_types[player] * prior).sum() == right
        response = best_response.best_response(compiled, player, strategy).strategy
        assert sign * naive.expected_value(tree, response, payoffs, prior) == right
        own = tree.mover == player
        np.testing.assert_array_equal(found.strategy[own], response[own])
    assert (found.value, found.exploitability) == pytest.approx((value, sum(best)), abs=tolerance)
    result = exploitability(compiled, strategy)
    assert result.value == pytest.approx(value, abs=tolerance)
    assert result.first_gain == pytest.approx(best[0] - value, abs=tolerance)
    assert result.second_gain == pytest.approx(best[1] + value, abs=tolerance)
    assert result.total == pytest.approx(sum(best), abs=tolerance)
    assert min(result.first_gain, result.second_gain) > -tolerance
    distribution = leaf_distribution(tree, strategy)
    expected = naive.leaf_distribution(tree, strategy, prior)
    assert distribution.shape == expected.shape
    np.testing.assert_allclose(distribution * prior, expected, rtol=0, atol=tolerance)
    np.testing.assert_allclose(distribution.sum(axis=0), np.ones((3, 3)), rtol=0, atol=tolerance)
    assert best_response.expected_value(compiled, distribution) == pytest.approx(value, abs=tolerance)


@settings(max_examples=80, deadline=None, derandomize=True, database=None)
@given(
    seed=st.integers(0, 10**6),
    zeros=st.sampled_from([None, 0.0, 0.2, 0.5, 0.8, 1.0]),
    num_classes=st.sampled_from([2, 100]),
)
def test_random_games(seed: int, zeros: float | None, num_classes: int) -> None:
    game = small_games.random_game(seed, max_depth=5, num_classes=num_classes)
    pure = small_games.pure_strategy(game.tree, seed, by_type=False)
    strategy = pure if zeros is None else small_games.random_strategy(game.tree, seed, zeros)
    assert_agrees_with_the_oracle(game, strategy)


@pytest.mark.parametrize("player", [0, 1])
def test_values_at_every_node(player: int) -> None:
    for seed in range(10):
        game = small_games.random_game(seed)
        strategy = small_games.random_strategy(game.tree, seed, share_of_zeros=0.3)
        values = best_response_values(game.tree, player, strategy, game.payoffs, game.prior)
        for node in range(game.tree.num_nodes):
            reach = game.tree.own_reach(strategy)[1 - player, node]
            expected = naive.best_values(game, strategy, player, node, reach)
            assert values[node] == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("share_of_zeros", slow(0.0, 0.3, 0.7, 1.0))
def test_the_round_agrees_with_the_oracle(share_of_zeros: float) -> None:
    assert_agrees_with_the_oracle(naive_round(), small_games.random_strategy(game_tree(), 5, share_of_zeros))


def test_values_of_subtrees_that_are_not_reached_are_zero() -> None:
    """The kernel promises it for every decision node, whatever stood in its output before."""
    num_unreached = 0
    for seed in range(5):
        game = small_games.random_game(seed, max_depth=5)
        tree, compiled = game.tree, Game(*game)
        strategy = small_games.pure_strategy(game.tree, seed, by_type=False)
        work = make_workspace(tree.sweep_arrays)
        for player in (0, 1):
            reach = LevelEvaluator(tree).reach(strategy, 1 - player)
            unreached = ~reach[tree.decision_nodes].any(axis=1)
            num_unreached += int(unreached.sum())
            rows, no_moves = zero_rows(tree.num_decision_nodes, 3), zero_rows(0, 3)
            values = rows[TYPES]
            values[:] = np.nan
            kernels.best_response(compiled.arrays, player, as_rows(tree, strategy), work, rows, no_moves)
            assert np.all(values[unreached] == 0.0)
            assert np.all(np.isfinite(values))
    assert num_unreached > 20


def test_a_best_response_makes_the_first_of_equally_good_moves() -> None:
    tree, payoffs, prior = small_games.kuhn_game()
    nothing_at_stake = Game(tree, np.zeros_like(payoffs), prior)
    for player in (0, 1):
        response = best_response.best_response(nothing_at_stake, player, naive.uniform_strategy(tree)).strategy
        assert np.all(response[tree.first_child[tree.owner == player]] == 1.0)


def test_a_player_that_does_not_exist_is_refused() -> None:
    """Compiled code does not check the index: it would answer with whatever it finds in memory."""
    game = small_games.kuhn_game()
    for player in (-1, 2):
        with pytest.raises(ValueError, match=rf"player: {player}"):
            best_response_value(Game(*game), player, naive.uniform_strategy(game.tree))


def kuhn_strategy(node: int = 1, own_type: int = 0, value: float = 0.5) -> tuple[PublicTree, naive.Floats]:
    tree = small_games.kuhn_game().tree
    strategy = naive.uniform_strategy(tree)
    strategy[node, own_type] = value
    return tree, strategy


def test_a_strategy_in_rows_is_a_copy_that_fills_registers() -> None:
    tree, strategy = kuhn_strategy(1, 0, 0.5 + 5e-10)  # rounding in the sums is allowed
    rows = as_rows(tree, strategy)
    assert (rows.shape, rows.itemsize, rows.flags.c_contiguous) == ((9,), 32, True)
    assert np.array_equal(rows[TYPES], strategy)
    assert np.all(np.frombuffer(rows.tobytes()).reshape(9, 4)[:, 3] == 0.0)
    rows[TYPES] = 7.0
    assert strategy.max() == 1.0
    for shape in ((9, 4), (8, 3), (10, 3), (9,), (3, 9)):
        with pytest.raises(ValueError, match=r"strategy: shape .*, expected \(9, 3\)"):
            as_rows(tree, np.full(shape, 0.5))
    strategy[1, 0], strategy[2, 0] = -0.25, 1.25  # the sum is right
    with pytest.raises(ValueError, match=r"^strategy: node 0, type 0: move 1 has the probability -0.25$"):
        as_rows(tree, strategy)


@pytest.mark.parametrize(("node", "own_type", "decision"), [(1, 0, 0), (2, 2, 0), (6, 1, 4), (8, 2, 2)])
def test_probabilities_that_are_refused(node: int, own_type: int, decision: int) -> None:
    game, move = Game(*small_games.kuhn_game()), 1 if node == 1 else 2
    for value in (np.nan, np.inf, -np.inf, -0.5, 0.5 + 1e-8, 0.5 - 1e-8, 1.5, 0.0):
        tree, strategy = kuhn_strategy(node, own_type, value)
        is_probability = 0.0 <= value < np.inf
        problem = "the probabilities sum to .*" if is_probability else rf"move {move} has the probability {value}"
        evaluating = partial(exploitability, game), partial(best_response_value, game, 0)
        for refusing in (partial(as_rows, tree), partial(leaf_distribution, tree), *evaluating):
            with pytest.raises(ValueError, match=rf"^strategy: node {decision}, type {own_type}: {problem}"):
                refusing(strategy)
