"""Safe reading and writing of files. Reads are limited, and a new file appears only when it is complete."""

from __future__ import annotations

import contextlib
import errno
import gzip
import hashlib
import os
import re
import stat
import time
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO

from ..errors import FormatError, NotOnDiskWarning, StoreError

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

MAXIMUM_SIZE = 256 * 2**20
"""The most bytes of a file that is read into memory, and of its inflated content."""
START_OF_DATA = b"\x95\xaesmbc-tictactoe"
"""The first bytes of every file of file_format.py."""
SECONDS_TO_MOVE = 2.0
"""The seconds for which `move` tries again."""
_PAUSE = 0.02
_CHUNK = 2**20
_NO_SYNC = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}
"""The errors of a file system without fsync; a full or broken disk gives other errors."""
_TEMPORARY = re.compile(r"\.smbc-tictactoe-([0-9]{1,9})-[0-9a-f]{16}\.tmp")
_MOST_LOCKED = 50
"""The most temporary files that one writer locks at the same time."""
_A_DAY = 86400
_looked_through: set[Path] = set()
"""Directories in which this process has removed the files of killed writers."""


class Replacements:
    """A context manager that replaces several files together, in the order of writing, once all are on the disk.

    After an error in the block the old files stay.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as directory, Replacements() as new:
    ...     for name in ("table.csv", "picture.svg"):
    ...         with new.file(Path(directory, name)) as file:
    ...             _ = file.write(b"...")
    """

    def __init__(self) -> None:
        self._written: dict[Path, Path] = {}  # by temporary path, the path to replace
        self._earlier: list[Path] = []
        self._locked: list[int] = []  # descriptors

    def __enter__(self) -> Replacements:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            for path in self._earlier if kind is None else ():
                if path.resolve() not in self._written.values():
                    path.unlink(missing_ok=True)
            for temporary in list(self._written) if kind is None else ():
                with _named(temporary, self._written[temporary]):
                    move(temporary, self._written[temporary])
                sync_directory(self._written.pop(temporary).parent)
        finally:
            for temporary in self._written:
                with contextlib.suppress(OSError):
                    temporary.unlink()
            for descriptor in self._locked:
                os.close(descriptor)

    def remove(self, paths: Iterable[Path]) -> None:
        """Delete these files when the new ones are complete, except those written again."""
        self._earlier += paths

    @contextlib.contextmanager
    def file(self, path: Path) -> Iterator[IO[bytes]]:
        """A file to write to, which becomes `path` when the outer block ends. Raises OSError, which names `path`."""
        if (directory := path.parent.absolute()) not in _looked_through:
            _looked_through.add(directory)
            _remove_abandoned(directory)
        temporary = path.with_name(f".smbc-tictactoe-{os.getpid()}-{os.urandom(8).hex()}.tmp")
        try:
            with _named(temporary, path), open(temporary, "xb", opener=_opener(path)) as file:
                if path.is_dir() and not path.is_symlink():
                    raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
                if fcntl is not None and len(self._locked) < _MOST_LOCKED:
                    with contextlib.suppress(OSError):  # a file system without locks
                        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                        self._locked.append(os.dup(file.fileno()))  # keeps the lock until the file is in its place
                with contextlib.suppress(FileNotFoundError):
                    take_over_mode(path, temporary)
                yield file
                sync_file(file)
            self._written[temporary] = path
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise


def _opener(path: Path) -> Callable[[str, int], int]:
    mode = 0o666
    with contextlib.suppress(OSError):
        mode = stat.S_IMODE(path.stat().st_mode)
    return lambda name, flags: os.open(name, flags, mode)


