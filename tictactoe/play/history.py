"""The history: matches and practice that the program has kept, as a list, the newest first."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import FormatError, printable
from ..games.rules import Rules
from ..games.tic_tac_toe_tree import GameTree
from ..number_text import counted
from .practice import points_of
from .saved_match import kept_at, kept_matches
from .transcript import Replayed, read_transcript, replay

_LONGEST_SHOWN = 20


class KeptMatch(NamedTuple):
    """A file of the history."""

    number: int
    """In the list, from 1; 1 is the newest."""
    path: Path
    seconds: float
    """When it was last played, in seconds since 1970: as the file says, but not later than it was changed. A file says
    more where the clock has gone back, for the order's sake."""
    replayed: Replayed | None
    """None for a damaged file."""
    problem: str
    """What is wrong with a damaged file, on one line; "" for a good one."""

    @property
    def date(self) -> str:
        """The local date and time, such as "2026-03-01 17:45"."""
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(self.seconds))

    @property
    def points(self) -> tuple[int, int]:
        """Of players 0 and 1. Not for a damaged file."""
        assert self.replayed is not None
        match = self.replayed.match
        return points_of(self.replayed.rounds) if match is None else match.points

    @property
    def state(self) -> str:
        """won, lost, left, practice or damaged; player 0 has won or lost."""
        if self.replayed is None:
            return "damaged"
        if (match := self.replayed.match) is None:
            return "practice"
        return "left" if match.winner is None else "won" if match.winner == 0 else "lost"

    def result(self) -> str:
        """The result in words, such as "won 5-3" or "left at 2-1"; "damaged" for a damaged file."""
        if self.replayed is None:
            return self.state
        points = "{}-{}".format(*self.points)
        return f"{self.state}{' at' * (self.state == 'left')} {points}"

    def facts(self) -> tuple[str, str, str, str, str]:
        """Number, date, opponent, rules and result, for a row of a table."""
        if self.replayed is None:
            return str(self.number), self.date, "-", "-", self.result()
        setup = self.replayed.setup
        return str(self.number), self.date, _short(setup.opponent), _short(setup.rules), self.result()

    def as_dict(self) -> dict[str, Any]:
        """The same for a program. The unknown facts of a damaged file are None."""
        about = {"number": self.number, "file": str(self.path), "date": self.date, "state": self.state}
        if self.replayed is None:
            return about | {"opponent": None, "rules": None, "points": None, "problem": self.problem}
        setup = self.replayed.setup
        return about | {"opponent": setup.opponent, "rules": setup.rules, "points": list(self.points), "problem": None}


HEADINGS = ("number", "date", "against", "rules", "result")
"""Of the columns of `KeptMatch.facts`."""


def history() -> list[KeptMatch]:
    """All matches of the history, the newest first. A damaged file has its place, too."""
    return [_read(number, path) for number, path in enumerate(kept_matches(), 1)]


def kept_match(number: int) -> Path:
    """The file with a number of the list. Raises ValueError, and says how many there are."""
    paths = kept_matches()
    if not 1 <= number <= len(paths):
        raise ValueError(f"there is no match {number}: {counted(len(paths), 'match is', 'matches are')} in the list")
    return paths[number - 1]


def is_number(text: str) -> bool:
    """Whether the text is a number of the list, and not the name of a file."""
    return re.fullmatch("[0-9]{1,9}", text) is not None


def _read(number: int, path: Path) -> KeptMatch:
    seconds, replayed, problem = (kept_at(path) or 0) / 1000, None, ""
    try:
        seconds = min(seconds, path.stat().st_mtime)
        setup, lines = read_transcript(path)
        replayed = replay(lines, GameTree.build(Rules.parse(setup.rules)))
    except FormatError as error:
        problem = str(error.args[1])
    except (OSError, ValueError) as error:
        problem = str(getattr(error, "strerror", None) or error)
    return KeptMatch(number, path, seconds, replayed, printable(" ".join(problem.split())))


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 3]}..."
