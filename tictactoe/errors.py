"""All exceptions of this package except those of the exact checker. A message is one line with problem, place and
remedy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple


def printable(text: str) -> str:
    """The text on one line, with unprintable characters escaped, which is safe for a terminal.

    >>> print(printable("a\x1b[31m\\n"))
    a\\x1b[31m\\n
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


class Remedy(Enum):
    """Advice about an error, for callers from Python. Commands word it differently.

    >>> print(StoreError("here: no earlier run to resume", Remedy.BEGIN))
    here: no earlier run to resume; leave out resume to begin one
    """

    BEGIN = "leave out resume to begin one"
    REPLACE = "choose another output directory, or restart to replace what is there"
    DISCARD = "restart to discard them"
    OTHER_RESULTS = "choose another directory"
    OTHER_TOURNAMENT = "continue with its options, choose a new directory, or restart to replace it"
    FEWER_WORKERS = "nothing was written: try again, with fewer workers"
    WINNING_SCORE = "give the winning score of the match"
    NAME_SOLUTION = "name it, or another solution"
    SOME_SOLUTION = "name a solution"
    OTHER_SOLUTION = "name another solution"
    SOLVE_ANEW = "solve it again: solve-multiround -o DIR, with restart to replace this"
    SOLVE_GAME_ANEW = "solve it again: tictactoe game solve GAME -o DIR, with restart to replace this"
    ANSWER_ANEW = "compute it again: best-response-multiround -s DIR, and save"
    LEARN_ANEW = "learn it again: tictactoe train-agent -o FILE, with restart to replace this"
    WHOLE_EXPORT = "an export of only the reachable positions cannot be imported"


class TicTacToeError(Exception):
    """The base of all exceptions of this package."""

    remedy: Remedy | None = None
    """Advice to the caller; None if there is none or if the message contains it."""

    @property
    def problem(self) -> str:
        """The message without the remedy."""
        return super().__str__()

    def __str__(self) -> str:
        return self.problem if self.remedy is None else f"{self.problem}; {self.remedy.value}"


class FormatError(TicTacToeError):
    """The file `path` cannot be used, because of `what`."""

    def __init__(self, path: Path, what: str, remedy: Remedy | None = None) -> None:
        super().__init__(path, what, remedy)  # unchanged, to let another process unpickle the error
        self.remedy = remedy

    @property
    def problem(self) -> str:
        path, what, _ = self.args
        return printable(f"{path}: {what}")


class StoreError(TicTacToeError):
    """A directory cannot be used to save into."""

    def __init__(self, problem: str, remedy: Remedy | None = None) -> None:
        super().__init__(problem, remedy)
        self.remedy = remedy

    @property
    def problem(self) -> str:
        return str(self.args[0])


class Difference(NamedTuple):
    """An option that has different values in an earlier run and in this one."""

    option: str
    """The key of the option in files."""
    there: Any
    """The value in the earlier run; None if it has none."""
    here: Any
    """The value in this run; None if it has none."""

    def __str__(self) -> str:
        return f"{_shown(self.option)} is {_shown(self.there)} there, {_shown(self.here)} here"


class OtherOptionsError(StoreError):
    """A directory holds a run with other options."""

    remedy = Remedy.REPLACE

    def __init__(self, directory: Path, differences: Sequence[Difference | str]) -> None:
        Exception.__init__(self, directory, tuple(differences))
        self.directory, self.differences = directory, tuple(differences)

    @property
    def problem(self) -> str:
        return f"{self.directory}: cannot continue what is there: {'; '.join(in_brief(map(str, self.differences)))}"


class OtherTaskError(StoreError):
    """A file has a learner of another task. names: the differing options; empty if only the opponent's strategy
    differs."""

    remedy = Remedy.REPLACE

    def __init__(self, path: Path, names: Sequence[str]) -> None:
        Exception.__init__(self, path, tuple(names))
        self.path, self.names = path, tuple(names)

    @property
    def problem(self) -> str:
        names = f"with other options: {', '.join(self.names)}"
        return f"{self.path}: learnt {names if self.names else 'against another strategy of that name'}"


class NotSavedError(TicTacToeError):
    """A score or an iteration was not saved."""


class StateError(TicTacToeError, ValueError):
    """A solver's state cannot be saved, because readers would refuse its numbers."""


class Interrupted(TicTacToeError):
    """The caller stopped the run. A run that can be continued has saved its progress."""


class LostWorkerError(TicTacToeError):
    """Worker processes were repeatedly killed."""

    remedy = Remedy.FEWER_WORKERS


class IllegalMoveError(TicTacToeError, ValueError):
    """The board does not allow this move."""


class EndlessMatchError(TicTacToeError, ValueError):
    """A match never ends or exceeds its limit of rounds."""


class NoConvergenceError(TicTacToeError):
    """An exact method did not terminate within its limit."""


class NoFormulaError(TicTacToeError, ValueError):
    """No closed form is known for these rules or this score."""


class ProgramError(TicTacToeError):
    """A linear program was not solved or gave no equilibrium."""


class MissingSolverError(TicTacToeError):
    """highspy is missing or too old."""


class MissingPlotsError(TicTacToeError):
    """matplotlib is missing."""


class MissingLibraryError(TicTacToeError, ImportError):
    """An optional library is missing."""


def missing_library(name: str, *packages: str) -> MissingLibraryError:
    """The error for a failed import of `name`, which the installation of `packages` cures.

    >>> print(missing_library("gymnasium", "pettingzoo", "gymnasium"))
    this needs the package gymnasium, which is not installed: pip install pettingzoo gymnasium
    """
    how = f"pip install {' '.join(packages)}"
    return MissingLibraryError(f"this needs the package {name}, which is not installed: {how}")


class NotOnDiskWarning(UserWarning):
    """The file system does not confirm writes. A power cut may lose the latest data."""


class UserCodeError(TicTacToeError):
    """A user's game or update rule fails. The message begins with its file and line."""


class GameError(TicTacToeError, ValueError):
    """A description breaks the rules for descriptions, or a game is of the wrong kind."""


class ClusterError(TicTacToeError):
    """A cluster cannot be used, or its connection is lost."""


class AgentError(TicTacToeError):
    """An agent has ended, is too slow or gives an impossible answer. It loses its match."""


MOST_SHOWN, LONGEST_SHOWN = 20, 200
"""The most differences in an error, and the most characters of a value."""


def in_brief(texts: Iterable[str]) -> list[str]:
    """The first MOST_SHOWN different texts, followed by the number of the others.

    >>> in_brief(["a", "b", "a"]), in_brief(map(str, range(50)))[-1]
    (['a', 'b'], 'and 30 more')
    """
    several = list(dict.fromkeys(texts))
    more = len(several) - MOST_SHOWN
    return [*several[:MOST_SHOWN], f"and {more} more"] if more > 0 else several


def _shown(value: Any) -> str:
    return "not given" if value is None else cut(str(value), LONGEST_SHOWN)


def cut(text: str, most: int) -> str:
    """The text, shortened to `most` characters, including three dots, if it is longer."""
    return text if len(text) <= most else f"{text[: most - 3]}..."
