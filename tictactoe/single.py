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

from .cfr import RoundEvaluation, RoundSolver, RoundState
from .directory import (
    CHECKPOINT_SECONDS,
    DirectoryLock,
    Interrupted,
    StoreError,
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
    earlier = list_snapshots(directory) if directory.is_dir() else []
    checkpoint = directory / CHECKPOINT_FILE
    if resume and not earlier and not checkpoint.exists():
        raise StoreError(f"{directory}: no earlier run to resume; leave --resume out to start one")
    if directory.is_dir() and not earlier and not checkpoint.exists() and any(directory.iterdir()):
        raise StoreError(f"{directory}: not empty, and holds no snapshots; choose another output directory")
    lock.acquire(directory)
    try:
        if restart:
            checkpoint.unlink(missing_ok=True)
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
        )

    def run(self) -> Snapshot:
        solver, last = self._solver, self._options.iterations
        snapshot = self._load()
        remove_temporary_files(self._directory)
        if snapshot is None:
            evaluation = solver.evaluate()
            if self._is_scheduled(0):
                self._save(evaluation, snapshot_name(0))
        elif solver.iteration >= last:
            return snapshot
        saved_at = time.monotonic()
        while solver.iteration < last:
            every = self._options.check_exploitability_every
            stops = [(solver.iteration // every + 1) * every, last]
            scheduled = next_snapshot(self._options.snapshot_at, solver.iteration)
            solver.run(min(stops if scheduled is None else [*stops, scheduled]) - solver.iteration)
            evaluation = solver.evaluate()
            if solver.iteration % every == 0:
                self._convergence.append(
                    (solver.iteration, evaluation.average_exploitability, evaluation.current_exploitability,
                     evaluation.value)
                )  # fmt: skip
            if self._observer:
                self._observer(solver.iteration, evaluation)
            if self._is_scheduled(solver.iteration) and solver.iteration < last:
                self._save(evaluation, snapshot_name(solver.iteration))
            if self._stop.is_set() and solver.iteration < last:
                self._save(evaluation, CHECKPOINT_FILE)
                raise Interrupted
            if time.monotonic() - saved_at > CHECKPOINT_SECONDS:
                self._save(evaluation, CHECKPOINT_FILE)
                saved_at = time.monotonic()
        result = self._save(evaluation, snapshot_name(last))
        (self._directory / CHECKPOINT_FILE).unlink(missing_ok=True)
        return result

    def _is_scheduled(self, iteration: int) -> bool:
        return next_snapshot(self._options.snapshot_at, iteration - 1) == iteration

    def _load(self) -> Snapshot | None:
        """Take the state over from the newest file, which must be of the same options; None when there is none."""
        paths = [self._directory / snapshot_name(iteration) for iteration in list_snapshots(self._directory)[-1:]]
        if (self._directory / CHECKPOINT_FILE).exists():
            paths.append(self._directory / CHECKPOINT_FILE)
        snapshots = [Snapshot.load(path, self._tree) for path in paths]
        if not snapshots:
            return None
        newest = max(snapshots, key=lambda snapshot: snapshot.iteration)
        differences = option_differences(newest.options, self._options.as_dict())
        if differences:
            raise other_configuration(self._directory, differences)
        self._convergence = [tuple(row) for row in newest.convergence.tolist()]
        self._solver.set_state(
            RoundState(
                newest.iteration, newest.started_at, newest.regrets, newest.strategy_sums, newest.current_strategy,
                newest.settled,
            )
        )  # fmt: skip
        return newest

    def _save(self, evaluation: RoundEvaluation, name: str) -> Snapshot:
        state, options = self._solver.state(), self._options
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
