"""Every exception that this package raises on purpose. The exact checker, which imports nothing from here, has its own.

Each message is one line that names the problem, its place and a remedy.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple


def printable(text: str) -> str:
    """The text on one line that cannot control a terminal: escapes replace unprintable characters.

    >>> print(printable("a\x1b[31m\\n"))
    a\\x1b[31m\\n
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


class Remedy(Enum):
    """What to do about an error, in words for a caller and for a command: "restart" is Existing.RESTART to one and an
    option to the other.

    >>> print(StoreError("here: no earlier run to resume", Remedy.BEGIN))
    here: no earlier run to resume; leave resume out to begin one
    """

    BEGIN = "leave resume out to begin one"
    REPLACE = "choose another output directory, or restart to replace what is there"
    DISCARD = "restart to throw them away"
    OTHER_RESULTS = "choose another directory"
    OTHER_TOURNAMENT = "go on with its options, choose a new directory, or restart to replace it"
    FEWER_WORKERS = "nothing was written: try again, with fewer workers"
    WINNING_SCORE = "give the winning score of the match"
    NAME_SOLUTION = "name it, or another solution"
    SOME_SOLUTION = "name a solution"
    OTHER_SOLUTION = "name another solution"
    SOLVE_ANEW = "solve it anew: solve-multiround -o DIR, with restart to replace this"
    SOLVE_GAME_ANEW = "solve it anew: tictactoe game solve GAME -o DIR, with restart to replace this"
    ANSWER_ANEW = "compute it anew: best-response-multiround -s DIR, and save"
    LEARN_ANEW = "learn it anew: tictactoe train-agent -o FILE, with restart to replace this"
    WHOLE_EXPORT = "an export of reachable positions alone cannot be imported"


class TicTacToeError(Exception):
    """The base class of all exceptions of this package, with which a program can catch them all."""

    remedy: Remedy | None = None
    """The advice to the caller; None without advice, or if the message gives it."""

    @property
    def problem(self) -> str:
        """The message without the remedy."""
        return super().__str__()

    def __str__(self) -> str:
        return self.problem if self.remedy is None else f"{self.problem}; {self.remedy.value}"


class FormatError(TicTacToeError):
    """A file cannot be used. path: the file. what: the problem."""

    def __init__(self, path: Path, what: str, remedy: Remedy | None = None) -> None:
        super().__init__(path, what, remedy)  # unchanged, so that another process can unpickle the error
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
    """An option that an earlier run has otherwise than this one."""

    option: str
    """Its key in files."""
    there: Any
    """Its value in the earlier run; None without a value."""
    here: Any
    """Its value in this run; None without a value."""

    def __str__(self) -> str:
        return f"{_shown(self.option)} is {_shown(self.there)} there, {_shown(self.here)} here"


class OtherOptionsError(StoreError):
    """A directory holds a run with other options, so that this run cannot continue it."""

    remedy = Remedy.REPLACE

    def __init__(self, directory: Path, differences: Sequence[Difference | str]) -> None:
        Exception.__init__(self, directory, tuple(differences))
        self.directory, self.differences = directory, tuple(differences)

    @property
    def problem(self) -> str:
        return f"{self.directory}: cannot go on with what it holds: {'; '.join(in_brief(map(str, self.differences)))}"


class OtherTaskError(StoreError):
    """A file holds a learner of another task. names: what differs in it, by its names; empty for the opponent's
    strategy."""

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
    """A solver's state cannot be saved, because no reader would accept its numbers."""


class Interrupted(TicTacToeError):
    """The caller stopped the run. A run that can continue has saved its work in progress."""


class LostWorkerError(TicTacToeError):
    """Worker processes were killed from outside, again and again."""

    remedy = Remedy.FEWER_WORKERS


class IllegalMoveError(TicTacToeError, ValueError):
    """A move that the board does not allow."""


class EndlessMatchError(TicTacToeError, ValueError):
    """A match never ends, or not within its limit of rounds, because no player gets ahead."""


class NoConvergenceError(TicTacToeError):
    """A method that terminates in exact arithmetic has not terminated within its limit."""


class NoFormulaError(TicTacToeError, ValueError):
    """No closed form is known for these rules, or for this score."""


class ProgramError(TicTacToeError):
    """A linear program was not solved, or did not lead to an equilibrium."""


class MissingSolverError(TicTacToeError):
    """highspy is not installed, or too old."""


class MissingPlotsError(TicTacToeError):
    """matplotlib is not installed."""


class MissingLibraryError(TicTacToeError, ImportError):
    """An optional library is not installed."""


def missing_library(name: str, *packages: str) -> MissingLibraryError:
    """The error to raise when `name` cannot be imported; installing `packages` helps.

    >>> print(missing_library("gymnasium", "pettingzoo", "gymnasium"))
    this needs the package gymnasium, which is not installed: pip install pettingzoo gymnasium
    """
    how = f"pip install {' '.join(packages)}"
    return MissingLibraryError(f"this needs the package {name}, which is not installed: {how}")


class NotOnDiskWarning(UserWarning):
    """A file system cannot tell when data is on the disk. The run continues; a power cut may lose the last data."""


class UserCodeError(TicTacToeError):
    """Code of a user fails: a game, or an update rule. The message begins with its file and line."""


class GameError(TicTacToeError, ValueError):
    """A described game breaks the rules of descriptions, or is not of the kind that is needed."""


class ClusterError(TicTacToeError):
    """A cluster cannot be used, or the connection to it is lost."""


class AgentError(TicTacToeError):
    """An agent has failed: it has ended, is too slow, or gives an impossible answer. It loses its match."""


MOST_SHOWN, LONGEST_SHOWN = 20, 200
"""Differences in an error, and characters of a value, at most."""


def in_brief(texts: Iterable[str]) -> list[str]:
    """The texts without repetitions; of many only the first, and how many more.

    >>> in_brief(["a", "b", "a"]), in_brief(map(str, range(50)))[-1]
    (['a', 'b'], 'and 30 more')
    """
    several = list(dict.fromkeys(texts))
    more = len(several) - MOST_SHOWN
    return [*several[:MOST_SHOWN], f"and {more} more"] if more > 0 else several


def _shown(value: Any) -> str:
    return "not given" if value is None else cut(str(value), LONGEST_SHOWN)


def cut(text: str, most: int) -> str:
    """The text; of a longer one the beginning and three dots, `most` characters together."""
    return text if len(text) <= most else f"{text[: most - 3]}..."
