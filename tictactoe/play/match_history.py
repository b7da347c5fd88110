"""Files of transcripts: the file that the person names, the files that the program keeps, and their list, the
history."""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import FormatError, Remedy, TicTacToeError, cut, printable
from ..games.rules import Rules
from ..games.tic_tac_toe_tree import GameTree
from ..match.scores import score_in_longer_match
from ..number_text import counted
from ..storage.atomic_files import move, replacing, replacing_output, sync_directory
from ..storage.shipped import shipped_for, shipped_solution, solution_directory, with_names
from ..storage.texts import json_of, json_text
from .opponents import title_of
from .referee import COMMITTED_PLAYER
from .transcript import Replayed, Setup, read_transcript

MOST_KEPT = 100
"""The number of finished matches that the history keeps, besides all unfinished ones."""
_LONGEST_HEADER = 2**16
_LATEST = 2**52
_LEFT = ("unfinished_match*.jsonl", "left_before.jsonl")
_OVER = "finished_match_*.jsonl"


def left_matches() -> list[Path]:
    """The files of unfinished matches, newest first."""
    return list(_kept(*_LEFT))


def kept_matches() -> list[Path]:
    """The files of unfinished and finished matches and of finished practice, newest first."""
    return list(_kept(*_LEFT, _OVER))


def _kept(*patterns: str) -> dict[Path, int]:
    found = {path: at for each in patterns for path in _kept_in().glob(each) if (at := kept_at(path)) is not None}
    return {path: found[path] for path in sorted(found, key=lambda path: (found[path], path), reverse=True)}


def kept_at(path: Path) -> int | None:
    """The time when a file was kept or changed, in milliseconds since 1970; None for an empty or missing file."""
    try:
        status = path.stat()
    except OSError:
        return None
    with contextlib.suppress(OSError, ValueError), open(path, "rb") as file:
        content = json_of(file.readline(_LONGEST_HEADER))
        said = content.get("kept_at") if isinstance(content, dict) else None
        if type(said) is int and 0 <= said < _LATEST:
            return said
    return status.st_mtime_ns // 10**6 if status.st_size else None


