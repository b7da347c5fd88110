"""Many transcripts: in several files and directories, gzipped or not, one after the other in a file."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ..errors import FormatError
from ..games.tic_tac_toe_tree import GameTree
from ..storage.atomic_files import read_parts
from .transcript import Replayed, Setup, content_of, replay, setup_of

TRANSCRIPT_SUFFIXES = (".jsonl", ".jsonl.gz")
"""Files with these suffixes are read when a directory is named."""
_LONGEST_LINE = 2**20
_MOST_BYTES = 2**24  # of a transcript
_OVERHEAD_OF_LINE = 64  # bytes of memory that a line takes beside its text
_GZIP_START = b"\x1f\x8b"


class WrittenMatch(NamedTuple):
    """A transcript in a file. `setup` and `replay` read it."""

    path: Path
    first_line: int
    """The number of its first line in the file, from 1."""
    lines: list[bytes]

    def __str__(self) -> str:
        return f"{self.path}:{self.first_line}"

    def setup(self) -> Setup:
        """The header. Raises FormatError, which names the line."""
        try:
            return setup_of(content_of(self.lines[0], self.first_line))
        except ValueError as error:
            raise FormatError(self.path, f"not a transcript: {error}") from error

    def replay(self, tree: GameTree) -> Replayed:
        """The match or practice, played again and checked. Raises FormatError, which names the line."""
        try:
            return replay(self.lines, tree, self.first_line)
        except ValueError as error:
            raise FormatError(self.path, str(error)) from error


def transcript_paths(named: Sequence[Path]) -> list[Path]:
    """The named files, and in place of a directory all transcripts below it, sorted by name; each file once.

    Transcripts end in TRANSCRIPT_SUFFIXES. Raises FormatError for a directory without transcripts, and
    for a file that is not there.
    """
    found: dict[Path, None] = {}
    for path in named:
        if not os.path.isdir(path):
            if not os.path.lexists(path):
                raise FormatError(path, f"cannot be read: {os.strerror(errno.ENOENT)}")
            found[path] = None
            continue
        inside = sorted(
            Path(folder, name)
            for folder, _, names in os.walk(path)
            for name in names
            if name.endswith(TRANSCRIPT_SUFFIXES)
        )
        if not inside:
            raise FormatError(
                path, f"no transcripts in this directory: no file ends in {' or '.join(TRANSCRIPT_SUFFIXES)}"
            )
        found |= dict.fromkeys(inside)
    return list(found)


def written_matches(path: Path) -> Iterator[WrittenMatch]:
    """The transcripts of a file, gzipped or not, in order. A header begins a transcript. Memory holds one at a time.

    Raises FormatError for a file that cannot be read, is empty, or has a line or a transcript that is too long.
    """
    lines: list[bytes] = []
    number = size = 0
    for number, line in enumerate(_lines(path), 1):
        if lines and _is_header(line):
            yield WrittenMatch(path, number - len(lines), lines)
            lines, size = [], 0
        lines.append(line)
        size += len(line) + _OVERHEAD_OF_LINE
        if size > _MOST_BYTES:
            raise FormatError(path, f"line {number}: a transcript of more than {_MOST_BYTES // 2**20} MiB")
    if not lines:
        raise FormatError(path, "not a transcript: the file is empty")
    yield WrittenMatch(path, number + 1 - len(lines), lines)


def _is_header(line: bytes) -> bool:
    """Whether the line begins a transcript. A damaged line does not: it belongs to the transcript before it."""
    if b'"format"' not in line:
        return False
    try:
        return "format" in content_of(line, 0)
    except ValueError:
        return False


def _lines(path: Path) -> Iterator[bytes]:
    rest, number = b"", 0
    for part in read_parts(path, inflate=_is_gzipped(path)):
        *whole, rest = (rest + part).split(b"\n")
        for line in whole:
            number += 1
            _require_short(path, number, line)
            yield line
        _require_short(path, number + 1, rest)
    if rest:
        yield rest


def _require_short(path: Path, number: int, line: bytes) -> None:
    if len(line) > _LONGEST_LINE:
        raise FormatError(path, f"line {number}: longer than {_LONGEST_LINE // 2**20} MiB")


def _is_gzipped(path: Path) -> bool:
    for part in read_parts(path):
        return part.startswith(_GZIP_START)
    return False
