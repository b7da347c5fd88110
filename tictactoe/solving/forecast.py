"""How fast the pairs of a match are being solved, and how long the whole of it might still take."""

from __future__ import annotations

import math
import time
from collections import deque
from dataclasses import dataclass, field

from ..match.scores import Pair
from .pair_work import PairProgress

CHECKS_FOR_SPEED = 100
"""The speed is that of so many checks."""
TRAIL_STEP = 1.2
"""The exploitability is remembered whenever the iterations have grown by this factor."""


@dataclass(eq=False)
class PairForecast:
    """What the checks of a pair in progress have shown of its speed, and of how its exploitability falls."""

    progress: PairProgress
    started: float = field(default_factory=time.monotonic)
    _recent: deque[tuple[float, int]] = field(default_factory=lambda: deque(maxlen=CHECKS_FOR_SPEED))
    _trail: list[tuple[int, float]] = field(default_factory=list)

    def checked(self, progress: PairProgress) -> None:
        """Take in how far the pair is."""
        self.progress = progress
        self._recent.append((time.monotonic(), progress.iteration))
        age = progress.iteration - progress.epoch_start
        if self._trail and age < self._trail[-1][0]:
            self._trail.clear()  # regrets were forgotten: another curve begins
        if age > 0 and (not self._trail or age >= TRAIL_STEP * self._trail[-1][0]):
            self._trail.append((age, max(progress.exploitabilities)))

    def iterations_per_second(self) -> float:
        """Of both twins together; 0 while unknown."""
        if len(self._recent) < 2 or self._recent[-1][0] <= self._recent[0][0]:
            return 0.0
        (then, before), (now, after) = self._recent[0], self._recent[-1]
        return (after - before) * len(self.progress.pair) / (now - then)

    def seconds_left(self, limit: int | None) -> float | None:
        """From how the exploitability has fallen in this epoch, as a power of its iterations; None while unknown.

        limit: the iteration at which the pair is given up, None for none.
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
    """An Observer of solve_match that knows which pairs are in progress, and forecasts the end.

    jobs: pairs that are worked on at the same time; may be changed. max_iterations: that of solve_match.
    """

    def __init__(self, num_pairs: int, jobs: int, max_iterations: int | None = None) -> None:
        self.num_pairs = num_pairs
        self.num_done = 0
        self.running: dict[Pair, PairForecast] = {}
        self.jobs = jobs
        self._max_iterations = max_iterations
        self._seconds_by_pair: list[float] = []  # solved by this run, as opposed to found in the directory

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
        """A rough forecast of the whole run; None while there is nothing to base it on."""
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
