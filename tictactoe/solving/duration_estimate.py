"""An estimate of the time that a match takes: measure one pair, and assume the same time for every other pair.

Pairs differ somewhat: a score takes more iterations if a point decides much there, and fewer if it decides little.
docs/large-matches.md has measured times of matches of several lengths.
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from graphlib import TopologicalSorter
from itertools import count
from pathlib import Path
from typing import TypeVar

from ..games.tic_tac_toe_tree import GameTree
from ..match.options import MatchOptions
from ..match.scores import Pair, Score, following_scores, pair_of
from ..storage.directory_layout import snapshot_name, subgame_name
from ..storage.solution import SubgameResult
from .pair_work import PairPart, PairProgress, PairTask, go_on_for
from .polish_work import PolishTask, polish_elsewhere
from .time_left import PairForecast

MEASURING_SECONDS = 2.0
"""Seconds of work on a pair, at most; a longer pair's time is forecast from its progress so far."""

Node = TypeVar("Node", bound=Hashable)


@dataclass(frozen=True)
class MeasuredPair:
    """The processor time of a pair, measured or forecast."""

    pair: Pair
    seconds: float
    """Seconds of one processor; infinite if the measurement was too short for a forecast."""
    whole: bool
    """Whether the pair was solved completely, and so measured, not forecast."""

    @property
    def seconds_per_score(self) -> float:
        return self.seconds / len(self.pair)


def measure_pair(
    tree: GameTree, options: MatchOptions, limit: int | None = None, *, polish: bool = False, refined: bool = False
) -> MeasuredPair:
    """Measure the pair of twins that is solved first, in memory and for a few seconds.

    The last score, on which the pair depends, is solved before; it is measured if the match has no other score. limit:
    of iterations; None for no limit. polish: make the pair exact, too, and with `refined` best after mistakes; raises
    ProgramError when that fails.
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
    task = PolishTask(measured.pair, following, own, points, files, saved)
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
    """Work on a pair for MEASURING_SECONDS at most. Return its time, measured or forecast, its results and its data.

    The results are empty if the pair is not solved.
    """
    part, started, since = _Forecasting(), time.process_time(), time.monotonic()
    go_on_for(tree, task, part, MEASURING_SECONDS)
    taken = time.process_time() - started
    if part.results is not None:
        return MeasuredPair(task.pair, taken, whole=True), part.results, part
    share = taken / (time.monotonic() - since)  # processor time of this process per second
    left = part.forecast.seconds_left(task.limit)
    return MeasuredPair(task.pair, math.inf if left is None else taken + left * share, whole=False), [], part


def makespan(graph: Mapping[Node, Collection[Node]], seconds: Mapping[Node, float], workers: int) -> float:
    """The duration of a graph of tasks with so many workers, in seconds.

    graph: for every task, the tasks that must be done before it. seconds: the duration of each task. An idle worker
    takes the first ready task in the order of the graph, as in `run_graph`.

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
    """The smallest number of workers that reaches the shortest possible makespan, and this makespan in seconds.

    >>> most_useful_workers({1: (), 2: (), 3: (1, 2)}, {1: 1.0, 2: 2.0, 3: 4.0})
    (2, 6.0)
    """
    least, most = 1, max(1, len(graph))
    shortest = makespan(graph, seconds, most)
    while least < most:
        middle = (least + most) // 2
        if makespan(graph, seconds, middle) <= shortest * (1.0 + 1e-9):
            most = middle
        else:
            least = middle + 1
    return least, shortest
