"""A forecast of solving a match: scores, memory, disk space and, from one measured pair, time."""

from __future__ import annotations

import heapq
import math
import time
from bisect import bisect_left
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from ..algorithms.linear_program import require_solver
from ..checked_numbers import whole_number
from ..errors import Difference, MissingSolverError, Remedy, StoreError, TicTacToeError
from ..games.rules import Rules
from ..games.tic_tac_toe_tree import GameTree
from ..match.options import MatchOptions
from ..match.scores import Pair, Score, all_scores, following_scores, pair_of
from ..run_control import DEFAULT_CONTROL, Existing, RunControl
from ..storage.directory_layout import SOLUTION_FILE, UNPOLISHED, place_of_run, snapshot_name, subgame_name
from ..storage.population import population_of
from ..storage.solution import SubgameResult, load_solution
from ..storage.solution_writer import check_output, differences_between
from .match_run import dependencies
from .pair_work import PairPart, PairProgress, PairTask, go_on_for
from .polish import PolishTask, check_polish_output, polish_elsewhere
from .time_left import PairForecast

# Measured with the tree of three-in-a-row. Sizes grow with the tree.
NODES_MEASURED = 37_538
BYTES_IN_FULL = 1_050_000  # of a snapshot on disk: 0.9 to 1.07 MB deflated, 2.7 MB before
BYTES_IN_BRIEF = 520_000  # of a snapshot in single precision: 0.49 to 0.55 MB
BYTES_WITHOUT_REGRETS = 620_000  # of a snapshot: 0.5 to 0.68 MB
BYTES_POLISHED = 90_000  # of an exact snapshot: 30 to 150 kB
SMOOTH_SHARE = 1.28  # factor for the last snapshot of a rule that averages twice, where few sums are equal
EARLY_SHARES = {0: 0.03, 1: 0.28}  # by iteration, for early snapshots, where most numbers are equal
BYTES_OF_PROGRAM = 172_000_000  # memory of interpreter, libraries and compiled code; 15 MB less later
BYTES_OF_TREE = 23_000_000  # memory of the tree and for building it
BYTES_PER_PAIR = 25_000_000  # memory of a pair in progress: its arrays, scratch space and a copy while it is saved
BYTES_PER_SCORE = 12_000  # memory of a finished score: its result, and space for writing it
BYTES_TO_POLISH = 75_000_000  # more memory for polishing: once for the process and once for every pair in progress
BYTES_OF_WORKER = 300_000_000  # largest memory seen of a worker process; 345 MB if it also polishes
BYTES_OF_CLUSTER = 20_000_000  # more memory of a process that uses a cluster
USUAL_SCHEDULE = (0, 1, 10, 100)
"""The iterations of the default schedule that most scores reach before they are solved."""

Conflict = TicTacToeError | Difference | str
"""A reason to refuse a directory. `str` puts it into words."""


@dataclass(frozen=True, kw_only=True)
class MatchPlan:
    """A forecast of `solve_match`, and of `polish_solution` after it."""

    subgames: int
    subgames_solved: int
    """The number of solved scores that the directory already has."""
    conflicts: Sequence[Conflict]
    """The reasons why the run would refuse the directory; empty if it would not."""
    pairs: int
    """The number of tasks of the match, which are pairs of scores that are solved together."""
    jobs: int
    memory_bytes: int
    worker_memory_bytes: int | None
    """The memory of each worker process of a cluster; None without a cluster."""
    disk_bytes: int
    """The disk space for the whole solution and its checkpoints."""
    measured_pair: Pair | None = None
    """The pair that was measured; None if no pair is left to solve."""
    pair_seconds: float = 0.0
    """The processor time of the measured pair; infinite if it could not be forecast."""
    without_polishing: bool = False
    """Whether all figures lack the time to polish, because solving took longer than the measurement."""
    core_seconds: float = 0.0
    """The processor time of all remaining pairs if they are like the measured one."""
    seconds: float = 0.0
    """The duration with `jobs` workers."""
    least_seconds: float = 0.0
    """The duration with `most_useful_jobs` workers, which more workers would not shorten."""
    most_useful_jobs: int = 1
    chain: int = 0
    """The number of pairs in the longest remaining chain of pairs that wait for each other."""
    snapshots: int
    """The number of snapshots to be kept of every score besides the last."""
    kept: str
    """Words for what is kept of every score."""
    rules: str
    options: dict[str, Any]
    """The options, as MatchOptions.as_dict returns them."""


