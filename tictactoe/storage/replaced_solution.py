"""Putting a new solution in the place of what a directory holds: a kill at any moment leaves one of them whole.

The new solution is written into STAGED, a directory within; whatever happens then, the old one is untouched, and what
is left of STAGED is removed by the next who writes. Once it is complete and on the disk, STAGED is renamed to COMPLETE:
from that moment the directory holds the new one. `finish` removes the old one and renames COMPLETE to MOVING, moves the
files to their places, the record last, and removes MOVING. A kill in between leaves the new solution whole, in COMPLETE
or partly in its place and partly in MOVING, and whoever opens the directory next, or a subgame in it, to read or to
write, calls `finish`. Only who proves something of it changes nothing, and calls `require_in_place`.

All this happens within the directory, so that it may be a link, a mount or the working directory, that its parent need
not be writable, and that what else is in it stays.
"""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path

from ..errors import FormatError, StoreError
from .atomic_files import move, sync_directory, take_over_mode
from .directory_layout import (
    COMPLETE,
    MOVING,
    SOLUTION_FILE,
    STAGED,
    is_own_directory,
    is_subgame,
    list_snapshots,
    remove_solution,
    snapshot_name,
    where_one_waits,
)


def stage(directory: Path) -> Path:
    """Make an empty directory for the new solution. `directory` must be locked. Raises OSError."""
    discard_staged(directory)
    (directory / STAGED).mkdir()
    return directory / STAGED


def discard_staged(directory: Path) -> None:
    """Delete the unfinished new solution of a stopped or killed writer. `directory` must be locked."""
    shutil.rmtree(directory / STAGED, ignore_errors=True)


def put_in_place(directory: Path) -> None:
    """Make what is staged the solution of `directory`, which must be locked.

    Raises OSError as long as the old solution is untouched. Later it raises StoreError: the old solution may be gone,
    the new one is complete, but not in its place.
    """
    staged = directory / STAGED
    for path in _files(staged):
        with contextlib.suppress(OSError):  # no old file has this name
            take_over_mode(directory / path.relative_to(staged), path)
    sync_directory(staged)
    move(staged, directory / COMPLETE)
    sync_directory(directory)
    _finish(directory)


def finish(directory: Path) -> None:
    """Go on where `put_in_place` was killed, in this directory and in that of the solution whose subgame it is.
    Usually no new solution waits in either.

    Raises FormatError when the directory cannot be written to or is in use, StoreError as `put_in_place` does, and for
    what waits there without a record.
    """
    for pending in where_one_waits(directory):
        _finish_locked(pending)


def _finish_locked(directory: Path) -> None:
    from .lock import DirectoryLock

    lock = DirectoryLock()
    try:
        lock.acquire(directory)
    except StoreError as error:
        what = f"a new solution was being put in its place here; try again where that can be done: {error}"
        raise FormatError(directory, what) from error
    try:
        _finish(directory)
    finally:
        lock.release()


def _finish(directory: Path) -> None:
    complete, moving = directory / COMPLETE, directory / MOVING
    try:
        if is_own_directory(complete):
            if not (complete / SOLUTION_FILE).is_file():  # no command leaves this; the old solution stays
                raise StoreError(f"{complete}: no whole solution, as it has no {SOLUTION_FILE}; remove it")
            remove_solution(directory)
            move(complete, moving)
            sync_directory(directory)
        if is_own_directory(moving):
            moved = [(path, directory / path.relative_to(moving)) for path in _files(moving)]
            for path, place in moved:
                place.parent.mkdir(exist_ok=True)
                move(path, place)
            for parent in {place.parent for _, place in moved}:
                sync_directory(parent)
            shutil.rmtree(moving, ignore_errors=True)
    except OSError as error:
        what = f"the new solution is whole, but not in its place yet ({error.filename}: {error.strerror})"
        raise StoreError(f"{directory}: {what}; mend that, and open the directory with any command") from error


def _files(solution: Path) -> list[Path]:
    """The files of a staged solution, the record last."""
    subgames = [path for path in sorted(solution.iterdir()) if is_subgame(path)]
    snapshots = [path / snapshot_name(iteration) for path in subgames for iteration in list_snapshots(path)]
    return [path for path in (*snapshots, solution / SOLUTION_FILE) if path.is_file()]
