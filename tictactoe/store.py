"""Writing a solution directory, so that a run that stops at any moment can be continued by the same command.

Beside what solution.py reads, the directory of a match that is being solved holds checkpoint_4_3.msgpack for every
pair in progress: one file for both twins, replaced as a whole, of kind "checkpoint". A result counts only while it
was computed from the very values that its later scores have, so nothing stale survives a change further up.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .cfr import RoundState
from .directory import (
    DirectoryLock,
    StoreError,
    check_no_leftovers,
    is_solution_part,
    is_subgame,
    option_differences,
    other_configuration,
    remove_snapshots,
    remove_solution,
)
from .files import FormatError, read_file, remove_temporary_files, write_file
from .match import Pair, Score, outcome_values
from .multiround import PairSolver, PairState
from .options import MatchOptions
from .snapshot import Snapshot, list_snapshots, snapshot_name, subgame_name
from .solution import SOLUTION_FILE, Solution, SubgameResult, load_solution, write_record
from .tree import GameTree

CHECKPOINT_KIND = "checkpoint"


class SolutionStore:
    """A directory opened for solving one match; closed by `close` or as a context manager.

    Raises StoreError when the path is no directory, holds other things, another configuration, or is in use, and
    FormatError for a damaged solution.msgpack. Nothing has been touched then. With `restart`, what an earlier run
    left is removed first, whatever its configuration; with `resume`, there must be an earlier run.
    """

    def __init__(
        self, directory: Path, tree: GameTree, options: MatchOptions, *, restart: bool = False, resume: bool = False
    ) -> None:
        self.directory = directory
        self.tree = tree
        self.options = options
        self._results: dict[Score, SubgameResult] = {}
        self._lock = DirectoryLock()
        self._prepare(restart, resume)

    def __enter__(self) -> SolutionStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let another run have the directory."""
        self._lock.release()

    def solution(self) -> Solution:
        """What is solved by now."""
        return Solution(
            self.directory, self.options.winning_score, self.options.as_dict(), self.tree.end_rule,
            self.tree.fingerprint, dict(self._results),
        )

    def results(self, pair: Pair, following: Mapping[Score, float]) -> tuple[SubgameResult, ...] | None:
        """The saved results of a pair, None unless they were computed from these following values and their snapshots
        are there."""
        results = tuple(self._results[score] for score in pair if score in self._results)
        if len(results) < len(pair) or any(result.following != following for result in results):
            return None
        paths = (self.directory / subgame_name(result.score) / snapshot_name(result.iteration) for result in results)
        return results if all(path.is_file() for path in paths) else None

    def load_checkpoint(self, pair: Pair, following: Mapping[Score, float]) -> PairState | None:
        """The saved state of a pair in progress, None when there is none for these following values.

        Raises FormatError for a damaged file.
        """
        path = self._checkpoint_path(pair)
        if not path.exists():
            return None
        try:
            state = _state_from(path, read_file(path, CHECKPOINT_KIND), pair, self.tree, self.options.as_dict())
        except FormatError as error:
            raise FormatError(path, f"{error.args[1]} (without this file the pair is solved from its start)") from error
        if state.following == following:
            self._remove_unscheduled(pair)
        return state if state.following == following else None

    def _remove_unscheduled(self, pair: Pair) -> None:
        """Remove last snapshots of runs that were killed before they could be recorded."""
        for score in pair:
            directory, result = self.directory / subgame_name(score), self._results.get(score)
            for iteration in list_snapshots(directory):
                if not self.options.is_snapshot(iteration) and (result is None or result.iteration != iteration):
                    (directory / snapshot_name(iteration)).unlink()

    def save_checkpoint(self, state: PairState) -> None:
        """Replace the saved state of a pair in progress."""
        content = {
            "following": [[score.first, score.second, value] for score, value in sorted(state.following.items())],
            "epoch_values": list(state.epoch_values),
            "restart_due": state.restart_due,
            "converged": state.converged,
            "twins": [self._snapshot(state, twin).as_dict() for twin in range(len(state.pair))],
        }
        write_file(self._checkpoint_path(state.pair), CHECKPOINT_KIND, content)

    def start_pair(self, pair: Pair) -> None:
        """Forget what an earlier run saved of a pair that is now solved from the start."""
        if any(score in self._results for score in pair):
            for score in pair:
                self._results.pop(score, None)
            write_record(self.solution())
        self._checkpoint_path(pair).unlink(missing_ok=True)
        for score in pair:
            remove_snapshots(self.directory / subgame_name(score))

    def save_snapshots(self, state: PairState) -> None:
        """Save both twins as they are, beside the earlier snapshots."""
        for twin, score in enumerate(state.pair):
            directory = self.directory / subgame_name(score)
            directory.mkdir(exist_ok=True)
            self._snapshot(state, twin).save(directory / snapshot_name(state.iteration))

    def save_results(self, solver: PairSolver) -> tuple[float, ...]:
        """Record a pair that is solved, or that has reached the limit of iterations, with its last snapshots.

        Returns the values of the pair. An unconverged pair's checkpoint stays, for a run with a higher limit; a later
        result replaces this one.
        """
        state = solver.state()
        self.save_snapshots(state)
        for score in state.pair:  # an earlier limit's last snapshot that is not on the schedule
            before = self._results.get(score)
            if before and before.iteration < state.iteration and not self.options.is_snapshot(before.iteration):
                (self.directory / subgame_name(score) / snapshot_name(before.iteration)).unlink(missing_ok=True)
        if not state.converged:
            self.save_checkpoint(solver.resumable_state())
        for score, value, exploitability in zip(state.pair, state.values, state.exploitabilities, strict=True):
            self._results[score] = SubgameResult(
                score, value, exploitability, state.iteration, state.converged, dict(state.following)
            )
        write_record(self.solution())
        if state.converged:
            self._checkpoint_path(state.pair).unlink(missing_ok=True)
        return state.values

    def _prepare(self, restart: bool, resume: bool) -> None:
        directory = self.directory
        record = directory / SOLUTION_FILE
        if resume and not record.exists():
            raise StoreError(f"{directory}: no earlier run to resume; leave --resume out to start one")
        if directory.is_dir() and not record.exists():
            check_no_leftovers(directory, is_solution_part, restart, "a solution")
        self._lock.acquire(directory)
        try:
            if record.exists() and not restart:
                earlier = load_solution(directory)
                self._check_same(earlier)
                self._results = dict(earlier.results)
                for path in (directory, *(path for path in directory.iterdir() if is_subgame(path))):
                    remove_temporary_files(path)
            else:
                remove_solution(directory)
                write_record(self.solution())
        except BaseException:
            self.close()
            raise

    def _check_same(self, earlier: Solution) -> None:
        """That the earlier run's options are this run's; the error names every difference."""
        ours = self.solution()
        differences = option_differences(earlier.options, ours.options)
        if earlier.tree_fingerprint != ours.tree_fingerprint:
            differences.append("the game tree is another one")
        if differences:
            raise other_configuration(self.directory, differences)

    def _checkpoint_path(self, pair: Pair) -> Path:
        return self.directory / f"checkpoint_{pair[0].first}_{pair[0].second}.msgpack"

    def _snapshot(self, state: PairState, twin: int) -> Snapshot:
        score, round_state = state.pair[twin], state.rounds[twin]
        known = {**state.following, **dict(zip(state.pair, state.values, strict=True))}
        return Snapshot(
            score=score,
            winning_score=self.options.winning_score,
            iteration=round_state.iteration,
            started_at=round_state.started_at,
            outcome_values=outcome_values(score, known, self.options.winning_score),
            options=self.options.as_dict(),
            end_rule=self.tree.end_rule,
            tree_fingerprint=self.tree.fingerprint,
            regrets=round_state.regrets,
            strategy_sums=round_state.strategy_sums,
            current_strategy=round_state.current_strategy,
            settled=round_state.settled,
            exploitability=state.exploitabilities[twin],
            value=state.values[twin],
            convergence=state.convergence[twin],
        )


