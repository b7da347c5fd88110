"""The only writer of solution directories.

A file of kind "checkpoint" has the state of a pair in progress: following (as [points, points, value]), epoch_values,
restart_due, converged, twins (the content of a snapshot for each twin), and holds (whether the pair still uses the
start values of its options).
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from ..checked_numbers import whole_number
from ..errors import Difference, FormatError, OtherOptionsError, Remedy, StoreError
from ..games.tic_tac_toe_tree import GameTree
from ..match.options import LARGEST_MATCH_VALUE, MatchOptions
from ..match.pair_cfr import PairState
from ..match.scores import LARGEST_WINNING_SCORE, Pair, Score, outcome_values
from ..run_control import Existing
from . import directory_layout as layout
from .atomic_files import remove_temporary_files
from .file_format import read_file, write_bytes, write_file
from .locked_directory import DirectoryLock, begin_restart, finish, put_in_place
from .records import as_record
from .snapshot import Snapshot
from .solution import RecordWriter, Solution, SubgameResult, option_differences, read_solution, rules_differences


class SolutionWriter:
    """A locked solution directory, which `close` or a context manager closes.

    existing: CONTINUE and RESUME continue an earlier run of the same options; RESUME refuses to begin one. RESTART
    replaces an earlier solution when the block ends without an error.
    record_last: move the new solution to its place when the block ends without an error, after a call of `record`. An
    earlier solution may be there only with RESTART.
    allowed: the name of another path that may be there.

    Raises StoreError if the path is not a directory, has other files or a run with other options, or is in use,
    FormatError for a damaged record, and ValueError for a winning score that readers refuse.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     with SolutionWriter(Path(directory), GameTree.build(), 2, {"made by": "hand"}) as writer:
    ...         writer.solution().missing_scores[0]
    Score(first=1, second=1)
    """

    def __init__(
        self,
        directory: Path,
        tree: GameTree,
        winning_score: int,
        options: Mapping[str, Any],
        *,
        existing: Existing = Existing.CONTINUE,
        record_last: bool = False,
        allowed: str = "",
    ) -> None:
        self.directory, self.tree, self.options = directory, tree, options
        self.winning_score = checked_winning_score(winning_score)
        self.record_last = record_last
        self.results: dict[Score, SubgameResult] = {}
        self._record = RecordWriter()
        self._is_new = not directory.exists()
        self._lock = DirectoryLock()
        check_output(directory, existing, continues=not record_last, allowed=allowed)
        self._lock.acquire(directory)
        self.place = layout.place_of_run(directory)
        """The directory in which the solution is written."""
        try:
            shutil.rmtree(directory / layout.STAGED, ignore_errors=True)  # of a killed writer
            if record_last:
                self.place = begin_restart(directory, layout.STAGED)
            elif existing is not Existing.RESTART and (self.place / layout.SOLUTION_FILE).exists():
                self._resume()
            else:
                is_held = self.place != directory or any(map(layout.is_solution_part, directory.iterdir()))
                if existing is Existing.RESTART and is_held:
                    self.place = begin_restart(directory)
                layout.remove_solution(self.place)  # parts of a solution without a record
                self._record.write(self.solution())
        except BaseException:
            self.close()
            raise

    def _resume(self) -> None:
        earlier = read_solution(self.place)
        if differences := differences_between(earlier, self.options, self.tree):
            raise OtherOptionsError(self.directory, differences)
        self.results = dict(earlier.results)
        for path in (self.place, *filter(layout.is_subgame, self.place.iterdir())):
            remove_temporary_files(path)

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
        """Unlock the directory and delete an unfinished new solution in it."""
        if self.record_last:
            shutil.rmtree(self.directory / layout.STAGED, ignore_errors=True)
        elif self.place != self.directory and not (self.place / layout.SOLUTION_FILE).exists():
            with contextlib.suppress(OSError):  # nothing was saved there
                self.place.rmdir()
        self._lock.release()
        if self._is_new and self.record_last:
            with contextlib.suppress(OSError):  # it is no longer empty
                self.directory.rmdir()

    def solution(self) -> Solution:
        names, results = (str(self.tree.rules), self.tree.fingerprint), dict(self.results)
        return Solution(self.place, self.winning_score, self.options, *names, results)

    def snapshot_path(self, score: Score, iteration: int) -> Path:
        return self.place / layout.subgame_name(score) / layout.snapshot_name(iteration)

    def checkpoint_path(self, pair: Pair) -> Path:
        return self.place / layout.checkpoint_name(pair[0])

    def has(self, pair: Pair, following: Mapping[Score, float]) -> bool:
        """Whether the record has the pair, solved with these following values, and its snapshots exist."""
        results = [self.results[score] for score in pair if score in self.results]
        return len(results) == len(pair) and all(
            result.following == following and self.snapshot_path(result.score, result.iteration).is_file()
            for result in results
        )

    def save_snapshot(self, snapshot: Snapshot, *, compression: int = 1, single_precision: bool = False) -> None:
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
        layout.remove_snapshot(self.place / layout.subgame_name(score), iteration)

    def copy_earlier(self, source: Solution, score: Score) -> None:
        """Copy from `source` the missing snapshots of a score before its result's."""
        for iteration in source.iterations(score):
            if iteration < source.results[score].iteration and not self.snapshot_path(score, iteration).exists():
                self.save_snapshot(source.snapshot(score, iteration), compression=9)

    def record(self, results: Iterable[SubgameResult]) -> None:
        self.results.update({result.score: result for result in results})
        self._record.write(self.solution())

    def forget(self, pair: Pair) -> None:
        """Remove the results and the files of a pair."""
        if any(score in self.results for score in pair):
            for score in pair:
                self.results.pop(score, None)
            self._record.write(self.solution())
        self.checkpoint_path(pair).unlink(missing_ok=True)
        for score in pair:
            layout.remove_snapshots(self.place / layout.subgame_name(score))


