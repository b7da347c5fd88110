"""Solving a whole match: every pair as soon as the pairs that it depends on are solved, several at a time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from threading import Event
from typing import Protocol

from .cfr import RoundEvaluation
from .directory import CHECKPOINT_SECONDS, Interrupted
from .match import Pair, Score, following_scores, pairs_in_solve_order
from .multiround import PairSolver
from .options import MatchOptions
from .solution import Solution
from .store import SolutionStore


class Observer(Protocol):
    """Is told what happens while a match is solved, from the thread that called `solve_match`."""

    def pair_started(self, solver: PairSolver) -> None: ...
    def pair_checked(self, solver: PairSolver) -> None: ...
    def pair_finished(self, pair: Pair, num_done: int, num_pairs: int) -> None: ...


@dataclass(eq=False)
class _Active:
    """A pair that is being solved: the runs of its twins up to the next stop."""

    solver: PairSolver
    pending: dict[Future[RoundEvaluation], int] = field(default_factory=dict)
    evaluations: dict[int, RoundEvaluation] = field(default_factory=dict)
    saved_at: float = field(default_factory=time.monotonic)


def solve_match(
    store: SolutionStore,
    *,
    jobs: int,
    max_iterations: int | None = None,
    observer: Observer | None = None,
    stop: Event | None = None,
) -> Solution:
    """Solve the match that `store` was opened for, from where it stands, on up to `jobs` threads.

    max_iterations: of each subgame; one that has not converged by then is saved as it is, and the others are solved
    with its value. Setting `stop` makes it save what is in progress and raise Interrupted. The result does not
    depend on `jobs`, nor on how often the run was interrupted. Raises OSError when something cannot be written; what
    was saved before stays usable. Raises ValueError for fewer than one job or iteration.
    """
    if jobs < 1:
        raise ValueError(f"jobs: {jobs} is not at least 1")
    if max_iterations is not None and max_iterations < 1:
        raise ValueError(f"max_iterations: {max_iterations} is not at least 1")
    return _MatchRun(store, jobs, max_iterations, observer, stop or Event()).run()


class _MatchRun:
    def __init__(
        self, store: SolutionStore, jobs: int, max_iterations: int | None, observer: Observer | None, stop: Event
    ) -> None:
        self._store = store
        self._options: MatchOptions = store.options
        self._jobs = jobs
        self._limit = max_iterations
        self._observer = observer
        self._stop = stop
        self._waiting = {
            pair: following_scores(pair, store.options.winning_score)
            for pair in pairs_in_solve_order(store.options.winning_score)
        }
        self._num_pairs = len(self._waiting)
        self._values: dict[Score, float] = {}
        self._may_start = True  # whether values have come in since pairs to start were last looked for
        self._active: list[_Active] = []

    def run(self) -> Solution:
        with ThreadPoolExecutor(self._jobs) as pool:
            try:
                while self._fill(pool) or self._active:
                    self._wait(pool)
                    if self._stop.is_set():
                        self._save_active()
                        raise Interrupted
            finally:
                pool.shutdown(wait=True, cancel_futures=True)
        return self._store.solution()

    def _fill(self, pool: ThreadPoolExecutor) -> bool:
        """Start pairs whose following values are known while there are threads for them; whether any was started."""
        started = False
        if len(self._active) >= self._jobs or not self._may_start:
            return False
        self._may_start = False
        for pair, needed in list(self._waiting.items()):
            if len(self._active) >= self._jobs:
                self._may_start = True
                break
            if all(score in self._values for score in needed):
                del self._waiting[pair]
                self._start(pool, pair, {score: self._values[score] for score in needed})
                started = True
        return started

    def _start(self, pool: ThreadPoolExecutor, pair: Pair, following: dict[Score, float]) -> None:
        results = self._store.results(pair, following)
        if results and all(
            result.converged or (self._limit is not None and result.iteration >= self._limit) for result in results
        ):
            self._finish(pair, tuple(result.value for result in results))
            return
        solver = PairSolver(self._store.tree, pair, following, self._options)
        state = self._store.load_checkpoint(pair, following)
        if state is None:
            self._store.start_pair(pair)
            if self._options.is_snapshot(0):
                solver.check([solver.advance(twin, 0) for twin in range(len(pair))])
                self._store.save_snapshots(solver.state())
        else:
            solver.set_state(state)
        if self._observer:
            self._observer.pair_started(solver)
        active = _Active(solver)
        self._active.append(active)
        self._continue(pool, active)

    def _continue(self, pool: ThreadPoolExecutor, active: _Active) -> None:
        """Go on with a pair up to its next stop, or record it when it is done."""
        solver = active.solver
        if solver.converged or (self._limit is not None and solver.iteration >= self._limit):
            values = self._store.save_results(solver)
            self._active.remove(active)
            self._finish(solver.pair, values)
            return
        stop = solver.next_stop(self._limit)
        active.evaluations.clear()
        for twin in range(len(solver.pair)):
            active.pending[pool.submit(solver.advance, twin, stop)] = twin

    def _wait(self, pool: ThreadPoolExecutor) -> None:
        """Wait until a twin has reached its stop, and take in every pair both of whose twins have."""
        futures = [future for active in self._active for future in active.pending]
        if not futures:
            return
        done, _ = wait(futures, return_when=FIRST_COMPLETED)
        for active in list(self._active):
            for future in done & active.pending.keys():
                active.evaluations[active.pending.pop(future)] = future.result()
            if not active.pending:
                self._check(pool, active)

    def _check(self, pool: ThreadPoolExecutor, active: _Active) -> None:
        solver = active.solver
        solver.check(_in_order(active.evaluations))
        if self._observer:
            self._observer.pair_checked(solver)
        if self._options.is_snapshot(solver.iteration):
            self._store.save_snapshots(solver.state())
        if time.monotonic() - active.saved_at > CHECKPOINT_SECONDS:
            self._store.save_checkpoint(solver.resumable_state())
            active.saved_at = time.monotonic()
        if not self._stop.is_set():
            self._continue(pool, active)

    def _save_active(self) -> None:
        """Let what is running reach its stop, and save it."""
        for active in self._active:
            if active.pending:
                for future, twin in active.pending.items():
                    active.evaluations[twin] = future.result()
                active.solver.check(_in_order(active.evaluations))
                if self._options.is_snapshot(active.solver.iteration):
                    self._store.save_snapshots(active.solver.state())
            self._store.save_checkpoint(active.solver.resumable_state())

    def _finish(self, pair: Pair, values: Sequence[float]) -> None:
        self._values.update(zip(pair, values, strict=True))
        self._may_start = True
        if self._observer:
            num_done = len({tuple(sorted(score)) for score in self._values})
            self._observer.pair_finished(pair, num_done, self._num_pairs)


def _in_order(evaluations: dict[int, RoundEvaluation]) -> list[RoundEvaluation]:
    return [evaluations[twin] for twin in sorted(evaluations)]
