"""Solving a whole match into a directory: every pair as soon as the pairs that it depends on are solved.

The directory is a solution from the beginning, and one that lacks scores until the end. Beside what every solution has
it holds checkpoint_4_3.msgpack for every pair in progress, so that a run that stops at any moment can be continued by
the same command. A result counts only while it was computed from the very values that its later scores have: nothing
stale survives a change further up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import Protocol

from ..algorithms.cfr import Evaluation
from ..errors import Interrupted
from ..games.tic_tac_toe_tree import GameTree
from ..match.options import MatchOptions
from ..match.pair_cfr import PairSolver, similar_score
from ..match.scores import Pair, Score, following_scores, pair_of, pairs_in_solve_order
from ..storage.directory_layout import list_snapshots, subgame_name
from ..storage.pair_checkpoint import load_checkpoint, save_checkpoint, snapshots_of
from ..storage.snapshot import Snapshot
from ..storage.solution import Solution, SubgameResult
from ..storage.solution_writer import SolutionWriter
from .checkpoint_clock import CheckpointClock
from .schedule import Work, run_graph


class Observer(Protocol):
    """Is told what happens while a match is solved, from the thread that called `solve_match`."""

    def pair_started(self, solver: PairSolver) -> None: ...
    def pair_checked(self, solver: PairSolver) -> None: ...
    def pair_finished(self, pair: Pair, num_done: int, num_pairs: int) -> None: ...


def solve_match(
    directory: Path,
    tree: GameTree,
    options: MatchOptions,
    *,
    jobs: int = 1,
    max_iterations: int | None = None,
    restart: bool = False,
    resume: bool = False,
    observer: Observer | None = None,
    stop: Event | None = None,
) -> Solution:
    """Solve a match into `directory`, from where it stands, on up to `jobs` threads.

    max_iterations: of each subgame; one that has not converged by then is saved as it is, and the others are solved
    with its value. restart: what an earlier run left is removed first. resume: there must be an earlier run. Setting
    `stop` makes it save what is in progress and raise Interrupted. The result does not depend on `jobs`, nor on how
    often the run was interrupted.

    Raises ValueError for fewer than one job or iteration, StoreError for a directory that cannot be used, FormatError
    for a damaged file in it, and OSError when something cannot be written; what was saved before stays usable.

    >>> from tempfile import TemporaryDirectory
    >>> from tictactoe import GameTree, MatchOptions, solve_match
    >>> options = MatchOptions(winning_score=1, maximum_subgame_exploitability=0.02)
    >>> with TemporaryDirectory() as directory:
    ...     solution = solve_match(Path(directory), GameTree.build(), options)
    >>> [(str(score), result.converged) for score, result in solution.results.items()]
    [('0-0', True)]
    """
    if jobs < 1:
        raise ValueError(f"jobs: {jobs} is not at least 1")
    if max_iterations is not None and max_iterations < 1:
        raise ValueError(f"max_iterations: {max_iterations} is not at least 1")
    with SolutionWriter(
        directory, tree, options.winning_score, options.as_dict(), restart=restart, resume=resume
    ) as writer:
        run = _MatchRun(writer, options, max_iterations, observer)
        with ThreadPoolExecutor(jobs) as pool:
            run_graph(run.graph, run.solve, pool, most_at_once=jobs, stop=stop)
        return writer.solution()


class _MatchRun:
    """The pairs of one match, and what is known of them by now."""

    def __init__(
        self, writer: SolutionWriter, options: MatchOptions, limit: int | None, observer: Observer | None
    ) -> None:
        self._writer = writer
        self._options = options
        self._limit = limit
        self._observer = observer
        self._values: dict[Score, float] = {}
        self.graph = dependencies(options.winning_score)

    def solve(self, pair: Pair) -> Work[None]:
        """The work of one pair: solve it, unless it is solved already."""
        following = {score: self._values[score] for score in following_scores(pair, self._options.winning_score)}
        if not self._is_done(pair, following):
            solver = self._started(pair, following)
            clock = CheckpointClock()
            while not (solver.converged or (self._limit is not None and solver.iteration >= self._limit)):
                end = solver.next_stop(self._limit)
                try:
                    evaluations = yield [partial(solver.advance, twin, end) for twin in range(len(pair))]
                except Interrupted:
                    self._save_checkpoint(solver)
                    raise
                self._check(solver, evaluations)
                if clock.is_due():
                    self._save_checkpoint(solver)
            self._record(solver)
        self._values |= {score: self._writer.results[score].value for score in pair}
        if self._observer:
            num_done = len({pair_of(score) for score in self._values})
            self._observer.pair_finished(pair, num_done, len(self.graph))

    def _is_done(self, pair: Pair, following: Mapping[Score, float]) -> bool:
        """Whether there is nothing left to do for a pair, as far as the limit allows."""
        return self._writer.has(pair, following) and all(
            result.converged or (self._limit is not None and result.iteration >= self._limit)
            for result in map(self._writer.results.__getitem__, pair)
        )

    def _started(self, pair: Pair, following: Mapping[Score, float]) -> PairSolver:
        """The solver of a pair, as far as an earlier run has come."""
        tree, path = self._writer.tree, self._writer.checkpoint_path(pair)
        state = load_checkpoint(path, pair, following, tree, self._options)
        start = [] if state is not None else self._warm_start(pair)
        solver = PairSolver(tree, pair, following, self._options, start=start)
        if state is not None:
            self._remove_unscheduled(pair)
            solver.set_state(state)
        else:
            self._writer.forget(pair)
            if self._options.is_snapshot(0):
                solver.check([solver.advance(twin, 0) for twin in range(len(pair))])
                self._save_snapshots(solver)
        if self._observer:
            self._observer.pair_started(solver)
        return solver

    def _warm_start(self, pair: Pair) -> list[Snapshot]:
        """What the pair starts from: the last state of a similar score, if there is one and the rule can use it.

        From its file even where it was only just solved, so that a run that was stopped goes on alike.
        """
        score = similar_score(pair, self._options.winning_score)
        if score is None or self._options.rule.warm_start_at is None:
            return []
        return [self._writer.solution().snapshot(score)]

    def _check(self, solver: PairSolver, evaluations: Sequence[Evaluation]) -> None:
        solver.check(evaluations)
        if self._observer:
            self._observer.pair_checked(solver)
        if self._options.is_snapshot(solver.iteration) and not solver.converged:
            self._save_snapshots(solver)

    def _save_snapshots(self, solver: PairSolver) -> None:
        """Save an iteration of the schedule, unless it is there already as a result."""
        in_brief = not self._options.in_full
        for snapshot in snapshots_of(solver.state(in_brief=in_brief), self._writer.tree, self._options):
            result = self._writer.results.get(snapshot.score) if snapshot.score else None
            if result is None or result.iteration != solver.iteration:
                self._save(snapshot, single_precision=in_brief)

    def _save(self, snapshot: Snapshot, *, single_precision: bool = False) -> None:
        """Save a snapshot without what only a run that goes on needs: that has its checkpoint."""
        self._writer.save_snapshot(replace(snapshot, recent_sums=None), single_precision=single_precision)

    def _save_checkpoint(self, solver: PairSolver) -> None:
        path = self._writer.checkpoint_path(solver.pair)
        save_checkpoint(path, solver.resumable_state(), self._writer.tree, self._options)

    def _record(self, solver: PairSolver) -> None:
        """Record a pair that is solved, or that has reached the limit of iterations, with its last snapshots.

        An unconverged pair's checkpoint stays, for a run with a higher limit; a later result replaces this one.
        """
        state = solver.state()
        snapshots = snapshots_of(state, self._writer.tree, self._options)
        for snapshot in snapshots:
            self._save(snapshot if self._keeps_regrets(solver.pair) else snapshot.without_regrets())
        for score in solver.pair:  # an earlier limit's last snapshot that is not on the schedule
            before = self._writer.results.get(score)
            if before and before.iteration < state.iteration and not self._options.is_snapshot(before.iteration):
                self._writer.snapshot_path(score, before.iteration).unlink(missing_ok=True)
        if not state.converged:
            self._save_checkpoint(solver)
        at, converged, following = state.iteration, state.converged, dict(state.following)
        self._writer.record(
            SubgameResult(score, snapshot.value, snapshot.exploitability, at, converged, following)
            for score, snapshot in zip(state.pair, snapshots, strict=True)
        )
        if state.converged:
            self._writer.checkpoint_path(state.pair).unlink(missing_ok=True)

    def _keeps_regrets(self, pair: Pair) -> bool:
        """Whether the last regrets are saved: somebody wants to see them, or another pair may start from them."""
        options = self._options
        starts_another = len(pair) == 1 and options.rule.warm_start_at is not None
        return options.in_full or options.has_schedule or starts_another

    def _remove_unscheduled(self, pair: Pair) -> None:
        """Remove last snapshots of runs that were killed before they could be recorded."""
        for score in pair:
            result = self._writer.results.get(score)
            for iteration in list_snapshots(self._writer.directory / subgame_name(score)):
                if not self._options.is_snapshot(iteration) and (result is None or result.iteration != iteration):
                    self._writer.snapshot_path(score, iteration).unlink()


def dependencies(winning_score: int) -> dict[Pair, set[Pair]]:
    """Of every pair of a match the pairs that must be solved before it, in solve order."""
    return {
        pair: {pair_of(score) for score in following_scores(pair, winning_score)}
        for pair in pairs_in_solve_order(winning_score)
    }
