"""The results of a tournament: those of a pair, the table of all, and their storage in memory or in a directory.

In the directory, tournament.ndjson has a line with the settings, a line with the players, and a line for each match,
which gives the end of its transcript in transcripts.jsonl.
"""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec

from ..errors import FormatError, Remedy, StoreError
from ..match.head_to_head import HeadToHead
from ..run_control import Existing
from ..storage.atomic_files import read_bytes, replacing, sync_file
from ..storage.directory_layout import TOURNAMENT_FILE, place_of_run
from ..storage.locked_directory import DirectoryLock, begin_restart, finish, put_in_place
from ..storage.texts import in_our_words, json_text

TOURNAMENT_FORMAT = "smbc-tictactoe tournament 1"
TRANSCRIPTS_FILE = "transcripts.jsonl"
_ADVICE = "use another copy of the directory, or begin in a new one"


class Agreed(msgspec.Struct, frozen=True):
    winning_score: int
    rules: str
    """The rules, as str(Rules) writes them."""
    matches: int
    """The number of matches of every pair of players."""
    seed: int | None
    agents: tuple[str, ...]
    """The names of the referee's own agents."""


class Enrolled(msgspec.Struct, frozen=True):
    name: str
    token_sha256: str
    """The SHA-256 (hexadecimal) of the player's token for coming back."""


class MatchResult(msgspec.Struct, frozen=True):
    number: int
    """The number of the match in the tournament, from 1."""
    names: tuple[str, str]
    """The names of players 0 and 1."""
    winner: str | None
    """The winner's name; None for a match without a winner."""
    points: tuple[int, int]
    """The points of players 0 and 1."""
    reason: str = ""
    """The reason why the match was broken off; empty for a finished match."""


class _Head(Agreed, frozen=True):
    format: str = TOURNAMENT_FORMAT
    version: str = ""


class _Players(msgspec.Struct, frozen=True):
    players: tuple[Enrolled, ...]


class _Line(MatchResult, frozen=True):
    transcripts_end: int = 0


_lines_of = msgspec.json.Encoder().encode_lines


class Results:
    """The results of a tournament, in memory. players: those on the network; None before the tournament begins."""

    is_saved = False

    def __init__(self, agreed: Agreed) -> None:
        self.agreed = agreed
        self.players: tuple[Enrolled, ...] | None = None
        self.matches: dict[int, MatchResult] = {}

    def begin(self, players: Sequence[Enrolled]) -> None:
        self.players = tuple(players)

    def add(self, result: MatchResult, transcript: Sequence[dict[str, Any]]) -> None:
        self.matches[result.number] = result

    def complete(self) -> None:
        """Replace an earlier tournament by this complete one."""

    def close(self) -> None:
        """Release files and locks."""


class SavedResults(Results):
    """The results of a tournament, in a directory. Each method waits until its data is on the disk.

    existing: RESTART replaces an earlier tournament when this one is complete; CONTINUE continues it.

    Raises StoreError for a directory that cannot be used or has other options, FormatError for damaged files, and
    OSError.
    """

    is_saved = True

    def __init__(self, directory: Path, agreed: Agreed, existing: Existing = Existing.CONTINUE) -> None:
        super().__init__(agreed)
        self.directory = directory
        self._is_new = not directory.exists()
        self._lock = DirectoryLock()
        self._files: list[IO[bytes]] = []
        finish(directory)
        self._lock.acquire(directory)
        self._place = place_of_run(directory)
        try:
            if existing is Existing.RESTART and (self._place != directory or (directory / TOURNAMENT_FILE).exists()):
                self._place = begin_restart(directory)
            self._read()
        except BaseException:
            self.close()
            raise

    def _paths(self) -> tuple[Path, Path]:
        return self._place / TOURNAMENT_FILE, self._place / TRANSCRIPTS_FILE

    def _open(self, lengths: tuple[int, int]) -> None:
        for each, length in zip(self._paths(), lengths, strict=True):
            file = open(each, "r+b")  # noqa: SIM115
            self._files.append(file)
            file.truncate(length)
            file.seek(length)

    def _read(self) -> None:
        path, transcripts = self._paths()
        if not path.exists():
            if transcripts.exists() and transcripts.stat().st_size:
                raise StoreError(f"{transcripts}: of no tournament", Remedy.OTHER_RESULTS)
            return
        lengths = self._lengths(path)
        if not transcripts.is_file() or transcripts.stat().st_size < lengths[1]:
            raise FormatError(transcripts, f"ends before the transcripts that {TOURNAMENT_FILE} counts")
        self._open(lengths)

    def _lengths(self, path: Path) -> tuple[int, int]:
        content = read_bytes(path)
        whole = content[: content.rfind(b"\n") + 1]
        end = 0
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                if number == 1:
                    self._require_same(path, msgspec.json.decode(line, type=_Head))
                elif number == 2:
                    self.players = msgspec.json.decode(line, type=_Players).players
                else:
                    found = msgspec.json.decode(line, type=_Line)
                    if found.number in self.matches or found.transcripts_end < end:
                        raise ValueError(f"match {found.number} occurs twice, or is in the wrong place")
                    end = found.transcripts_end
                    result = MatchResult(found.number, found.names, found.winner, found.points, found.reason)
                    self.matches[found.number] = result
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                raise FormatError(path, f"line {number}: {in_our_words(error)}; {_ADVICE}") from error
            except ValueError as error:
                raise FormatError(path, f"line {number}: {error}; {_ADVICE}") from error
        if self.players is None:
            raise FormatError(path, f"line {len(whole.splitlines()) + 1} is missing; {_ADVICE}")
        return len(whole), end

    def _require_same(self, path: Path, head: _Head) -> None:
        if head.format != TOURNAMENT_FORMAT:
            raise ValueError(f"format: {head.format[:60]!r} is not {TOURNAMENT_FORMAT!r}")
        for name in Agreed.__struct_fields__:
            found, wanted = getattr(head, name), getattr(self.agreed, name)
            if found != wanted:
                what = f"{name} {_shown(found)}, not {_shown(wanted)}"
                raise StoreError(f"{path}: a tournament with {what}", Remedy.OTHER_TOURNAMENT)

    def begin(self, players: Sequence[Enrolled]) -> None:
        from .. import __version__

        super().begin(players)
        path, transcripts = self._paths()
        settings = _Head(**msgspec.structs.asdict(self.agreed), version=__version__)
        head = _lines_of([settings, _Players(tuple(players))])
        with replacing(transcripts):
            pass
        with replacing(path) as file:
            file.write(head)
        self._open((len(head), 0))

    def add(self, result: MatchResult, transcript: Sequence[dict[str, Any]]) -> None:
        super().add(result, transcript)
        self._append(1, b"".join(f"{json_text(line)}\n".encode() for line in transcript))
        self._append(0, _lines_of([_Line(**msgspec.structs.asdict(result), transcripts_end=self._files[1].tell())]))

    def _append(self, which: int, text: bytes) -> None:
        file = self._files[which]
        file.write(text)
        sync_file(file)

    def complete(self) -> None:
        self._close_files()
        if self._place != self.directory:
            put_in_place(self.directory, self._place.name)

    def close(self) -> None:
        self._close_files()
        if self._place != self.directory:
            with contextlib.suppress(OSError):  # something was saved there
                self._place.rmdir()
        self._lock.release()
        if self._is_new:
            with contextlib.suppress(OSError):  # the tournament has begun
                self.directory.rmdir()

    def _close_files(self) -> None:
        while self._files:
            self._files.pop().close()


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value)


