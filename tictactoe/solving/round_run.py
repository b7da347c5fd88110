"""Solving one round on its own for a number of iterations, into a directory of snapshots.

A run in progress also keeps checkpoint.msgpack in the directory: a snapshot that it replaces every few seconds, and
from which a stopped run continues. A restart writes to a place within the directory until it is whole (`run_place`).
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ..algorithms.cfr.solver import LONGEST_STRETCH, CFRSolver, CFRState, Evaluation
from ..algorithms.comparing.convergence import ConvergenceLog
from ..errors import FormatError, Interrupted, OtherOptionsError, Remedy, StoreError
from ..games.payoffs import tic_tac_toe_round
from ..games.tic_tac_toe_tree import GameTree
from ..match.options import RoundOptions
from ..run_control import DEFAULT_CONTROL, Existing, RunControl
from ..storage.atomic_files import remove_temporary_files
from ..storage.directory_layout import (
    CHECKPOINT_FILE,
    check_no_leftovers,
    list_snapshots,
    place_of_run,
    remove_response,
    snapshot_name,
    solution_around,
)
from ..storage.file_format import read_file
from ..storage.locked_directory import DirectoryLock, begin_restart, finish, put_in_place
from ..storage.snapshot import SNAPSHOT_KIND, Snapshot
from ..storage.solution import option_differences, rules_differences

CHECKPOINT_SECONDS = 5.0
"""A killed run loses the work of about so many seconds."""


class CheckpointClock:
    """Says when it is time to save again."""

    def __init__(self) -> None:
        self._saved_at = time.monotonic()

    def is_due(self) -> bool:
        """Whether CHECKPOINT_SECONDS have passed since this last returned True, or since the clock was made."""
        now = time.monotonic()
        due = now - self._saved_at > CHECKPOINT_SECONDS
        if due:
            self._saved_at = now
        return due


@contextlib.contextmanager
def run_place(
    directory: Path, existing: Existing, what: str, is_ours: Callable[[Path], bool] = lambda path: False
) -> Iterator[Path]:
    """Locks the directory of a run while the block runs, and yields the one to write into.

    These differ for a run that replaces an earlier one: what is there stays until the block has ended without an error.
    A run that was stopped before that goes on in the same place. what, is_ours: as for `check_no_leftovers`. Raises
    StoreError when the directory cannot be used, or, with RESUME, holds no run.
    """
    finish(directory)
    restarts = existing is Existing.RESTART
    if existing is Existing.RESUME and not _is_begun(place_of_run(directory)):
        raise StoreError(f"{directory}: no earlier run to resume", Remedy.BEGIN)
    if directory.is_dir() and not _is_begun(directory):
        restarted = restarts or place_of_run(directory) != directory
        check_no_leftovers(directory, is_ours, restarted, what)
    lock = DirectoryLock()
    lock.acquire(directory)
    place = place_of_run(directory)
    try:
        if restarts and (place != directory or _is_begun(directory) or any(map(is_ours, directory.iterdir()))):
            place = begin_restart(directory)
        remove_temporary_files(place)
        yield place
        if place != directory:
            put_in_place(directory, place.name)
    finally:
        if place != directory:
            with contextlib.suppress(OSError):  # something was saved there
                place.rmdir()
        lock.release()


def _is_begun(place: Path) -> bool:
    return place.is_dir() and bool(list_snapshots(place) or (place / CHECKPOINT_FILE).exists())


RoundReporter = Callable[[int, Evaluation], None]
"""Called with an iteration and the quality of the strategies after it."""


def solve_round(
    directory: Path, tree: GameTree, options: RoundOptions, *, control: RunControl[RoundReporter] = DEFAULT_CONTROL
) -> Snapshot:
    """Solve a round up to `options.iterations`, or continue the run in `directory`; return the last snapshot.

    If a run with more iterations has already gone further, return its last state and do nothing. One thread does the
    work, whatever the number of workers.

    Raises StoreError when the directory cannot be used, is part of a solution, or holds a run with other options,
    FormatError when its last file is damaged, OSError when a file cannot be written, and Interrupted, with everything
    saved, once `control.stop` is set.

    >>> from tempfile import TemporaryDirectory
    >>> from tictactoe import GameTree, RoundOptions, solve_round
    >>> with TemporaryDirectory() as directory:
    ...     snapshot = solve_round(Path(directory), GameTree.build(), RoundOptions(iterations=50))
    >>> snapshot.iteration, snapshot.exploitability < 0.05
    (50, True)
    """
    finish(directory)
    if (solution := solution_around(directory)) is not None:
        raise StoreError(f"{directory}: part of the solution {solution}; choose another output directory")
    with run_place(directory, control.existing, "a round that was solved") as place:
        return _RoundRun(place, tree, options, control).run()


class _RoundRun:
    def __init__(
        self, directory: Path, tree: GameTree, options: RoundOptions, control: RunControl[RoundReporter]
    ) -> None:
        self._directory = directory
        self._tree = tree
        self._options = options
        self._control = control
        self._convergence = ConvergenceLog(options.check_exploitability_every)
        self._solver = CFRSolver(
            tic_tac_toe_round(tree, options.outcome_values, with_bonus=options.small_move_epsilon > 0.0),
            options.algorithm,
            alternate_updates=options.alternate_updates,
            bonus_schedule=options.bonus_schedule,
            seed=options.seed or 0,
        )

    def run(self) -> Snapshot:
        """Run to the end; return the last snapshot, or a later state if the directory holds one."""
        solver, last = self._solver, self._options.iterations
        finished = self._load()
        if finished is not None:
            return finished
        if solver.iteration == 0 and self._options.is_snapshot(0):
            self._save(solver.state(), snapshot_name(0))
        clock = CheckpointClock()
        while solver.iteration < last:
            if self._control.stop.is_set():
                self._save(solver.resumable_state(), CHECKPOINT_FILE)
                raise Interrupted
            solver.run(self._next_stop() - solver.iteration)
            found = solver.evaluate()
            if solver.iteration % self._options.check_exploitability_every == 0:
                judged = found.average_exploitability, found.current_exploitability
                self._convergence.add(solver.iteration, *judged, found.value)
            if self._control.reporter:
                self._control.reporter(solver.iteration, found)
            if self._options.is_snapshot(solver.iteration) and solver.iteration < last:
                self._save(solver.state(), snapshot_name(solver.iteration))
            if clock.is_due():
                self._save(solver.resumable_state(), CHECKPOINT_FILE)
        goes_on_from = solver.resumable_state()
        if goes_on_from.iteration < last:  # a run with more iterations begins from this checkpoint
            self._save(goes_on_from, CHECKPOINT_FILE)
        result = self._save(solver.state(), snapshot_name(last))
        if goes_on_from.iteration == last:
            (self._directory / CHECKPOINT_FILE).unlink(missing_ok=True)
        return result

    def _next_stop(self) -> int:
        every, iteration = self._options.check_exploitability_every, self._solver.iteration
        stops = [(iteration // period + 1) * period for period in (every, LONGEST_STRETCH)]
        return min(*stops, self._options.next_snapshot(iteration) or self._options.iterations, self._options.iterations)

    def _load(self) -> Snapshot | None:
        """Return the last state if no work is left; otherwise continue from the newest file, and return None.

        The files must have our options. A run continues from a checkpoint, or from a snapshot at a flush.
        """
        iterations = list_snapshots(self._directory)
        latest = self._checked(snapshot_name(iterations[-1])) if iterations else None
        if latest is not None and latest.iteration >= self._options.iterations:
            self._remove_outdated(latest)
            return latest
        aligned = [iteration for iteration in iterations if iteration % self._solver.flush_every == 0]
        names = [snapshot_name(aligned[-1])] if aligned else []
        if (self._directory / CHECKPOINT_FILE).exists():
            names.append(CHECKPOINT_FILE)
        states = [(self._checked(name), name) for name in names]
        if not states:
            return None
        newest, name = max(states, key=lambda state: state[0].iteration)
        if newest.iteration > self._options.iterations:  # the checkpoint is already past the requested iterations
            return newest
        self._convergence.go_on_from(newest.convergence, newest.iteration)
        try:
            self._solver.set_state(newest)
        except ValueError as error:
            raise FormatError(self._directory / name, f"nothing to go on from: {error}") from error
        return None

    def _remove_outdated(self, latest: Snapshot) -> None:
        """Remove a checkpoint that a kill has left behind: a longer run begins from the latest snapshot as well."""
        path = self._directory / CHECKPOINT_FILE
        if path.exists() and latest.iteration % self._solver.flush_every == 0:
            with contextlib.suppress(FormatError, StoreError):
                if self._checked(CHECKPOINT_FILE).iteration <= latest.iteration:
                    path.unlink(missing_ok=True)

    def _checked(self, name: str) -> Snapshot:
        path = self._directory / name
        content = read_file(path, SNAPSHOT_KIND)
        if differences := rules_differences(str(content.get("rules")), self._tree.rules):
            raise OtherOptionsError(self._directory, differences)
        snapshot = Snapshot.from_dict(path, content, self._tree)
        if differences := option_differences(snapshot.options, self._options.as_dict()):
            raise OtherOptionsError(self._directory, differences)
        return snapshot

    def _save(self, state: CFRState, name: str) -> Snapshot:
        """Save a state, and judge it anew: it may be of an earlier iteration than the solver's."""
        options, evaluation = self._options, self._solver.evaluate(state=state)
        snapshot = Snapshot(
            **vars(state),
            score=options.score,
            winning_score=options.winning_score,
            outcome_values=options.outcome_values,
            options=options.as_dict(),
            rules=str(self._tree.rules),
            tree_fingerprint=self._tree.fingerprint,
            exploitability=evaluation.average_exploitability,
            value=evaluation.value,
            convergence=self._convergence.rows,
        )
        if name != CHECKPOINT_FILE:
            remove_response(self._directory, state.iteration)
        snapshot.save(self._directory / name)
        return snapshot
