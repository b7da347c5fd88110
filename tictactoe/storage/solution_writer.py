"""The one writer of solution directories: it locks them, checks what they hold, and keeps the record of their scores.

A solving run writes the record at its start and adds every finished pair of scores to it: a stopped run continues with
the missing pairs. A copy or an import puts everything into its place at the end, and so does a run that replaces an
earlier solution: until then the old solution stays (see replaced_solution.py). A copy or an import that ends before
that removes its unfinished solution.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, InitVar, dataclass
from pathlib import Path
from typing import Any

from ..checked_numbers import whole_number
from ..errors import Difference, OtherOptionsError, Remedy, StoreError
from ..games.tic_tac_toe_tree import GameTree
from ..match.scores import LARGEST_WINNING_SCORE, Pair, Score
from ..run_control import Existing
from . import directory_layout as layout
from .atomic_files import remove_temporary_files
from .file_format import write_bytes
from .lock import DirectoryLock
from .option_differences import option_differences, rules_differences
from .replaced_solution import begin_restart, discard_staged, finish, put_in_place, stage
from .snapshot import Snapshot
from .solution import RecordWriter, Solution, SubgameResult, load_solution


@dataclass(eq=False)
class SolutionWriter:
    """A solution directory opened for writing; closed by `close` or as a context manager.

    Raises StoreError when the path is no directory, holds other files or a run with other options, or is in use,
    FormatError for a damaged solution.msgpack, and ValueError for a winning score that readers refuse. After an error
    the directory is unchanged.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     with SolutionWriter(Path(directory), GameTree.build(), 2, {"made by": "hand"}) as writer:
    ...         writer.solution().missing_scores[0]
    Score(first=1, second=1)
    """

    directory: Path
    tree: GameTree
    winning_score: int
    options: Mapping[str, Any]
    _: KW_ONLY
    existing: InitVar[Existing] = Existing.CONTINUE
    """RESTART replaces an earlier solution, whatever its options, when the context manager's block ends without an
    error. Stopped before that, it goes on with CONTINUE or RESUME."""
    record_last: bool = False
    """Put the new solution in its place when the context manager's block ends without an error. The caller must have
    called `record` by then. An earlier solution may be there only with RESTART."""
    allowed: InitVar[str] = ""
    """The name of another file or directory that may be there, too."""

    def __post_init__(self, existing: Existing, allowed: str) -> None:
        checked_winning_score(self.winning_score)
        self.results: dict[Score, SubgameResult] = {}
        directory, record_last = self.directory, self.record_last
        self._is_new = not directory.exists()
        self._lock = DirectoryLock()
        self._record = RecordWriter()
        finish(directory)
        if existing is Existing.RESUME and not (layout.place_of_run(directory) / layout.SOLUTION_FILE).exists():
            raise StoreError(f"{directory}: no earlier run to resume", Remedy.BEGIN)
        check_output(directory, existing, continues=not record_last, allowed=allowed)
        self._lock.acquire(directory)
        self.place = layout.place_of_run(directory)
        """Where the solution is written."""
        try:
            if record_last:
                self.place = stage(directory)
                return
            discard_staged(directory)
            if existing is Existing.RESTART:
                there = self.place != directory or any(map(layout.is_solution_part, directory.iterdir()))
                self.place = begin_restart(directory) if there else directory
            if (self.place / layout.SOLUTION_FILE).exists():
                self._go_on()
            else:
                layout.remove_solution(self.place)
                self._record.write(self.solution())
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> SolutionWriter:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None and self.place != self.directory:
                put_in_place(self.directory, self.place.name)
                self.place = self.directory
        finally:
            self.close()

    def close(self) -> None:
        """Unlock the directory, and delete an unfinished new solution in it."""
        if self.record_last:
            discard_staged(self.directory)
        elif self.place != self.directory and not (self.place / layout.SOLUTION_FILE).exists():
            with contextlib.suppress(OSError):  # nothing was saved there
                self.place.rmdir()
        self._lock.release()
        if self._is_new and self.record_last:
            with contextlib.suppress(OSError):  # it is no longer empty
                self.directory.rmdir()

    def solution(self) -> Solution:
        """The solution with the results that are recorded so far."""
        names, results = (str(self.tree.rules), self.tree.fingerprint), dict(self.results)
        return Solution(self.place, self.winning_score, self.options, *names, results)

    def snapshot_path(self, score: Score, iteration: int) -> Path:
        """The path of the snapshot of a score at an iteration, which need not exist."""
        return self.place / layout.subgame_name(score) / layout.snapshot_name(iteration)

    def checkpoint_path(self, pair: Pair) -> Path:
        """The path of the saved state of a pair in progress, which need not exist."""
        return self.place / layout.checkpoint_name(pair[0])

    def has(self, pair: Pair, following: Mapping[Score, float]) -> bool:
        """Whether the record holds the pair, solved with these following values, and its snapshots exist."""
        results = [self.results[score] for score in pair if score in self.results]
        return len(results) == len(pair) and all(
            result.following == following and self.snapshot_path(result.score, result.iteration).is_file()
            for result in results
        )

    def save_snapshot(self, snapshot: Snapshot, *, compression: int = 1, single_precision: bool = False) -> None:
        """Save the snapshot of a score beside the earlier ones, as `Snapshot.save` does. Raises OSError."""
        assert snapshot.score is not None
        data = snapshot.file_bytes(compression=compression, single_precision=single_precision)
        self.save_snapshot_file(snapshot.score, snapshot.iteration, data)

    def save_snapshot_file(self, score: Score, iteration: int, data: bytes) -> None:
        """Save a snapshot as `Snapshot.file_bytes` has encoded it. Raises OSError."""
        path = self.snapshot_path(score, iteration)
        path.parent.mkdir(exist_ok=True)
        layout.remove_response(path.parent, iteration)
        write_bytes(path, data)

    def remove_snapshot(self, score: Score, iteration: int) -> None:
        """Remove the snapshot of a score at an iteration, and the best response to it."""
        layout.remove_snapshot(self.place / layout.subgame_name(score), iteration)

    def copy_earlier(self, source: Solution, score: Score) -> None:
        """Copy from `source` the snapshots of a score before its result's, except those that exist already."""
        for iteration in source.iterations(score):
            if iteration < source.results[score].iteration and not self.snapshot_path(score, iteration).exists():
                self.save_snapshot(source.snapshot(score, iteration), compression=9)

    def record(self, results: Iterable[SubgameResult]) -> None:
        """Add results to the record and write it."""
        self.results.update({result.score: result for result in results})
        self._record.write(self.solution())

    def forget(self, pair: Pair) -> None:
        """Remove a pair that an earlier run saved: first its results from the record, then its files."""
        if any(score in self.results for score in pair):
            for score in pair:
                self.results.pop(score, None)
            self._record.write(self.solution())
        self.checkpoint_path(pair).unlink(missing_ok=True)
        for score in pair:
            layout.remove_snapshots(self.place / layout.subgame_name(score))

    def _go_on(self) -> None:
        """Take over the results of an earlier run. Raises StoreError if its options, rules or tree differ."""
        earlier = load_solution(self.place)
        if differences := differences_between(earlier, self.options, self.tree):
            raise OtherOptionsError(self.directory, differences)
        self.results = dict(earlier.results)
        for path in (self.place, *filter(layout.is_subgame, self.place.iterdir())):
            remove_temporary_files(path)