NORMAL_95 = 1.959963984540054
"""The number of standard deviations around the mean that contain 95 % of a normal distribution."""


class Interval(NamedTuple):
    low: float
    high: float


def wilson_interval(successes: float, trials: int) -> Interval:
    """Wilson's (1927) 95 % confidence interval for a probability, after `successes` in `trials`.

    Raises ValueError if there are no trials.

    >>> [round(end, 4) for end in wilson_interval(8, 10)]
    [0.4902, 0.9433]
    """
    if trials < 1 or not 0.0 <= successes <= trials:
        raise ValueError(f"trials: {successes} of {trials}")
    seen, square = successes / trials, NORMAL_95**2 / trials
    middle = (seen + square / 2.0) / (1.0 + square)
    half = NORMAL_95 * math.sqrt(seen * (1.0 - seen) / trials + square / (4.0 * trials)) / (1.0 + square)
    return Interval(max(0.0, middle - half), min(1.0, middle + half))


@dataclass(frozen=True)
class PairResult:
    """The result of two agents, a and b, against each other: exact probabilities or numbers of matches."""

    names: tuple[str, str]
    """The names of a and b."""
    exact: HeadToHead | None = None
    """Exact probabilities for two fixed policies; None for agents that played matches."""
    wins: tuple[int, int] = (0, 0)
    """The number of matches that each has won, including forfeits of the other."""
    forfeits: tuple[int, int] = (0, 0)
    """The number of matches that each has lost by a failure."""
    undecided: int = 0
    """The number of endless matches that were broken off. Each counts as half a win for both."""

    @property
    def matches(self) -> int:
        return sum(self.wins) + self.undecided

    @property
    def share(self) -> float:
        """The probability that a beats b, or the share of matches won. Raises ValueError if there is no result."""
        if self.exact is not None:
            return self.exact.wins
        if not self.matches:
            raise ValueError(f"{' and '.join(self.names)} have not played")
        return (self.wins[0] + self.undecided / 2.0) / self.matches

    @property
    def interval(self) -> Interval | None:
        """The 95 % confidence interval of `share`; None for an exact probability."""
        return None if self.exact is not None else wilson_interval(self.share * self.matches, self.matches)

    def seen_by(self, name: str) -> tuple[float, Interval | None]:
        """The share and its interval for the agent of that name."""
        share, interval = self.share, self.interval
        if name == self.names[0]:
            return share, interval
        return 1.0 - share, None if interval is None else Interval(1.0 - interval.high, 1.0 - interval.low)


class Standing(NamedTuple):
    place: int
    """The place, from 1. Players with the same share of matches won have the same place."""
    name: str
    won: int
    lost: int

    @property
    def played(self) -> int:
        return self.won + self.lost

    @property
    def share(self) -> float:
        return self.won / self.played if self.played else 0.0


def standings(names: Iterable[str], results: Iterable[MatchResult]) -> list[Standing]:
    """The rows of the table, ordered by share of matches won, then by name.

    >>> won = MatchResult(1, ("Ann", "Bob"), "Bob", (3, 5)), MatchResult(2, ("Ann", "Cy"), "Ann", (5, 0))
    >>> [tuple(row) for row in standings(["Ann", "Bob", "Cy"], won)]
    [(1, 'Bob', 1, 0), (2, 'Ann', 1, 1), (3, 'Cy', 0, 1)]
    """
    decided = [result for result in results if result.winner is not None]
    won = Counter(result.winner for result in decided)
    played = Counter(name for result in decided for name in result.names)
    rows = [Standing(0, name, won[name], played[name] - won[name]) for name in names]
    rows.sort(key=lambda row: (-row.share, row.name))
    shares = [row.share for row in rows]
    return [row._replace(place=shares.index(row.share) + 1) for row in rows]
