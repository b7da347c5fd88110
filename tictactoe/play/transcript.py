"""Transcripts of matches and of practice, finished or not, as JSON lines: docs/transcripts.md."""

from __future__ import annotations

import errno
import itertools
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

import msgspec

from .. import __version__
from ..errors import FormatError, cut
from ..games.cursor import Cursor
from ..games.rules import DEFAULT_RULES, Goal, Rules, goal_name
from ..games.tic_tac_toe_tree import GameTree
from ..match.scores import Score
from ..storage.atomic_files import read_bytes, read_parts
from ..storage.texts import in_our_words, json_of
from .notation import Position
from .opponents import DEFAULT_OPPONENT
from .referee import Account, Match, Round, check_names, commitment_hash

FORMAT = "smbc-tictactoe transcript 3"
_MOST_BYTES = 2**24
_LONGEST_SHOWN = 100
_GoalName = Literal["win", "lose", "tie"]
Keypad = Literal["phone", "numpad"]
_Value = TypeVar("_Value")


class Setup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The header of a transcript, which is fixed before the first round."""

    names: tuple[str, str]
    """The names of players 0 and 1."""
    seed: int | None
    """The seed of all draws; None for unpredictable ones."""
    winning_score: int | None = None
    """Points that win the match; None for practice."""
    position: str | None = None
    """The position where rounds of practice begin, as `Position` reads it."""
    solution: str | None = None
    """The solution that the bot plays from, as the person named it; None for one that comes with the program."""
    solved_winning_score: int | None = None
    """The winning score of that solution."""
    average_strategy: bool = True
    """Whether the bot plays the average strategy; otherwise it plays the current one."""
    opponent: str = DEFAULT_OPPONENT
    """The opponent, a name of OPPONENTS."""
    rules: str = DEFAULT_RULES
    """The rules, as str(Rules) writes them."""
    keypad: Keypad = "phone"
    """The order of the digits on the screen of the person who plays."""
    plain: bool = False
    """Whether that screen shows lines of text and draws no board."""
    earlier_rounds: tuple[str, ...] = ()
    """The earlier rounds from which a bot that adapts had learnt before the match, as `Position` writes them, at the
    solution's scores, with only the goal of player 0."""
    kept_at: int | None = None
    """The time when the program last kept the match, in milliseconds since 1970; None in a file that the person
    named."""

    def __post_init__(self) -> None:
        check_names(self.names)
        if self.position is not None:
            Position.parse(self.position)
        if not self.opponent.isprintable():
            raise ValueError(f"opponent: {_shown(self.opponent)} has characters that cannot be printed")
        if "\0" in (self.solution or ""):
            raise ValueError(f"solution: {_shown(self.solution)} is not the name of a directory")
        Rules.parse(self.rules)
        for earlier in map(Position.parse, self.earlier_rounds):
            if sum(goal is None for goal in earlier.goals) != 1:
                raise ValueError(f"earlier_rounds: {earlier} does not have exactly one goal")
            if max(earlier.score) >= (self.solved_winning_score or 0):
                raise ValueError(f"earlier_rounds: the solution does not have the score of {earlier}")

    def played_anywhere(self) -> Setup:
        """The setup without its solution, which another machine may have named."""
        return msgspec.structs.replace(self, solution=None)


class Replayed(msgspec.Struct):
    """The play that a transcript records."""

    setup: Setup
    match: Match | None
    """The match; None for practice."""
    rounds: list[Round]
    """The finished rounds."""
    current: Round | None = None
    """The unfinished round; None if all rounds are over."""

    @property
    def points(self) -> tuple[int, int]:
        """The points of players 0 and 1; in practice, the rounds in which they scored."""
        first, second = (sum(played.scored[player] for played in self.rounds) for player in (0, 1))
        return (first, second) if self.match is None else self.match.points


