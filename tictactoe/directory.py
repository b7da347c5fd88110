"""A directory that a solver writes into: one run at a time, of one configuration, removed file by file."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .files import CERTIFICATE_FILE, is_temporary, remove_temporary_files
from .saved_response import response_name
from .snapshot import list_snapshots, parse_subgame_name, snapshot_name
from .solution import SOLUTION_FILE

try:
    import fcntl
except ImportError:  # Windows: two runs on one directory are not kept apart there
    fcntl = None  # type: ignore[assignment]


CHECKPOINT_SECONDS = 5.0
"""How often what is in progress is saved: what a killed run loses at most."""


UNPOLISHED = "unpolished"
"""The directory, within that of an exact solution, of the one that it was made from."""


class Interrupted(Exception):
    """The run was asked to stop; everything in progress has been saved."""


class StoreError(Exception):
    """A directory cannot be used to solve into. The message is one line: what is wrong and what to do."""


class DirectoryLock:
    """Keeps other runs out of a directory; the system lets go of it when the process dies."""

    def __init__(self) -> None:
        self._descriptor: int | None = None

    def acquire(self, directory: Path) -> None:
        """Make the directory if need be and lock it. Raises StoreError when it cannot be made, written to or locked."""
        if directory.exists() and not directory.is_dir():
            raise StoreError(f"{directory}: a file, not a directory; choose another output directory")
        try:
            directory.mkdir(parents=True, exist_ok=True)
            if not os.access(directory, os.W_OK | os.X_OK):
                raise StoreError(f"{directory}: not writable; choose another output directory")
            if fcntl is not None:
                self._descriptor = os.open(directory, os.O_RDONLY)
        except OSError as error:
            raise StoreError(f"{directory}: cannot be used: {error.strerror or error}") from error
        if self._descriptor is None:
            return
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.release()
            raise StoreError(
                f"{directory}: another run is using it; wait for it or choose another output directory"
            ) from None
        except OSError:
            pass  # a file system without locks

    def release(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def check_no_leftovers(
    directory: Path, is_ours: Callable[[Path], bool], restart: bool, what: str, *, besides: str = ""
) -> None:
    """Raise StoreError when a directory that is no finished or started run holds anything.

    Temporary files and what is called `besides` do not count. `restart` allows what `is_ours` recognises, which is
    going to be removed.
    """
    found = [path for path in directory.iterdir() if not is_temporary(path) and path.name != besides]
    if not all(map(is_ours, found)):
        raise StoreError(f"{directory}: not empty, and not {what}; choose another output directory")
    if found and not restart:
        raise StoreError(f"{directory}: holds parts of {what} without its record; use --restart to throw them away")


def option_differences(theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> list[str]:
    """Every option that two configurations have different, in words."""
    return [
        f"{name} is {_shown(theirs.get(name))} there and {_shown(ours.get(name))} here"
        for name in sorted(ours.keys() | theirs.keys())
        if ours.get(name) != theirs.get(name)
    ]


def other_configuration(directory: Path, differences: list[str]) -> StoreError:
    """The error for a directory that holds a run with other options."""
    return StoreError(
        f"{directory}: holds a run of another configuration: {', '.join(differences)}; use its options, "
        "another output directory, or --restart"
    )


def is_subgame(path: Path) -> bool:
    """Whether the path is a directory that is named as a subgame's."""
    return path.is_dir() and not path.is_symlink() and parse_subgame_name(path.name) is not None


def is_solution_part(path: Path) -> bool:
    """Whether the path is named as something that solving a match writes, or the certificate of what was solved."""
    named = path.name in (SOLUTION_FILE, CERTIFICATE_FILE) or path.match("checkpoint_*_*.msgpack")
    return named or is_subgame(path)


def remove_solution(directory: Path) -> None:
    """Remove a solution's files; the record goes first, so that a half-removed directory is not taken for one."""
    for name in (SOLUTION_FILE, CERTIFICATE_FILE):
        (directory / name).unlink(missing_ok=True)
    remove_temporary_files(directory)
    for path in sorted(directory.iterdir()):
        if is_subgame(path):
            remove_snapshots(path)
        elif path.match("checkpoint_*_*.msgpack"):
            path.unlink()


def remove_snapshots(directory: Path) -> None:
    """Remove every snapshot, with the best responses to it and the certificate of the round, and the directory if
    nothing else is in it."""
    if not directory.is_dir():
        return
    remove_temporary_files(directory)
    (directory / CERTIFICATE_FILE).unlink(missing_ok=True)
    for iteration in list_snapshots(directory):
        (directory / snapshot_name(iteration)).unlink()
        (directory / response_name(iteration)).unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # holds something else, too
        directory.rmdir()


def _shown(value: Any) -> str:
    return "unset" if value is None else str(value)
