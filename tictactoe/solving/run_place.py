"""Where a run of a round or of a described game writes: a locked directory, or a place within it for a restart."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from ..errors import Remedy, StoreError
from ..run_control import Existing
from ..storage.atomic_files import remove_temporary_files
from ..storage.directory_layout import CHECKPOINT_FILE, check_no_leftovers, list_snapshots, place_of_run
from ..storage.lock import DirectoryLock
from ..storage.replaced_solution import begin_restart, finish, put_in_place


@contextlib.contextmanager
def run_place(
    directory: Path, existing: Existing, what: str, is_ours: Callable[[Path], bool] = lambda path: False
) -> Iterator[Path]:
    """Locks the directory of a run while the block runs, and yields the one to write into.

    These differ for a run that replaces an earlier one: what is there stays until the block has ended without an error.
    A run that was stopped before that goes on in the same place. what, is_ours: as for `check_no_leftovers`. Raises
    StoreError when the directory cannot be used, or, with RESUME, holds no run.
    """
    finish(directory)
    restarts = existing is Existing.RESTART
    if existing is Existing.RESUME and not _is_begun(place_of_run(directory)):
        raise StoreError(f"{directory}: no earlier run to resume", Remedy.BEGIN)
    if directory.is_dir() and not _is_begun(directory):
        restarted = restarts or place_of_run(directory) != directory
        check_no_leftovers(directory, is_ours, restarted, what)
    lock = DirectoryLock()
    lock.acquire(directory)
    place = place_of_run(directory)
    try:
        if restarts and (place != directory or _is_begun(directory) or any(map(is_ours, directory.iterdir()))):
            place = begin_restart(directory)
        remove_temporary_files(place)
        yield place
        if place != directory:
            put_in_place(directory, place.name)
    finally:
        if place != directory:
            with contextlib.suppress(OSError):  # something was saved there
                place.rmdir()
        lock.release()


def _is_begun(place: Path) -> bool:
    return place.is_dir() and bool(list_snapshots(place) or (place / CHECKPOINT_FILE).exists())
