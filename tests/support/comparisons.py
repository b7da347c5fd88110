"""The one place where tests call comparisons of algorithms, and runs without what differs from run to run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from tictactoe.algorithms.comparing.convergence import compare_algorithms
from tictactoe.algorithms.comparing.measured_run import Budget, Run, Unit
from tictactoe.algorithms.game import Game
from tictactoe.games.kuhn import kuhn_poker

KUHN = kuhn_poker()


def compared(contenders: Sequence[Any], iterations: float = 30, game: Game = KUHN, **options: Any) -> Iterator[Run]:
    """The runs of a comparison; `options` are those of compare_algorithms."""
    return compare_algorithms(game, contenders, Budget(iterations, Unit.ITERATIONS), **options)


def without_seconds(each: Run) -> Run:
    return replace(each, measurements=tuple(replace(m, seconds=0.0) for m in each.measurements))
