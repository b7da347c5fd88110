"""One run at a time in a directory, on file systems with locks and without."""

import errno
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import mock

import pytest

from tictactoe.errors import StoreError
from tictactoe.storage.directory_layout import SOFT_LOCK_FILE
from tictactoe.storage.locked_directory import DirectoryLock


def test_a_lock(tmp_path: Path) -> None:
    first, second = DirectoryLock(), DirectoryLock()
    run = tmp_path / "new" / "run"
    first.acquire(run)
    with pytest.raises(StoreError, match=r"run: another run is using it"):
        second.acquire(run)
    second.release()  # of nothing
    first.release()
    second.acquire(run)
    second.release()
    assert list(run.iterdir()) == []
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"below: cannot be used: Not a directory"):
        first.acquire(tmp_path / "file" / "below")


def test_only_one_of_many_gets_the_lock(tmp_path: Path) -> None:
    inside: list[int] = []

    def run(number: int) -> int:
        lost = 0
        for _ in range(200):
            lock = DirectoryLock()
            try:
                lock.acquire(tmp_path)
            except StoreError:
                lost += 1
                continue
            inside.append(number)
            assert inside == [number]
            inside.clear()
            lock.release()
        return lost

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(run, range(4))) < 800
    assert list(tmp_path.iterdir()) == []


def test_a_lock_that_is_taken_while_it_is_let_go(tmp_path: Path) -> None:
    """The first holder removes its own file alone, so that the second one keeps its lock."""
    first, second, third = DirectoryLock(), DirectoryLock(), DirectoryLock()
    remove, removed = os.unlink, []

    def remove_and_let_in(path: str) -> None:
        remove(path)
        removed.append(path)
        if len(removed) == 1:
            second.acquire(tmp_path)

    first.acquire(tmp_path)
    with mock.patch.object(os, "unlink", remove_and_let_in):
        first.release()
    assert removed
    with pytest.raises(StoreError, match="another run is using it"):
        third.acquire(tmp_path)
    second.release()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.EOPNOTSUPP])
def test_without_locks(tmp_path: Path, number: int) -> None:
    fcntl = pytest.importorskip("fcntl")
    first, second = DirectoryLock(), DirectoryLock()
    with mock.patch.object(fcntl, "flock", side_effect=OSError(number, os.strerror(number))):
        first.acquire(tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == [SOFT_LOCK_FILE]
        left = (tmp_path / SOFT_LOCK_FILE).read_text()
        with pytest.raises(StoreError, match=rf"another run is using it; wait .* remove {SOFT_LOCK_FILE} there$"):
            second.acquire(tmp_path)
        first.release()
        assert list(tmp_path.iterdir()) == []
        nobody = 2**22 + 1  # more than a process can have
        (tmp_path / SOFT_LOCK_FILE).write_text(left.replace(str(os.getpid()), str(nobody), 1))
        second.acquire(tmp_path)
        with pytest.raises(StoreError, match="another run is using it"):
            first.acquire(tmp_path)
        second.release()
        assert list(tmp_path.iterdir()) == []
