"""Comparison of algorithms on one game: runs of all contenders, convergence logs, summaries, and tables as CSV."""

from __future__ import annotations

import csv
import io
import math
import statistics
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from dataclasses import astuple, dataclass
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Any

import numpy as np

from ..checked_numbers import whole_number
from ..errors import Interrupted
from ..run_control import DEFAULT_CONTROL, RunControl
from .arrays import FloatArray
from .cfr import LONGEST_STRETCH, CFRSolver
from .game import Game
from .measured_run import Budget, Contender, Measurement, Run, RunReporter, Trial, distinct, run_algorithm
from .update_rules import UpdateRule

Keep = Callable[[Run], None]
"""A function called with each new run when it ends, perhaps in another thread. It must not raise."""

_SECONDS_BETWEEN_STOP_CHECKS = 0.2
"""The time between two checks for a request to stop while an executor works."""


def planned_trials(
    rules: Sequence[Contender | UpdateRule], *, num_seeds: int = 5, num_perturbations: int = 1
) -> list[Trial]:
    """The runs of a comparison, in order. A contender that occurs twice runs once.

    num_seeds: the number of runs of a sampling rule, with seeds 0, 1, ... and the perturbations in turn.
    num_perturbations: the number of runs of a full-width rule, each with another perturbation (see `perturbed`).

    Raises ValueError for a number below 1, and for two different contenders with the same label.

    >>> from tictactoe import planned_trials, update_rule
    >>> [trial.perturbation for trial in planned_trials([update_rule("dcfr")], num_perturbations=3)]
    [0, 1, 2]
    """
    num_seeds = whole_number("num_seeds", num_seeds, 1)
    num_perturbations = whole_number("num_perturbations", num_perturbations, 1)
    planned = []
    for contender in distinct(rules):
        if contender.rule.samples:
            planned += [Trial(contender, seed, seed % num_perturbations) for seed in range(num_seeds)]
        else:
            planned += [Trial(contender, None, number) for number in range(num_perturbations)]
    return planned


def compare_algorithms(
    game: Game,
    rules: Sequence[Contender | UpdateRule] | Sequence[Trial],
    budget: Budget,
    *,
    known: Collection[Run] = (),
    keep: Keep | None = None,
    control: RunControl[RunReporter] = DEFAULT_CONTROL,
) -> Iterator[Run]:
    """Yield the runs of all rules, rule by rule. A run is yielded when it and all earlier runs have ended.

    rules: the rules, or trials from `planned_trials`.
    known: runs that were made before. They are yielded in their places.
    keep: see `Keep`.
    control: its workers make several runs at a time. The runs of an executor begin at this call, and the reporter sees
        only the last measurement of each.

    Raises ValueError for two different contenders with the same label. Raises Interrupted once `control.stop` is set;
    an executor finishes the runs that it has begun.

    >>> from tictactoe import Budget, Unit, compare_algorithms, kuhn_poker, parse_contender, update_rule
    >>> contenders = [update_rule("cfr"), update_rule("dcfr"), parse_contender("slow=dcfr(simultaneous)")]
    >>> runs = compare_algorithms(kuhn_poker(), contenders, Budget(100, Unit.ITERATIONS))
    >>> [(run.label, round(run.measurements[-1].average_exploitability, 3)) for run in runs]
    [('cfr', 0.016), ('dcfr', 0.003), ('slow', 0.036)]
    """
    planned = [rule for rule in rules if isinstance(rule, Trial)]
    planned += planned_trials([rule for rule in rules if not isinstance(rule, Trial)])
    made = {_key(run.trial): run for run in known}
    missing = [trial for trial in planned if _key(trial) not in made]
    workers = control.workers
    if not isinstance(workers, Executor):
        return _merged(planned, made, _from_here(game, missing, budget, workers, keep, control))
    waiting = [workers.submit(_measured_elsewhere, game, budget, trial) for trial in missing]
    for trial, each in zip(missing, waiting, strict=True):
        each.add_done_callback(partial(_keep_measured, keep, trial))
    return _merged(planned, made, _from_elsewhere(missing, waiting, control))


_Key = tuple[str, str, int | None, int]


def _key(trial: Trial) -> _Key:
    return trial.contender.label, str(trial.contender), trial.seed, trial.perturbation


def _merged(planned: Sequence[Trial], made: Mapping[_Key, Run], new: Iterator[Run]) -> Iterator[Run]:
    """The runs in order. All known runs are yielded before the failure of a new one."""
    failure: Exception | None = None
    for trial in planned:
        run = made.get(_key(trial))
        try:
            run = run or (None if failure else next(new))
        except Exception as error:
            failure = error
        if run is not None:
            yield run
    if failure is not None:
        raise failure
    yield from new


def _keep_measured(keep: Keep | None, trial: Trial, future: Future[tuple[Measurement, ...]]) -> None:
    if keep and not future.cancelled() and future.exception() is None:
        keep(Run(trial, future.result()))


