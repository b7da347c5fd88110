"""The one place where tests call comparisons of algorithms, and runs without what differs from run to run."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from tictactoe import Budget, Game, RunControl, Unit, compare_algorithms, kuhn_poker, planned_trials
from tictactoe.algorithms.measured_run import Run

KUHN = kuhn_poker()


def compared(contenders: Sequence[Any], iterations: float = 30, game: Game = KUHN, **options: Any) -> Iterator[Run]:
    """The runs of a comparison. num_...: for `planned_trials`; known, keep: for the comparison; others: its control."""
    numbers = {name: options.pop(name) for name in list(options) if name.startswith("num_")}
    kept = {name: options.pop(name) for name in ("known", "keep") if name in options}
    budget, trials = Budget(iterations, Unit.ITERATIONS), planned_trials(contenders, **numbers)
    return compare_algorithms(game, trials, budget, **kept, control=RunControl(**options))


def without_seconds(each: Run) -> Run:
    return replace(each, measurements=tuple(replace(m, seconds=0.0) for m in each.measurements))
