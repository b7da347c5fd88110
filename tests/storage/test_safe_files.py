"""A file is replaced as a whole or not at all, whatever happens while it is written."""

from __future__ import annotations

import contextlib
import errno
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from support.programs import contents, environment
from support.storage_files import linux, same
from support.waiting import HANGS, wait_until

from tictactoe.errors import FormatError, NotOnDiskWarning, StoreError
from tictactoe.storage import safe_files
from tictactoe.storage.file_format import read_file, write_file


def writer(path: Path, before: str = "") -> subprocess.Popen[str]:
    """A process that replaces `path` in a loop by a file of zeros, of ones, ... of about the real size."""
    code = f"""if True:
        import itertools, os, resource, signal, sys
        from pathlib import Path
        import numpy as np
        from tictactoe.storage.file_format import write_file
        kill = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        {before}
        print("ready", flush=True)
        for number in itertools.count(1):
            noise = np.random.default_rng(number).random((20000, 3))
            write_file(Path(sys.argv[1]), "loop", {{"number": number, "noise": noise}})
    """
    command = [sys.executable, "-c", code, str(path)]
    return subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True)


NO_DIRECTORY = "a link that leads to no directory"
REPLACE_AND_KILL = "replace, os.replace = os.replace, lambda a, b: (replace(a, b), kill())"


@linux
def test_killed_writers_leave_a_whole_file(path: Path) -> None:
    rng = random.Random(4)
    write_file(path, "loop", {"number": 0})
    numbers = []
    for _ in range(6):
        before = path.stat().st_ino
        with writer(path) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            wait_until(lambda before=before: path.stat().st_ino != before)  # it has written once
            time.sleep(rng.uniform(0.0, 0.1))
            process.kill()
        content = read_file(path, "loop")
        numbers.append(content["number"])
        assert same(content["noise"], np.random.default_rng(content["number"]).random((20000, 3)))
    assert min(numbers) > 0
    safe_files.remove_temporary_files(path.parent)
    assert os.listdir(path.parent) == [path.name]


@linux
@pytest.mark.parametrize("before", ["os.fsync = kill", "os.replace = kill", REPLACE_AND_KILL])
def test_killed_at_every_step(path: Path, before: str) -> None:
    replaced = before == REPLACE_AND_KILL
    write_file(path, "loop", {"number": 0})
    with writer(path, before) as process:
        assert process.wait(HANGS) == -signal.SIGKILL
    assert read_file(path, "loop")["number"] == replaced
    assert len(os.listdir(path.parent)) == 2 - replaced
    safe_files.remove_temporary_files(path.parent)
    assert os.listdir(path.parent) == [path.name]


def test_only_own_temporary_files_are_removed(tmp_path: Path) -> None:
    ours, directory = (f".smbc-tictactoe-{number}-0123456789abcdef.tmp" for number in (1, 2))
    others = [".a.tmp", "a.tmp", ".smbc-tictactoe-1-.tmp", f"{ours}.msgpack", "snapshot_000000.msgpack"]
    for name in [*others, ours]:
        (tmp_path / name).touch()
    (tmp_path / directory).mkdir()
    safe_files.remove_temporary_files(tmp_path)
    assert set(os.listdir(tmp_path)) == {*others, directory}


@pytest.mark.parametrize("function", ["fsync", "replace"])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_interrupted_writer(path: Path, data: bytes, function: str, error: BaseException) -> None:
    with mock.patch.object(os, function, side_effect=error), pytest.raises(type(error)):
        write_file(path, "snapshot", {"a": 1})
    assert path.read_bytes() == data
    assert os.listdir(path.parent) == [path.name]


@linux
def test_full_disk(path: Path, data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    def open_full(name: Path, mode: str, **_: object) -> Any:
        name.write_bytes(b"half")
        return open("/dev/full", "wb")

    monkeypatch.setattr(safe_files, "open", open_full, raising=False)
    for content in ({"a": 1}, {"a": np.random.default_rng(0).random(20_000)}):
        with pytest.raises(OSError, match="No space left"):
            write_file(path, "snapshot", content)
        assert path.read_bytes() == data
        assert os.listdir(path.parent) == [path.name]


@linux
def test_file_size_limit_in_the_middle_of_a_write(path: Path) -> None:
    write_file(path, "loop", {"number": 0})
    limit = "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (99999, 99999))"
    with writer(path, limit + "; sys.excepthook = lambda kind, *_: print(kind.__name__, flush=True)") as process:
        assert process.stdout is not None
        assert process.stdout.read() == "ready\nOSError\n"
    assert read_file(path, "loop")["number"] == 0
    assert os.listdir(path.parent) == [path.name]


def test_target_that_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "directory").mkdir()
    for target in (tmp_path / "directory", tmp_path / "missing" / "file"):
        with pytest.raises(OSError, match="directory"):
            write_file(target, "a", {})
    assert os.listdir(tmp_path) == ["directory"]


