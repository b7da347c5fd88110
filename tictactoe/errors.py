"""Every exception that this package raises on purpose, but for those of the exact checker, which stands alone.

The message of each is one line that says what is wrong, where, and what to do about it.
"""

from __future__ import annotations

from pathlib import Path


def printable(text: str) -> str:
    """The text on one line that steers no terminal: escapes stand for what cannot be printed.

    >>> print(printable("a\x1b[31m\\n"))
    a\\x1b[31m\\n
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


class TicTacToeError(Exception):
    """What every exception of this package is, so that a program can catch them all."""


class FormatError(TicTacToeError):
    """A file cannot be used: its path, and what is wrong with it."""

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(path, what)  # as they came, so that the error can cross from one process to another

    def __str__(self) -> str:
        path, what = self.args
        return printable(f"{path}: {what}")


class StoreError(TicTacToeError):
    """A directory cannot be used to save into."""


class NotSavedError(TicTacToeError):
    """A score or an iteration was not saved."""


class StateError(TicTacToeError, ValueError):
    """What a solver has come to cannot be saved: nobody could read it."""


class Interrupted(TicTacToeError):
    """The run was asked to stop; everything in progress has been saved."""


class LostWorkerError(TicTacToeError):
    """Processes that worked for this one were ended from outside, again and again."""


class IllegalMoveError(TicTacToeError, ValueError):
    """A move that the board does not allow."""


class EndlessMatchError(TicTacToeError, ValueError):
    """A match in which nobody ever scores again, so that it has no expected number of rounds."""


class NoConvergenceError(TicTacToeError):
    """A method that ends for certain, in exact arithmetic, has not ended within its limit."""


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
    """A file system cannot tell when data is on the disk: all goes on, and a power cut may lose what was saved last."""


class ClusterError(TicTacToeError):
    """A cluster cannot be used, or has gone away."""


class AgentError(TicTacToeError):
    """An agent does not go on playing: it has ended, is too slow, or says what is no answer. Its match is lost."""
