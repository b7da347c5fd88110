"""Reading and writing any file safely: sizes are limited, gzip is inflated, a new file appears once it is whole."""

from __future__ import annotations

import contextlib
import errno
import gzip
import os
import re
import stat
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO

from ..errors import FormatError, NotOnDiskWarning, StoreError

MAXIMUM_SIZE = 256 * 2**20
"""Bytes: of a file that is read at once, and of all that is inflated from it."""
START_OF_DATA = b"\x95\xaesmbc-tictactoe"
"""What every file of file_format.py begins with."""
_CHUNK = 2**20
_NO_SYNC = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}
"""What a file system that knows no fsync answers; a full or broken disk answers otherwise."""
_TEMPORARY = re.compile(r"\.smbc-tictactoe-[0-9]+-[0-9a-f]{16}\.tmp")


class Replacements:
    """Files that take their places together, as a context manager: complete and on the disk, all of them, before the
    first one replaces what has its name; in the order in which they were written. When the block ends with an error,
    what was there stays, bit for bit.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as directory, Replacements() as new:
    ...     for name in ("table.csv", "picture.svg"):
    ...         with new.file(Path(directory, name)) as file:
    ...             _ = file.write(b"...")
    """

    def __init__(self) -> None:
        self._written: dict[Path, Path] = {}  # by temporary name
        self._earlier: list[Path] = []

    def __enter__(self) -> Replacements:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            for path in self._earlier if kind is None else ():
                if path.resolve() not in self._written.values():
                    path.unlink(missing_ok=True)
            for temporary in list(self._written) if kind is None else ():
                with _named(temporary, self._written[temporary]):
                    os.replace(temporary, self._written[temporary])
                sync_directory(self._written.pop(temporary).parent)
        finally:
            for temporary in self._written:
                with contextlib.suppress(OSError):
                    temporary.unlink()

    def remove(self, paths: Iterable[Path]) -> None:
        """Files of an earlier result, which go when the new ones are complete: those that are not written anew."""
        self._earlier += paths

    @contextlib.contextmanager
    def file(self, path: Path) -> Iterator[IO[bytes]]:
        """A file to write to that is going to be `path`, with the mode of what is replaced.

        Raises OSError, with the name of `path`, when it cannot be written.
        """
        temporary = path.with_name(f".smbc-tictactoe-{os.getpid()}-{os.urandom(8).hex()}.tmp")
        try:
            with _named(temporary, path), open(temporary, "xb", opener=_opener(path)) as file:
                if path.is_dir() and not path.is_symlink():
                    raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
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
    """Opens a new file that nobody may read who may not read `path`, also where its mode cannot be changed later."""
    mode = 0o666
    with contextlib.suppress(OSError):
        mode = stat.S_IMODE(path.stat().st_mode)
    return lambda name, flags: os.open(name, flags, mode)


@contextlib.contextmanager
def _named(temporary: Path, path: Path) -> Iterator[None]:
    """A full disk does not say where, and the temporary name tells nobody anything: errors name `path`."""
    try:
        yield
    except OSError as error:
        if error.filename in (None, str(temporary)):
            error.filename, error.filename2 = str(path), None
        raise


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to that appears as `path`, complete and on the disk, when the block ends without an error.

    Otherwise what was there stays. Raises OSError, with the name of `path`, when the file cannot be written.
    """
    with Replacements() as new, new.file(path) as file:
        yield file


def regular_file(path: Path) -> Path:
    """The file that a user means who names `path` for an output: what a link leads to, whether it is there or not.

    Raises FormatError when something else than a regular file has the name.
    """
    with contextlib.suppress(RuntimeError):  # of links that lead in a circle, up to Python 3.12
        path = path.resolve()
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise FormatError(path, "not a regular file; choose another output file")
    return path


def output_file(path: Path, replaced: bytes | None = None) -> Path:
    """As `regular_file`. Raises FormatError, too, when it holds data of this program, which no other kind replaces.

    replaced: how the data begins that may be replaced.
    """
    path = regular_file(path)
    with contextlib.suppress(OSError), open(path, "rb") as file:
        start = file.read(100)
        if start.startswith(START_OF_DATA) and not (replaced and start.startswith(replaced)):
            raise FormatError(path, "holds other data of this program; choose another output file")
    return path


def replacing_output(path: Path) -> contextlib.AbstractContextManager[IO[bytes]]:
    """As `replacing`, for a path that a user has named: see `output_file`."""
    return replacing(output_file(path))


def take_over_mode(old: Path, new: Path) -> None:
    """Let `new` be readable and writable for whom `old` is, as far as this user may say so; OSError if one is missing.

    Some file systems give all files the owner and the mode of their mount, and refuse to change them.
    """
    status = old.stat()
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):
            os.chown(new, status.st_uid, status.st_gid)
    with contextlib.suppress(OSError):
        os.chmod(new, stat.S_IMODE(status.st_mode))


def sync_file(file: IO[bytes]) -> None:
    """Wait until all that was written is on the disk. Raises OSError, but for a file system that does not know how to
    wait: that gives a NotOnDiskWarning, as files are whole all the same, if the machine goes on running."""
    file.flush()
    try:
        os.fsync(file.fileno())
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise
        what = f"this file system cannot tell when data is on the disk (fsync: {error.strerror})"
        warnings.warn(f"{what}; a power cut may lose what was saved last", NotOnDiskWarning, stacklevel=1)


def sync_directory(directory: Path) -> None:
    """Let the names in it survive a power cut, where the system can do that."""
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def make_directory(directory: Path) -> None:
    """Make it, and those above, if need be. Raises StoreError when something else has its name; OSError."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        what = "a link that leads to no directory" if directory.is_symlink() else "a file, not a directory"
        raise StoreError(f"{directory}: {what}; choose another output directory") from None


def is_temporary(path: Path) -> bool:
    """Whether the path is what a killed writer leaves."""
    return _TEMPORARY.fullmatch(path.name) is not None and path.is_file() and not path.is_symlink()


def remove_temporary_files(directory: Path) -> None:
    """Remove what killed writers left in `directory`. Not for a directory that another process is writing to."""
    for path in filter(is_temporary, directory.iterdir()):
        path.unlink(missing_ok=True)


def read_bytes(path: Path, most: int = MAXIMUM_SIZE, *, inflate: bool = False) -> bytes:
    """What a regular file of at most that many bytes holds, inflated if asked for; FormatError for anything else."""
    return b"".join(read_parts(path, inflate=inflate, most=most))


def read_parts(path: Path, *, inflate: bool = False, most: int | None = None) -> Iterator[bytes]:
    """The bytes of a regular file in parts of at most a MiB. inflate: they are gzipped. most: so many, inflated.

    Raises FormatError when there are more, or the file cannot be read.
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
