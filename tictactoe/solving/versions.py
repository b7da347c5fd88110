"""The versions with which a process computes. Equal versions give equal results on the same kind of processor.

`portable_reader` makes a function that other processes receive as byte code, not by its name. It works even in a
process where this package is missing, or has another version without this module.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

COMPARED_LIBRARIES = ("numpy", "numba", "llvmlite")
"""The libraries on which the results of regret minimization depend."""

Versions = Mapping[str, str]
"""Versions by the name of a library, of Python or of this package; "none" for a missing library."""


@cache
def own_version() -> str:
    """This package's version and a digest of its source files, which changes with any of them.

    >>> number, digest = own_version().split("+")
    >>> len(digest)
    12
    """
    from .. import __version__

    digest, package = hashlib.sha256(), Path(__file__).parents[1]
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return f"{__version__}+{digest.hexdigest()[:12]}"


def portable_reader() -> Callable[[Sequence[str]], dict[str, str]]:
    """A function that takes names of libraries and returns the Versions of the process that calls it."""

    def read(libraries: Sequence[str]) -> dict[str, str]:
        import importlib
        import importlib.metadata
        import platform

        found = {"Python": ".".join(platform.python_version_tuple()[:2])}
        for name in libraries:
            try:
                found[name] = importlib.metadata.version(name)
            except importlib.metadata.PackageNotFoundError:
                found[name] = "none"
        try:
            here = importlib.import_module("tictactoe.solving.versions")
            found["smbc-tictactoe"] = here.own_version()
        except Exception:  # an older or damaged package may raise any error
            found["smbc-tictactoe"] = "none, or one without clusters"
        return found

    return read


def differences(found: Versions, expected: Versions) -> str:
    """The versions in `found` that differ from those in `expected`, in words; empty if all are equal.

    >>> differences({"numpy": "1.26.0", "numba": "0.60"}, {"numpy": "2.4.6", "numba": "0.60"})
    'numpy 1.26.0 (here 2.4.6)'
    """
    others = (name for name in expected if found.get(name) != expected[name])
    return ", ".join(f"{name} {found.get(name, 'none')} (here {expected[name]})" for name in others)
