"""External sampling: its draws, its means, and what it reaches. Every random number has a fixed seed."""

from __future__ import annotations

from functools import cache

import naive
import numpy as np
import pytest
from lifting import game_tree
from numpy.typing import NDArray

from tictactoe import kernels
from tictactoe.arrays import SolverState, Workspace, make_workspace
from tictactoe.cfr import RoundSolver, RoundState
from tictactoe.game import RoundGame, tic_tac_toe_round
from tictactoe.match import SINGLE_ROUND
from tictactoe.options import SmallMoves
from tictactoe.response import exploitability
from tictactoe.rules import update_rule

MASK = 2**64 - 1
SAMPLED = update_rule("es-mccfr")
PLAIN = update_rule("cfr")


def mixed(bits: int) -> int:
    """SplitMix64's finaliser with Python's integers."""
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB & MASK
    return bits ^ (bits >> 31)


def draw(key: int, number: int) -> float:
    return (mixed((key + (number + 1) * 0x9E3779B97F4A7C15) & MASK) >> 11) * 2.0**-53


def sampler(game: naive.Game, solver: RoundSolver) -> naive.NaiveSampler:
    """The oracle that draws what the solver, which has not begun, is going to draw."""
    keys = solver._keys(1000).tolist()
    return naive.NaiveSampler(game, lambda iteration, player, number: draw(keys[iteration][player], number))


# --- draws ---------------------------------------------------------------------------------------------------------


def test_draws_are_spread_evenly() -> None:
    keys = RoundSolver(RoundGame(*naive.kuhn_game()), SAMPLED, seed=4)._keys(2000)
    numbers = np.array([draw(key, number) for key in keys.ravel().tolist() for number in (-1, 0, 7)])
    assert 0.0 <= numbers.min() < numbers.max() < 1.0
    counts, _ = np.histogram(numbers, 20, (0.0, 1.0))
    expected = len(numbers) / 20
    assert float(((counts - expected) ** 2).sum()) / expected < 43.8  # chi-squared, 19 degrees: 1 in 1,000
    columns = numbers.reshape(-1, 3)
    assert np.abs(np.corrcoef(columns.T) - np.eye(3)).max() < 0.06  # 4,000 rows: standard deviation 0.016


def test_types_are_drawn_with_the_prior() -> None:
    """Correlated as they are, and never the impossible ones: in Kuhn poker nobody has the other's card."""
    game = RoundGame(*naive.kuhn_game())
    for player in (0, 1):
        counts = np.zeros((3, 3))
        for key in np.random.default_rng(player).integers(0, 2**64, 6000, np.uint64):
            own, other = kernels.draw_types(game.arrays.prior[player], key)
            counts[own, other] += 1
        assert np.all(np.diag(counts) == 0)
        off = counts[~np.eye(3, dtype=bool)]
        assert float(((off - 1000) ** 2).sum()) / 1000 < 20.5  # chi-squared, 5 degrees: 1 in 1,000


def test_one_move_is_drawn_at_every_node_of_the_opponent_that_comes_up() -> None:
    tree = game_tree()
    strategy = np.zeros((tree.num_nodes, 4))
    strategy[:, :3] = naive.random_strategy(tree, 3, share_of_zeros=0.5)
    work = make_workspace(tree.num_nodes, tree.num_decision_nodes)
    sampled = np.full((tree.num_nodes, 4), 7.0)
    kernels.draw_moves(tree.sweep_arrays, 0, 2, strategy, np.uint64(99), work, sampled)
    comes_up, stack = set(), [0]
    while stack:
        node = stack.pop()
        comes_up.add(node)
        for child in tree.children(node):
            if tree.owner[node] == 0 or sampled[child, 2] == 1.0:
                stack.append(child)
    for node in tree.decision_nodes.tolist():
        rows = sampled[list(tree.children(node))]
        if tree.owner[node] == 0 or node not in comes_up:
            assert np.all(rows == 7.0)
        else:
            assert rows.sum() == 1.0
            chosen = list(tree.children(node))[int(rows[:, 2].argmax())]
            assert strategy[chosen, 2] > 0.0


# --- against the oracle ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_the_first_iterations_follow_the_oracle(seed: int) -> None:
    game = naive.kuhn_game() if seed == 0 else naive.random_game(seed)
    solver = RoundSolver(RoundGame(*game), SAMPLED, seed=seed)
    oracle = sampler(game, solver)
    for pieces in (1, 1, 3, 20, 100):
        solver.run(pieces)
        for _ in range(pieces):
            oracle.iterate()
        state = solver.state()
        np.testing.assert_allclose(state.regrets, oracle.regrets, rtol=0, atol=1e-12)
        np.testing.assert_allclose(state.current_strategy, oracle.strategy, rtol=0, atol=1e-9)
        np.testing.assert_allclose(state.strategy_sums, oracle.strategy_sums, rtol=0, atol=1e-9)


def sampled_gains(game: RoundGame, strategy: naive.Floats, keys: NDArray[np.uint64]) -> naive.Floats:
    """(len(keys), 2, num_nodes, 3): the regrets of single iterations, each from the given strategy of both players.

    Regrets so large that no iteration changes the strategy are put in before, so that both sweeps see it.
    """
    tree, size = game.tree, 1e6
    result = np.zeros((len(keys), tree.num_nodes, 3))
    work = make_workspace(tree.num_nodes, tree.num_decision_nodes)
    start = np.zeros((tree.num_nodes, 4))
    start[:, :3] = strategy * size
    start[0] = 0.0
    padded = np.zeros((tree.num_nodes, 4))
    padded[:, :3] = strategy
    for row, key in enumerate(keys):
        state = SolverState(
            start.copy(), np.zeros_like(start), padded.copy(), np.ones((2, tree.num_decision_nodes), np.int8)
        )
        kernels.run_sampled_iterations(game.arrays, SAMPLED.coefficients(1, 1), key.reshape(1, 2), state, work)
        result[row] = state.regrets[:, :3] - start[:, :3]
    return result