@contextlib.contextmanager
def _named(temporary: Path, path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.filename in (None, str(temporary)):
            error.filename, error.filename2 = str(path), None
        raise


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to. It replaces `path` when the block ends without an error. Raises OSError, which names
    `path`."""
    with Replacements() as new, new.file(path) as file:
        yield file


def move(source: Path, target: Path) -> None:
    """Rename a file or a directory. Raises OSError."""
    end = time.monotonic() + SECONDS_TO_MOVE
    while True:
        try:
            return os.replace(source, target)
        except PermissionError:
            if time.monotonic() >= end:
                raise
        time.sleep(_PAUSE)


def regular_file(path: Path) -> Path:
    """The file to write for `path`, the output that a user named: the target if it is a link, otherwise `path`.

    Raises FormatError for anything but a regular file or a new name.
    """
    target = path
    with contextlib.suppress(RuntimeError):  # for links in a circle, up to Python 3.12
        target = path.resolve()
    if target.is_symlink() or (target.exists() and not target.is_file()):
        raise FormatError(path, "not a regular file; choose another output file")
    return target


def output_file(path: Path, replaced: bytes | None = None) -> Path:
    """Do the same as `regular_file`, but raise FormatError, too, if the file has data of this program.

    replaced: the first bytes of data that may be replaced.
    """
    path = regular_file(path)
    with contextlib.suppress(OSError), open(path, "rb") as file:
        start = file.read(100)
        if start.startswith(START_OF_DATA) and not (replaced and start.startswith(replaced)):
            raise FormatError(path, "it has other data of this program; choose another output file")
    return path


def replacing_output(path: Path) -> contextlib.AbstractContextManager[IO[bytes]]:
    return replacing(output_file(path))


def take_over_mode(old: Path, new: Path) -> None:
    """Give `new` the owner and the mode of `old`, if possible. Raises OSError if `old` is missing."""
    status = old.stat()
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):
            os.chown(new, status.st_uid, status.st_gid)
    with contextlib.suppress(OSError):
        os.chmod(new, stat.S_IMODE(status.st_mode))


def sync_file(file: IO[bytes]) -> None:
    """Wait until the bytes are on the disk. Raises OSError, or a NotOnDiskWarning if there is no fsync."""
    file.flush()
    try:
        os.fsync(file.fileno())
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise
        what = f"this file system cannot tell when data is on the disk (fsync: {error.strerror})"
        warnings.warn(f"{what}; a power cut may lose what was saved last", NotOnDiskWarning, stacklevel=1)


def sync_directory(directory: Path) -> None:
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def make_directory(directory: Path) -> None:
    """Make the directory and its parents, unless they exist. Raises StoreError and OSError."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        what = "a link that does not lead to a directory" if directory.is_symlink() else "a file, not a directory"
        raise StoreError(f"{directory}: {what}; choose another output directory") from None


def is_temporary(path: Path) -> bool:
    return _TEMPORARY.fullmatch(path.name) is not None and path.is_file() and not path.is_symlink()


def _remove_abandoned(directory: Path) -> None:
    with contextlib.suppress(OSError):
        for path in filter(is_temporary, directory.iterdir()):
            with contextlib.suppress(OSError), open(path, "rb") as file:
                if fcntl is not None and not _is_running(path):
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    path.unlink()
            with contextlib.suppress(OSError):
                if fcntl is None and time.time() - path.stat().st_mtime > _A_DAY:
                    path.unlink()


def _is_running(temporary: Path) -> bool:
    found = _TEMPORARY.fullmatch(temporary.name)
    try:
        os.kill(int(found[1]) if found else 0, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        pass
    return True


def remove_temporary_files(directory: Path) -> None:
    """Remove the temporary files of a directory in which no other process is writing."""
    for path in filter(is_temporary, directory.iterdir()):
        path.unlink(missing_ok=True)


def read_bytes(path: Path, most: int = MAXIMUM_SIZE, *, inflate: bool = False) -> bytes:
    """The bytes of a regular file, at most `most`. See `read_parts`."""
    return b"".join(read_parts(path, inflate=inflate, most=most))


def file_sha256(path: Path) -> str:
    """The SHA-256 (hexadecimal) of a regular file. Raises FormatError."""
    return hashlib.sha256(read_bytes(path)).hexdigest()


def read_parts(path: Path, *, inflate: bool = False, most: int | None = None) -> Iterator[bytes]:
    """The bytes of a regular file, in parts of at most a MiB. inflate: whether the file is gzipped.

    most: the limit of bytes before and after inflating; None for no limit. Raises FormatError for a file that is
    larger, not regular, or unreadable.
    """
    try:
        status, size = path.stat(), 0
        if not stat.S_ISREG(status.st_mode):
            raise FormatError(path, "not a regular file")
        with gzip.open(path, "rb") if inflate else open(path, "rb") as file:
            while part := file.read(_CHUNK):
                size += len(part)
                if most is not None and max(size, status.st_size) > most:
                    raise FormatError(path, f"larger than the limit of {most // 2**20} MiB")
                yield part
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise FormatError(path, f"not a whole gzip file: {error}") from error
    except (OSError, ValueError) as error:
        raise FormatError(path, f"cannot be read: {getattr(error, 'strerror', None) or error}") from error


def leads_into(path: Path, folder: Path) -> bool:
    """Whether a path is in a folder, after links are followed."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))
