"""A file is replaced as a whole or not at all, whatever happens while it is written."""

import contextlib
import errno
import os
import re
import time
from itertools import product
from pathlib import Path
from unittest import mock

import pytest
from support.killing import killed_at
from support.programs import contents

from tictactoe.errors import NotOnDiskWarning, StoreError
from tictactoe.storage import atomic_files
from tictactoe.storage.file_format import read_file, write_file


def test_only_own_temporary_files_are_removed(tmp_path: Path) -> None:
    killed = mock.patch.object(os, "replace", side_effect=KeyboardInterrupt), mock.patch.object(Path, "unlink")
    with killed[0], killed[1], contextlib.suppress(KeyboardInterrupt):
        write_file(tmp_path / "file", "a", {})
    (ours,) = os.listdir(tmp_path)
    directory = ".smbc-tictactoe-2-0123456789abcdef.tmp"
    others = [".a.tmp", "a.tmp", ".smbc-tictactoe-1-.tmp", f"{ours}.msgpack", "snapshot_000000.msgpack"]
    for name in others:
        (tmp_path / name).touch()
    (tmp_path / directory).mkdir()
    atomic_files.remove_temporary_files(tmp_path)
    assert set(os.listdir(tmp_path)) == {*others, directory}


def test_what_a_killed_writer_leaves_goes_with_the_next_one(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")

    def write() -> None:
        write_file(tmp_path / "file", "a", {})

    assert killed_at(2, tmp_path, write)
    (first,) = os.listdir(tmp_path)
    assert killed_at(4, tmp_path, write)
    (dead,) = os.listdir(tmp_path)
    assert dead != first
    living = f".smbc-tictactoe-{os.getpid()}-0123456789abcdef.tmp"
    elsewhere = re.sub("-[0-9a-f]{16}", "-0123456789abcdef", dead)  # of a writer on another machine
    (tmp_path / living).touch()
    with open(tmp_path / elsewhere, "wb") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        write()
        assert set(os.listdir(tmp_path)) == {"file", living, elsewhere}


@pytest.mark.parametrize(("seconds", "stays"), [(100, True), (100_000, False)])
def test_without_locks_it_goes_after_a_day(seconds: int, stays: bool, tmp_path: Path) -> None:
    left = tmp_path / ".smbc-tictactoe-1-0123456789abcdef.tmp"
    left.touch()
    os.utime(left, (time.time() - seconds, time.time() - seconds))
    with mock.patch.object(atomic_files, "fcntl", None):
        write_file(tmp_path / "file", "a", {})
    assert left.exists() is stays


FULL = OSError(errno.ENOSPC, "No space left on device")
either_error = pytest.mark.parametrize("error", [FULL, KeyboardInterrupt()], ids=["full", "ctrl-c"])


@either_error
def test_interrupted_writer(path: Path, data: bytes, error: BaseException) -> None:
    for function in ("fsync", "replace"):
        with mock.patch.object(os, function, side_effect=error), pytest.raises(type(error)):
            write_file(path, "snapshot", {"a": 1})
        assert path.read_bytes() == data
        assert os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize("held", [1.9, 2.1])
def test_a_file_that_another_program_holds(path: Path, data: bytes, held: float) -> None:
    """As a virus scanner does on Windows: for two seconds it is tried again."""
    now, replace = [0.0], os.replace

    def held_for_a_while(*names: Path) -> None:
        if now[0] < held:
            raise PermissionError(errno.EACCES, "Access is denied", str(names[0]))
        replace(*names)

    def later(seconds: float) -> None:
        now[0] += seconds

    refused = pytest.raises(PermissionError, match=f"denied: '{path}'") if held > 2 else contextlib.nullcontext()
    with (
        mock.patch.object(os, "replace", held_for_a_while),
        mock.patch.multiple(time, monotonic=lambda: now[0], sleep=later),
        refused,
    ):
        write_file(path, "snapshot", {"a": 1})
    assert (path.read_bytes() == data) == (held > 2)
    assert os.listdir(path.parent) == [path.name]


def test_targets_that_cannot_be_written(tmp_path: Path) -> None:
    directory = tmp_path / "directory"
    directory.mkdir()
    for target in (directory, tmp_path / "missing" / "file"):
        with pytest.raises(OSError, match="directory"):
            write_file(target, "a", {})
    assert os.listdir(tmp_path) == ["directory"]


MODES = [*product((0o600, 0o644, 0o440), (None, errno.EPERM, errno.EOPNOTSUPP)), (0o666, None)]


@pytest.mark.skipif(not hasattr(os, "chown"), reason="modes of POSIX")
@pytest.mark.parametrize(("mode", "refused"), MODES)
def test_the_mode_stays(path: Path, mode: int, refused: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the first byte on, whatever the umask, and where a file system refuses to change modes."""
    path.write_bytes(b"old")
    path.chmod(mode)
    if refused:
        for function in ("chmod", "chown"):
            monkeypatch.setattr(os, function, mock.Mock(side_effect=OSError(refused, os.strerror(refused))))
    with atomic_files.replacing(path) as file:
        assert os.fstat(file.fileno()).st_mode & 0o777 == mode
        file.write(b"new")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", mode)


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EIO, errno.ENOSPC])
def test_a_file_system_that_refuses_fsync(path: Path, data: bytes, number: int) -> None:
    error = OSError(number, os.strerror(number))
    broken = number in (errno.EIO, errno.ENOSPC)
    expected = pytest.raises(OSError, match=error.strerror) if broken else pytest.warns(NotOnDiskWarning, match="fsync")
    with mock.patch.object(os, "fsync", side_effect=error), expected, atomic_files.replacing(path) as file:
        file.write(b"new")
    assert path.read_bytes() == (data if broken else b"new")
    assert os.listdir(path.parent) == [path.name]


def replace_three(directory: Path) -> None:
    with atomic_files.Replacements() as new:
        new.remove([directory / name for name in ("a", "d", "missing")])
        for name in "abc":
            with new.file(directory / name) as file:
                file.write(b"new")


@either_error
def test_files_that_take_their_places_together(tmp_path: Path, error: BaseException) -> None:
    for name in "abcd":
        (tmp_path / name).write_bytes(b"old")
    before = contents(tmp_path)
    for call in (1, 2, 3):
        effects = [None] * (call - 1) + [error]
        with mock.patch.object(os, "fsync", side_effect=effects), pytest.raises(type(error)):
            replace_three(tmp_path)
        assert contents(tmp_path) == before
    replace_three(tmp_path)
    assert contents(tmp_path) == dict.fromkeys("abc", b"new")


def test_files_that_fail_are_left_out(tmp_path: Path) -> None:
    with atomic_files.Replacements() as new:
        with contextlib.suppress(KeyboardInterrupt), new.file(tmp_path / "half") as file:
            raise KeyboardInterrupt
        with pytest.raises(IsADirectoryError), new.file(tmp_path) as file:
            pass
        with new.file(tmp_path / "whole") as file:
            file.write(b"new")
    assert contents(tmp_path) == {"whole": b"new"}


def test_a_link_to_a_directory_is_one_and_a_file_is_none(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    atomic_files.make_directory(tmp_path / "link")
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="file: a file, not a directory; choose another output directory"):
        atomic_files.make_directory(tmp_path / "file")


def test_a_directory_that_cannot_be_synced(path: Path) -> None:
    opened = os.open

    def refuse(name: Path, *more: int) -> int:
        if name == path.parent:
            raise OSError(errno.EINVAL, "Invalid argument")
        return opened(name, *more)

    with mock.patch.object(os, "open", refuse):
        write_file(path, "a", {"a": 1})
    assert read_file(path, "a") == {"a": 1}
