"""Compiles the kernels once, before every worker and every program that it starts would do so for itself."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput") or not getattr(config.option, "numprocesses", None):
        return
    from tictactoe.cfr import RoundSolver
    from tictactoe.game import tic_tac_toe_round
    from tictactoe.match import SINGLE_ROUND
    from tictactoe.response import best_response
    from tictactoe.rules import update_rule
    from tictactoe.tree import GameTree

    game = tic_tac_toe_round(GameTree.build(), SINGLE_ROUND)
    solver = RoundSolver(game, update_rule("dcfr"))
    solver.run(1)
    solver.evaluate()
    best_response(game, 0, solver.average_strategy())