def _stamped(lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    latest = max(_kept(*_LEFT, _OVER).values(), default=0)
    return [lines[0] | {"kept_at": max(time.time_ns() // 10**6, latest + 1)}, *lines[1:]]


def _kept_in() -> Path:
    home = Path.home()
    if sys.platform == "win32":
        settings = Path(os.environ.get("APPDATA", home))
    elif sys.platform == "darwin":
        settings = home / "Library" / "Application Support"
    else:
        settings = Path(os.environ.get("XDG_CONFIG_HOME", home / ".config"))
    return settings / "smbc-tictactoe"


def played_from(path: Path, setup: Setup, named: Path | None) -> Path:
    """The directory of the solution that a transcript was played from, or `named`.

    Raises FormatError if the solution does not exist here.
    """
    if named is not None:
        return named
    if setup.solution is not None:
        directory = solution_directory(setup.solution)
        if not directory.exists():
            raise FormatError(path, f"was played from {directory}, which does not exist here", Remedy.NAME_SOLUTION)
        return directory
    shipped = shipped_for(Rules.parse(setup.rules))
    if shipped is None:
        what = "and the program comes with no match to 5 by these rules"
        raise FormatError(path, f"was played by the rules {setup.rules}, {what}", Remedy.SOME_SOLUTION)
    return shipped_solution(shipped)


def require_rules_of(path: Path, setup: Setup, directory: Path, tree: GameTree) -> None:
    """Raise FormatError unless `tree` has the rules of the transcript."""
    if setup.rules != str(tree.rules):
        solved = f"{with_names(str(directory))} was solved for {tree.rules}"
        raise FormatError(path, f"was played by the rules {setup.rules}, but {solved}", Remedy.OTHER_SOLUTION)


class TranscriptFile:
    """A file with the whole transcript, or a device that receives each line once. path: None to save nothing.

    ours: whether the program chose the path.
    keeps: whether the program keeps matches in files of its own.
    holds: whether the match can continue from the file.
    """

    def __init__(self, path: Path | None, *, ours: bool = False, keeps: bool = True) -> None:
        self.path, self.keeps = path, keeps
        self.ours = ours or (path is not None and path.resolve() in [left.resolve() for left in left_matches()])
        self.is_device = path is not None and path.exists() and not path.is_file()
        self._device: int | None = None
        self._told = 0
        self._known = self._state()
        self.holds = self._known is not None

    @classmethod
    def of_a_new_match(cls) -> TranscriptFile:
        """A new file, with its name reserved. Raises OSError."""
        _kept_in().mkdir(parents=True, exist_ok=True)
        for number in itertools.count(1):
            path = _kept_in() / f"unfinished_match{'' if number == 1 else f'_{number}'}.jsonl"
            with contextlib.suppress(FileExistsError):
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
                break
        file = cls(path, ours=True)
        file.holds = False
        return file

    @property
    def is_file(self) -> bool:
        return self.path is not None and not self.is_device

    def save(self, lines: Sequence[dict[str, Any]], *, finished: int | None = None) -> None:
        """Write the lines. finished: the number of final lines; a device receives only these.

        Raises OSError, and FormatError if another program has written to the file.
        """
        if self.path is None:
            return
        texts = [f"{json_text(line)}\n".encode() for line in (_stamped(lines) if self.ours else lines)]
        if self.is_device:
            self._tell(self.path, b"".join(texts[self._told : finished]))
            self._told = len(texts[:finished])
            return
        if self._state() not in (None, self._known):
            raise FormatError(self.path, "another program has written to it; it lacks what was played here since then")
        if self.ours:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with replacing_output(self.path) as file:
                file.write(b"".join(texts))
        except BaseException:
            if self.ours and not self.holds:
                self.path.unlink(missing_ok=True)  # only the name was reserved
            raise
        self._known = self._state()
        self.holds = True

    def _tell(self, device: Path, text: bytes) -> None:
        if self._device is None:
            self._device = os.open(device, os.O_WRONLY | os.O_APPEND)
        while text:
            text = text[os.write(self._device, text) :]

    def _state(self) -> tuple[int, int, int] | None:
        if self.path is None or self.is_device or not self.path.exists():
            return None
        status = self.path.stat()
        return status.st_ino, status.st_mtime_ns, status.st_size

    def settle_over(self, lines: Sequence[dict[str, Any]]) -> str:
        """Keep the transcript of a finished match or, if `keeps` is false, delete its file.

        Returns the reason why that was impossible, or "".
        """
        mine = self.path if self.ours and self.holds else None
        try:
            if self.keeps:
                _keep(lines, mine)
            elif mine is not None:
                mine.unlink(missing_ok=True)
        except (OSError, RuntimeError, TicTacToeError) as error:
            where = f"{os.fsdecode(error.filename)}: " if isinstance(error, OSError) and error.filename else ""
            return printable(f"{where}{getattr(error, 'strerror', None) or error}")
        self.holds = self.holds and mine is None
        return ""


def _keep(lines: Sequence[dict[str, Any]], left: Path | None) -> None:
    kept_in, now = _kept_in(), time.strftime("%Y%m%dT%H%M%S")
    kept_in.mkdir(parents=True, exist_ok=True)
    path = kept_in / f"finished_match_{now}_{os.urandom(4).hex()}.jsonl"
    if left is not None:
        move(left, path)
        sync_directory(kept_in)
    else:
        with replacing(path) as file:
            file.write("".join(f"{json_text(line)}\n" for line in _stamped(lines)).encode())
    for older in [other for other in _kept(_OVER) if other != path][MOST_KEPT - 1 :]:
        with contextlib.suppress(OSError):
            older.unlink()


_LONGEST_SHOWN = 20


class KeptMatch(NamedTuple):
    """A file of the history."""

    number: int
    """The number of the match in the list; 1 is the newest."""
    path: Path
    seconds: float
    """The time when it was last played, in seconds since 1970."""
    replayed: Replayed | None
    """The recorded play; None for a damaged file."""
    problem: str
    """The problem of a damaged file, on one line; "" for a good one."""

    @property
    def date(self) -> str:
        """The local date and time, such as "2026-03-01 17:45"."""
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(self.seconds))

    @property
    def state(self) -> str:
        """won or lost (by player 0), left, practice or damaged."""
        if self.replayed is None:
            return "damaged"
        if (match := self.replayed.match) is None:
            return "practice"
        return "left" if match.winner is None else "won" if match.winner == 0 else "lost"

    def facts(self) -> tuple[str, str, str, str, str]:
        """The number, date, opponent, rules and result, such as "won 5-3" or "left at 2-1"."""
        if self.replayed is None:
            return str(self.number), self.date, "-", "-", self.state
        setup, at = self.replayed.setup, " at" * (self.state == "left")
        title = title_of(setup.opponent)
        result = "{}{} {}-{}".format(self.state, at, *self.replayed.points)
        return str(self.number), self.date, cut(title, _LONGEST_SHOWN), cut(setup.rules, _LONGEST_SHOWN), result

    def as_dict(self) -> dict[str, Any]:
        """The facts for JSON."""
        about = {"number": self.number, "file": str(self.path), "date": self.date, "state": self.state}
        if self.replayed is None:
            return about | {"opponent": None, "rules": None, "points": None, "problem": self.problem}
        setup = self.replayed.setup
        return about | {
            "opponent": setup.opponent,
            "rules": setup.rules,
            "points": list(self.replayed.points),
            "problem": None,
        }


HEADINGS = ("number", "date", "against", "rules", "result")
"""The columns of `KeptMatch.facts`."""


def history() -> list[KeptMatch]:
    """All matches of the history, newest first, including damaged files."""
    return [_read(number, path) for number, path in enumerate(kept_matches(), 1)]


def latest_results(number: int) -> list[tuple[str, bool]]:
    """The opponents of at most `number` finished matches, and whether player 0 won; newest first."""
    over = (one for one in map(_read, itertools.count(1), kept_matches()) if one.state in ("won", "lost"))
    return [(one.replayed.setup.opponent, one.state == "won") for one in itertools.islice(over, number) if one.replayed]


MOST_LEARNT_FROM = 20
"""The number of matches from which a bot that adapts may have learnt before a match begins."""


def earlier_rounds(tree: GameTree, winning_score: int) -> tuple[str, ...]:
    """The rounds without hints of the newest MOST_LEARNT_FROM matches by these rules, for `Setup.earlier_rounds`."""
    read = (one.replayed for one in map(_read, itertools.count(1), kept_matches()))
    wanted = (one for one in read if one and one.match and one.setup.rules == str(tree.rules))
    shorter = (one for one in wanted if one.match and one.match.winning_score <= winning_score)
    newest = list(itertools.islice(shorter, MOST_LEARNT_FROM))
    return tuple(
        str(
            played.position(
                COMMITTED_PLAYER, score=score_in_longer_match(played.score, match.winning_score, winning_score)
            )
        )
        for one in reversed(newest)
        if (match := one.match)
        for played in one.rounds
        if not played.hints
    )


def kept_match(number: int) -> Path:
    """The file with a number of the list. Raises ValueError."""
    paths = kept_matches()
    if not 1 <= number <= len(paths):
        raise ValueError(f"there is no match {number}: {counted(len(paths), 'match is', 'matches are')} in the list")
    return paths[number - 1]


def _read(number: int, path: Path) -> KeptMatch:
    seconds, replayed, problem = (kept_at(path) or 0) / 1000, None, ""
    try:
        seconds = min(seconds, path.stat().st_mtime)
        written = read_transcript(path)
        replayed = written.replay(GameTree.build(Rules.parse(written.setup().rules)))
    except FormatError as error:
        problem = str(error.args[1])
    except (OSError, ValueError) as error:
        problem = str(getattr(error, "strerror", None) or error)
    return KeptMatch(number, path, seconds, replayed, printable(" ".join(problem.split())))