def plan_match(
    directory: Path,
    rules: Rules,
    options: MatchOptions,
    *,
    control: RunControl[Any] = DEFAULT_CONTROL,
    on_cluster: bool = False,
    polish: bool = False,
    refined: bool = True,
    max_iterations: int | None = None,
) -> MatchPlan:
    """Forecast `solve_match` in `directory` without changing it. Measures a pair for some seconds.

    control: `workers` must be a number, of threads or, if `on_cluster`, of processes.
    polish: whether to polish into `directory` after solving into a directory within it.
    refined, max_iterations: as for `polish_solution` and `solve_match`.

    Raises FormatError for a damaged record.
    """
    jobs, tree, place = whole_number("workers", control.workers, 1), GameTree.build(rules), place_of_run(directory)
    conflicts = _conflicts(directory, tree, options, control.existing, refined if polish else None)
    solved: set[Score] = set()
    if not conflicts and not control.restarts and (place / SOLUTION_FILE).exists():
        earlier = load_solution(place)
        solved = earlier.results.keys() - set(earlier.unconverged_scores)
    graph, num_scores = dependencies(options.winning_score), len(all_scores(options.winning_score))
    left = {pair: before for pair, before in graph.items() if not solved.issuperset(pair)}
    length = {}
    if left:
        measured = measure_pair(tree, options, max_iterations, polish=polish, refined=refined)
        length = _length(left, measured, jobs, on_cluster) | {"without_polishing": polish and not measured.whole}
    bytes_of_score, snapshots, kept = _disk_use(options)
    scale = tree.num_nodes / NODES_MEASURED
    at_once = min(jobs, options.winning_score)
    in_progress, of_tree = at_once * 2 * BYTES_IN_FULL, BYTES_OF_TREE + at_once * BYTES_PER_PAIR
    if polish:
        of_tree += (1 + at_once) * BYTES_TO_POLISH
    of_scores = num_scores * (bytes_of_score + BYTES_POLISHED * polish)
    memory = BYTES_OF_PROGRAM + round((BYTES_OF_CLUSTER if on_cluster else of_tree) * scale)
    return MatchPlan(
        subgames=num_scores,
        subgames_solved=len(solved),
        conflicts=conflicts,
        pairs=len(graph),
        jobs=jobs,
        memory_bytes=memory + num_scores * BYTES_PER_SCORE,
        worker_memory_bytes=round((BYTES_OF_WORKER + polish * BYTES_TO_POLISH / 2) * scale) if on_cluster else None,
        disk_bytes=round((of_scores + in_progress) * scale),
        **length,
        snapshots=snapshots,
        kept=kept + (", and the exact one" if polish else ""),
        rules=str(rules),
        options=options.as_dict(),
    )


def _conflicts(
    directory: Path, tree: GameTree, options: MatchOptions, existing: Existing, refined: bool | None
) -> Sequence[Conflict]:
    source = directory if refined is None else directory / UNPOLISHED
    try:
        if refined is not None:
            require_solver()
            check_polish_output(directory, source, existing, refined)
        check_output(source, existing, continues=True)
    except (StoreError, MissingSolverError) as error:
        return [error]
    place = place_of_run(source)
    if not (place / SOLUTION_FILE).exists():
        return [StoreError(f"{source}: no earlier run to resume", Remedy.BEGIN)] if existing is Existing.RESUME else []
    if existing is Existing.RESTART:
        return []
    return differences_between(load_solution(place), options.as_dict(), tree)


def _length(
    left: Mapping[Pair, Collection[Pair]], measured: MeasuredPair, jobs: int, on_cluster: bool
) -> dict[str, Any]:
    graph = {pair: [other for other in before if other in left] for pair, before in left.items()}
    share = measured.seconds_per_score
    is_known = math.isfinite(share)
    one_by_one = on_cluster or jobs == 1  # threads solve twins at the same time, a worker one after the other
    lengths = {pair: (share if is_known else 1.0) * (len(pair) if one_by_one else 1) for pair in graph}
    core_seconds = share * sum(map(len, graph))
    useful, least = most_useful_workers(graph, lengths)
    seconds = makespan(graph, lengths, jobs) if on_cluster else max(least, core_seconds / jobs)
    return {
        "measured_pair": measured.pair,
        "pair_seconds": measured.seconds,
        "core_seconds": core_seconds,
        "seconds": seconds if is_known else math.inf,
        "least_seconds": least if is_known else math.inf,
        "most_useful_jobs": useful if one_by_one else 2 * useful,
        "chain": round(makespan(graph, dict.fromkeys(graph, 1.0), len(graph))),
    }


def _disk_use(options: MatchOptions) -> tuple[int, int, str]:
    saved: Sequence[int]
    if options.snapshot_at is not None:
        saved, size, last, kept = options.snapshot_at, BYTES_IN_FULL, BYTES_IN_FULL, "the last state of every score"
    elif options.has_schedule:
        saved, size, last, kept = USUAL_SCHEDULE, BYTES_IN_BRIEF, BYTES_IN_FULL, "the last state of every score"
    else:
        saved, size, last, kept = (), 0, BYTES_WITHOUT_REGRETS, "the last state of every score, without regrets"
    last = round(last * SMOOTH_SHARE) if options.algorithm.averages_twice else last
    in_all = last + sum(round(size * EARLY_SHARES.get(iteration, 1.0)) for iteration in saved)
    if saved:
        kept = f"{len(saved)} snapshot{'s' * (len(saved) > 1)} of a score and its last state"
    return in_all, len(saved), kept


