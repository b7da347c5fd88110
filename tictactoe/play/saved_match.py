"""Files of transcripts: a file that the person names, and the files of matches that were left."""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import FormatError, Remedy
from ..games.rules import Rules
from ..games.tic_tac_toe_tree import GameTree
from ..storage.atomic_files import replacing_output
from ..storage.json_text import json_text
from ..storage.shipped import shipped_for, shipped_solution, solution_directory, with_names
from .transcript import Setup


def left_matches() -> list[Path]:
    """The files of left matches, which a player may continue; the match that was left last comes first."""
    found = {}
    for path in [*_kept_in().glob("unfinished_match*.jsonl"), _kept_in() / "left_before.jsonl"]:  # an earlier version's
        with contextlib.suppress(OSError):
            found[path] = path.stat().st_mtime_ns
    return sorted(found, key=lambda path: (found[path], path), reverse=True)


def left_match() -> Path | None:
    """The file of the match that was left last; None without a left match."""
    return next(iter(left_matches()), None)


def _kept_in() -> Path:
    """The directory of left matches, where the system keeps what belongs to a program."""
    home = Path.home()
    if sys.platform == "win32":
        settings = Path(os.environ.get("APPDATA", home))
    elif sys.platform == "darwin":
        settings = home / "Library" / "Application Support"
    else:
        settings = Path(os.environ.get("XDG_CONFIG_HOME", home / ".config"))
    return settings / "smbc-tictactoe"


def played_from(path: Path, setup: Setup, named: Path | None) -> Path:
    """The directory of the solution that a transcript was played from; `named`, if given, replaces it.

    Raises FormatError if the solution does not exist here.
    """
    if named is not None:
        return named
    if setup.solution is not None:
        directory = solution_directory(setup.solution)
        if not directory.exists():
            raise FormatError(path, f"was played from {directory}, which is not here", Remedy.NAME_SOLUTION)
        return directory
    shipped = shipped_for(Rules.parse(setup.rules))
    if shipped is None:
        what = "and no match to 5 by these comes with the program"
        raise FormatError(path, f"was played by the rules {setup.rules}, {what}", Remedy.SOME_SOLUTION)
    return shipped_solution(shipped)


def require_rules_of(path: Path, setup: Setup, directory: Path, tree: GameTree) -> None:
    """Raises FormatError unless `tree`, from the solution in the directory, has the rules of the transcript."""
    if setup.rules != str(tree.rules):
        solved = f"{with_names(str(directory))} is solved for {tree.rules}"
        raise FormatError(path, f"was played by the rules {setup.rules}, but {solved}", Remedy.OTHER_SOLUTION)


class TranscriptFile:
    """A file that always holds the whole transcript, or a device that gets each line once. path: None to save nothing.

    If another program writes to the file, this one stops writing. ours: whether the program chose the path, as for all
    files of `left_matches`; such a file is deleted when the match is over. holds: whether the file has the last saved
    state, from which the match can continue.
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
        """A new file for a match that is left for the first time, beside the files of earlier left matches."""
        names = (f"unfinished_match{'' if number == 1 else f'_{number}'}.jsonl" for number in itertools.count(1))
        return cls(next(path for name in names if not (path := _kept_in() / name).exists()), ours=True)

    @property
    def is_file(self) -> bool:
        """Whether the transcript goes into a file, from which the match can continue."""
        return self.path is not None and not self.is_device

    def save(self, lines: Sequence[dict[str, Any]], *, finished: int | None = None) -> None:
        """Write the lines. finished: how many lines are final; a device gets only these.

        Raises OSError, and FormatError when another program has written to the file meanwhile.
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
        """Write to the device, which stays open: the reader of a pipe would take its closing for the end."""
        if self._device is None:
            self._device = os.open(device, os.O_WRONLY | os.O_APPEND)
        while text:
            text = text[os.write(self._device, text) :]

    def _state(self) -> tuple[int, int, int] | None:
        """Inode, modification time and size of the file, which change when it is written; None without a file."""
        if self.path is None or self.is_device or not self.path.exists():
            return None
        status = self.path.stat()
        return status.st_ino, status.st_mtime_ns, status.st_size

    def forget(self) -> None:
        """Delete the file if the program chose it: the match is over."""
        if self.path is not None and self.ours:
            self.path.unlink(missing_ok=True)
            self.holds = False
