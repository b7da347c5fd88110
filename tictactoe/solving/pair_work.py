"""The work of one pair of scores, apart from where it is done and from the directory that it is saved into.

In threads it is done step by step, both twins at the same time, and what is to be kept goes into the directory at once.
Elsewhere, in a process that knows of no directory, it is done a part at a time: `pair_part` goes on for some seconds
and returns what is to be kept; the next part goes on from there, anywhere, with the same result to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from time import monotonic
from typing import NamedTuple, Protocol

from ..algorithms.cfr.cfr_state import CFRState
from ..errors import Interrupted
from ..games.tic_tac_toe_tree import GameTree
from ..match.options import MatchOptions
from ..match.pair_cfr import PairSolver, PairState
from ..match.scores import Pair, Score
from ..storage.pair_checkpoint import snapshots_of
from ..storage.snapshot import Snapshot
from ..storage.solution import SubgameResult
from .schedule import Work


@dataclass(frozen=True, eq=False)
class PairTask:
    """What there is to know of a pair before it is solved, or gone on with.

    following: the values of the scores that it leads to. limit: the iteration at which it is given up, None for none.
    start: for a warm start, what was learnt at a similar pair. state: what to go on from; None for the beginning.
    """

    pair: Pair
    following: Mapping[Score, float]
    options: MatchOptions
    limit: int | None
    start: tuple[CFRState, ...] = ()
    state: PairState | None = None


class PairProgress(NamedTuple):
    """How far a pair is. epoch_start: as of PairSolver. target: of the exploitabilities of its twins (match value)."""

    pair: Pair
    iteration: int
    epoch_start: int
    exploitabilities: tuple[float, ...]
    converged: bool
    target: float


class SnapshotFile(NamedTuple):
    """What a snapshot's file is to hold. is_last: of a result, as opposed to one of the schedule."""

    score: Score
    iteration: int
    data: bytes
    is_last: bool


class PairKeeper(Protocol):
    """Is given what is to be kept of a pair, and told how far it is."""

    def started(self, progress: PairProgress) -> None: ...
    def checked(self, progress: PairProgress) -> None: ...
    def keep_snapshot(self, file: SnapshotFile) -> None: ...
    def keep_state(self, state: PairState) -> None: ...
    def wants_state(self) -> bool:
        """Whether it is time to keep a state, in case that nothing more comes."""
        ...


def pair_work(tree: GameTree, task: PairTask, keeper: PairKeeper) -> Work[list[SubgameResult]]:
    """Solves the pair, or comes to its limit; the results of its scores. Asked to stop it has its state kept."""
    return _PairWork(tree, task, keeper).run()


class _PairWork:
    def __init__(self, tree: GameTree, task: PairTask, keeper: PairKeeper) -> None:
        self._tree = tree
        self._task = task
        self._options = task.options
        self._keeper = keeper
        self._solver = PairSolver(tree, task.pair, task.following, task.options, start=task.start)

    def run(self) -> Work[list[SubgameResult]]:
        solver, limit, twins = self._solver, self._task.limit, range(len(self._task.pair))
        if self._task.state is not None:
            solver.set_state(self._task.state)
        elif self._options.is_snapshot(0):
            solver.check([solver.advance(twin, 0) for twin in twins])
            self._keep_scheduled()
        self._keeper.started(self._progress())
        while not (solver.converged or (limit is not None and solver.iteration >= limit)):
            end = solver.next_stop(limit)
            try:
                evaluations = yield [partial(solver.advance, twin, end) for twin in twins]
            except Interrupted:
                self._keeper.keep_state(solver.resumable_state())
                raise
            solver.check(evaluations)
            self._keeper.checked(self._progress())
            if self._options.is_snapshot(solver.iteration) and not solver.converged:
                self._keep_scheduled()
            if self._keeper.wants_state():
                self._keeper.keep_state(solver.resumable_state())
        return self._results()

    def _progress(self) -> PairProgress:
        solver, target = self._solver, self._options.maximum_subgame_exploitability
        at, of = (solver.iteration, solver.epoch_start), solver.exploitabilities
        return PairProgress(solver.pair, *at, of, solver.converged, target)

    def _keep_scheduled(self) -> None:
        in_brief = not self._options.in_full
        for snapshot in snapshots_of(self._solver.state(in_brief=in_brief), self._tree, self._options):
            self._keep(snapshot, single_precision=in_brief, is_last=False)

    def _keep(self, snapshot: Snapshot, *, single_precision: bool, is_last: bool) -> None:
        """Have a snapshot kept without what only a run that goes on needs: that has the state."""
        assert snapshot.score is not None
        data = replace(snapshot, recent_sums=None).file_bytes(single_precision=single_precision)
        self._keeper.keep_snapshot(SnapshotFile(snapshot.score, snapshot.iteration, data, is_last))

    def _results(self) -> list[SubgameResult]:
        """Of a pair that is solved, or given up: then its state is kept, too, for a run with a higher limit."""
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
        """Whether the last regrets are saved: somebody wants to see them, or another pair may start from them."""
        options = self._options
        starts_another = len(self._task.pair) == 1 and options.rule.warm_start_at is not None
        return options.in_full or options.has_schedule or starts_another


@dataclass(eq=False)
class PairPart:
    """What a part of a pair's work has come to: what is to be kept, how far it is, and the results if that was all.

    end: when the part is over, by the clock of the process that it is done in.
    """

    progress: PairProgress | None = None
    files: list[SnapshotFile] = field(default_factory=list)
    state: PairState | None = None
    results: list[SubgameResult] | None = None
    end: float = math.inf

    def started(self, progress: PairProgress) -> None:
        """As PairKeeper says."""
        self.progress = progress

    def checked(self, progress: PairProgress) -> None:
        """As PairKeeper says."""
        self.progress = progress

    def keep_snapshot(self, file: SnapshotFile) -> None:
        """As PairKeeper says."""
        self.files.append(file)

    def keep_state(self, state: PairState) -> None:
        """As PairKeeper says."""
        self.state = state

    def wants_state(self) -> bool:
        """As PairKeeper says: not before the part is over."""
        return monotonic() >= self.end


def go_on_for(tree: GameTree, task: PairTask, part: PairPart, seconds: float) -> None:
    """Go on with a pair for about so many seconds, in this thread; `part` is given what comes of it.

    However slow it is here, at least until there is a later state to go on from: not every check leaves one.
    """
    part.end, begun = monotonic() + seconds, -1 if task.state is None else task.state.iteration
    work = pair_work(tree, task, part)
    try:
        functions = next(work)
        while part.state is None or part.state.iteration <= begun:
            functions = work.send([function() for function in functions])
    except StopIteration as ended:
        part.results = ended.value


def pair_part(rules: str, task: PairTask, seconds: float) -> PairPart:
    """As `go_on_for`, by rules as str(Rules) writes them, wherever it is called."""
    part = PairPart()
    go_on_for(GameTree.build(rules), task, part, seconds)
    return part


def pair_in_parts(rules: str, task: PairTask, keeper: PairKeeper, seconds: float) -> Work[list[SubgameResult]]:
    """As `pair_work`, in parts of so many seconds that an executor may call anywhere."""
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