def _state_from(
    path: Path, content: dict[str, Any], pair: Pair, tree: GameTree, options: dict[str, Any]
) -> PairState:
    try:
        following = {Score(first, second): float(value) for first, second, value in content["following"]}
        epoch_values = tuple(float(value) for value in content["epoch_values"])
        twins = [Snapshot.from_dict(path, twin, tree) for twin in content["twins"]]
        restart_due, converged = bool(content["restart_due"]), bool(content["converged"])
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(path, "not the fields of a checkpoint") from error
    if tuple(twin.score for twin in twins) != pair or len(epoch_values) != len(pair):
        raise FormatError(path, f"not a checkpoint of the pair {pair[0]}")
    if any(twin.options != options for twin in twins):
        raise FormatError(path, "a checkpoint of another configuration")
    return PairState(
        pair=pair,
        following=following,
        values=tuple(twin.value for twin in twins),
        exploitabilities=tuple(twin.exploitability for twin in twins),
        epoch_values=epoch_values,
        restart_due=restart_due,
        converged=converged,
        rounds=tuple(
            RoundState(twin.iteration, twin.started_at, twin.regrets, twin.strategy_sums, twin.current_strategy,
                       twin.settled)
            for twin in twins
        ),
        convergence=tuple(twin.convergence for twin in twins),
    )  # fmt: skip