MEASURING_SECONDS = 2.0
"""The most seconds of work on a pair. The time of a longer pair is forecast from its progress."""

Node = TypeVar("Node", bound=Hashable)


@dataclass(frozen=True)
class MeasuredPair:
    """The processor time of a pair, measured or forecast."""

    pair: Pair
    seconds: float
    """The seconds of one processor; infinite if they could not be forecast."""
    whole: bool
    """Whether the pair was solved completely and its time measured rather than forecast."""

    @property
    def seconds_per_score(self) -> float:
        return self.seconds / len(self.pair)


def measure_pair(
    tree: GameTree, options: MatchOptions, limit: int | None = None, *, polish: bool = False, refined: bool = False
) -> MeasuredPair:
    """Measure the first pair of twins to be solved, in memory and for a few seconds; in a match to 1, the last score.

    limit: the limit of iterations. polish: whether to make the pair exact and, with `refined`, best after mistakes.
    Raises ProgramError if that fails.
    """
    points = options.winning_score
    last = pair_of(Score(points - 1, points - 1))
    _solved(tree, PairTask(last, {}, options, 1))  # compiles
    values: dict[Score, float] = {}
    for pair in (last, pair_of(Score(points - 1, points - 2))) if points > 1 else (last,):
        following = {score: values[score] for score in following_scores(pair, points)}
        measured, results, part = _solved(tree, PairTask(pair, following, options, limit))
        if not measured.whole:
            return measured
        values |= {result.score: result.value for result in results}
    if not polish:
        return measured
    files = tuple((Path(subgame_name(f.score), snapshot_name(f.iteration)), f.data) for f in part.files if f.is_last)
    own = {score: values[score] for score in measured.pair}
    saved = {**options.as_dict(), **({"refined": True} if refined else {})}
    task = PolishTask(measured.pair, following, own, points, files, saved, population_of(tree))
    started = time.process_time()
    polish_elsewhere(str(tree.rules), task)
    return MeasuredPair(measured.pair, measured.seconds + time.process_time() - started, whole=True)


class _Forecasting(PairPart):
    def started(self, progress: PairProgress) -> None:
        super().started(progress)
        self.forecast = PairForecast(progress)

    def checked(self, progress: PairProgress) -> None:
        super().checked(progress)
        self.forecast.checked(progress)


def _solved(tree: GameTree, task: PairTask) -> tuple[MeasuredPair, list[SubgameResult], PairPart]:
    part, started, since = _Forecasting(), time.process_time(), time.monotonic()
    go_on_for(tree, task, part, MEASURING_SECONDS)
    taken = time.process_time() - started
    if part.results is not None:
        return MeasuredPair(task.pair, taken, whole=True), part.results, part
    share = taken / (time.monotonic() - since)  # processor time of this process per second
    left = part.forecast.seconds_left(task.limit)
    return MeasuredPair(task.pair, math.inf if left is None else taken + left * share, whole=False), [], part


def makespan(graph: Mapping[Node, Collection[Node]], seconds: Mapping[Node, float], workers: int) -> float:
    """The duration in seconds of a graph of tasks with this many workers.

    graph: for every task, its predecessors. seconds: the time of each task. Tasks start in the order of the graph, as
    in `run_graph`.

    >>> makespan({1: (), 2: (), 3: (1, 2)}, {1: 1.0, 2: 2.0, 3: 4.0}, 1)
    7.0
    >>> makespan({1: (), 2: (), 3: (1, 2)}, {1: 1.0, 2: 2.0, 3: 4.0}, 2)
    6.0
    """
    sorter, place = TopologicalSorter(graph), {node: number for number, node in enumerate(graph)}
    sorter.prepare()
    ready = [(place[node], node) for node in sorter.get_ready()]
    heapq.heapify(ready)
    running: list[tuple[float, int, Node]] = []
    now, ties = 0.0, count()
    while ready or running:
        while ready and len(running) < workers:
            _, node = heapq.heappop(ready)
            heapq.heappush(running, (now + seconds[node], next(ties), node))
        now, _, done = heapq.heappop(running)
        sorter.done(done)
        for node in sorter.get_ready():
            heapq.heappush(ready, (place[node], node))
    return now


def most_useful_workers(graph: Mapping[Node, Collection[Node]], seconds: Mapping[Node, float]) -> tuple[int, float]:
    """The smallest number of workers with the shortest possible makespan, and this makespan in seconds.

    >>> most_useful_workers({1: (), 2: (), 3: (1, 2)}, {1: 1.0, 2: 2.0, 3: 4.0})
    (2, 6.0)
    """
    most = max(1, len(graph))
    shortest = makespan(graph, seconds, most)
    enough = range(1, most + 1)
    found = bisect_left(enough, True, key=lambda few: makespan(graph, seconds, few) <= shortest * (1.0 + 1e-9))
    return enough[found], shortest
