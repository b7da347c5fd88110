"""Comparing algorithms on one game: the runs of all contenders, one after another or several at a time.

measured_run.py says what is counted and when it is measured, comparison_summary.py makes runs brief. `ConvergenceLog`
records how a run converges: a row for every check, thinned out in a long run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from functools import partial

import numpy as np

from ...checked_numbers import whole_number
from ...errors import Interrupted
from ...run_control import DEFAULT_CONTROL, RunControl
from ..arrays import FloatArray
from ..cfr.solver import LONGEST_STRETCH, CFRSolver
from ..cfr.update_rules import UpdateRule
from ..game import Game
from .measured_run import Budget, Contender, Measurement, Run, RunReporter, Trial, distinct, run_algorithm

Keep = Callable[[Run], None]
"""Called with a new run as soon as it has ended; perhaps in another thread. It must not raise."""

_SECONDS_BETWEEN_STOP_CHECKS = 0.2
"""While an executor works, requests to stop are looked at this often."""


def planned_trials(
    rules: Sequence[Contender | UpdateRule], *, num_seeds: int = 5, num_perturbations: int = 1
) -> list[Trial]:
    """The runs that a comparison makes, in order. A contender that occurs twice runs once.

    num_seeds: runs of a sampling rule, with the seeds 0, 1, ...; the seeds take the perturbations in turn.
    num_perturbations: runs of a full-width rule, the first in the game itself, the others with payoffs that differ in
        their last bits (see `perturbed`).

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
    """The runs of all rules, rule by rule. Every run is yielded as soon as all runs before it have ended, too.

    rules: or the trials that `planned_trials` has planned for them, for other numbers of runs than its default.
    known: runs that were made before. They are yielded in their places, and not made again.
    keep: see `Keep`.
    control: its workers make several runs at a time, and change nothing but the seconds. The runs of an executor begin
        at this call, and the reporter sees only the last measurement of each.

    Raises ValueError for two different contenders with the same label. Raises Interrupted once `control.stop` is set,
    without the runs in progress; an executor finishes the runs that it has begun, and cancels the others.

    >>> from tictactoe import Budget, Unit, compare_algorithms, kuhn_poker, parse_contender, update_rule
    >>> contenders = [update_rule("cfr"), update_rule("dcfr"), parse_contender("slow=dcfr(simultaneous)")]
    >>> runs = compare_algorithms(kuhn_poker(), contenders, Budget(100, Unit.ITERATIONS))
    >>> [(run.label, round(run.measurements[-1].average_exploitability, 3)) for run in runs]
    [('cfr', 0.016), ('dcfr', 0.003), ('slow', 0.036)]
    """
    given = [rule for rule in rules if not isinstance(rule, Trial)]
    planned = [rule for rule in rules if isinstance(rule, Trial)] + planned_trials(given)
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
    """Identifies a trial among all trials on the same game."""
    return trial.contender.label, str(trial.contender), trial.seed, trial.perturbation


def _merged(planned: Sequence[Trial], made: Mapping[_Key, Run], new: Iterator[Run]) -> Iterator[Run]:
    """The runs in order. If a new run fails, the rest of the known runs is yielded before the failure is raised."""
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
    """Make the runs in threads."""
    control.check_stop()
    for contender in distinct([trial.contender for trial in planned]):
        _compile(game, contender)

    def run(trial: Trial) -> Run:
        ended = _run(game, budget, trial, control)
        if keep:
            keep(ended)
        return ended

    if threads == 1:
        yield from map(run, planned)
        return
    with ThreadPoolExecutor(threads) as executor:
        waiting = [executor.submit(run, trial) for trial in planned]
        try:
            for each in waiting:
                yield each.result()
        finally:
            for each in waiting:
                each.cancel()


def _from_elsewhere(
    planned: Sequence[Trial], waiting: Sequence[Future[tuple[Measurement, ...]]], control: RunControl[RunReporter]
) -> Iterator[Run]:
    """The runs of an executor, in order. All that have ended are yielded before a failure or Interrupted is raised."""
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
    """Make a run in another process; its measurements."""
    _compile(game, trial.contender)
    return _run(game, budget, trial, DEFAULT_CONTROL).measurements


def _compile(game: Game, contender: Contender) -> None:
    """Call every kernel that a run calls, so that no run has to wait for the compiler."""
    solver = CFRSolver(game, contender.rule, alternate_updates=contender.alternate_updates)
    solver.run(solver.flush_every)
    solver.evaluate()


def _run(game: Game, budget: Budget, trial: Trial, control: RunControl[RunReporter]) -> Run:
    seed, number = trial.seed, trial.perturbation
    return run_algorithm(game, trial.contender, budget, seed=seed, perturbation=number, control=control)


MOST_CHECKS = 2**16
"""Rows that are kept at most, apart from those of the last stretch: 2 MB in a file."""


class ConvergenceLog:
    """The rows of a run. Stopping the run does not change which rows are kept.

    every: iterations from one check to the next.

    Of more than MOST_CHECKS checks every second row is kept, of more than twice as many every fourth, and so on. The
    last row is always kept, and so are the rows after the last multiple of LONGEST_STRETCH iterations: a run that was
    stopped may have to go on from there.

    >>> log = ConvergenceLog(every=10)
    >>> log.add(10, 0.5, -1.0, 0.1)
    >>> log.add(20, 0.25, -1.0, 0.1)
    >>> log.rows.tolist()
    [[10.0, 0.5, -1.0, 0.1], [20.0, 0.25, -1.0, 0.1]]
    """

    def __init__(self, every: int) -> None:
        self._every = every
        self._rows: list[tuple[float, ...]] = []

    def add(self, iteration: int, average: float, current: float, value: float) -> None:
        """The exploitabilities of the average and the current strategy, and the value, after a check's iteration."""
        self._rows.append((float(iteration), average, current, value))
        if len(self._rows) > 3 * MOST_CHECKS:
            self._set(self.rows)

    @property
    def rows(self) -> FloatArray:
        """float64 (num_checks, 4): iteration, exploitability of the average and of the current strategy, value."""
        return self._thinned(np.array(self._rows, np.float64).reshape(-1, 4))

    def go_on_from(self, rows: FloatArray, iteration: int) -> None:
        """Take over the rows of an earlier run up to `iteration`. The run will add the later ones again."""
        self._set(self._thinned(rows[rows[:, 0] <= iteration]))

    def _set(self, rows: FloatArray) -> None:
        self._rows = [tuple(row) for row in rows.tolist()]

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
