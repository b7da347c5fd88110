"""How long a match takes: one of its pairs is measured, and the others are taken to be like it.

They are not quite: scores where a point decides much take more iterations, those where it decides little take fewer.
docs/large-matches.md says what matches of several lengths were measured to take.
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
from .forecast import PairForecast
from .pair_work import PairPart, PairProgress, PairTask, go_on_for
from .polish_work import PolishTask, polish_elsewhere

SECONDS = 2.0
"""A pair that takes longer is forecast from what it has done by then."""

Node = TypeVar("Node", bound=Hashable)


@dataclass(frozen=True)
class MeasuredPair:
    """What a pair took, or would have taken, of one processor's time; infinite where that could not be told in a few
    seconds. whole: whether it was solved to its end."""

    pair: Pair
    seconds: float
    whole: bool

    @property
    def seconds_per_score(self) -> float:
        return self.seconds / len(self.pair)


def measure_pair(
    tree: GameTree, options: MatchOptions, limit: int | None = None, *, polish: bool = False
) -> MeasuredPair:
    """Solve the first pair of twins, in memory and for a few seconds, after the last score, which it depends on.

    limit: of iterations, None for none. polish: make it exact, too. Raises ProgramError when that fails.
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
    task = PolishTask(measured.pair, following, own, points, files, options.as_dict())
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
    """What the pair took, or would take; its results and files if it came to its end."""
    part, started, since = _Forecasting(), time.process_time(), time.monotonic()
    go_on_for(tree, task, part, SECONDS)
    taken = time.process_time() - started
    if part.results is not None:
        return MeasuredPair(task.pair, taken, whole=True), part.results, part
    share = taken / (time.monotonic() - since)  # of one processor, that this process had
    left = part.forecast.seconds_left(task.limit)
    return MeasuredPair(task.pair, math.inf if left is None else taken + left * share, whole=False), [], part


def makespan(graph: Mapping[Node, Collection[Node]], seconds: Mapping[Node, float], workers: int) -> float:
    """How long so many workers take for a graph that says of every node what must be done before it.

    Who has nothing to do takes what is ready, in the order of the graph, as `run_graph` does.

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
    """The smallest number of workers that is as fast as any number can be, and how long that takes.

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
