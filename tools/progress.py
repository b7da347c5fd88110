"""The progress of a solver: a live table on a terminal, a few lines elsewhere."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from tictactoe.errors import printable
from tictactoe.match.percentages import at_most, brief
from tictactoe.match.scores import Pair, pair_name
from tictactoe.number_text import counted, duration

from .program import note
from .streams import live_console

if TYPE_CHECKING:
    from rich.console import Console, Group

    from tictactoe.algorithms.cfr import Evaluation
    from tictactoe.match.pair_exact import PairEquilibrium
    from tictactoe.solving.cluster import Cluster
    from tictactoe.solving.pair_work import PairProgress
    from tictactoe.solving.time_left import MatchForecast


PAIRS = ("pair of scores", "pairs of scores")
COMPILING = "compiling the "


def compiling_text(kernel: Callable[..., Any], what: str = "solver") -> str:
    """The line that says that a kernel is compiled and, if its code cannot be kept, what to do about that."""
    from tictactoe.algorithms import compiling

    if compiling.is_kept(kernel):
        return f"{COMPILING}{what} (only once), {{elapsed}} elapsed"
    advice = "set NUMBA_CACHE_DIR to a writable directory, or every run compiles it again"
    return f"{COMPILING}{what}, {{elapsed}} elapsed; the compiled code cannot be saved: {advice}"


class StatusLine:
    """A line of progress on standard error: redrawn on a terminal, printed at intervals elsewhere.

    The texts "{elapsed}" and "{cluster}" stand for the time and the state of the cluster.

    seconds: the time between two printed lines. quiet: whether to show nothing. console: the terminal to draw on; by
    default standard error, if it is a terminal.
    """

    def __init__(
        self,
        text: str = "",
        cluster: Cluster | None = None,
        *,
        seconds: float = 30.0,
        quiet: bool = False,
        console: Console | None = None,
    ) -> None:
        self._text = text
        self._seconds = seconds
        self._cluster = cluster
        self._quiet = quiet
        self._console = console or (None if quiet else live_console())
        self._started = self._printed = time.monotonic()

    @contextlib.contextmanager
    def showing(self) -> Iterator[None]:
        """Keep redrawing the result of `drawn` on a terminal during the block."""
        if self._console is None:
            yield
            return
        from rich.live import Live

        with Live(get_renderable=self.drawn, console=self._console, refresh_per_second=5, transient=True):
            yield

    def drawn(self) -> Group:
        from rich.console import Group
        from rich.text import Text

        return Group(*(Text(line, overflow="ellipsis", no_wrap=True) for line in self.filled(self._text).split("\n")))

    def set(self, text: str) -> None:
        """Replace the text. If there is no terminal, print it once enough time has passed."""
        self._text = text
        if time.monotonic() - self._printed >= self._seconds:
            self.print(text)

    def starting(self, *, samples: bool = False, hidden: bool = False) -> None:
        """Announce that the solver is being compiled, if it is. samples: for a sampling rule. hidden: for a game with
        hidden moves."""
        from tictactoe.algorithms import compiling, hidden_kernels, kernels, sampling

        full: Callable[..., object] = hidden_kernels.run_sweeps if hidden else kernels.run_iterations
        kernel = sampling.run_sampled_iterations if samples else full
        if not compiling.is_compiled(kernel):
            self._text = compiling_text(kernel)
            self.print(self._text)

    def print(self, text: str) -> None:
        """Print a line about an event, unless there is a terminal."""
        if self._console is None and not self._quiet:
            self._printed = time.monotonic()
            note(self.filled(text))

    def filled(self, text: str) -> str:
        text = text.replace("{elapsed}", duration(time.monotonic() - self._started))
        state = None if self._cluster is None else self._cluster.state()
        of_cluster = f", {counted(state.tasks, 'task')} on {counted(state.workers, 'worker')}" if state else ""
        text = text.replace("{cluster}", of_cluster)
        return "\n".join(map(printable, text.split("\n")))


class SpeedLine(StatusLine):
    def __init__(self, most: int, quiet: bool) -> None:
        super().__init__("starting", seconds=10.0, quiet=quiet)
        self._most = most
        self._first: tuple[float, int] | None = None

    def speed(self, done: int) -> tuple[float, str]:
        """The steps per second, and the text of the remaining time if it is known."""
        now = time.monotonic()
        then, before = self._first = self._first or (now, done)
        speed = (done - before) / max(now - then, 1e-9)
        return speed, f", {duration((self._most - done) / speed)} to go" if speed > 0.0 else ""


class SolverLine(SpeedLine):
    """A RoundReporter and GameReporter of iteration, speed and remaining time. most: the last iteration; None if there
    is none."""

    def __init__(self, most: int | None, quiet: bool) -> None:
        super().__init__(most or 0, quiet)

    def __call__(self, iteration: int, evaluation: Evaluation) -> None:
        speed, left = self.speed(iteration)
        of_all, left = (f" of {counted(self._most, 'iteration')}", left) if self._most else ("", "")
        exploitability = evaluation.average_exploitability
        self._text = (
            f"{iteration:,}{of_all}, {speed:,.0f}/s, exploitability {exploitability:.1e}, {{elapsed}} elapsed{left}"
        )
        self.print(self._text)  # each check


class MatchProgress(StatusLine):
    """A MatchReporter: a table on a terminal, a line per pair elsewhere."""

    def __init__(self, forecast: MatchForecast, cluster: Cluster | None = None, *, quiet: bool = False) -> None:
        super().__init__("", cluster, quiet=quiet)
        self._forecast = forecast

    def pair_started(self, progress: PairProgress) -> None:
        self._forecast.pair_started(progress)

    def pair_checked(self, progress: PairProgress) -> None:
        self._forecast.pair_checked(progress)
        self.set(
            f"solving {pair_name(progress.pair)}: {counted(progress.iteration, 'iteration')}, "
            f"{self._forecast.running[progress.pair].iterations_per_second():,.0f} per second, "
            f"exploitability {brief(max(progress.exploitabilities))}, target {progress.target:.1e}"
        )

    def pair_finished(self, pair: Pair, num_done: int, num_pairs: int) -> None:
        running = self._forecast.running.get(pair)
        self._forecast.pair_finished(pair, num_done, num_pairs)
        if running is not None:
            progress = running.progress
            verb = "solved" if progress.converged else "stopped"
            self.print(
                f"{verb} {pair_name(pair)} ({num_done} of {num_pairs}): "
                f"{counted(progress.iteration, 'iteration')}, exploitability {brief(max(progress.exploitabilities))}"
                "{cluster}, {elapsed} elapsed"
            )

    def drawn(self) -> Group:
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        if self._text.startswith(COMPILING):
            return super().drawn()
        if self._cluster is not None:
            self._forecast.jobs = self._cluster.state().threads
        left = self._forecast.seconds_left()
        expected = f"about {duration(left)} to go" if left is not None else "remaining time not known yet"
        done = f"{self._forecast.num_done} of {counted(self._forecast.num_pairs, *PAIRS)} solved"
        table = Table(box=None, pad_edge=False)
        for heading in ("solving", "iteration", "per second", "exploitability (match value)", "target"):
            table.add_column(heading, justify="left" if heading == "solving" else "right", no_wrap=True)
        for pair, running in list(self._forecast.running.items()):
            exploitability = max(running.progress.exploitabilities)
            table.add_row(
                pair_name(pair),
                f"{running.progress.iteration:,}",
                f"{running.iterations_per_second():,.0f}",
                f"{exploitability:.2e}" if math.isfinite(exploitability) else "",
                f"{running.progress.target:.0e}",
            )
        return Group(Text(self.filled(f"{done}{{cluster}}, {{elapsed}} elapsed, {expected}")), table)


class PolishProgress(StatusLine):
    """A PolishReporter: two lines on a terminal, a line per pair elsewhere."""

    def __init__(
        self, winning_score: int, cluster: Cluster | None = None, *, quiet: bool = False, console: Console | None = None
    ) -> None:
        super().__init__("", cluster, quiet=quiet, console=console)
        self._num_pairs = winning_score * (winning_score + 1) // 2
        self._num_done = 0
        self._worst = 0.0
        self._running: dict[Pair, float] = {}

    def pair_started(self, pair: Pair) -> None:
        self._running[pair] = time.monotonic()

    def pair_finished(self, result: PairEquilibrium, num_done: int, num_pairs: int) -> None:
        self._num_done = num_done
        exploitability = max(result.exploitabilities.values())
        self._worst = max(self._worst, exploitability)
        del self._running[result.pair]
        self.print(
            f"polished {pair_name(result.pair)} ({num_done} of {num_pairs}): "
            f"{counted(result.num_programs, 'program')}, exploitability {brief(exploitability)}"
            "{cluster}, {elapsed} elapsed"
        )

    def drawn(self) -> Group:
        from rich.console import Group
        from rich.text import Text

        now = time.monotonic()
        done = f"{self._num_done} of {counted(self._num_pairs, *PAIRS)} exact"
        summary = f"{done}{{cluster}}, {{elapsed}} elapsed"
        if self._num_done:
            summary += f", exploitability {at_most(self._worst)}"
        running = (f"{pair_name(pair)} ({duration(now - since)})" for pair, since in list(self._running.items()))
        return Group(Text(self.filled(summary)), Text(f"solving {', '.join(running) or 'nothing yet'}"))
