"""The replacement of a directory's content. A kill at any moment leaves the old or the new content whole.

The new content is written into STAGED or RESTARTED, which is renamed to COMPLETE at its end. `finish` then removes the
old files, renames COMPLETE to MOVING and moves the new files to their places.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import FormatError, StoreError
from .atomic_files import is_temporary, make_directory, move, sync_directory, take_over_mode
from .directory_layout import (
    CHECKPOINT_FILE,
    COMPLETE,
    LOCK_FILE,
    MOVING,
    RESTARTED,
    SOFT_LOCK_FILE,
    SOLUTION_FILE,
    TOURNAMENT_FILE,
    is_own_directory,
    list_snapshots,
    remove_snapshots,
    remove_solution,
    where_one_waits,
)


def begin_restart(directory: Path, name: str = RESTARTED) -> Path:
    """Make an empty directory for the new content of `directory`, which must be locked.

    name: RESTARTED or STAGED. Raises OSError.
    """
    shutil.rmtree(directory / name, ignore_errors=True)
    (directory / name).mkdir()
    return directory / name


def put_in_place(directory: Path, name: str) -> None:
    """Replace the content of `directory`, which must be locked, by that of its directory `name`.

    Raises OSError while the old solution is untouched, and StoreError if the new one is not in its place.
    """
    staged = directory / name
    for path in _files(staged):
        with contextlib.suppress(OSError):  # no old file has this name
            take_over_mode(directory / path.relative_to(staged), path)
    sync_directory(staged)
    move(staged, directory / COMPLETE)
    sync_directory(directory)
    _finish(directory)


def finish(directory: Path) -> None:
    """Complete an interrupted `put_in_place`, in this directory and in that of the solution around it.

    Raises FormatError if the directory cannot be written to or is in use, and StoreError like `put_in_place`.
    """
    for pending in where_one_waits(directory):
        lock = DirectoryLock()
        try:
            lock.acquire(pending)
        except StoreError as error:
            what = f"a new solution was being moved to its place here; try again where that can be done: {error}"
            raise FormatError(pending, what) from error
        try:
            _finish(pending)
        finally:
            lock.release()


def _finish(directory: Path) -> None:
    complete, moving = directory / COMPLETE, directory / MOVING
    try:
        if is_own_directory(complete):
            if (complete / SOLUTION_FILE).is_file():
                remove_solution(directory)
            elif list_snapshots(complete) or (complete / CHECKPOINT_FILE).is_file():
                (directory / CHECKPOINT_FILE).unlink(missing_ok=True)
                remove_snapshots(directory)
            elif not (complete / TOURNAMENT_FILE).is_file():  # no command leaves this; the old solution stays
                raise StoreError(
                    f"{complete}: this is not a whole solution, because it has no {SOLUTION_FILE}; remove it"
                )
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
        raise StoreError(f"{directory}: {what}; repair that, and open the directory with any command") from error


def _files(solution: Path) -> list[Path]:
    files = [path for path in sorted(solution.rglob("*")) if path.is_file() and not is_temporary(path)]
    return sorted(files, key=lambda path: path.name in (SOLUTION_FILE, TOURNAMENT_FILE))


if TYPE_CHECKING:
    from filelock import BaseFileLock

_NO_LOCKS = {errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}
"""The errors of a file system without locks."""


class DirectoryLock:
    """A lock that keeps other runs out of a directory until it is released or the process dies."""

    _lock: BaseFileLock | None = None

    def acquire(self, directory: Path) -> None:
        """Lock the directory, and make it if it does not exist. Raises StoreError."""
        from filelock import Timeout

        try:
            make_directory(directory)
            if not os.access(directory, os.W_OK | os.X_OK):
                raise StoreError(f"{directory}: not writable; choose another output directory")
            self._lock = _locked(directory)
        except Timeout as error:
            advice = "wait for it or choose another output directory"
            if error.lock_file.endswith(SOFT_LOCK_FILE):
                advice += f"; if it was killed on another machine, remove {SOFT_LOCK_FILE} there"
            raise StoreError(f"{directory}: another run is using it; {advice}") from None
        except OSError as error:
            raise StoreError(f"{directory}: cannot be used: {error.strerror or error}") from error

    def release(self) -> None:
        from filelock import FileLock

        if self._lock is not None:
            if isinstance(self._lock, FileLock):  # SoftFileLock removes its file itself
                with contextlib.suppress(OSError):  # some systems do not remove an open file
                    os.unlink(self._lock.lock_file)
            self._lock.release()
            self._lock = None


@contextlib.contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Hold a DirectoryLock. Raises StoreError like `DirectoryLock.acquire`."""
    lock = DirectoryLock()
    lock.acquire(directory)
    try:
        yield
    finally:
        lock.release()


def _locked(directory: Path) -> BaseFileLock:
    from filelock import FileLock, SoftFileLock, Timeout

    lock = FileLock(directory / LOCK_FILE, thread_local=False, fallback_to_soft=False)
    try:
        lock.acquire(timeout=0)
        return lock
    except OSError as error:
        if isinstance(error, Timeout) or error.errno not in _NO_LOCKS:
            raise
    with contextlib.suppress(OSError):  # the file is useless without a lock
        os.unlink(directory / LOCK_FILE)
    soft = SoftFileLock(directory / SOFT_LOCK_FILE, thread_local=False)
    try:
        soft.acquire(timeout=0)
    except Timeout:  # the first attempt has removed the file if its run was killed
        soft.acquire(timeout=0)
    return soft
