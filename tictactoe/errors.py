"""Every exception that this package raises on purpose. The exact checker, which imports nothing from here, has its own.

Each message is one line that names the problem, its place and a remedy.
"""

from __future__ import annotations

from pathlib import Path


def printable(text: str) -> str:
    """The text on one line that cannot control a terminal: escapes replace unprintable characters.

    >>> print(printable("a\x1b[31m\\n"))
    a\\x1b[31m\\n
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


class TicTacToeError(Exception):
    """The base class of all exceptions of this package, with which a program can catch them all."""


class FormatError(TicTacToeError):
    """A file cannot be used. path: the file. what: the problem."""

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(path, what)  # both arguments, unchanged, so that another process can unpickle the error

    def __str__(self) -> str:
        path, what = self.args
        return printable(f"{path}: {what}")


class StoreError(TicTacToeError):
    """A directory cannot be used to save into."""


class NotSavedError(TicTacToeError):
    """A score or an iteration was not saved."""


class StateError(TicTacToeError, ValueError):
    """A solver's state cannot be saved, because no reader would accept its numbers."""


class Interrupted(TicTacToeError):
    """The caller stopped the run. A run that can continue has saved its work in progress."""


class LostWorkerError(TicTacToeError):
    """Worker processes were killed from outside, again and again."""


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


class ClusterError(TicTacToeError):
    """A cluster cannot be used, or the connection to it is lost."""


class AgentError(TicTacToeError):
    """An agent has failed: it has ended, is too slow, or gives an impossible answer. It loses its match."""
