"""The speed of solving the pairs of a match, and a forecast of the time left."""

from __future__ import annotations

import math
import time
from collections import deque
from dataclasses import dataclass, field

from ..match.scores import Pair
from .pair_work import PairProgress

CHECKS_FOR_SPEED = 100
"""The number of the last checks over which the speed is measured."""
TRAIL_STEP = 1.2
"""The growth factor of iterations after which the forecast records an exploitability."""


@dataclass(eq=False)
class PairForecast:
    """The speed of a pair in progress and the fall of its exploitability."""

    progress: PairProgress
    started: float = field(default_factory=time.monotonic)
    _recent: deque[tuple[float, int]] = field(default_factory=lambda: deque(maxlen=CHECKS_FOR_SPEED))
    """The times and iterations of the last checks."""
    _trail: list[tuple[int, float]] = field(default_factory=list)
    """Iterations of this epoch, each with the larger exploitability of the twins after it."""

    def checked(self, progress: PairProgress) -> None:
        self.progress = progress
        self._recent.append((time.monotonic(), progress.iteration))
        age = progress.iteration - progress.epoch_start
        if self._trail and age < self._trail[-1][0]:
            self._trail.clear()  # a new epoch, in which exploitability starts again
        if age > 0 and (not self._trail or age >= TRAIL_STEP * self._trail[-1][0]):
            self._trail.append((age, max(progress.exploitabilities)))

    def iterations_per_second(self) -> float:
        """The speed of both twins together; 0 while unknown."""
        if len(self._recent) < 2 or self._recent[-1][0] <= self._recent[0][0]:
            return 0.0
        (then, before), (now, after) = self._recent[0], self._recent[-1]
        return (after - before) * len(self.progress.pair) / (now - then)

    def seconds_left(self, limit: int | None) -> float | None:
        """A forecast of the seconds left, if exploitability falls as a power of this epoch's iterations; None while
        unknown.

        limit: the iteration at which the run gives up; None without a limit.
        """
        target, iteration = self.progress.target, self.progress.iteration - self.progress.epoch_start
        exploitability = max(self.progress.exploitabilities)
        speed = self.iterations_per_second() / len(self.progress.pair)
        earlier = [point for point in self._trail if point[0] <= iteration / 2]
        if not earlier or speed == 0.0 or exploitability <= target or earlier[-1][1] <= exploitability:
            return None
        slope = math.log(earlier[-1][1] / exploitability) / math.log(iteration / earlier[-1][0])
        more: float = iteration * ((exploitability / target) ** (1.0 / max(slope, 1.0)) - 1.0)
        return (more if limit is None else min(more, limit - self.progress.iteration)) / speed


class MatchForecast:
    """A MatchReporter that forecasts the end of the run. jobs: the number of simultaneous pairs, which may be
    changed."""

    def __init__(self, num_pairs: int, jobs: int, max_iterations: int | None = None) -> None:
        self.num_pairs = num_pairs
        self.num_done = 0
        self.running: dict[Pair, PairForecast] = {}
        self.jobs = jobs
        self._max_iterations = max_iterations
        self._seconds_by_pair: list[float] = []  # only for pairs that this run has solved

    def pair_started(self, progress: PairProgress) -> None:
        self.running[progress.pair] = PairForecast(progress)

    def pair_checked(self, progress: PairProgress) -> None:
        self.running[progress.pair].checked(progress)

    def pair_finished(self, pair: Pair, num_done: int, num_pairs: int) -> None:
        self.num_done = num_done
        finished = self.running.pop(pair, None)
        if finished is not None:
            self._seconds_by_pair.append(time.monotonic() - finished.started)

    def seconds_left(self) -> float | None:
        """A rough forecast for the whole run; None before the first pair allows one."""
        running = list(self.running.values())
        left = [pair.seconds_left(self._max_iterations) for pair in running]
        known = [seconds for seconds in left if seconds is not None]
        spent = [time.monotonic() - pair.started for pair in running]
        if self._seconds_by_pair:
            per_pair = sum(self._seconds_by_pair) / len(self._seconds_by_pair)
        elif known:
            per_pair = max(a + b for a, b in zip(known, spent, strict=False))
        else:
            return None
        waiting = self.num_pairs - self.num_done - len(running)
        busy = sum(per_pair / 2 if seconds is None else seconds for seconds in left)
        return (busy + waiting * per_pair) / max(1, min(self.jobs, waiting + len(left)))