def exact_gains(game: RoundGame, strategy: naive.Floats) -> naive.Floats:
    """(num_nodes, 3): the regrets of one full-width iteration from the same strategy."""
    oracle = naive.NaiveSolver(game.tree, game.payoffs, game.prior, "cfr", alternate=False)
    oracle.strategy = strategy
    oracle.iterate()
    return oracle.regrets


@pytest.mark.parametrize("name", ["kuhn", "random 3", "random 5"])
def test_sampled_regrets_have_the_exact_ones_as_their_mean(name: str) -> None:
    """Within 4.5 standard errors at every edge and type, and not by being 0."""
    naive_game = naive.kuhn_game() if name == "kuhn" else naive.random_game(int(name[-1]))
    game = RoundGame(*naive_game)
    strategy = naive.random_strategy(game.tree, 8)
    gains = sampled_gains(game, strategy, np.random.default_rng(1).integers(0, 2**64, (4000, 2), np.uint64))
    mean, error = gains.mean(axis=0), gains.std(axis=0, ddof=1) / np.sqrt(len(gains))
    exact = exact_gains(game, strategy)
    np.testing.assert_array_less(np.abs(mean - exact), 4.5 * error + 1e-9)
    assert np.abs(exact).max() > 10 * error[np.unravel_index(np.abs(exact).argmax(), exact.shape)]


# --- runs ----------------------------------------------------------------------------------------------------------


def round_solver(seed: int = 0) -> RoundSolver:
    return RoundSolver(tic_tac_toe_round(game_tree(), SINGLE_ROUND), SAMPLED, seed=seed)


def bits(state: RoundState) -> list[bytes]:
    return [state.regrets.tobytes(), state.strategy_sums.tobytes(), state.current_strategy.tobytes(),
            state.settled.tobytes()]  # fmt: skip


@cache
def states() -> list[list[bytes]]:
    """After 700 iterations with seeds 1, 1, 2; the second in pieces, with a stop and another solver in between."""
    first, second, third = round_solver(1), round_solver(1), round_solver(2)
    first.run(700)
    for piece in (1, 99, 150, 30):
        second.run(piece)
    resumed = round_solver(1)
    resumed.iteration = second.resumable_state().iteration
    resumed.set_state(second.resumable_state())
    resumed.run(700 - resumed.iteration)
    third.run(700)
    return [bits(solver.state()) for solver in (first, resumed, third)]


def test_a_seed_gives_the_same_bits_however_the_run_is_cut() -> None:
    assert states()[0] == states()[1]


def test_another_seed_gives_others() -> None:
    assert states()[0] != states()[2]


def test_exploitability_falls_with_the_iterations() -> None:
    medians = []
    solvers = [round_solver(seed) for seed in range(5)]
    for end in (100, 1000, 10_000):
        for solver in solvers:
            solver.run(end - solver.iteration)
        medians.append(float(np.median([solver.evaluate().average_exploitability for solver in solvers])))
    assert medians[1] < 0.9 * medians[0]
    assert medians[2] < 0.4 * medians[1]


def test_kuhn_poker_and_the_round_come_close_to_their_values() -> None:
    kuhn = RoundSolver(RoundGame(*naive.kuhn_game()), SAMPLED, seed=1)
    kuhn.run(20_000)
    assert exploitability(kuhn.game, kuhn.average_strategy()).total < 0.02
    assert kuhn.evaluate().value == pytest.approx(-1 / 18, abs=0.01)
    solver = round_solver(3)
    solver.run(40_000)
    evaluation = solver.evaluate()
    assert evaluation.average_exploitability < 0.1
    assert evaluation.value == pytest.approx(-1 / 9, abs=0.02)


def test_a_sampled_iteration_touches_little() -> None:
    sampled, full = round_solver(), RoundSolver(tic_tac_toe_round(game_tree(), SINGLE_ROUND), PLAIN)
    sampled.run(100)
    full.run(100)
    assert 100 < sampled.num_visits < full.num_visits / 10


def test_what_sampling_cannot_do_is_refused() -> None:
    game = tic_tac_toe_round(game_tree(), SINGLE_ROUND)
    with pytest.raises(ValueError, match="alternate_updates"):
        RoundSolver(game, SAMPLED, alternate_updates=False)
    with pytest.raises(ValueError, match="small_moves"):
        RoundSolver(game, SAMPLED, small_moves=SmallMoves(0.1))


def test_the_workspace_is_left_clean() -> None:
    game = tic_tac_toe_round(game_tree(), SINGLE_ROUND)
    work: Workspace = make_workspace(game.tree.num_nodes, game.tree.num_decision_nodes)
    rows = np.zeros((3, game.tree.num_nodes, 4))
    state = SolverState(rows[0], rows[1], rows[2], np.ones((2, game.tree.num_decision_nodes), np.int8))
    kernels.normalise_sums(game.tree.sweep_arrays, state.strategy_sums, state.strategy)
    keys = np.arange(20, dtype=np.uint64).reshape(10, 2)
    kernels.run_sampled_iterations(game.arrays, SAMPLED.coefficients(1, 10), keys, state, work)
    assert np.all(work.mass == 0.0)
    assert np.all(state.regrets[:, 3] == 0.0)
    assert np.all(state.strategy_sums[:, 3] == 0.0)