def test_links_in_a_circle(tmp_path: Path) -> None:
    path = tmp_path / "link"
    path.symlink_to(path)
    with pytest.raises(FormatError, match="not a regular file"), safe_files.replacing_output(path) as file:
        file.write(b"x")
    assert path.is_symlink()


@pytest.mark.parametrize("refused", [None, errno.EPERM, errno.EOPNOTSUPP])
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o440])
def test_the_mode_of_what_is_replaced(
    path: Path, mode: int, refused: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A private file stays private, from the first byte on, and where a file system refuses to change modes."""
    path.write_bytes(b"old")
    path.chmod(mode)
    if refused:
        for function in ("chmod", "chown"):
            monkeypatch.setattr(os, function, mock.Mock(side_effect=OSError(refused, os.strerror(refused))))
    with safe_files.replacing(path) as file:
        assert os.fstat(file.fileno()).st_mode & 0o777 == mode
        file.write(b"new")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", mode)


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EIO, errno.ENOSPC])
def test_a_file_system_that_refuses_fsync(path: Path, data: bytes, number: int) -> None:
    """One that has none is written to, with a warning; a disk that is broken or full is not."""
    error = OSError(number, os.strerror(number))
    broken = number in (errno.EIO, errno.ENOSPC)
    expected = pytest.raises(OSError, match=error.strerror) if broken else pytest.warns(NotOnDiskWarning, match="fsync")
    with mock.patch.object(os, "fsync", side_effect=error), expected, safe_files.replacing(path) as file:
        file.write(b"new")
    assert path.read_bytes() == (data if broken else b"new")
    assert os.listdir(path.parent) == [path.name]


def replace_three(directory: Path) -> None:
    with safe_files.Replacements() as new:
        new.remove([directory / name for name in ("a", "d", "missing")])
        for name in "abc":
            with new.file(directory / name) as file:
                file.write(b"new")


@pytest.mark.parametrize("call", [1, 2, 3])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_files_that_take_their_places_together(tmp_path: Path, call: int, error: BaseException) -> None:
    """Whichever cannot be written: none is replaced, and nothing of an earlier result goes."""
    for name in "abcd":
        (tmp_path / name).write_bytes(b"old")
    before = contents(tmp_path)
    effects = [None] * (call - 1) + [error]
    with mock.patch.object(os, "fsync", side_effect=effects), pytest.raises(type(error)):
        replace_three(tmp_path)
    assert contents(tmp_path) == before
    replace_three(tmp_path)
    assert contents(tmp_path) == dict.fromkeys("abc", b"new")


def test_what_is_left_out_of_those_that_take_their_places(tmp_path: Path) -> None:
    """A file that failed, where the others are wanted all the same; one that is a directory by now."""
    with safe_files.Replacements() as new:
        with contextlib.suppress(KeyboardInterrupt), new.file(tmp_path / "half") as file:
            raise KeyboardInterrupt
        with pytest.raises(IsADirectoryError), new.file(tmp_path) as file:
            pass
        with new.file(tmp_path / "whole") as file:
            file.write(b"new")
    assert contents(tmp_path) == {"whole": b"new"}


def test_data_of_this_program_is_no_output_of_another_kind(path: Path) -> None:
    write_file(path, "loop", {"number": 0})
    before = path.read_bytes()
    with pytest.raises(FormatError, match="holds other data of this program; choose another output file"):
        safe_files.replacing_output(path)
    assert path.read_bytes() == before


def test_directories_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    for name, what in (("file", "a file, not a directory"), *((n, NO_DIRECTORY) for n in ("dangling", "circle"))):
        with pytest.raises(StoreError, match=f"{name}: {what}; choose another output directory"):
            safe_files.make_directory(tmp_path / name)
    (tmp_path / "link").symlink_to(tmp_path)
    for name in ("link", "new/below"):
        safe_files.make_directory(tmp_path / name)
        assert (tmp_path / name).is_dir()


def test_a_directory_that_cannot_be_synced(path: Path) -> None:
    opened = os.open

    def refuse(name: Path, *more: int) -> int:
        if name == path.parent:
            raise OSError(errno.EINVAL, "Invalid argument")
        return opened(name, *more)

    with mock.patch.object(os, "open", refuse):
        write_file(path, "a", {"a": 1})
    assert read_file(path, "a") == {"a": 1}
