"""The shipped learners are strategies that the solver learns in so many iterations."""

import runpy
from pathlib import Path

import numpy as np
import pytest

from tictactoe import GameTree, Rules, open_saved
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
