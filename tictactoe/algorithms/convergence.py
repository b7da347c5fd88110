"""Comparing algorithms on one game: the runs of all contenders, one after another or several at a time.

measured_run.py says what is counted and when it is measured, comparison_summary.py makes runs brief.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from functools import partial
from threading import Event

from ..errors import Interrupted
from .cfr import CFRSolver
from .contenders import Contender, distinct
from .game import Game
from .measured_run import Budget, Measurement, Run, RunObserver, Trial, run_algorithm
from .update_rules import UpdateRule

_LISTENING = 0.2
"""Seconds from one look at requests to stop to the next, while others work."""


def trials(contenders: Sequence[Contender], num_seeds: int, num_perturbations: int) -> list[Trial]:
    """The runs that a comparison makes, in order.

    A full-width rule runs in every perturbation once; a sampling one with every seed once, each in another perturbation
    as far as there are any.
    """
    planned = []
    for contender in contenders:
        if contender.rule.samples:
            planned += [Trial(contender, seed, seed % num_perturbations) for seed in range(num_seeds)]
        else:
            planned += [Trial(contender, None, number) for number in range(num_perturbations)]
    return planned


def compare_algorithms(
    game: Game,
    rules: Sequence[Contender | UpdateRule],
    budget: Budget,
    *,
    num_seeds: int = 5,
    num_perturbations: int = 1,
    jobs: int = 1,
    executor: Executor | None = None,
    observer: RunObserver | None = None,
    stop: Event | None = None,
) -> Iterator[Run]:
    """The runs of all rules, those of a rule together, each yielded as it ends and all before it have ended.

    num_seeds: runs of a sampling rule, with seeds 0, 1, ... num_perturbations: runs of a full-width rule, the first in
    the game as it is, the others with payoffs that differ in their last bits (see `perturbed`); those of a sampling one
    are spread over the same games. jobs: runs at a time, in threads. executor: what calls picklable functions, such as
    that of processes or of a cluster, makes the runs in place of threads: they begin at this call, and `observer` is
    told how each has ended and no more. Neither changes anything but the seconds.

    Raises ValueError for two contenders of the same label that are not the same; one that is there twice runs once.
    Raises Interrupted, without the runs in progress, once `stop` is set; those in an executor go on to their end there,
    and those that nobody has begun are cancelled.

    >>> from tictactoe import Budget, Unit, compare_algorithms, kuhn_poker, parse_contender, update_rule
    >>> contenders = [update_rule("cfr"), update_rule("dcfr"), parse_contender("slow=dcfr(simultaneous)")]
    >>> runs = compare_algorithms(kuhn_poker(), contenders, Budget(100, Unit.ITERATIONS))
    >>> [(run.label, round(run.measurements[-1].average_exploitability, 3)) for run in runs]
    [('cfr', 0.016), ('dcfr', 0.003), ('slow', 0.036)]
    """
    contenders = distinct(rules)
    planned = trials(contenders, num_seeds, num_perturbations)
    if executor is not None:
        waiting = [executor.submit(_measured_elsewhere, game, budget, trial) for trial in planned]
        return _from_elsewhere(planned, waiting, observer, stop)
    return _from_here(game, contenders, planned, budget, jobs, observer, stop)


def _from_here(
    game: Game,
    contenders: Sequence[Contender],
    planned: Sequence[Trial],
    budget: Budget,
    jobs: int,
    observer: RunObserver | None,
    stop: Event | None,
) -> Iterator[Run]:
    """The runs, in threads."""
    if stop is not None and stop.is_set():
        raise Interrupted
    for contender in contenders:
        _compile(game, contender)
    run = partial(_run, game, budget, observer, stop)
    if jobs == 1:
        yield from map(run, planned)
        return
    with ThreadPoolExecutor(jobs) as executor:
        waiting = [executor.submit(run, trial) for trial in planned]
        try:
            for each in waiting:
                yield each.result()
        finally:
            for each in waiting:
                each.cancel()


def _from_elsewhere(
    planned: Sequence[Trial],
    waiting: Sequence[Future[tuple[Measurement, ...]]],
    observer: RunObserver | None,
    stop: Event | None,
) -> Iterator[Run]:
    """The runs, as an executor ends them; all that have ended before a failure is raised, or Interrupted."""
    failure: BaseException | None = None
    try:
        for trial, each in zip(planned, waiting, strict=True):
            while not (each.done() or failure or (stop is not None and stop.is_set())):
                wait([each], timeout=_LISTENING)
            if each.done() and each.exception():
                failure = failure or each.exception()
            elif each.done():
                run = Run(trial, each.result())
                if observer:
                    observer(trial, run.measurements[-1])
                yield run
        if failure:
            raise failure
        if not all(each.done() for each in waiting):
            raise Interrupted
    finally:
        for each in waiting:
            each.cancel()


def _measured_elsewhere(game: Game, budget: Budget, trial: Trial) -> tuple[Measurement, ...]:
    """What a run comes to, in another process."""
    _compile(game, trial.contender)
    return _run(game, budget, None, None, trial).measurements


def _compile(game: Game, contender: Contender) -> None:
    """Call all that a run calls, so that no run has to wait until it is compiled."""
    solver = CFRSolver(game, contender.rule, alternate_updates=contender.alternate_updates)
    solver.run(solver.flush_every)
    solver.evaluate()


def _run(game: Game, budget: Budget, observer: RunObserver | None, stop: Event | None, trial: Trial) -> Run:
    seed, number = trial.seed, trial.perturbation
    return run_algorithm(game, trial.contender, budget, seed=seed, perturbation=number, observer=observer, stop=stop)
