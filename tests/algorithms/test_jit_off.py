"""The kernels as plain Python: NUMBA_DISABLE_JIT=1 gives the numbers of the compiled ones."""

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from oracle import small_games
from oracle.naive import Floats

from tictactoe import ALGORITHMS, BonusSchedule, CFRSolver, Game, best_responses, update_rule
from tictactoe.algorithms import kernels
from tictactoe.algorithms.best_response import leaf_distribution


def results() -> dict[str, Floats]:
    """By name, arrays that every kernel has filled for some small games; the same in any process. The draws of es-mccfr
    wrap around 64 bits; in Kuhn poker regrets and strategy sums have the same bits."""
    filled: dict[str, Floats] = {}
    games = (small_games.without_ties(small_games.kuhn_game()), *(small_games.random_game(seed, 3) for seed in (1, 4)))
    for (number, game), algorithm, alternate in product(enumerate(games), ALGORITHMS, (True, False)):
        rule, bonus = update_rule(algorithm), np.random.default_rng(5).uniform(-1.0, 1.0, game.tree.num_nodes)
        if rule.samples and (number > 0 or not alternate):
            continue
        game = small_games.kuhn_game() if rule.samples else game
        schedule = BonusSchedule(0.0 if rule.samples else 0.01)
        solver = CFRSolver(Game(*game, bonus), rule, alternate_updates=alternate, seed=3, bonus_schedule=schedule)
        solver.run(8)
        state, average = solver.state(), solver.average_strategy()
        sums = state.strategy_sums / float(np.abs(state.strategy_sums).max())
        judged = best_responses(Game(*game), average)
        arrays = state.regrets, sums, state.current_strategy, state.skippable, np.array([solver.num_visits])
        answers = judged.strategy, np.array(judged.values), leaf_distribution(game.tree, average)
        for place, array in enumerate((*arrays, average, *answers)):
            filled[f"game {number}, {algorithm}, alternating {alternate}: array {place}"] = array.astype(float)
    return filled


@pytest.mark.slow
def test_interpreted_kernels_agree_with_compiled_ones(tmp_path: Path) -> None:
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        pytest.fail("run the suite with the JIT on: this test compares both")
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(Path(__file__).parents[1])}
    command = [sys.executable, __file__, str(tmp_path / "results.npz")]
    process = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert process.returncode == 0, process.stderr
    assert (process.stdout.strip(), process.stderr) == ("interpreted", "")
    compiled = results()
    with np.load(tmp_path / "results.npz") as interpreted:
        assert sorted(interpreted.files) == sorted(compiled)
        for name, expected in compiled.items():
            tolerance = 0.0 if "es-mccfr" in name and name.endswith(("array 0", "array 1")) else 1e-13
            np.testing.assert_allclose(interpreted[name], expected, rtol=0, atol=tolerance, err_msg=name)


if __name__ == "__main__":
    np.savez(sys.argv[1], **results())  # type: ignore[arg-type]
    print("compiled" if hasattr(kernels.run_iterations, "py_func") else "interpreted")