def differences_between(earlier: Solution, options: Mapping[str, Any], tree: GameTree) -> list[Difference | str]:
    """The differences of `earlier` from `options` and from the rules of `tree`."""
    differences: list[Difference | str] = rules_differences(earlier.rules, tree.rules)
    if not differences and earlier.tree_fingerprint != tree.fingerprint:
        differences.append("the game tree is different")
    return [*option_differences(earlier.options, options), *differences]


def checked_winning_score(winning_score: int) -> int:
    """Return the winning score. Raises ValueError if readers would refuse it."""
    return whole_number("winning_score", winning_score, 1, LARGEST_WINNING_SCORE)


def check_output(directory: Path, existing: Existing, *, continues: bool = False, allowed: str = "") -> None:
    """Raise StoreError if no solution can be written into `directory`.

    continues: whether the caller can continue an earlier solution. allowed: the name of another path that may be there.
    """
    restart = existing is Existing.RESTART or (continues and layout.place_of_run(directory) != directory)
    if directory.exists() and not directory.is_dir():
        raise StoreError(f"{directory}: a file, not a directory; choose another output directory")
    finish(directory)
    if existing is Existing.RESUME and not (layout.place_of_run(directory) / layout.SOLUTION_FILE).exists():
        raise StoreError(f"{directory}: no earlier run to resume", Remedy.BEGIN)
    if (directory / layout.SOLUTION_FILE).exists():
        if not (restart or continues):
            raise StoreError(f"{directory}: already contains a solution", Remedy.REPLACE)
    elif directory.is_dir():
        layout.check_no_leftovers(directory, layout.is_solution_part, restart, "a solution", allowed=allowed)
    for path in sorted(directory.iterdir()) if directory.is_dir() else ():
        if layout.parse_subgame_name(path.name) is not None and not layout.is_subgame(path):  # a file or a link
            raise StoreError(f"{path}: not a directory of its own; remove it, or choose another output directory")


CHECKPOINT_KIND = "checkpoint"


class _Record(msgspec.Struct, forbid_unknown_fields=True):
    following: list[tuple[int, int, float]]
    epoch_values: tuple[float, ...]
    restart_due: bool
    converged: bool
    twins: list[dict[str, Any]]
    holds: bool


def save_checkpoint(path: Path, state: PairState, tree: GameTree, options: MatchOptions) -> None:
    """Save the state of a pair in progress. Raises OSError."""
    following = [(*score, value) for score, value in sorted(state.following.items())]
    twins = [snapshot.as_dict() for snapshot in snapshots_of(state, tree, options)]
    record = _Record(following, state.epoch_values, state.restart_due, state.converged, twins, state.holds)
    write_file(path, CHECKPOINT_KIND, msgspec.structs.asdict(record))


def load_checkpoint(
    path: Path, pair: Pair, following: Mapping[Score, float], tree: GameTree, options: MatchOptions
) -> PairState | None:
    """The saved state of a pair in progress; None without a file or for a file with other following values.

    Raises FormatError for a damaged file.
    """
    if not path.exists():
        return None
    try:
        record = as_record(path, read_file(path, CHECKPOINT_KIND), _Record)
        twins = tuple(Snapshot.from_dict(path, twin, tree) for twin in record.twins)
        if tuple(twin.score for twin in twins) != pair or len(record.epoch_values) != len(pair):
            raise FormatError(path, f"not a checkpoint of the pair {pair[0]}")
        if any(twin.options != options.as_dict() for twin in twins):
            raise FormatError(path, "a checkpoint of a run with other options")
        if any(twin.winning_score != options.winning_score for twin in twins):
            raise FormatError(path, f"does not belong to a match to {options.winning_score}")
        if len({(twin.iteration, twin.started_at) for twin in twins}) > 1:
            raise FormatError(path, "twins: of different iterations")
        if any((twin.recent_sums is not None) != options.algorithm.averages_twice for twin in twins):
            raise FormatError(path, "recent_sums: missing, or of another update rule")
        if not all(abs(value) <= LARGEST_MATCH_VALUE for value in record.epoch_values):
            raise FormatError(path, f"epoch_values: {record.epoch_values} are not all match values (-1 to 1)")
        if record.holds and options.start_from is None:
            raise FormatError(path, "holds: there are no start values to use")
    except FormatError as error:
        raise unusable(path, error.args[1]) from error
    if {Score(*points): value for *points, value in record.following} != following:
        return None
    values, exploitabilities = tuple(twin.value for twin in twins), tuple(twin.exploitability for twin in twins)
    epoch = record.epoch_values, record.restart_due, record.converged
    convergence = tuple(twin.convergence for twin in twins)
    return PairState(pair, following, values, exploitabilities, *epoch, twins, convergence, record.holds)


def unusable(path: Path, what: str) -> FormatError:
    """The error for a checkpoint that no run can continue."""
    return FormatError(path, f"{what} (without this file, the pair is solved from its start)")


def snapshots_of(state: PairState, tree: GameTree, options: MatchOptions) -> list[Snapshot]:
    known = {**state.following, **dict(zip(state.pair, state.values, strict=True))}
    return [
        Snapshot(
            **vars(state.rounds[twin]),
            score=score,
            winning_score=options.winning_score,
            outcome_values=outcome_values(score, known, options.winning_score),
            options=options.as_dict(),
            rules=str(tree.rules),
            tree_fingerprint=tree.fingerprint,
            exploitability=state.exploitabilities[twin],
            value=state.values[twin],
            convergence=state.convergence[twin],
        )
        for twin, score in enumerate(state.pair)
    ]
