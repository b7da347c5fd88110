"""The work of one pair of scores, independent of where it runs and of the directory that holds the results.

In threads it runs step by step, both twins at the same time, and a keeper saves snapshots and states at once. In other
processes, which write no files, it runs in parts: `pair_part` works for some seconds and returns all data to be saved.
The next part continues from there, in any process, with the same result to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from time import monotonic
from typing import NamedTuple, Protocol

from ..algorithms.cfr import CFRState
from ..errors import Interrupted
from ..games.tic_tac_toe_tree import GameTree
from ..match.options import MatchOptions
from ..match.pair_cfr import PairSolver, PairState
from ..match.scores import Pair, Score
from ..storage.snapshot import Snapshot
from ..storage.solution import SubgameResult
from ..storage.solution_writer import snapshots_of
from .task_graph import Work


@dataclass(frozen=True, eq=False)
class PairTask:
    """The description of a pair's work, from its beginning or from a saved state."""

    pair: Pair
    following: Mapping[Score, float]
    """The values of the scores that the pair leads to."""
    options: MatchOptions
    limit: int | None
    """The iteration at which the work stops without convergence; None for no limit."""
    start: tuple[CFRState, ...] = ()
    """States of a similar pair, for a warm start; empty for a cold start."""
    state: PairState | None = None
    """The state to continue from; None for the beginning."""


class PairProgress(NamedTuple):
    """The progress of a pair at a check."""

    pair: Pair
    iteration: int
    epoch_start: int
    """As in PairSolver."""
    exploitabilities: tuple[float, ...]
    """NashConv of each twin's average strategy, in match value."""
    converged: bool
    target: float
    """The exploitability that every twin must reach, in match value."""


class SnapshotFile(NamedTuple):
    """The bytes of a snapshot's file."""

    score: Score
    iteration: int
    data: bytes
    is_last: bool
    """Whether the snapshot belongs to a result; False for a scheduled snapshot."""


class PairKeeper(Protocol):
    """Saves the snapshots and states of pairs, and follows their progress."""

    def started(self, progress: PairProgress) -> None: ...
    def checked(self, progress: PairProgress) -> None: ...
    def keep_snapshot(self, file: SnapshotFile) -> None: ...
    def keep_state(self, state: PairState) -> None: ...
    def wants_state(self, pair: Pair) -> bool:
        """Whether it is time to save a state, in case the run is killed."""
        ...


def pair_work(tree: GameTree, task: PairTask, keeper: PairKeeper) -> Work[list[SubgameResult]]:
    """Solve the pair, or stop at its limit; return the results of its scores. When interrupted, give the keeper the
    state."""
    work = _PairWork(tree, task, keeper)
    solver = work.begun()
    while not work.is_done:
        stop = solver.next_stop(task.limit)
        try:
            evaluations = yield [partial(solver.advance, twin, stop) for twin in range(len(task.pair))]
        except Interrupted:
            keeper.keep_state(solver.resumable_state())
            raise
        solver.check(evaluations)
        work.keep()
    return work.results()


