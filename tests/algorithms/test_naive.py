"""The oracle itself: two iterations by hand, best response against an evaluation level by level."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import naive, small_games
from oracle.lifting import LevelEvaluator

# A game small enough to follow by hand. Player 0 goes left (node 1, all over for 0) or right (node 2), where player 1
# goes left (node 3) or right (node 4). Types 2 never happen; type 1 of player 0 only meets type 1 of player 1.
HAND_TREE = small_games.leaf_or_reply(0.0, 0.0, 0.0).tree
HAND_PAYOFFS = np.zeros((3, 3, 3))
HAND_PAYOFFS[1:, :2, :2] = [[2.0, -1.0], [2.0, -1.0]], [[-1.0, 3.0], [-1.0, 0.0]]
HAND_PRIOR = np.array([[1 / 2, 1 / 4, 0.0], [0.0, 1 / 4, 0.0], [0.0, 0.0, 0.0]])


def hand_solver(algorithm: str, alternate: bool = True) -> naive.NaiveSolver:
    return naive.NaiveSolver(HAND_TREE, HAND_PAYOFFS, HAND_PRIOR, algorithm, alternate)


def assert_rows(actual: naive.Floats, expected: dict[int, list[float]]) -> None:
    for node, row in expected.items():
        np.testing.assert_allclose(actual[node], row, rtol=0, atol=1e-14, err_msg=f"node {node}")


def test_iterations_of_cfr_by_hand() -> None:
    solver = hand_solver("cfr")
    solver.iterate()
    # Player 0, against 1/2-1/2: node 3 is worth (1/2)(1/2 * 2 - 1/4) = 3/8 to type 0 and (1/2)(-1/4) = -1/8 to type 1,
    # node 4 is worth (1/2)(-1/2 + 3/4) = 1/8 and 0; node 2 (1/2, -1/8), node 1 nothing, the root (1/4, -1/16).
    # Type 0 now goes right, type 1 left. Player 1 sees that: only player 0's type 0 (and 2) arrives at node 2.
    # Node 3 is worth -2/2 = -1 to its type 0 and +1/4 to its type 1, node 4 is worth 1/2 and -3/4.
    assert_rows(
        solver.regrets,
        {0: [0, 0, 0], 1: [-1 / 4, 1 / 16, 0], 2: [1 / 4, -1 / 16, 0], 3: [-3 / 4, 1 / 2, 0], 4: [3 / 4, -1 / 2, 0]},
    )
    assert_rows(solver.strategy, {1: [0, 1, 1 / 2], 2: [1, 0, 1 / 2], 3: [0, 1, 1 / 2], 4: [1, 0, 1 / 2]})
    assert_rows(solver.strategy_sums, {node: [1 / 2] * 3 for node in (1, 2, 3, 4)})
    solver.iterate()
    # Player 0: node 3 is (-1/4, -1/4), node 4 is (-1/2, 0), node 2 (-3/4, -1/4), node 1 (0, 0), the root (-3/4, 0).
    # Player 0's type 0 now goes right with probability 1/3. Player 1: node 3 is (-1/3, 1/12), node 4 is (1/6, -1/4).
    assert_rows(
        solver.regrets, {1: [1 / 2, 1 / 16, 0], 2: [1 / 4, -5 / 16, 0], 3: [-5 / 4, 1 / 2, 0], 4: [3 / 4, -5 / 6, 0]}
    )
    assert_rows(solver.strategy, {1: [2 / 3, 1, 1 / 2], 2: [1 / 3, 0, 1 / 2], 3: [0, 1, 1 / 2], 4: [1, 0, 1 / 2]})
    assert_rows(
        solver.strategy_sums, {1: [1 / 2, 3 / 2, 1], 2: [3 / 2, 1 / 2, 1], 3: [1 / 2, 3 / 2, 1], 4: [3 / 2, 1 / 2, 1]}
    )
    assert solver.iteration == 2
    solver = hand_solver("cfr", alternate=False)
    solver.iterate()
    # Player 1 sees player 0's old strategy: node 3 is (-1/2, 1/4), node 4 is (1/4, -3/8), node 2 (-1/8, -1/16).
    assert_rows(
        solver.regrets, {1: [-1 / 4, 1 / 16, 0], 2: [1 / 4, -1 / 16, 0], 3: [-3 / 8, 5 / 16, 0], 4: [3 / 8, -5 / 16, 0]}
    )


@settings(max_examples=60, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6))
def test_level_evaluator_agrees_with_recursion(seed: int) -> None:
    tree, payoffs, prior = small_games.random_game(seed, max_depth=5)
    strategy = small_games.random_strategy(tree, seed, share_of_zeros=0.2)
    levels = LevelEvaluator(tree)
    distribution = naive.leaf_distribution(tree, strategy, prior)
    assert distribution.sum() == pytest.approx(1.0, abs=1e-14)
    np.testing.assert_allclose(distribution.sum(axis=0), prior, atol=1e-14)
    np.testing.assert_allclose(levels.leaf_distribution(strategy, prior), distribution, atol=1e-14)
    value = naive.expected_value(tree, strategy, payoffs, prior)
    assert levels.expected_value(strategy, payoffs, prior) == pytest.approx(value, abs=1e-13)
    for player, own_value in ((0, value), (1, -value)):
        best = naive.best_response_value(tree, strategy, payoffs, prior, player)
        assert levels.best_response_value(strategy, payoffs, prior, player) == pytest.approx(best, abs=1e-13)
        assert best >= own_value - 1e-13