def match_lines(setup: Setup, match: Match, current: Round | None = None) -> list[dict[str, Any]]:
    """The transcript of a match so far. current: the unfinished round, if any.

    >>> from tictactoe import GameTree, Match, Setup
    >>> match = Match(GameTree.build(), 1, ("Ann", "Bot"), first=0, seed=7)
    >>> played = match.deal()
    >>> for square in (1, 4, 2, 5, 3):
    ...     played.play(square)
    >>> _ = match.finish(played)
    >>> match_lines(Setup(names=match.names, seed=7, winning_score=1), match)[-1]
    {'winner': 'Ann', 'points': [1, 0]}
    """
    lines = [header(setup)]
    for number in range(1, len(match.rounds) + 2):
        lines += [
            round_line(left, match.names) | {"abandoned": True} for left in match.abandoned if left.number == number
        ]
        lines += [round_line(played, match.names) for played in match.rounds[number - 1 : number]]
    lines += [round_line(current, match.names)] if current is not None else []
    return [*lines, footer(match)] if match.winner is not None else lines


def practice_lines(setup: Setup, rounds: Sequence[Round]) -> list[dict[str, Any]]:
    """The transcript of practice; the last round may be unfinished."""
    return [header(setup), *(round_line(played, setup.names) for played in rounds)]


def header(setup: Setup) -> dict[str, Any]:
    about: dict[str, Any] = msgspec.to_builtins(setup)
    for name, usual in (("keypad", "phone"), ("plain", False), ("earlier_rounds", ()), ("kept_at", None)):
        if about[name] == usual:
            del about[name]
    return {"format": FORMAT, "version": __version__, **about}


def round_line(played: Round, names: tuple[str, str]) -> dict[str, Any]:
    outcome = played.outcome
    scored = (False, False) if outcome is None else played.scored
    return {
        "round": played.number,
        "score": list(played.score),
        "first_mover": names[played.first],
        "goals": [goal_name(goal) for goal in played.goals_by_seat],
        "moves": list(played.cursor.moves),
        "outcome": None if outcome is None else outcome.name.lower(),
        "scored": [name for name, has in zip(names, scored, strict=True) if has],
        **({"help": {"hints": played.hints, "looked": False}} if played.hints else {}),
        **({} if played.account is None else {"account": played.account._asdict()}),
        "commitment": {"text": played.commitment, "sha256": commitment_hash(played.commitment)},
    }


def footer(match: Match) -> dict[str, Any]:
    """The last line of a finished match. Raises ValueError while the match continues."""
    if match.winner is None:
        raise ValueError("the match goes on")
    return {"winner": match.names[match.winner], "points": list(match.points)}


def read_transcript(path: Path) -> WrittenMatch:
    """The transcript of a file. Raises FormatError or OSError.

    >>> import json
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from tictactoe import GameTree, Match, Setup, match_lines, replay
    >>> tree = GameTree.build()
    >>> (line,) = match_lines(Setup(names=("Ann", "Bot"), seed=1, winning_score=3), Match(tree, 3, ("Ann", "Bot"), 0))
    >>> with TemporaryDirectory() as directory:
    ...     path = Path(directory, "match.jsonl")
    ...     _ = path.write_text(json.dumps(line))
    ...     written = read_transcript(path)
    >>> replay(written.lines, tree).match.points
    (0, 0)
    """
    data = read_bytes(path, _MOST_BYTES)
    try:
        lines = data.decode().splitlines()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(path, f"not a transcript: line {line}: {in_our_words(error)}") from error
    if not lines:
        raise FormatError(path, "not a transcript: the file is empty")
    return WrittenMatch(path, 1, lines)


def position_of(text: str) -> Position:
    """The position that a text gives, or the last position of the transcript in the file that it names.

    Raises ValueError, FormatError and OSError.
    """
    try:
        return Position.parse(text)
    except ValueError:
        if not os.path.isfile(text):
            raise
    return last_position(Path(text))


def last_position(path: Path) -> Position:
    """The last position of a transcript, as the first player sees it, with the rules and the solution's score.

    The moves are not checked. Raises FormatError or OSError.
    """
    written = read_transcript(path)
    setup = written.setup()
    try:
        return replace(_last_position(setup, written.lines), rules=Rules.parse(setup.rules))
    except ValueError as error:
        raise FormatError(path, str(error)) from error


def _last_position(setup: Setup, lines: Sequence[str | bytes]) -> Position:
    rounds = [content for number, line in enumerate(lines, 1) if "moves" in (content := content_of(line, number))]
    if not rounds:
        if setup.position is None:
            raise ValueError("no round has been begun")
        return Position.parse(setup.position)
    last = rounds[-1]
    goals = [name[0] for name in _field(last, "goals", tuple[_GoalName, _GoalName])]
    if last.get("outcome") is None:
        opponents_seat = 1 if last.get("first_mover") == setup.names[0] else 0
        goals[opponents_seat] = "?"  # it is still secret
    first, second = _field(last, "score", tuple[int, int])
    more = 0 if setup.winning_score is None else (setup.solved_winning_score or 0) - setup.winning_score
    moves = "".join(map(str, _field(last, "moves", tuple[int, ...])))
    return Position.parse(f"{first + max(more, 0)}-{second + max(more, 0)} {''.join(goals)} {moves or '-'}")