def differences_between(earlier: Solution, options: Mapping[str, Any], tree: GameTree) -> list[Difference | str]:
    """How `earlier` differs from `options` and from the rules of `tree`."""
    differences: list[Difference | str] = rules_differences(earlier.rules, tree.rules)
    if not differences and earlier.tree_fingerprint != tree.fingerprint:
        differences.append("the game tree is another one")
    return [*option_differences(earlier.options, options), *differences]


def checked_winning_score(winning_score: int) -> int:
    """The winning score. Raises ValueError for a winning score that readers refuse."""
    return whole_number("winning_score", winning_score, 1, LARGEST_WINNING_SCORE)


def check_output(directory: Path, existing: Existing, *, continues: bool = False, allowed: str = "") -> None:
    """Raise StoreError when no solution can be written into `directory`.

    Changes nothing, except that it completes the work of a run that was killed while it put a solution in its place.
    continues: the caller can continue an earlier solution. allowed: the name of another file or directory that may be
    there.
    """
    restart = existing is Existing.RESTART or (continues and layout.place_of_run(directory) != directory)
    if directory.exists() and not directory.is_dir():
        raise StoreError(f"{directory}: a file, not a directory; choose another output directory")
    finish(directory)
    if (directory / layout.SOLUTION_FILE).exists():
        if not (restart or continues):
            raise StoreError(f"{directory}: holds a solution", Remedy.REPLACE)
    elif directory.is_dir():
        layout.check_no_leftovers(directory, layout.is_solution_part, restart, "a solution", allowed=allowed)
    if directory.is_dir():
        layout.check_subgames(directory)
