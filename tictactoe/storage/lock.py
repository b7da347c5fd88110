"""One run at a time in a directory."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from filelock import FileLock, Timeout

from ..errors import StoreError
from .directory_layout import LOCK_FILE
from .safe_files import make_directory


class DirectoryLock:
    """Keeps other runs out of a directory; the system lets go of it when the process dies."""

    _lock: FileLock | None = None

    def acquire(self, directory: Path) -> None:
        """Make the directory if need be and lock it. Raises StoreError when it cannot be made, written to or locked."""
        try:
            make_directory(directory)
            if not os.access(directory, os.W_OK | os.X_OK):
                raise StoreError(f"{directory}: not writable; choose another output directory")
            lock = FileLock(directory / LOCK_FILE, thread_local=False)
            lock.acquire(timeout=0)
        except Timeout:
            advice = "wait for it or choose another output directory"
            raise StoreError(f"{directory}: another run is using it; {advice}") from None
        except OSError as error:
            raise StoreError(f"{directory}: cannot be used: {error.strerror or error}") from error
        self._lock = lock

    def release(self) -> None:
        """Let another run have the directory, and leave no trace of the lock."""
        if self._lock is not None:
            with contextlib.suppress(OSError):  # some systems do not remove what is open
                os.unlink(self._lock.lock_file)
            self._lock.release()
            self._lock = None
