"""Transcripts on the disk: the file that a person names, and the match that was left last."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from tictactoe.storage.safe_files import replacing_output


def left_match() -> Path:
    """Where the match is that was left last, for --continue."""
    return Path(click.get_app_dir("smbc-tictactoe")) / "unfinished_match.jsonl"


class TranscriptFile:
    """A file that always holds the whole transcript, or a device that gets each line once. path: None for neither.

    ours: whether nobody has asked for the file, which goes when the match is over.
    """

    def __init__(self, path: Path | None, *, ours: bool = False) -> None:
        self.path = path
        self.ours = ours
        self.is_device = path is not None and path.exists() and not path.is_file()
        self._told = 0

    def save(self, lines: Sequence[dict[str, Any]], *, finished: int | None = None) -> None:
        """finished: how many of the lines change no more; a device gets no others. OSError when that fails."""
        if self.path is None:
            return
        texts = [json.dumps(line) + "\n" for line in lines]
        if not self.is_device:
            if self.ours:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            with replacing_output(self.path) as file:
                file.write("".join(texts).encode())
            return
        with open(self.path, "a", encoding="utf-8") as file:
            file.writelines(texts[self._told : finished])
        self._told = len(texts[:finished])

    def forget(self) -> None:
        """The match is over."""
        if self.path is not None and self.ours:
            self.path.unlink(missing_ok=True)