def _from_here(
    game: Game,
    planned: Sequence[Trial],
    budget: Budget,
    threads: int,
    keep: Keep | None,
    control: RunControl[RunReporter],
) -> Iterator[Run]:
    control.check_stop()
    for contender in distinct([trial.contender for trial in planned]):
        _compile(game, contender)

    def run(trial: Trial) -> Run:
        ended = run_algorithm(game, trial, budget, control=control)
        if keep:
            keep(ended)
        return ended

    if threads == 1:
        yield from map(run, planned)
        return
    with ThreadPoolExecutor(threads) as executor:
        yield from executor.map(run, planned)  # cancels what has not begun if it ends early


def _from_elsewhere(
    planned: Sequence[Trial], waiting: Sequence[Future[tuple[Measurement, ...]]], control: RunControl[RunReporter]
) -> Iterator[Run]:
    failure: BaseException | None = None
    try:
        for trial, each in zip(planned, waiting, strict=True):
            while not (each.done() or failure or control.stop.is_set()):
                wait([each], timeout=_SECONDS_BETWEEN_STOP_CHECKS)
            if each.done() and each.exception():
                failure = failure or each.exception()
            elif each.done():
                run = Run(trial, each.result())
                if control.reporter:
                    control.reporter(trial, run.measurements[-1])
                yield run
        if failure:
            raise failure
        if not all(each.done() for each in waiting):
            raise Interrupted
    finally:
        for each in waiting:
            each.cancel()


def _measured_elsewhere(game: Game, budget: Budget, trial: Trial) -> tuple[Measurement, ...]:
    _compile(game, trial.contender)
    return run_algorithm(game, trial, budget).measurements


def _compile(game: Game, contender: Contender) -> None:
    solver = CFRSolver(game, contender.rule, alternate_updates=contender.alternate_updates)
    solver.run(solver.flush_every)
    solver.evaluate()


MOST_CHECKS = 2**16
"""The most rows that are kept, apart from those of the last stretch."""


