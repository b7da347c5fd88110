"""What a person sees while something is solved: a live table on a terminal, a few plain lines elsewhere."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .report import percentage_points

if TYPE_CHECKING:
    from rich.console import Console, Group, RenderableType

    from tictactoe.match import Pair
    from tictactoe.multiround import PairSolver
    from tictactoe.newton import PairEquilibrium

SECONDS_BETWEEN_LINES = 30.0
"""Without a terminal: how often a pair in progress is mentioned."""


def duration(seconds: float) -> str:
    """Minutes and seconds, 1:05; with hours where there are any."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def pair_name(pair: Pair) -> str:
    """Both scores of a pair, as in 4-3/3-4."""
    return "/".join(str(score) for score in pair)


def brief(exploitability: float) -> str:
    """With both units, short enough for a line of progress."""
    return f"{exploitability:.1e} match value ({percentage_points(exploitability):.1e} % of matches)"


@contextlib.contextmanager
def redrawn(console: Console | None, get_renderable: Callable[[], RenderableType]) -> Iterator[None]:
    """Shows what is made anew five times a second for as long as the block runs; without a console, nothing."""
    if console is None:
        yield
        return
    from rich.live import Live

    with Live(get_renderable=get_renderable, console=console, refresh_per_second=5, transient=True):
        yield


@dataclass(eq=False)
class _Running:
    """A pair in progress: what it takes to tell its speed and when it might be done."""

    solver: PairSolver
    first_iteration: int
    started: float = field(default_factory=time.monotonic)
    recent: deque[tuple[float, int]] = field(default_factory=lambda: deque(maxlen=100))
    trail: list[tuple[int, float]] = field(default_factory=list)

    def iterations_per_second(self) -> float:
        if len(self.recent) < 2 or self.recent[-1][0] <= self.recent[0][0]:
            return 0.0
        (then, before), (now, after) = self.recent[0], self.recent[-1]
        return (after - before) * len(self.solver.pair) / (now - then)

    def seconds_left(self, limit: int | None) -> float | None:
        """From how the exploitability has fallen in this epoch, as a power of its iterations; None while unknown."""
        target = self.solver.options.maximum_subgame_exploitability
        iteration, exploitability = self.solver.iteration - self.solver.epoch_start, max(self.solver.exploitabilities)
        speed = self.iterations_per_second() / len(self.solver.pair)
        earlier = [point for point in self.trail if point[0] <= iteration / 2]
        if not earlier or speed == 0.0 or exploitability <= target or earlier[-1][1] <= exploitability:
            return None
        slope = math.log(earlier[-1][1] / exploitability) / math.log(iteration / earlier[-1][0])
        more: float = iteration * ((exploitability / target) ** (1.0 / max(slope, 1.0)) - 1.0)
        return (more if limit is None else min(more, limit - self.solver.iteration)) / speed


