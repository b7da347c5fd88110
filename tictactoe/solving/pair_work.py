"""The work on one pair of scores, in threads or in parts that any process may run. Both give the same result."""

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
    """The work on a pair, from its beginning or from a saved state."""

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
    """The start of the epoch, as in PairSolver."""
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
    """A keeper that saves the snapshots and states of pairs and follows their progress."""

    def started(self, progress: PairProgress) -> None: ...
    def checked(self, progress: PairProgress) -> None: ...
    def keep_snapshot(self, file: SnapshotFile) -> None: ...
    def keep_state(self, state: PairState) -> None: ...
    def wants_state(self, pair: Pair) -> bool:
        """Whether it is time to save a state."""
        ...


def pair_work(tree: GameTree, task: PairTask, keeper: PairKeeper) -> Work[list[SubgameResult]]:
    """Solve a pair up to convergence or its limit and return the results. If interrupted, give the keeper the state."""
    solver, options = PairSolver(tree, task.pair, task.following, task.options, start=task.start), task.options
    if task.state is not None:
        solver.set_state(task.state)
    elif options.is_snapshot(0):
        solver.check([solver.advance(twin, 0) for twin in range(len(task.pair))])
        _keep_scheduled(tree, solver, keeper)
    keeper.started(_progress(solver))
    while not solver.converged and (task.limit is None or solver.iteration < task.limit):
        stop = solver.next_stop(task.limit)
        try:
            evaluations = yield [partial(solver.advance, twin, stop) for twin in range(len(task.pair))]
        except Interrupted:
            keeper.keep_state(solver.resumable_state())
            raise
        solver.check(evaluations)
        keeper.checked(_progress(solver))
        if options.is_snapshot(solver.iteration) and not solver.converged:
            _keep_scheduled(tree, solver, keeper)
        if keeper.wants_state(task.pair):
            keeper.keep_state(solver.resumable_state())
    return _results(tree, solver, keeper)


def _progress(solver: PairSolver) -> PairProgress:
    target = solver.options.maximum_subgame_exploitability
    at, of = (solver.iteration, solver.epoch_start), solver.exploitabilities
    return PairProgress(solver.pair, *at, of, solver.converged, target)


def _keep_scheduled(tree: GameTree, solver: PairSolver, keeper: PairKeeper) -> None:
    in_brief = not solver.options.in_full
    for snapshot in snapshots_of(solver.state(in_brief=in_brief), tree, solver.options):
        keeper.keep_snapshot(_file(snapshot, single_precision=in_brief, is_last=False))


def _file(snapshot: Snapshot, *, single_precision: bool = False, is_last: bool) -> SnapshotFile:
    assert snapshot.score is not None
    data = replace(snapshot, recent_sums=None).file_bytes(single_precision=single_precision)
    return SnapshotFile(snapshot.score, snapshot.iteration, data, is_last)


def _results(tree: GameTree, solver: PairSolver, keeper: PairKeeper) -> list[SubgameResult]:
    state, options = solver.state(), solver.options
    snapshots = snapshots_of(state, tree, options)
    starts_another = len(state.pair) == 1 and options.algorithm.warm_start_at is not None
    keeps_regrets = options.in_full or options.has_schedule or starts_another
    for snapshot in snapshots:
        keeper.keep_snapshot(_file(snapshot if keeps_regrets else snapshot.without_regrets(), is_last=True))
    if not state.converged:
        keeper.keep_state(solver.resumable_state())
    at, converged, following = state.iteration, state.converged, dict(state.following)
    return [
        SubgameResult(score, snapshot.value, snapshot.exploitability, at, converged, following)
        for score, snapshot in zip(state.pair, snapshots, strict=True)
    ]


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
        self.progress = progress

    checked = started

    def keep_snapshot(self, file: SnapshotFile) -> None:
        self.files.append(file)

    def keep_state(self, state: PairState) -> None:
        self.state = state

    def wants_state(self, pair: Pair) -> bool:
        return monotonic() >= self.end


def go_on_for(tree: GameTree, task: PairTask, part: PairPart, seconds: float) -> None:
    """Continue a pair for `seconds` seconds in this thread, and at least up to a later state. `part` is the keeper."""
    part.end, begun = monotonic() + seconds, -1 if task.state is None else task.state.iteration
    work = pair_work(tree, task, part)
    try:
        functions = next(work)
        while part.state is None or part.state.iteration <= begun:
            functions = work.send([function() for function in functions])
    except StopIteration as end:
        part.results = end.value


def pair_part(rules: str, task: PairTask, seconds: float) -> PairPart:
    """Call `go_on_for` with a new part, in any process. rules: as written by str(Rules)."""
    part = PairPart()
    go_on_for(GameTree.build(rules), task, part, seconds)
    return part


def pair_in_parts(rules: str, task: PairTask, keeper: PairKeeper, seconds: float) -> Work[list[SubgameResult]]:
    """Like `pair_work`, but in parts of about `seconds` seconds that any process may run."""
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