class ConvergenceLog:
    """The convergence of a run, with a row for every check.

    every: the number of iterations from one check to the next.

    Beyond MOST_CHECKS checks, every second row is kept, beyond twice as many every fourth, and so on. The last row and
    those after the last multiple of LONGEST_STRETCH iterations are always kept.

    >>> log = ConvergenceLog(every=10)
    >>> log.add(10, 0.5, -1.0, 0.1)
    >>> log.add(20, 0.25, -1.0, 0.1)
    >>> log.rows.tolist()
    [[10.0, 0.5, -1.0, 0.1], [20.0, 0.25, -1.0, 0.1]]
    """

    def __init__(self, every: int) -> None:
        self._every = every
        self._rows: list[list[float]] = []

    def add(self, iteration: int, average: float, current: float, value: float) -> None:
        """Add a check: the exploitabilities of the average and the current strategy, and the value."""
        self._rows.append([float(iteration), average, current, value])
        if len(self._rows) > 3 * MOST_CHECKS:
            self._rows = self.rows.tolist()

    @property
    def rows(self) -> FloatArray:
        """float64 (num_checks, 4): iteration, exploitability of the average and of the current strategy, value."""
        return self._thinned(np.array(self._rows, np.float64).reshape(-1, 4))

    def go_on_from(self, rows: FloatArray, iteration: int) -> None:
        """Continue from the rows of an earlier run up to `iteration`."""
        self._rows = self._thinned(rows[rows[:, 0] <= iteration]).tolist()

    def _thinned(self, rows: FloatArray) -> FloatArray:
        if len(rows) == 0:
            return rows
        iterations = rows[:, 0].astype(np.int64)
        settled = iterations[-1] // LONGEST_STRETCH * LONGEST_STRETCH
        stride = 1
        while settled // self._every > stride * MOST_CHECKS:
            stride *= 2
        kept = (iterations > settled) | (iterations // self._every % stride == 0)
        kept[-1] = True
        thinned: FloatArray = rows[kept]
        return thinned


THRESHOLDS = (1e-3, 1e-4, 1e-5, 1e-6)
"""The exploitabilities of the average strategy for which summaries give the effort to reach them."""


@dataclass(frozen=True)
class Reached:
    """The effort until the average strategy's exploitability was first measured at or below a threshold."""

    iterations: float
    nodes: float
    histories: float
    seconds: float


@dataclass(frozen=True)
class Spread:
    """The median, the quartiles and the largest of some numbers."""

    median: float
    lower_quartile: float
    upper_quartile: float
    worst: float
    """The largest number."""


def spread(numbers: Sequence[float]) -> Spread:
    """The spread of one or more numbers; quartiles are interpolated."""
    lower, median, upper, worst = np.percentile(np.asarray(numbers, np.float64), (25, 50, 75, 100)).tolist()
    return Spread(median, lower, upper, worst)


@dataclass(frozen=True)
class Summary:
    """A summary of a contender's runs. iterations, nodes, histories and seconds are medians over the runs."""

    label: str
    """The contender's name in tables and pictures."""
    algorithm: str
    """The contender's settings as text."""
    num_runs: int
    iterations: float
    nodes: float
    histories: float
    seconds: float
    average_exploitability: Spread
    current_exploitability: Spread
    reached: dict[float, Reached | None]
    """Medians by threshold; None unless more than half of the runs reached the threshold."""


def summarize(runs: Sequence[Run]) -> list[Summary]:
    """A summary of every contender, in the order of the runs. The runs of a contender must be adjacent.

    >>> from tictactoe import Budget, Unit, compare_algorithms, kuhn_poker, planned_trials, summarize, update_rule
    >>> trials = planned_trials([update_rule("dcfr"), update_rule("pdcfr+")], num_perturbations=3)
    >>> runs = compare_algorithms(kuhn_poker(), trials, Budget(200, Unit.ITERATIONS))
    >>> for each in summarize(list(runs)):
    ...     print(each.label, each.num_runs, f"{each.average_exploitability.median:.0e}")
    dcfr 3 2e-03
    pdcfr+ 3 4e-09
    """
    return [_summary(label, list(group)) for label, group in groupby(runs, key=attrgetter("label"))]


def _summary(label: str, runs: list[Run]) -> Summary:
    ends = zip(*(astuple(run.measurements[-1]) for run in runs), strict=True)
    *used, average, current, _ = ends
    iterations, nodes, histories, seconds = (float(statistics.median(numbers)) for numbers in used)
    reached = {threshold: _reached(runs, threshold) for threshold in THRESHOLDS}
    spreads = spread(average), spread(current)
    return Summary(label, runs[0].algorithm, len(runs), iterations, nodes, histories, seconds, *spreads, reached)


def _reached(runs: list[Run], threshold: float) -> Reached | None:
    firsts = []
    for run in runs:
        there = (astuple(m)[:4] for m in run.measurements if m.average_exploitability <= threshold)
        firsts.append(next(there, (math.inf,) * 4))
    # Take the upper of two middle runs, because the median must be a run that reached the threshold.
    medians = [statistics.median_high(values) for values in zip(*firsts, strict=True)]
    return None if math.inf in medians else Reached(*medians)


@dataclass(frozen=True)
class Overall:
    """A contender over several games, with one number per game: the median of the average strategy's exploitability."""

    label: str
    exploitability: Spread
    """The spread of the games' numbers."""
    best: float
    """The smallest of the games' numbers."""
    worst: float
    """The largest of the games' numbers."""
    worst_run: float
    """The largest exploitability of any run."""
    num_games: int
    num_first: int
    """The number of games in which no contender has a smaller number."""
    num_reached: dict[float, int]
    """The number of games in which more than half of the runs reached a threshold, by threshold."""


def over_all(games: Sequence[Sequence[Summary]]) -> list[Overall]:
    """The summary of every contender over all games.

    games: the summaries of every game, with the same contenders in the same order.
    """
    medians = np.array([[each.average_exploitability.median for each in summaries] for summaries in games])
    first = medians == medians.min(axis=1, keepdims=True)
    return [
        Overall(
            summaries[0].label,
            spread(medians[:, index].tolist()),
            float(medians[:, index].min()),
            float(medians[:, index].max()),
            max(each.average_exploitability.worst for each in summaries),
            len(games),
            int(first[:, index].sum()),
            {limit: sum(each.reached[limit] is not None for each in summaries) for limit in THRESHOLDS},
        )
        for index, summaries in enumerate(zip(*games, strict=True))
    ]


def by_threshold(values: Mapping[float, Any]) -> dict[str, Any]:
    """Values by their thresholds as text, such as 1e-06."""
    return {f"{limit:.0e}": value for limit, value in values.items()}


COLUMNS = (
    "label",
    "algorithm",
    "rule",
    "updates",
    "seed",
    "perturbation",
    "iteration",
    "nodes_touched",
    "histories_touched",
    "seconds",
    "average_exploitability",
    "current_exploitability",
    "value",
)


def as_csv(compared: Sequence[tuple[Mapping[str, str], Sequence[Run]]]) -> str:
    """A CSV table with a row per measurement.

    compared: for every game, the columns that identify it, by name, and its runs. All games have the same columns.

    These columns come first, then COLUMNS, then one for every parameter of any rule. `algorithm` has the contender's
    settings, `rule` the name of its rule. A cell is empty for a missing parameter and for the seed of a rule that draws
    nothing. Floats have all their digits.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    rules = [run.trial.contender.rule for _, runs in compared for run in runs]
    names = list(dict.fromkeys(name for rule in rules for name in rule.parameters))
    writer.writerow([*(compared[0][0] if compared else ()), *COLUMNS, *names])
    for game, runs in compared:
        for run in runs:
            trial, rule = run.trial, run.trial.contender.rule
            seed = "" if trial.seed is None else trial.seed
            settings: list[object] = [*game.values(), run.label, run.algorithm, rule.name, trial.contender.updates]
            settings += [seed, trial.perturbation]
            parameters = [rule.parameters.get(name, "") for name in names]
            writer.writerows([*settings, *astuple(measurement), *parameters] for measurement in run.measurements)
    return text.getvalue()
