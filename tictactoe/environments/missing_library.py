"""What to say where an optional library is not installed."""

from __future__ import annotations

from ..errors import MissingLibraryError


def missing_library(name: str, extra: str) -> MissingLibraryError:
    """The error to raise when `name` cannot be imported; `extra` of this package installs it.

    >>> print(missing_library("gymnasium", "rl"))
    this needs the package gymnasium, which is not installed: pip install 'smbc-tictactoe[rl]'
    """
    return MissingLibraryError(
        f"this needs the package {name}, which is not installed: pip install 'smbc-tictactoe[{extra}]'"
    )
