"""The kernels as plain Python: NUMBA_DISABLE_JIT=1 gives the numbers of the compiled ones."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from oracle import naive, small_games

from tictactoe import CFRSolver, kuhn_poker
from tictactoe.algorithms import kernels
from tictactoe.algorithms.arrays import SweepState, make_workspace
from tictactoe.algorithms.cfr.update_rules import FULL_WIDTH_ALGORITHMS, update_rule
from tictactoe.algorithms.game import Game
from tictactoe.algorithms.rule_definition import BONUS_EPSILON

NUM_ITERATIONS = 8


def games() -> dict[str, naive.NaiveGame]:
    return {
        "kuhn": small_games.without_ties(small_games.kuhn_game()),
        **{f"random {seed}": small_games.random_game(seed, max_depth=3) for seed in (1, 4)},
    }


def results() -> dict[str, naive.Floats]:
    """By name, the arrays that the kernels fill for some small games; the same in any process."""
    found: dict[str, naive.Floats] = {}
    for name, game in games().items():
        tree = game.tree
        bonus = np.random.default_rng(5).uniform(-1.0, 1.0, tree.num_nodes)
        compiled = Game(*game, bonus)
        size = tree.num_nodes, tree.num_decision_nodes
        for algorithm in FULL_WIDTH_ALGORITHMS:
            for alternate in (True, False):
                work = make_workspace(*size)
                rows = np.zeros((3, tree.num_nodes, 4))
                state = SweepState(rows[0], rows[1], rows[2], np.zeros((2, tree.num_decision_nodes), np.int8))
                kernels.normalise_sums(tree.sweep_arrays, state.strategy_sums, state.strategy)
                coefficients = update_rule(algorithm).coefficients(1, NUM_ITERATIONS)
                coefficients[:, BONUS_EPSILON] = 0.01
                visits = kernels.run_iterations(compiled.arrays, coefficients, alternate, state, work)
                assert np.all(work.mass == 0.0)
                average = np.zeros((tree.num_nodes, 4))
                kernels.normalise_sums(tree.sweep_arrays, state.strategy_sums, average)
                values = np.zeros((2, tree.num_decision_nodes, 4))
                for player in (0, 1):
                    kernels.best_response(compiled.arrays, player, average, work, values[player])
                distribution = np.zeros((int(tree.leaf_class.max()) + 1, 3, 4))
                kernels.leaf_distribution(tree.sweep_arrays, average, work, distribution)
                sums = state.strategy_sums / float(np.abs(state.strategy_sums).max())
                arrays = state.regrets, sums, state.strategy, state.skippable, np.array([visits])
                run = f"{name}, {algorithm}, {'alternating' if alternate else 'simultaneous'}"
                for number, array in enumerate((*arrays, average, values, distribution)):
                    found[f"{run}: array {number}"] = array.astype(float)
    return found


def sampled_results() -> dict[str, naive.Floats]:
    """After a few iterations whose draws wrap around 64 bits."""
    solver = CFRSolver(kuhn_poker(), update_rule("es-mccfr"), seed=3)
    solver.run(5)
    return {"sampled: regrets": solver.state().regrets, "sampled: sums": solver.state().strategy_sums}


def test_interpreted_kernels_agree_with_compiled_ones(tmp_path: Path) -> None:
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        pytest.fail("run the suite with the JIT on: this test compares both")
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(Path(__file__).parents[1])}
    command = [sys.executable, __file__, str(tmp_path / "results.npz")]
    process = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert process.returncode == 0, process.stderr
    assert (process.stdout.strip(), process.stderr) == ("interpreted", "")
    compiled = results()
    sampled = sampled_results()
    with np.load(tmp_path / "results.npz") as interpreted:
        assert sorted(interpreted.files) == sorted({**compiled, **sampled})
        for name, expected in sampled.items():
            np.testing.assert_array_equal(interpreted[name], expected, err_msg=name)
        assert len(compiled) == 3 * len(FULL_WIDTH_ALGORITHMS) * 2 * 8
        for name, expected in compiled.items():
            np.testing.assert_allclose(interpreted[name], expected, rtol=0, atol=1e-13, err_msg=name)


if __name__ == "__main__":
    np.savez(sys.argv[1], **results(), **sampled_results())  # type: ignore[arg-type]
    print("compiled" if hasattr(kernels.run_iterations, "py_func") else "interpreted")