def replay(lines: Iterable[str | bytes], tree: GameTree, first_line: int = 1) -> Replayed:
    """Play a transcript again and check every claim about the play, but not "review" and "help".

    first_line: the number of the transcript's first line in its file.

    Raises ValueError, which names the line, for claims that do not agree.

    >>> import json
    >>> from tictactoe import GameTree, Match, Setup, match_lines
    >>> tree = GameTree.build()
    >>> (start,) = match_lines(Setup(names=("Ann", "Bot"), seed=1, winning_score=3), Match(tree, 3, ("Ann", "Bot"), 0))
    >>> replay([json.dumps(start), '{"winner": "Ann", "points": [3, 0]}'], tree)
    Traceback (most recent call last):
    ValueError: line 2: the match goes on
    """
    replayed, ended, number = None, False, first_line - 1
    for number, line in enumerate(lines, first_line):
        content = content_of(line, number)
        try:
            if replayed is None:
                replayed = _begun(setup_of(content), tree)
            elif ended or replayed.current is not None:
                raise ValueError("comes after the end")
            elif replayed.match is not None and "winner" in content:
                _compare(content, footer(replayed.match))
                ended = True
            else:
                _follow(replayed, content, tree)
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from error
    if replayed is None:
        raise ValueError(f"line {number + 1}: the header is missing")
    return replayed


_NOT_COMPARED = ("help", "review", "account")


class _Account(msgspec.Struct, forbid_unknown_fields=True):
    given: Annotated[float, msgspec.Meta(ge=0, le=1e6)]
    gained: Annotated[float, msgspec.Meta(ge=-1e6, le=1e6)]


class _Help(msgspec.Struct, forbid_unknown_fields=True):
    hints: Annotated[int, msgspec.Meta(ge=0)]
    looked: bool
    """Whether the person has looked at the beliefs."""


def _begun(setup: Setup, tree: GameTree) -> Replayed:
    if setup.rules != str(tree.rules):
        raise ValueError(f"rules: played by {setup.rules!r}, not by {str(tree.rules)!r}")
    for earlier in map(Position.parse, setup.earlier_rounds):
        if Cursor(tree, earlier.moves).forced_outcome is None:
            raise ValueError(f"earlier_rounds: {earlier} is not over")
    points = setup.winning_score
    return Replayed(setup, None if points is None else Match(tree, points, setup.names, 0, setup.seed), [])


def _follow(replayed: Replayed, content: dict[str, Any], tree: GameTree) -> None:
    names, match = replayed.setup.names, replayed.match
    if content.get("first_mover") not in names:
        raise ValueError(f"first_mover: {_shown(content.get('first_mover'))} is not a player")
    played = _played(replayed, content, names.index(content["first_mover"]), tree)
    abandoned = content.get("abandoned", False)
    if abandoned is not False and match is None:
        raise ValueError("abandoned: only a round of a match can be abandoned")
    if "help" in content:
        played.hints = _field(content, "help", _Help).hints
    if "account" in content:
        account = _field(content, "account", _Account)
        played.account = Account(account.given, account.gained)
    compared = {name: value for name, value in content.items() if name not in _NOT_COMPARED}
    expected = {name: value for name, value in round_line(played, names).items() if name not in _NOT_COMPARED}
    _compare(compared, expected | ({"abandoned": True} if abandoned else {}))
    if abandoned and match is not None:
        match.abandon(played)
    elif played.outcome is None:
        replayed.current = played
    else:
        replayed.rounds.append(played)
        if match is not None:
            match.finish(played)


