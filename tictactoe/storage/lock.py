"""One run at a time in a directory."""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path

from filelock import BaseFileLock, FileLock, SoftFileLock, Timeout

from ..errors import StoreError
from .atomic_files import make_directory
from .directory_layout import LOCK_FILE, SOFT_LOCK_FILE

_NO_LOCKS = {errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}
"""The errors of a file system without locks."""


class DirectoryLock:
    """Keeps other runs out of a directory; the system releases the lock when the process dies.

    On a file system without locks a file that names the process serves as a lock. The next run on this machine removes
    this file if the process has ended.
    """

    _lock: BaseFileLock | None = None

    def acquire(self, directory: Path) -> None:
        """Make the directory, unless it exists, and lock it. Raises StoreError when it cannot be made or locked, or is
        not writable."""
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
        """Release the lock and remove its file."""
        if self._lock is not None:
            if isinstance(self._lock, FileLock):  # SoftFileLock removes its file itself
                with contextlib.suppress(OSError):  # some systems do not remove an open file
                    os.unlink(self._lock.lock_file)
            self._lock.release()
            self._lock = None


def _locked(directory: Path) -> BaseFileLock:
    """A lock of the directory, already acquired. Raises Timeout when another run holds it, and OSError."""
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