class MatchProgress:
    """An Observer of solve_match. On a terminal it redraws a table; elsewhere it prints a line per pair."""

    def __init__(
        self, num_pairs: int, target: float, jobs: int, *, console: Console | None, max_iterations: int | None = None
    ) -> None:
        self._num_pairs = num_pairs
        self._num_done = 0
        self._num_solved = 0  # by this run, as opposed to found in the directory
        self._target = target
        self._jobs = jobs
        self._console = console
        self._max_iterations = max_iterations
        self._running: dict[Pair, _Running] = {}
        self._started = time.monotonic()
        self._last_line = self._started
        self._seconds_spent = 0.0

    def showing(self) -> contextlib.AbstractContextManager[None]:
        """Shows the live table, on standard error, for as long as the block runs."""
        return redrawn(self._console, self._table)

    def pair_started(self, solver: PairSolver) -> None:
        self._running[solver.pair] = _Running(solver, solver.iteration)

    def pair_checked(self, solver: PairSolver) -> None:
        now = time.monotonic()
        running = self._running[solver.pair]
        running.recent.append((now, solver.iteration))
        age = solver.iteration - solver.epoch_start
        if running.trail and age < running.trail[-1][0]:
            running.trail.clear()  # regrets were forgotten: another curve begins
        if age > 0 and (not running.trail or age >= 1.2 * running.trail[-1][0]):
            running.trail.append((age, max(solver.exploitabilities)))
        if self._console is None and now - self._last_line >= SECONDS_BETWEEN_LINES:
            self._last_line = now
            self._print(f"solving {pair_name(solver.pair)}: {self._state_of(running)}")

    def pair_finished(self, pair: Pair, num_done: int, num_pairs: int) -> None:
        self._num_done = num_done
        running = self._running.pop(pair, None)
        if running is None:
            return
        self._num_solved += 1
        self._seconds_spent += time.monotonic() - running.started
        if self._console is None:
            self._last_line = time.monotonic()
            solver = running.solver
            verb = "solved" if solver.converged else "stopped"
            elapsed = duration(time.monotonic() - self._started)
            self._print(
                f"{verb} {pair_name(pair)} ({num_done} of {num_pairs}): {solver.iteration:,} iterations, "
                f"exploitability {brief(max(solver.exploitabilities))}, {elapsed} elapsed"
            )

    def _state_of(self, running: _Running) -> str:
        return (
            f"{running.solver.iteration:,} iterations, {running.iterations_per_second():,.0f} per second, "
            f"exploitability {brief(max(running.solver.exploitabilities))}, target {self._target:.1e}"
        )

    def _seconds_left(self) -> float | None:
        """A rough forecast of the whole run; None while there is nothing to base it on."""
        left = [running.seconds_left(self._max_iterations) for running in self._running.values()]
        known = [seconds for seconds in left if seconds is not None]
        spent = [time.monotonic() - running.started for running in self._running.values()]
        if self._num_solved:
            per_pair = self._seconds_spent / self._num_solved
        elif known:
            per_pair = max(a + b for a, b in zip(known, spent, strict=False))
        else:
            return None
        waiting = self._num_pairs - self._num_done - len(self._running)
        busy = sum(per_pair / 2 if seconds is None else seconds for seconds in left)
        return (busy + waiting * per_pair) / max(1, min(self._jobs, waiting + len(left)))

    def _table(self) -> Group:
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        left = self._seconds_left()
        elapsed = duration(time.monotonic() - self._started)
        expected = f"about {duration(left)} to go" if left is not None else "time to go not known yet"
        summary = Text(f"{self._num_done} of {self._num_pairs} pairs of scores solved, {elapsed} elapsed, {expected}")
        table = Table(box=None, pad_edge=False)
        for heading in ("solving", "iteration", "per second", "exploitability (match value)", "target"):
            table.add_column(heading, justify="left" if heading == "solving" else "right", no_wrap=True)
        for pair, running in list(self._running.items()):
            exploitability = max(running.solver.exploitabilities)
            table.add_row(
                pair_name(pair), f"{running.solver.iteration:,}", f"{running.iterations_per_second():,.0f}",
                f"{exploitability:.2e}" if math.isfinite(exploitability) else "", f"{self._target:.0e}",
            )  # fmt: skip
        return Group(summary, table)

    def _print(self, line: str) -> None:
        print(line, file=sys.stderr, flush=True)


class PolishProgress:
    """A PolishObserver. On a terminal it redraws two lines; elsewhere it prints a line per pair."""

    def __init__(self, winning_score: int, console: Console | None) -> None:
        self._num_pairs = winning_score * (winning_score + 1) // 2
        self._num_done = 0
        self._worst = 0.0
        self._console = console
        self._running: dict[Pair, float] = {}
        self._started = time.monotonic()

    def showing(self) -> contextlib.AbstractContextManager[None]:
        """Shows what is running, on standard error, for as long as the block runs."""
        return redrawn(self._console, self._lines)

    def pair_started(self, pair: Pair) -> None:
        self._running[pair] = time.monotonic()

    def pair_finished(self, result: PairEquilibrium, num_done: int, num_pairs: int) -> None:
        self._num_done = num_done
        exploitability = max(result.exploitabilities.values())
        self._worst = max(self._worst, exploitability)
        del self._running[result.pair]
        if self._console is None:
            line = (
                f"polished {pair_name(result.pair)} ({num_done} of {num_pairs}): {result.num_programs} programs, "
                f"exploitability {brief(exploitability)}, {duration(time.monotonic() - self._started)} elapsed"
            )
            print(line, file=sys.stderr, flush=True)

    def _lines(self) -> Group:
        from rich.console import Group
        from rich.text import Text

        now = time.monotonic()
        elapsed = duration(now - self._started)
        summary = f"{self._num_done} of {self._num_pairs} pairs of scores exact, {elapsed} elapsed"
        if self._num_done:
            summary += f", exploitability at most {brief(self._worst)}"
        running = (f"{pair_name(pair)} ({duration(now - since)})" for pair, since in list(self._running.items()))
        return Group(Text(summary), Text(f"solving {', '.join(running) or 'nothing yet'}"))
