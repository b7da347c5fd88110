"""Transcripts on the disk: the file that a person names, and the matches that were left."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tictactoe.errors import FormatError
from tictactoe.games.rules import Rules
from tictactoe.storage.json_text import json_text
from tictactoe.storage.safe_files import replacing_output
from tictactoe.storage.shipped import shipped_for, shipped_solution, solution_directory, with_names

from ..program import shown_path

if TYPE_CHECKING:
    from tictactoe.games.tic_tac_toe_tree import GameTree
    from tictactoe.play.transcript import Setup


def left_matches() -> list[Path]:
    """The files of the matches that were left and are kept for --continue, the one that was left last first."""
    found = {}
    for path in [*_kept_in().glob("unfinished_match*.jsonl"), _kept_in() / "left_before.jsonl"]:  # an earlier version's
        with contextlib.suppress(OSError):
            found[path] = path.stat().st_mtime_ns
    return sorted(found, key=lambda path: (found[path], path), reverse=True)


def left_match() -> Path | None:
    """The file of the match that was left last, None where none was left."""
    return next(iter(left_matches()), None)


def _kept_in() -> Path:
    return Path(click.get_app_dir("smbc-tictactoe"))


def played_from(path: Path, setup: Setup, named: Path | None) -> Path:
    """The directory of the solution that a transcript was played from, or of the one that is `named` instead.

    Raises FormatError where it is not there.
    """
    if named is not None:
        return named
    if setup.solution is not None:
        directory = solution_directory(setup.solution)
        if not directory.exists():
            what = "which is not here; name it, or another solution, with -s"
            raise FormatError(path, f"was played from {shown_path(directory)}, {what}")
        return directory
    shipped = shipped_for(Rules.parse(setup.rules))
    if shipped is None:
        what = "and no match to 5 by these comes with the program; name a solution with -s"
        raise FormatError(path, f"was played by the rules {setup.rules}, {what}")
    return shipped_solution(shipped)


def require_rules_of(path: Path, setup: Setup, directory: Path, tree: GameTree) -> None:
    """Raises FormatError unless the tree, of the solution in the directory, has the rules of the transcript."""
    if setup.rules != str(tree.rules):
        solved = f"{with_names(shown_path(directory))} is solved for {tree.rules}; name another solution with -s"
        raise FormatError(path, f"was played by the rules {setup.rules}, but {solved}")


class TranscriptFile:
    """A file that always holds the whole transcript, or a device that gets each line once. path: None for neither.

    A file that another program writes to is left to that one. ours: whether nobody has asked for the file, which goes
    when the match is over; so it is for all that `left_matches` has. holds: whether the file has what was saved last,
    to go on with.
    """

    def __init__(self, path: Path | None, *, ours: bool = False) -> None:
        self.path = path
        self.ours = ours or (path is not None and path.resolve() in [left.resolve() for left in left_matches()])
        self.is_device = path is not None and path.exists() and not path.is_file()
        self._device: int | None = None
        self._told = 0
        self._known = self._state()
        self.holds = self._known is not None

    @classmethod
    def of_a_new_match(cls) -> TranscriptFile:
        """Of a match that is left for the first time: one more file, beside those of matches that were left before."""
        names = (f"unfinished_match{'' if number == 1 else f'_{number}'}.jsonl" for number in itertools.count(1))
        return cls(next(path for name in names if not (path := _kept_in() / name).exists()), ours=True)

    @property
    def is_file(self) -> bool:
        """Whether there is a file to go on with later."""
        return self.path is not None and not self.is_device

    def save(self, lines: Sequence[dict[str, Any]], *, finished: int | None = None) -> None:
        """finished: how many of the lines change no more; a device gets no others.

        Raises OSError when that fails, and FormatError when another program has written to the file meanwhile.
        """
        if self.path is None:
            return
        texts = [f"{json_text(line)}\n".encode() for line in lines]
        if self.is_device:
            self._tell(self.path, b"".join(texts[self._told : finished]))
            self._told = len(texts[:finished])
            return
        if self._state() not in (None, self._known):
            raise FormatError(self.path, "another program has written to it; what was played here since is not in it")
        if self.ours:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        with replacing_output(self.path) as file:
            file.write(b"".join(texts))
        self._known = self._state()
        self.holds = True

    def _tell(self, device: Path, text: bytes) -> None:
        """The device stays open: who reads from a pipe takes its closing for the end."""
        if self._device is None:
            self._device = os.open(device, os.O_WRONLY | os.O_APPEND)
        while text:
            text = text[os.write(self._device, text) :]

    def _state(self) -> tuple[int, int, int] | None:
        """Of the file: it changes with every writing. None where there is no file."""
        if self.path is None or self.is_device or not self.path.exists():
            return None
        status = self.path.stat()
        return status.st_ino, status.st_mtime_ns, status.st_size

    def forget(self) -> None:
        """The match is over."""
        if self.path is not None and self.ours:
            self.path.unlink(missing_ok=True)
            self.holds = False
