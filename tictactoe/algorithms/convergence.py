"""Comparing algorithms on one game: exploitability against iterations, nodes touched and seconds.

**Nodes touched** are the decision nodes of the public tree that an algorithm's sweeps have visited, both players'
updates added up; the same definition for every algorithm. A visit of a full-width method works on all types of the
mover at once, that of a sampling method on the one type that was drawn, or on all against the opponent's drawn one
(CFRSolver.num_histories counts visits times pairs of types). Subtrees that a sweep skips, because they
contribute nothing or because another move was drawn, are not touched. What measuring touches does not count.

**Seconds** are those of the updates alone. Compiling, evaluating and preparing an evaluation do not count.

**When it is measured**: about ten times for every factor of ten in the unit of the budget. From the tenth iteration on
that is at multiples of ten iterations, where nothing of a sweep is left undone, so that measuring changes nothing.
"""

from __future__ import annotations

import csv
import io
import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from enum import StrEnum
from itertools import groupby
from threading import Event

from ..errors import Interrupted
from .cfr import CFRSolver
from .game import Game
from .update_rules import UpdateRule

POINTS_PER_DECADE = 10

THRESHOLDS = (1e-3, 1e-4, 1e-5, 1e-6)
"""Exploitabilities of the average strategy: a summary tells what it took to get there."""

_LONGEST_STRETCH = 0.2
"""Seconds from one look at the clock, and at requests to stop, to the next."""


class Unit(StrEnum):
    """What an algorithm uses up."""

    ITERATIONS = "iterations"
    NODES = "nodes"
    SECONDS = "seconds"


@dataclass(frozen=True)
class Budget:
    """How long to run: in iterations exactly, otherwise to the first measurement that has used it up.

    Raises ValueError for an amount that is not above 0, or not whole in iterations.
    """

    amount: float
    unit: Unit

    def __post_init__(self) -> None:
        if not 0.0 < self.amount < math.inf:
            raise ValueError(f"amount: {self.amount} is not above 0")
        if self.unit is Unit.ITERATIONS and self.amount != int(self.amount):
            raise ValueError(f"amount: {self.amount} is not a whole number of iterations")


@dataclass(frozen=True)
class Measurement:
    """What a run has used up after an iteration, and how good its strategies were then.

    nodes, seconds: as the module defines them. The exploitabilities are NashConv of the average and of the current
    strategies; value is that of the average strategies to the first mover. All three in the unit of the payoffs.
    """

    iteration: int
    nodes: int
    seconds: float
    average_exploitability: float
    current_exploitability: float
    value: float


@dataclass(frozen=True)
class Run:
    """One run of an algorithm. seed: of a sampling algorithm's random numbers; None where nothing is drawn."""

    algorithm: str
    seed: int | None
    measurements: tuple[Measurement, ...]


RunObserver = Callable[[str, int | None, Measurement], None]
"""Is told the algorithm, the seed and every measurement as it is made."""


def compare_algorithms(
    game: Game,
    rules: Sequence[UpdateRule],
    budget: Budget,
    *,
    num_seeds: int = 5,
    observer: RunObserver | None = None,
    stop: Event | None = None,
) -> Iterator[Run]:
    """The runs of all rules, each yielded as it ends: one of a full-width rule, of a sampling one with seeds 0, 1, ...

    Raises Interrupted, without the run in progress, once `stop` is set.

    >>> from tictactoe import compare_algorithms, kuhn_poker, update_rule
    >>> from tictactoe.algorithms.convergence import Budget, Unit
    >>> runs = compare_algorithms(kuhn_poker(), [update_rule("cfr"), update_rule("dcfr")], Budget(100, Unit.ITERATIONS))
    >>> [(run.algorithm, round(run.measurements[-1].average_exploitability, 3)) for run in runs]
    [('cfr', 0.016), ('dcfr', 0.003)]
    """
    for rule in rules:
        compiling = CFRSolver(game, rule)  # what a run needs; thrown away
        compiling.run(compiling.flush_every)
        compiling.evaluate()
        for seed in range(num_seeds) if rule.samples else (None,):
            yield run_algorithm(game, rule, budget, seed=seed, observer=observer, stop=stop)


def run_algorithm(
    game: Game,
    rule: UpdateRule,
    budget: Budget,
    *,
    seed: int | None = None,
    observer: RunObserver | None = None,
    stop: Event | None = None,
) -> Run:
    """One run, measured on the way and at its end.

    Unless the budget is in seconds, everything in it but the seconds depends on the arguments alone.

    seed: for a sampling rule, 0 by default; ignored by the others, which the run says with None. Raises Interrupted.
    """
    seed = (seed or 0) if rule.samples else None
    meter = _Meter(CFRSolver(game, rule, seed=seed or 0), budget)
    measurements: list[Measurement] = []
    while not measurements or meter.spent < budget.amount:
        meter.run_to(meter.next_target(), stop)
        measurements.append(meter.measure())
        if observer:
            observer(rule.algorithm, seed, measurements[-1])
    # The first iterations are computed more than once, and may have been held up the first time: no measurement took
    # longer than a later one.
    for index in reversed(range(len(measurements) - 1)):
        seconds = min(measurements[index].seconds, measurements[index + 1].seconds)
        measurements[index] = replace(measurements[index], seconds=seconds)
    return Run(rule.algorithm, seed, tuple(measurements))


