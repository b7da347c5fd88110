"""Solving one round on its own for a number of iterations, into a directory of snapshots.

Beside the snapshots the directory holds, while a run is in progress, checkpoint.msgpack: a snapshot too, replaced
every few seconds, from which a run that was stopped goes on.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from threading import Event

import numpy as np

from .cfr import LONGEST_STRETCH, RoundEvaluation, RoundSolver, RoundState
from .directory import (
    CHECKPOINT_SECONDS,
    DirectoryLock,
    Interrupted,
    StoreError,
    check_no_leftovers,
    option_differences,
    other_configuration,
    remove_snapshots,
)
from .files import remove_temporary_files
from .game import tic_tac_toe_round
from .options import RoundOptions, next_snapshot
from .snapshot import Snapshot, list_snapshots, snapshot_name
from .tree import GameTree

CHECKPOINT_FILE = "checkpoint.msgpack"

RoundObserver = Callable[[int, RoundEvaluation], None]
"""Is told the iteration and how good the strategies are after it."""


def solve_round(
    directory: Path,
    tree: GameTree,
    options: RoundOptions,
    *,
    restart: bool = False,
    resume: bool = False,
    observer: RoundObserver | None = None,
    stop: Event | None = None,
) -> Snapshot:
    """Run up to `options.iterations` from where the directory stands; the last snapshot.

    Raises StoreError when the directory cannot be used or holds a run with other options, FormatError when its last
    file is damaged, OSError when something cannot be written, and Interrupted, everything saved, once `stop` is set.
    """
    lock = DirectoryLock()
    started = directory.is_dir() and (list_snapshots(directory) or (directory / CHECKPOINT_FILE).exists())
    if resume and not started:
        raise StoreError(f"{directory}: no earlier run to resume; leave --resume out to start one")
    if directory.is_dir() and not started:
        check_no_leftovers(directory, lambda path: False, restart, "a round that was solved")
    lock.acquire(directory)
    try:
        if restart:
            (directory / CHECKPOINT_FILE).unlink(missing_ok=True)
            remove_snapshots(directory)
            directory.mkdir(exist_ok=True)
            lock.release()
            lock.acquire(directory)  # of the new directory, if the old one went with its snapshots
        return _RoundRun(directory, tree, options, observer, stop or Event()).run()
    finally:
        lock.release()


class _RoundRun:
    def __init__(
        self, directory: Path, tree: GameTree, options: RoundOptions, observer: RoundObserver | None, stop: Event
    ) -> None:
        self._directory = directory
        self._tree = tree
        self._options = options
        self._observer = observer
        self._stop = stop
        self._convergence: list[tuple[float, ...]] = []
        self._solver = RoundSolver(
            tic_tac_toe_round(tree, options.outcome_values, with_bonus=options.small_moves.epsilon > 0.0),
            options.rule,
            alternate_updates=options.alternate_updates,
            small_moves=options.small_moves,
            seed=options.seed,
        )

    def run(self) -> Snapshot:
        """The last snapshot, which is a later one than was asked for if the directory holds that."""
        solver, last = self._solver, self._options.iterations
        finished = self._load()
        remove_temporary_files(self._directory)
        if finished is not None:
            return finished
        evaluation = solver.evaluate()
        if solver.iteration == 0 and self._is_scheduled(0):
            self._save(solver.state(), evaluation, snapshot_name(0))
        saved_at = time.monotonic()
        while solver.iteration < last:
            if self._stop.is_set():
                self._save(solver.resumable_state(), evaluation, CHECKPOINT_FILE)
                raise Interrupted
            solver.run(self._next_stop() - solver.iteration)
            evaluation = solver.evaluate()
            if solver.iteration % self._options.check_exploitability_every == 0:
                self._convergence.append(
                    (solver.iteration, evaluation.average_exploitability, evaluation.current_exploitability,
                     evaluation.value)
                )  # fmt: skip
            if self._observer:
                self._observer(solver.iteration, evaluation)
            if self._is_scheduled(solver.iteration) and solver.iteration < last:
                self._save(solver.state(), evaluation, snapshot_name(solver.iteration))
            if time.monotonic() - saved_at > CHECKPOINT_SECONDS:
                self._save(solver.resumable_state(), evaluation, CHECKPOINT_FILE)
                saved_at = time.monotonic()
        if solver.resumable_state().iteration < last:  # a run with more iterations goes on from there
            self._save(solver.resumable_state(), evaluation, CHECKPOINT_FILE)
        result = self._save(solver.state(), evaluation, snapshot_name(last))
        if solver.resumable_state().iteration == last:
            (self._directory / CHECKPOINT_FILE).unlink(missing_ok=True)
        return result

    def _next_stop(self) -> int:
        every, iteration = self._options.check_exploitability_every, self._solver.iteration
        stops = [
            (iteration // every + 1) * every,
            (iteration // LONGEST_STRETCH + 1) * LONGEST_STRETCH,
            next_snapshot(self._options.snapshot_at, iteration),
            self._options.iterations,
        ]
        return min(stop for stop in stops if stop is not None)

    def _is_scheduled(self, iteration: int) -> bool:
        return next_snapshot(self._options.snapshot_at, iteration - 1) == iteration

    def _load(self) -> Snapshot | None:
        """The last snapshot if there is nothing left to do; otherwise the newest state is taken over from its file.

        All files must be of the same options. A run goes on from a checkpoint, or a snapshot at a flush.
        """
        iterations = list_snapshots(self._directory)
        latest = self._checked(snapshot_name(iterations[-1])) if iterations else None
        if latest is not None and latest.iteration >= self._options.iterations:
            return latest
        aligned = [iteration for iteration in iterations if iteration % self._solver.flush_every == 0]
        names = [snapshot_name(aligned[-1])] if aligned else []
        if (self._directory / CHECKPOINT_FILE).exists():
            names.append(CHECKPOINT_FILE)
        newest = max(map(self._checked, names), key=lambda snapshot: snapshot.iteration, default=None)
        if newest is not None:
            self._convergence = [tuple(row) for row in newest.convergence.tolist() if row[0] <= newest.iteration]
            self._solver.set_state(
                RoundState(
                    newest.iteration, newest.started_at, newest.regrets, newest.strategy_sums,
                    newest.current_strategy, newest.settled,
                )
            )  # fmt: skip
        return None

    def _checked(self, name: str) -> Snapshot:
        snapshot = Snapshot.load(self._directory / name, self._tree)
        differences = option_differences(snapshot.options, self._options.as_dict())
        if differences:
            raise other_configuration(self._directory, differences)
        return snapshot

    def _save(self, state: RoundState, evaluation: RoundEvaluation, name: str) -> Snapshot:
        options = self._options
        snapshot = Snapshot(
            score=options.score,
            winning_score=options.winning_score,
            iteration=state.iteration,
            started_at=state.started_at,
            outcome_values=options.outcome_values,
            options=options.as_dict(),
            end_rule=self._tree.end_rule,
            tree_fingerprint=self._tree.fingerprint,
            regrets=state.regrets,
            strategy_sums=state.strategy_sums,
            current_strategy=state.current_strategy,
            settled=state.settled,
            exploitability=evaluation.average_exploitability,
            value=evaluation.value,
            convergence=np.array(self._convergence, np.float64).reshape(-1, 4),
        )
        snapshot.save(self._directory / name)
        return snapshot
