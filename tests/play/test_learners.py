"""The shipped learners are strategies that the solver learns in so many iterations."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from oracle import naive, small_games
from oracle.lifting import game_tree

from tictactoe import SINGLE_ROUND, GameTree, Rules, open_saved
from tictactoe.play.opponents import MEASURED_RULES
from tictactoe.storage.shipped import shipped_for

SCRIPT = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "train_learners.py"))


@pytest.mark.parametrize("rules", MEASURED_RULES)
@pytest.mark.parametrize(
    "iterations", [pytest.param(n, marks=pytest.mark.slow) if n > 50 else n for n in SCRIPT["ITERATIONS"]]
)
def test_learning_again_gives_the_shipped_learner(iterations: int, rules: str) -> None:
    """To the precision of the file. Rounding gives its remainder to one move."""
    shipped = open_saved(shipped_for(Rules.parse(rules), f"learner-{iterations}") or "").load()
    tree = GameTree.build(Rules.parse(rules))
    again = SCRIPT["learner"](tree, iterations)
    unit = 2.0 ** -SCRIPT["BITS"]
    differences = np.abs(again.average_strategy(tree) - shipped.average_strategy)
    assert differences.max() <= 10 * unit
    assert np.all(shipped.average_strategy == np.round(shipped.average_strategy / unit) * unit)
    assert again.exploitability == pytest.approx(shipped.snapshot.exploitability, abs=1e-4)
    assert again.options == shipped.snapshot.options


def test_a_learner_averages_the_results_of_its_iterations() -> None:
    """By plain recursion, without the uniform strategy of the beginning. Moves of the same worth have no regret."""
    tree, unit = game_tree(), 2.0 ** -SCRIPT["BITS"]
    oracle = naive.NaiveSolver(tree, small_games.round_payoffs(SINGLE_ROUND), small_games.uniform_prior(), "cfr")
    sums = np.zeros((tree.num_nodes, 3))
    for _ in range(2):
        oracle.iteration += 1
        for player in (0, 1):
            oracle._update(player, oracle._sweep(player))
            oracle.regrets[np.abs(oracle.regrets) < 1e-12] = 0.0
            oracle.strategy = naive.average_strategy(tree, np.maximum(oracle.regrets, 0.0))
        reach = tree.own_reach(oracle.strategy)
        sums += np.where((tree.mover == 1)[:, None], reach[1], reach[0])
    found = SCRIPT["learner"](tree, 2).average_strategy(tree)
    assert np.abs(found - naive.average_strategy(tree, sums)).max() <= 10 * unit
    assert np.abs(found - naive.average_strategy(tree, oracle.strategy_sums)).max() > 0.1