def _played(replayed: Replayed, content: dict[str, Any], first: int, tree: GameTree) -> Round:
    match, setup = replayed.match, replayed.setup
    goals = [Goal[name.upper()] for name in _field(content, "goals", tuple[_GoalName, _GoalName])]
    by_player = goals[first], goals[1 - first]
    text = _field(content, "commitment", dict[str, str]).get("text", "")
    moves = _field(content, "moves", tuple[int, ...])
    if match is not None:
        if not match.rounds and not match.abandoned:
            match.first = first
        return match.next_round(by_player, text, moves)
    score = Score(*_field(content, "score", tuple[int, int]))
    start = None if setup.position is None else Position.parse(setup.position)
    if start is not None and (start.score, start.moves) != (score, moves[: len(start.moves)]):
        raise ValueError(f"does not continue from the position {start}")
    return Round(len(replayed.rounds) + 1, score, first, by_player, text, tree, moves)


def content_of(line: str | bytes, number: int) -> dict[str, Any]:
    """The JSON object of a line. Raises ValueError, which names the line."""
    text = line.removeprefix("\ufeff") if isinstance(line, str) else line.removeprefix(b"\xef\xbb\xbf")
    try:
        content = json_of(text, parse_constant=_no_number)
    except ValueError as error:
        raise ValueError(f"line {number}: {error}; a transcript has a JSON object on each line") from error
    if not isinstance(content, dict):
        raise ValueError(f"line {number}: not a JSON object, and a transcript has one on each line")
    return content


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is not a number in JSON")


def setup_of(content: dict[str, Any]) -> Setup:
    """The setup of a header. Raises ValueError for a line that is not a header."""
    if content.get("format") != FORMAT:
        raise ValueError(f"format: {_shown(content.get('format'))} is not {FORMAT!r}")
    about = {name: value for name, value in content.items() if name not in ("format", "version")}
    try:
        return msgspec.convert(about, Setup)
    except msgspec.ValidationError as error:
        raise ValueError(in_our_words(error)) from error


def _field(content: dict[str, Any], name: str, kind: type[_Value]) -> _Value:
    if name not in content:
        raise ValueError(f"{name} is missing")
    try:
        return msgspec.convert(content[name], kind)
    except msgspec.ValidationError as error:
        raise ValueError(f"{name}: {in_our_words(error)}") from error


def _compare(found: dict[str, Any], expected: dict[str, Any]) -> None:
    for name in sorted(found.keys() | expected.keys()):
        if name not in found or name not in expected or not _same(found[name], expected[name]):
            raise ValueError(f"{name}: {_shown(found.get(name))} should be {_shown(expected.get(name))}")


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and bool(one == other)


def _shown(value: object) -> str:
    return cut(repr(value), _LONGEST_SHOWN)


TRANSCRIPT_SUFFIXES = (".jsonl", ".jsonl.gz")
"""The suffixes of files that are read when a directory is named."""
_LONGEST_LINE = 2**20
_OVERHEAD_OF_LINE = 64  # bytes of memory that a line takes besides its text
_GZIP_START = b"\x1f\x8b"


class WrittenMatch(NamedTuple):
    """A transcript in a file. `setup` and `replay` read it."""

    path: Path
    first_line: int
    """The number of the transcript's first line in the file, from 1."""
    lines: Sequence[str | bytes]

    def __str__(self) -> str:
        return f"{self.path}:{self.first_line}"

    def setup(self) -> Setup:
        """The header. Raises FormatError, which names the line."""
        try:
            return setup_of(content_of(self.lines[0], self.first_line))
        except ValueError as error:
            raise FormatError(self.path, f"not a transcript: {error}") from error

    def replay(self, tree: GameTree) -> Replayed:
        """The play, checked. Raises FormatError, which names the line."""
        try:
            return replay(self.lines, tree, self.first_line)
        except ValueError as error:
            raise FormatError(self.path, str(error)) from error


def transcript_paths(named: Sequence[Path]) -> list[Path]:
    """The named files and, in place of a directory, all transcripts below it, sorted by name. Each file is listed once.

    Raises FormatError for a directory without transcripts, and for a missing file.
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
    """The transcripts of a file, gzipped or not, in order. Memory holds one at a time.

    Raises FormatError for a file that cannot be read or is empty, and for a line or transcript that is too long.
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


def holds_many(path: Path) -> bool:
    """Whether a file has more than one transcript or is gzipped. Raises FormatError for an unreadable file."""
    return _is_gzipped(path) or len(list(itertools.islice(written_matches(path), 2))) > 1


def _is_header(line: bytes) -> bool:
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
    return next(read_parts(path), b"").startswith(_GZIP_START)
