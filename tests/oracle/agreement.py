"""Whether the compiled solver does what the plain recursion of naive.py says, iteration by iteration."""

from collections.abc import Sequence

import numpy as np

from tictactoe import CFRSolver, Game, UpdateRule

from . import naive, small_games


def assert_agree(solver: CFRSolver, oracle: naive.NaiveSolver, strategy_tolerance: float = 1e-12) -> None:
    state = solver.state()
    unit = max(1.0, float(oracle.strategy_sums.max()))  # sums grow like a power of the iteration
    average = naive.average_strategy(oracle.tree, oracle.strategy_sums)
    for name, actual, expected, tolerance in (
        ("regrets", state.regrets, oracle.regrets, 1e-12),
        ("strategy sums", state.strategy_sums / unit, oracle.strategy_sums / unit, 1e-12),
        ("current strategy", state.current_strategy, oracle.strategy, strategy_tolerance),
        ("current strategy", solver.current_strategy(), oracle.strategy, strategy_tolerance),
        ("average strategy", solver.average_strategy(), average, 1e-12),
    ):
        message = f"{name} after {oracle.iteration} iterations"
        np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance, err_msg=message)


def follow(
    solver: CFRSolver, oracle: naive.NaiveSolver, pieces: Sequence[int], tolerance: float = 1e-12, ahead: int = 0
) -> None:
    """Both in the same pieces, compared after each. ahead: iterations of the oracle alone, after a warm start."""
    for piece in (0, *pieces):
        solver.run(piece)
        for _ in range(piece):
            oracle.iterate()
        assert_agree(solver, oracle, tolerance)
    assert solver.iteration + ahead == oracle.iteration


def assert_agree_on_small_games(rule: UpdateRule, plain: str | naive.PlainRule) -> None:
    """The first iterations of a full-width rule, alternating and not, on Kuhn poker and four random games. plain: the
    same rule as naive.py has it; one of its own by name, with the parameters of `rule`."""
    kuhn = small_games.without_ties(small_games.kuhn_game()), (1, 1, 1, 4, 9, 14)
    parameters = rule.parameters if isinstance(plain, str) else {}
    for alternate in (True, False):
        for game, pieces in (kuhn, *((small_games.random_game(seed), (1, 1, 1, 3, 6)) for seed in range(4))):
            oracle = naive.NaiveSolver(*game, plain, alternate, **parameters)
            follow(CFRSolver(Game(*game), rule, alternate_updates=alternate), oracle, pieces)