class _PairWork:
    """What there is to do beside the steps of the solver."""

    def __init__(self, tree: GameTree, task: PairTask, keeper: PairKeeper) -> None:
        self._tree, self._task, self._options, self._keeper = tree, task, task.options, keeper
        self._solver = PairSolver(tree, task.pair, task.following, task.options, start=task.start)

    def begun(self) -> PairSolver:
        """The solver, at the state to continue from, or at the beginning, which may be on the schedule of snapshots."""
        solver = self._solver
        if self._task.state is not None:
            solver.set_state(self._task.state)
        elif self._options.is_snapshot(0):
            solver.check([solver.advance(twin, 0) for twin in range(len(solver.pair))])
            self._keep_scheduled()
        self._keeper.started(self._progress())
        return solver

    @property
    def is_done(self) -> bool:
        """Whether the pair has converged, or reached its limit."""
        limit = self._task.limit
        return self._solver.converged or (limit is not None and self._solver.iteration >= limit)

    def keep(self) -> None:
        """After a step: tell the progress, and keep what has to be kept."""
        solver = self._solver
        self._keeper.checked(self._progress())
        if self._options.is_snapshot(solver.iteration) and not solver.converged:
            self._keep_scheduled()
        if self._keeper.wants_state(solver.pair):
            self._keeper.keep_state(solver.resumable_state())

    def _progress(self) -> PairProgress:
        solver, target = self._solver, self._options.maximum_subgame_exploitability
        at, of = (solver.iteration, solver.epoch_start), solver.exploitabilities
        return PairProgress(solver.pair, *at, of, solver.converged, target)

    def _keep_scheduled(self) -> None:
        in_brief = not self._options.in_full
        for snapshot in snapshots_of(self._solver.state(in_brief=in_brief), self._tree, self._options):
            self._keep(snapshot, single_precision=in_brief, is_last=False)

    def _keep(self, snapshot: Snapshot, *, single_precision: bool, is_last: bool) -> None:
        """Give the keeper a snapshot without recent_sums: a continued run takes these from the state."""
        assert snapshot.score is not None
        data = replace(snapshot, recent_sums=None).file_bytes(single_precision=single_precision)
        self._keeper.keep_snapshot(SnapshotFile(snapshot.score, snapshot.iteration, data, is_last))

    def results(self) -> list[SubgameResult]:
        """Keep the last snapshots and return the results. An unconverged pair's state is kept, for a higher limit."""
        state = self._solver.state()
        snapshots = snapshots_of(state, self._tree, self._options)
        for snapshot in snapshots:
            kept = snapshot if self._keeps_regrets() else snapshot.without_regrets()
            self._keep(kept, single_precision=False, is_last=True)
        if not state.converged:
            self._keeper.keep_state(self._solver.resumable_state())
        at, converged, following = state.iteration, state.converged, dict(state.following)
        return [
            SubgameResult(score, snapshot.value, snapshot.exploitability, at, converged, following)
            for score, snapshot in zip(state.pair, snapshots, strict=True)
        ]

    def _keeps_regrets(self) -> bool:
        """Whether to save the last regrets: the options ask for them, or another pair may start from them."""
        options = self._options
        starts_another = len(self._task.pair) == 1 and options.algorithm.warm_start_at is not None
        return options.in_full or options.has_schedule or starts_another


@dataclass(eq=False)
class PairPart:
    """A part of a pair's work: a PairKeeper that collects the data to be saved."""

    progress: PairProgress | None = None
    """The progress at the last check."""
    files: list[SnapshotFile] = field(default_factory=list)
    state: PairState | None = None
    """The last state, from which the next part continues."""
    results: list[SubgameResult] | None = None
    """The results of the pair; None if work is left."""
    end: float = math.inf
    """The end of the part, in seconds of `monotonic` in its process."""

    def started(self, progress: PairProgress) -> None:
        """Note the progress at the start."""
        self.progress = progress

    def checked(self, progress: PairProgress) -> None:
        """Note the progress at a check."""
        self.progress = progress

    def keep_snapshot(self, file: SnapshotFile) -> None:
        """Add a snapshot to the part's files."""
        self.files.append(file)

    def keep_state(self, state: PairState) -> None:
        """Keep the state, in place of an earlier one."""
        self.state = state

    def wants_state(self, pair: Pair) -> bool:
        """Whether the part's time is over: then the next part needs a state to continue from."""
        return monotonic() >= self.end


def go_on_for(tree: GameTree, task: PairTask, part: PairPart, seconds: float) -> None:
    """Continue a pair for about `seconds` seconds in this thread, with `part` as its keeper.

    On a slow machine it takes longer: it does not end before there is a later state to continue from. Not every check
    gives one.
    """
    part.end, begun = monotonic() + seconds, -1 if task.state is None else task.state.iteration
    work = _PairWork(tree, task, part)
    solver = work.begun()
    while not work.is_done and (part.state is None or part.state.iteration <= begun):
        solver.step(task.limit)
        work.keep()
    if work.is_done:
        part.results = work.results()


def pair_part(rules: str, task: PairTask, seconds: float) -> PairPart:
    """Do a part of a pair's work with `go_on_for`, in any process. rules: as str(Rules) writes them."""
    part = PairPart()
    go_on_for(GameTree.build(rules), task, part, seconds)
    return part


def pair_in_parts(rules: str, task: PairTask, keeper: PairKeeper, seconds: float) -> Work[list[SubgameResult]]:
    """Like `pair_work`, but in parts of about `seconds` seconds, which an executor may call in any process."""
    state, unknown = task.state, (math.inf,) * len(task.pair)
    at = (0, 0) if state is None else (state.iteration, state.rounds[0].started_at)
    keeper.started(PairProgress(task.pair, *at, unknown, False, task.options.maximum_subgame_exploitability))
    while True:
        (part,) = yield [partial(pair_part, rules, task, seconds)]
        for file in part.files:
            keeper.keep_snapshot(file)
        if part.state is not None:
            keeper.keep_state(part.state)
        keeper.checked(part.progress)
        if part.results is not None:
            return list(part.results)
        task = replace(task, state=part.state, start=())
