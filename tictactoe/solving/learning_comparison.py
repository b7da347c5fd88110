"""Figures of a solver, to compare with those of a learner: at equal nodes touched, against the same opponents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from threading import Event

from ..algorithms.arrays import FloatArray
from ..algorithms.cfr.solver import CFRSolver
from ..algorithms.cfr.update_rules import UpdateRule
from ..algorithms.game import Game
from ..algorithms.learning.learning_method import LearningFigures
from ..algorithms.learning.tabular_learning import values_against
from ..errors import Interrupted

POINTS_PER_DECADE = 10
"""Judgements for every factor of ten in iterations."""


def solver_figures(
    game: Game, rule: UpdateRule, nodes: int, opponents: Sequence[FloatArray], stop: Event | None = None
) -> list[list[LearningFigures]]:
    """Figures of a rule's average strategy on the way to `nodes` nodes touched: a list per opponent, then a list for
    the strategy against itself.

    The figures' `rounds` count iterations: 1, 2, ..., 10, then ten for every factor of ten. Raises Interrupted when
    `stop` is set.

    >>> from tictactoe import kuhn_poker, update_rule
    >>> (alone,) = solver_figures(kuhn_poker(), update_rule("dcfr"), 500, [])
    >>> [figures.rounds for figures in alone][-2:], alone[-1].nodes >= 500, alone[-1].exploitability < 0.01
    ([60, 80], True, True)
    """
    solver = CFRSolver(game, rule)
    found: list[list[LearningFigures]] = [[] for _ in range(len(opponents) + 1)]
    while solver.num_visits < nodes:
        if stop is not None and stop.is_set():
            raise Interrupted
        solver.run(_next_iteration(solver.iteration) - solver.iteration)
        judged, average = solver.evaluate(current=False), solver.average_strategy()
        for place, opponent in zip(found, [*opponents, average], strict=True):
            values = values_against(game, average, opponent)
            place.append(LearningFigures(solver.iteration, solver.num_visits, *values, judged.average_exploitability))
    return found


def _next_iteration(iteration: int) -> int:
    if iteration < 10:
        return iteration + 1
    exponent = math.floor(POINTS_PER_DECADE * math.log10(iteration))
    later = iteration
    while later <= iteration:
        exponent += 1
        later = round(10.0 ** (exponent / POINTS_PER_DECADE - 1.0)) * 10
    return int(later)
