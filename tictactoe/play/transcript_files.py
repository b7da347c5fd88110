"""Many transcripts: in several files and directories, gzipped or not, one after the other in a file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ..errors import FormatError
from ..games.tic_tac_toe_tree import GameTree
from ..storage.safe_files import read_parts
from .transcript import Replayed, Setup, content_of, replay, setup_of

SUFFIXES = (".jsonl", ".jsonl.gz")
"""Of the files that are read in a directory."""
_LONGEST_LINE = 2**20
_MOST_BYTES = 2**24  # of a transcript
_OVERHEAD = 64  # bytes of memory that a line takes more
_GZIP = b"\x1f\x8b"


class WrittenMatch(NamedTuple):
    """A transcript as it stands in a file: where it begins, and its lines. `setup` and `replay` read it."""

    path: Path
    first_line: int
    lines: list[bytes]

    def __str__(self) -> str:
        return f"{self.path}:{self.first_line}"

    def setup(self) -> Setup:
        """What its first line says. Raises FormatError, which names the line."""
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
    """The files that are named, and for a directory all below it that end in SUFFIXES, in the order of their names.

    Each once. Raises FormatError for a directory without any.
    """
    found: dict[Path, None] = {}
    for path in named:
        if not os.path.isdir(path):
            found[path] = None
            continue
        inside = sorted(
            Path(folder, name) for folder, _, names in os.walk(path) for name in names if name.endswith(SUFFIXES)
        )
        if not inside:
            raise FormatError(path, f"no transcripts in this directory: no file ends in {' or '.join(SUFFIXES)}")
        found |= dict.fromkeys(inside)
    return list(found)


def written_matches(path: Path) -> Iterator[WrittenMatch]:
    """The transcripts of a file, gzipped or not, in order: each begins with its header. One at a time is in memory.

    Raises FormatError for a file that cannot be read, is empty, or has a line that is too long.
    """
    lines: list[bytes] = []
    number = size = 0
    for number, line in enumerate(_lines(path), 1):
        if lines and _is_header(line):
            yield WrittenMatch(path, number - len(lines), lines)
            lines, size = [], 0
        lines.append(line)
        size += len(line) + _OVERHEAD
        if size > _MOST_BYTES:
            raise FormatError(path, f"line {number}: a transcript of more than {_MOST_BYTES // 2**20} MiB")
    if not lines:
        raise FormatError(path, "not a transcript: line 1: the header is missing")
    yield WrittenMatch(path, number + 1 - len(lines), lines)


def _is_header(line: bytes) -> bool:
    """Whether it begins a transcript. A line that is no JSON does not: the transcript before it is damaged."""
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
        return part.startswith(_GZIP)
    return False