class _Meter:
    """Runs a solver, and says what its updates use up and what they come to."""

    def __init__(self, solver: CFRSolver, budget: Budget) -> None:
        self._solver = solver
        self._flush_every = solver.flush_every
        self._budget = budget
        # An iteration for nothing: the system hands out memory when it is first written to, which takes a while.
        state = solver.state()
        solver.run(1)
        solver.set_state(state)

    @property
    def spent(self) -> float:
        """In the unit of the budget."""
        if self._budget.unit is Unit.ITERATIONS:
            return self._solver.iteration
        return self._solver.num_visits if self._budget.unit is Unit.NODES else self._solver.seconds

    def next_target(self) -> float:
        """The next of ten points per decade, in the unit of the budget; the budget itself when it is that close."""
        spent, amount = self.spent, self._budget.amount
        if spent == 0.0:
            return 0.0  # whatever the first iteration comes to
        exponent = math.floor(POINTS_PER_DECADE * math.log10(spent))
        target = 0.0
        while target <= spent * (1.0 + 1e-9):
            exponent += 1
            target = 10.0 ** (exponent / POINTS_PER_DECADE)
            if self._budget.unit is Unit.ITERATIONS:
                step = self._flush_every if target >= self._flush_every else 1
                target = step * round(target / step)
        return amount if target > 0.95 * amount else target

    def run_to(self, target: float, stop: Event | None) -> None:
        """Run, at least an iteration, until the target in the unit of the budget is reached.

        Raises Interrupted once `stop` is set.
        """
        while self._solver.iteration == 0 or self.spent < target:
            if stop is not None and stop.is_set():
                raise Interrupted
            self._solver.run(self._next_stop(target) - self._solver.iteration)

    def measure(self) -> Measurement:
        """What the run has come to here."""
        solver, found = self._solver, self._solver.evaluate()
        exploitabilities = found.average_exploitability, found.current_exploitability
        return Measurement(solver.iteration, solver.num_visits, solver.seconds, *exploitabilities, found.value)

    def _next_stop(self, target: float) -> int:
        """The iteration to run to on the way to the target: rather too early than too late."""
        iteration, spent = self._solver.iteration, self.spent
        if iteration == 0:
            return 1
        # Later iterations may come to more than those before them: not the whole way in one go.
        share = 1.0 if self._budget.unit is Unit.ITERATIONS else 0.9
        most = _LONGEST_STRETCH * iteration / max(self._solver.seconds, 1e-9)
        more = min(share * (target - spent) * iteration / spent, most)
        step = self._flush_every if iteration + more >= self._flush_every else 1
        goal = max(int(iteration + more), iteration + 1)
        goal = max(goal // step, iteration // step + 1) * step
        return min(goal, int(self._budget.amount)) if self._budget.unit is Unit.ITERATIONS else goal


@dataclass(frozen=True)
class Reached:
    """What it took until the average strategy's exploitability was first measured at or below a threshold."""

    iterations: float
    nodes: float
    seconds: float


@dataclass(frozen=True)
class Summary:
    """The runs of an algorithm in brief: medians over the seeds, at the end of the runs.

    reached: by threshold; None where fewer than half of the runs got there.
    """

    algorithm: str
    num_runs: int
    iterations: float
    nodes: float
    seconds: float
    average_exploitability: float
    current_exploitability: float
    reached: dict[float, Reached | None]


def summarize(runs: Sequence[Run]) -> list[Summary]:
    """A summary of every algorithm, in the order of the runs; runs of an algorithm stand together."""
    return [_summary(name, list(group)) for name, group in groupby(runs, key=lambda run: run.algorithm)]


def _summary(algorithm: str, runs: list[Run]) -> Summary:
    ends = zip(*(astuple(run.measurements[-1]) for run in runs), strict=True)
    iterations, nodes, seconds, average, current, _ = (float(statistics.median(numbers)) for numbers in ends)
    reached = {threshold: _reached(runs, threshold) for threshold in THRESHOLDS}
    return Summary(algorithm, len(runs), iterations, nodes, seconds, average, current, reached)


def _reached(runs: list[Run], threshold: float) -> Reached | None:
    firsts = []
    for run in runs:
        there = ((m.iteration, m.nodes, m.seconds) for m in run.measurements if m.average_exploitability <= threshold)
        firsts.append(next(there, (math.inf, math.inf, math.inf)))
    # The upper one of two middle runs: a median must be of runs that got there.
    medians = [statistics.median_high(values) for values in zip(*firsts, strict=True)]
    return None if math.inf in medians else Reached(*medians)


CSV_HEADER = "algorithm,seed,iteration,nodes_touched,seconds,average_exploitability,current_exploitability,value"


def as_csv(runs: Sequence[Run]) -> str:
    """A table with CSV_HEADER and a row per measurement, whose fields come in the order of the columns.

    The seed is empty where nothing is drawn, and floats have all their digits.
    """
    text = io.StringIO(f"{CSV_HEADER}\n")
    text.seek(0, io.SEEK_END)
    writer = csv.writer(text, lineterminator="\n")
    for run in runs:
        seed = "" if run.seed is None else run.seed
        writer.writerows([run.algorithm, seed, *astuple(measurement)] for measurement in run.measurements)
    return text.getvalue()
