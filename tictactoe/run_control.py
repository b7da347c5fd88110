"""The control of a run: workers, earlier files, stopping and progress. It never changes the result."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass, field
from enum import Enum
from threading import Event
from typing import Any, Generic, TypeVar

from .checked_numbers import whole_number
from .errors import Interrupted


class Existing(Enum):
    """The ways to treat the files of an earlier run in the same place.

    >>> from tictactoe import Existing
    >>> [existing.value for existing in Existing]
    ['continue', 'resume', 'restart']
    """

    CONTINUE = "continue"
    """Continue an earlier run. A job that cannot be continued refuses to replace its files."""
    RESUME = "resume"
    """Continue an earlier run, but refuse to begin a new one."""
    RESTART = "restart"
    """Replace an earlier run when the new result is complete or, for a learnt table, when it is first saved."""


Reporter = TypeVar("Reporter", covariant=True)
Other = TypeVar("Other")


@dataclass(frozen=True, eq=False)
class RunControl(Generic[Reporter]):
    """The control of a run. Raises ValueError for fewer than one worker.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from tictactoe import Existing, GameTree, GameOptions, RunControl, solve_game
    >>> iterations, options = [], GameOptions(iterations=200)
    >>> control = RunControl(existing=Existing.RESTART, reporter=lambda iteration, _: iterations.append(iteration))
    >>> with TemporaryDirectory() as directory:
    ...     snapshot = solve_game(Path(directory), GameTree.build(), options, control=control)
    >>> iterations
    [1, 10, 100, 200]
    """

    workers: int | Executor = 1
    """The number of threads, or of processes for a job that checks proofs; or an executor that calls picklable
    functions in other processes, such as the `Cluster` of `open_cluster`."""
    existing: Existing = Existing.CONTINUE
    """The treatment of the files of an earlier run."""
    stop: Event = field(default_factory=Event)
    """The event that the caller sets to end the run early with Interrupted."""
    reporter: Reporter | None = None
    """The follower of the progress; None for silence. Each job names the methods or the function that it calls."""

    def __post_init__(self) -> None:
        if not isinstance(self.workers, Executor):
            object.__setattr__(self, "workers", whole_number("workers", self.workers, 1))

    @property
    def elsewhere(self) -> Executor | None:
        """The executor for other processes; None if the run uses threads."""
        return self.workers if isinstance(self.workers, Executor) else None

    @property
    def restarts(self) -> bool:
        """Whether the run replaces an earlier one."""
        return self.existing is Existing.RESTART

    def reporting_to(self, reporter: Other | None) -> RunControl[Other]:
        """A copy with another reporter, for a part of the run."""
        return RunControl(self.workers, self.existing, self.stop, reporter)

    def check_stop(self, message: str = "") -> None:
        """Raise Interrupted with this message if `stop` is set."""
        if self.stop.is_set():
            raise Interrupted(message)


DEFAULT_CONTROL: RunControl[Any] = RunControl()
"""One worker, no reports, no stop."""
