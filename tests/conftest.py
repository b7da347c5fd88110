"""Compiles the kernels once, before every worker and every program that it starts would do so for itself; and trees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest import mock

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


@pytest.fixture(scope="session", autouse=True)
def _trees_built_once() -> Iterator[None]:
    """A tree cannot be changed, and is wanted hundreds of times: one of a kind will do for all tests of a worker."""
    from tictactoe.board import END_RULES
    from tictactoe.tree import DEFAULT_END_RULE, GameTree

    build = GameTree.build
    trees: dict[Any, GameTree] = {}

    def build_once(
        end_rule: str = DEFAULT_END_RULE, *, merge_symmetric: bool = True, cut_forced: bool = True
    ) -> GameTree:
        kind = end_rule, END_RULES.get(end_rule), merge_symmetric, cut_forced
        if kind not in trees:
            trees[kind] = build(end_rule, merge_symmetric=merge_symmetric, cut_forced=cut_forced)
        return trees[kind]

    with mock.patch.object(GameTree, "build", build_once):
        yield
