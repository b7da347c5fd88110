"""The solving of a whole match into a directory. A pair of scores starts when the pairs of its later scores are solved.

The directory always has a loadable solution. A result is used only if its later scores still have the same values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from ..checked_numbers import whole_number
from ..errors import StoreError
from ..formulas.match_values import values_by_formula
from ..games.rules import Rules
from ..games.tic_tac_toe_tree import GameTree
from ..match.endless import check_that_it_ends
from ..match.options import MatchOptions
from ..match.pair_cfr import PairSolver, PairState, similar_score
from ..match.scores import (
    Pair,
    Score,
    all_scores,
    following_scores,
    pair_of,
    pairs_in_solve_order,
    part_for_shorter_match,
    score_in_longer_match,
)
from ..run_control import DEFAULT_CONTROL, RunControl
from ..storage.directory_layout import list_snapshots, subgame_name
from ..storage.snapshot import Snapshot
from ..storage.solution import Solution, SubgameResult
from ..storage.solution_writer import SolutionWriter, load_checkpoint, save_checkpoint, unusable
from .cluster import SHORTEST_PART, run_by_workers
from .game_run import CheckpointClock
from .pair_work import PairProgress, PairTask, SnapshotFile, pair_in_parts, pair_work
from .task_graph import Work


class MatchReporter(Protocol):
    """A follower of `solve_match`, which calls these methods in its own thread."""

    def pair_started(self, progress: PairProgress) -> None: ...
    def pair_checked(self, progress: PairProgress) -> None: ...
    def pair_finished(self, pair: Pair, num_done: int, num_pairs: int) -> None: ...


def solve_match(
    directory: Path,
    tree: GameTree,
    options: MatchOptions,
    *,
    max_iterations: int | None = None,
    control: RunControl[MatchReporter] = DEFAULT_CONTROL,
) -> Solution:
    """Solve a match into `directory`, or continue an earlier run. Neither workers nor interruptions change the result.

    max_iterations: the limit for each subgame. Unconverged subgames are saved, and earlier scores use their values.
    control: its workers solve several pairs at the same time. A stopped run saves its progress.

    Raises ValueError for fewer than one iteration, and for an unreachable target without a limit, EndlessMatchError if
    the match never ends between perfect players (`check_that_it_ends`), StoreError for an unusable directory,
    FormatError for a damaged file, and OSError if writing fails; saved results stay usable.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from tictactoe import GameTree, MatchOptions, solve_match
    >>> options = MatchOptions(winning_score=1, maximum_subgame_exploitability=0.02)
    >>> with TemporaryDirectory() as directory:
    ...     solution = solve_match(Path(directory), GameTree.build(), options)
    >>> [(str(score), result.converged) for score, result in solution.results.items()]
    [('0-0', True)]
    """
    if max_iterations is not None:
        max_iterations = whole_number("max_iterations", max_iterations, 1)
    else:
        options.check_target()
    check_that_it_ends(tree)
    with SolutionWriter(directory, tree, options.winning_score, options.as_dict(), existing=control.existing) as writer:
        run = _MatchRun(writer, options, max_iterations, control)
        run_by_workers(run.graph, run.solve, control)
    return writer.solution()


class _MatchRun:
    def __init__(
        self, writer: SolutionWriter, options: MatchOptions, limit: int | None, control: RunControl[MatchReporter]
    ) -> None:
        self._writer = writer
        self._options = options
        self._limit = limit
        self._control = control
        self._values: dict[Score, float] = {}
        self._clocks: dict[Pair, CheckpointClock] = {}
        self.graph = dependencies(options.winning_score)

    def solve(self, pair: Pair) -> Work[None]:
        following = {score: self._values[score] for score in following_scores(pair, self._options.winning_score)}
        if not self._is_done(pair, following):
            tree, task, workers = self._writer.tree, self._task(pair, following), self._control.elsewhere
            if workers is None:
                results = yield from pair_work(tree, task, self)
            else:
                seconds = getattr(workers, "part_seconds", SHORTEST_PART)
                results = yield from pair_in_parts(str(tree.rules), task, self, seconds)
            self._record(pair, results)
        elif all(self._writer.results[score].converged for score in pair):  # left by a run killed after recording
            self._writer.checkpoint_path(pair).unlink(missing_ok=True)
        self._values |= {score: self._writer.results[score].value for score in pair}
        if self._control.reporter:
            num_done = len({pair_of(score) for score in self._values})
            self._control.reporter.pair_finished(pair, num_done, len(self.graph))

    def started(self, progress: PairProgress) -> None:
        self._clocks[progress.pair] = CheckpointClock()
        if self._control.reporter:
            self._control.reporter.pair_started(progress)

    def checked(self, progress: PairProgress) -> None:
        if self._control.reporter:
            self._control.reporter.pair_checked(progress)

    def keep_snapshot(self, file: SnapshotFile) -> None:
        result = self._writer.results.get(file.score)
        if file.is_last or result is None or result.iteration != file.iteration:
            self._writer.save_snapshot_file(file.score, file.iteration, file.data)

    def keep_state(self, state: PairState) -> None:
        save_checkpoint(self._writer.checkpoint_path(state.pair), state, self._writer.tree, self._options)

    def wants_state(self, pair: Pair) -> bool:
        return self._clocks[pair].is_due()

    def _is_done(self, pair: Pair, following: Mapping[Score, float]) -> bool:
        target = self._options.maximum_subgame_exploitability
        return self._writer.has(pair, following) and all(
            (result.converged and result.exploitability <= target)
            or (self._limit is not None and result.iteration >= self._limit)
            for result in map(self._writer.results.__getitem__, pair)
        )

    def _task(self, pair: Pair, following: Mapping[Score, float]) -> PairTask:
        tree, path = self._writer.tree, self._writer.checkpoint_path(pair)
        state = load_checkpoint(path, pair, following, tree, self._options)
        if state is None:
            self._writer.forget(pair)
            similar, start = similar_score(pair, self._options.winning_score), tuple[Snapshot, ...]()
            if similar is not None and self._options.algorithm.warm_start_at is not None:
                # Always from its file, because a continued run must get the same bits.
                start = (self._writer.solution().snapshot(similar),)
            return PairTask(pair, following, self._options, self._limit, start=start)
        if state.converged:
            try:
                PairSolver(tree, pair, following, self._options).set_state(state)
            except ValueError as error:
                raise unusable(path, str(error)) from error
        for score in pair:  # last snapshots of runs killed before recording
            result = self._writer.results.get(score)
            for iteration in list_snapshots(self._writer.place / subgame_name(score)):
                if not self._options.is_snapshot(iteration) and (result is None or result.iteration != iteration):
                    self._writer.remove_snapshot(score, iteration)
        return PairTask(pair, following, self._options, self._limit, state=state)

    def _record(self, pair: Pair, results: Sequence[SubgameResult]) -> None:
        for result in results:  # remove the last snapshot of an earlier, lower limit, unless it is on the schedule
            before = self._writer.results.get(result.score)
            if before and before.iteration < result.iteration and not self._options.is_snapshot(before.iteration):
                self._writer.remove_snapshot(result.score, before.iteration)
        self._writer.record(results)
        if all(result.converged for result in results):
            self._writer.checkpoint_path(pair).unlink(missing_ok=True)


def dependencies(winning_score: int) -> dict[Pair, set[Pair]]:
    """For every pair of a match, in the order of solving, the pairs that must be solved before it."""
    return {
        pair: {pair_of(score) for score in following_scores(pair, winning_score)}
        for pair in pairs_in_solve_order(winning_score)
    }


def start_values_by_formula(winning_score: int, rules: Rules | str) -> dict[Score, float]:
    """The start values of MatchOptions from closed forms. Raises the errors of `values_by_formula`.

    >>> values = start_values_by_formula(2, "filled")
    >>> print(f"{values[Score(1, 0)]:.9f}")  # 361/539
    0.669758813
    """
    values = values_by_formula(winning_score, rules)
    return {score: float(values[score]) for score in all_scores(winning_score)}


def start_values_of(solution: Solution, winning_score: int) -> dict[Score, float]:
    """The start values of MatchOptions from the solution of an equal or longer match by the same rules.

    Raises StoreError if the match is shorter or lacks a score.

    >>> from tictactoe import load_solution
    >>> print(f"{start_values_of(load_solution('shipped'), 2)[Score(1, 0)]:.12f}")
    0.654312197083
    """
    longer = solution.winning_score
    if longer < winning_score:
        raise StoreError(
            f"{solution.directory}: a match to {longer}, which lacks values for a match to {winning_score}"
        )
    values = part_for_shorter_match(solution.value, longer, winning_score)
    if missing := [score for score in all_scores(winning_score) if score not in values]:
        there = score_in_longer_match(missing[0], winning_score, longer)
        raise StoreError(f"{solution.directory}: has no value for the score {there}; solve the match first")
    return {score: values[score] for score in all_scores(winning_score)}
