"""The messages between players and the referee, version 1: one JSON object per line, see docs/protocol.md.

The referee sends a player no other messages. Before `reveal`, no message tells anything that the player's seat must not
know. In pairs, the player's own points, goal or success come first, then the opponent's. `Lines` splits received bytes
into lines of limited length.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from typing import Annotated, Literal, TypeVar

import msgspec

from ..match.scores import LARGEST_WINNING_SCORE
from ..storage.json_text import in_our_words

LONGEST_LINE = 4096
"""Bytes of a line, at most, without its line feed."""


class Lines:
    """Splits parts of any size into lines without their line feeds. Never keeps more than a line and a part."""

    def __init__(self) -> None:
        self._begun = b""

    @property
    def has_begun(self) -> bool:
        """Whether the first part of a line has arrived, and not yet the rest."""
        return bool(self._begun)

    def of(self, part: bytes) -> Iterator[bytes]:
        """The lines that this part completes. Raises ValueError at a line that is too long, after the lines before it.

        >>> lines = Lines()
        >>> list(of(b'{"type":')), list(of(b'"quit"}' + bytes([10])))
        ([], [b'{"type":"quit"}'])
        """
        *whole, self._begun = (self._begun + part).split(b"\n")
        for line in whole:
            require_length(line)
            yield line
        require_length(self._begun)


def require_length(line: bytes) -> None:
    """Raise ValueError for a line, without its line feed, that is too long."""
    if len(line) > LONGEST_LINE:
        raise ValueError(f"a line of more than {LONGEST_LINE} bytes")


def prepare(connection: socket.socket) -> None:
    """Let the socket send without delay, and let the system detect an other side that has vanished."""
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in (("TCP_KEEPIDLE", 20), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3)):
            if hasattr(socket, name):
                connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


PROTOCOL_VERSION = 1

GoalName = Literal["win", "lose", "tie"]
OutcomeName = Literal["win", "lose", "tie", "both_lines"]
SeatName = Literal["first", "second"]
Square = Annotated[int, msgspec.Meta(ge=1, le=9)]
Number = Annotated[int, msgspec.Meta(ge=1, lt=2**53)]
"""The number of a match, a round or a turn, small enough to be exact in every language."""
WinningScore = Annotated[int, msgspec.Meta(ge=1, le=LARGEST_WINNING_SCORE)]
Points = Annotated[int, msgspec.Meta(ge=0, le=LARGEST_WINNING_SCORE)]
Seconds = Annotated[float, msgspec.Meta(gt=0.0)]


class _Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag=str.lower):
    """The base of all messages: the field `type` names the kind, in small letters."""


class Join(_Message, frozen=True):
    """Player: let me play under this name."""

    name: str
    protocol: int = PROTOCOL_VERSION
    token: str | None = None
    """The token of an earlier connection, to take its place; None for a new player."""


class Welcome(_Message, frozen=True):
    """Referee: you are in."""

    name: str
    token: str
    """The player's proof of identity after a lost connection."""
    seconds: Seconds
    """The time for a move."""
    protocol: int = PROTOCOL_VERSION


class Begin(_Message, frozen=True):
    """Referee: a match begins."""

    match: Number
    """The number of the match, different for every match."""
    opponent: str
    winning_score: WinningScore
    rules: str


class GoalDrawn(_Message, frozen=True, tag="goal"):
    """Referee: a round begins, and this is your goal."""

    round: Number
    seat: SeatName
    goal: GoalName
    points: tuple[Points, Points]


class Turn(_Message, frozen=True):
    """Referee: it is your turn after these moves; answer with a Move."""

    turn: Number
    """The number of the turn."""
    moves: tuple[Square, ...]


class Move(_Message, frozen=True):
    """Player: I mark this square."""

    square: Square
    turn: int
    """The number of the answered Turn: a late answer cannot pass for the answer to the next Turn."""


class Result(_Message, frozen=True):
    """Referee: the round has ended."""

    moves: tuple[Square, ...]
    outcome: OutcomeName
    """The outcome as the first mover sees it: win, lose, tie or both_lines."""
    scored: tuple[bool, bool]
    points: tuple[Points, Points]


class Reveal(_Message, frozen=True):
    """Referee: the goals of the round that has ended."""

    goals: tuple[GoalName, GoalName]


class End(_Message, frozen=True):
    """Referee: the match has ended."""

    won: bool
    points: tuple[Points, Points]
    reason: str = ""
    """Why the match was broken off; empty for a match played to its end."""


class Error(_Message, frozen=True):
    """Referee: your last message was wrong; or the opponent, who is to move, is away or back again."""

    message: str


class Quit(_Message, frozen=True):
    """Either: goodbye."""

    reason: str = ""


FromReferee = Welcome | Begin | GoalDrawn | Turn | Result | Reveal | End | Error | Quit
FromPlayer = Join | Move | Quit

_Said = TypeVar("_Said")
_FROM_REFEREE: msgspec.json.Decoder[FromReferee] = msgspec.json.Decoder(FromReferee)
_FROM_PLAYER: msgspec.json.Decoder[FromPlayer] = msgspec.json.Decoder(FromPlayer)


def line_of(message: FromReferee | FromPlayer) -> bytes:
    r"""A message as a line.

    >>> line_of(Move(5, 1))
    b'{"type":"move","square":5,"turn":1}\n'
    """
    return msgspec.json.encode(message) + b"\n"


def from_player(line: bytes) -> FromPlayer:
    """Read a player's message. Raises ValueError, in a short sentence, for any other line."""
    return _decoded(_FROM_PLAYER, line)


def from_referee(line: bytes) -> FromReferee:
    """Read a referee's message. Raises ValueError, in a short sentence, for any other line."""
    return _decoded(_FROM_REFEREE, line)


def _decoded(decoder: msgspec.json.Decoder[_Said], line: bytes) -> _Said:
    line = line.removesuffix(b"\n")
    require_length(line)
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"not a message: {in_our_words(error)}") from error
