"""Reading and writing any file safely: sizes are limited, gzip is inflated, a new file appears once it is whole."""

from __future__ import annotations

import contextlib
import gzip
import os
import re
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from ..errors import FormatError

MAXIMUM_SIZE = 256 * 2**20
"""Bytes: of a file that is read at once, and of all that is inflated from it."""
_CHUNK = 2**20
_TEMPORARY = re.compile(r"\.smbc-tictactoe-[0-9]+-[0-9a-f]{16}\.tmp")


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to that appears as `path`, complete and on the disk, when the block ends without an error.

    Otherwise what was there stays. Raises OSError, with the name of `path`, when the file cannot be written.
    """
    temporary = path.with_name(f".smbc-tictactoe-{os.getpid()}-{os.urandom(8).hex()}.tmp")
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException as error:
        # A full disk does not say where, and the temporary name tells nobody anything.
        if isinstance(error, OSError) and error.filename in (None, str(temporary)):
            error.filename = str(path)
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    # The new file is in place. Not every system can sync a directory, which only makes its name survive a power cut.
    with contextlib.suppress(OSError):
        directory = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)


def replacing_output(path: Path) -> contextlib.AbstractContextManager[IO[bytes]]:
    """As `replacing`, for a path that a user has named: what a link leads to is replaced, if it is a regular file.

    Raises FormatError when something else has the name.
    """
    with contextlib.suppress(RuntimeError):  # of links that lead in a circle, up to Python 3.12
        path = path.resolve()
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise FormatError(path, "not a regular file; choose another output file")
    return replacing(path)


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
