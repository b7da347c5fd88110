"""What players and the referee say to each other: one JSON object per line, docs/protocol.md.

Version 1. A player may be told nothing else than these: what its seat must not know is in none of them before `reveal`.
Points, goals and who scored are the player's own first, then the opponent's.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

import msgspec

from ..match.scores import LARGEST_WINNING_SCORE
from ..storage.decoding import in_our_words
from .lines import require_length

PROTOCOL = 1

GoalName = Literal["win", "lose", "tie"]
OutcomeName = Literal["win", "lose", "tie", "both_lines"]
SeatName = Literal["first", "second"]
Square = Annotated[int, msgspec.Meta(ge=1, le=9)]
Number = Annotated[int, msgspec.Meta(ge=1, lt=2**53)]
"""Of a match, a round or a turn: any that every language has."""
WinningScore = Annotated[int, msgspec.Meta(ge=1, le=LARGEST_WINNING_SCORE)]
Points = Annotated[int, msgspec.Meta(ge=0, le=LARGEST_WINNING_SCORE)]
Seconds = Annotated[float, msgspec.Meta(gt=0.0)]


class _Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag=str.lower):
    """What they have in common: the field `type` names the kind, in small letters."""


class Join(_Message, frozen=True):
    """Player: let me play under this name. token: of an earlier connection that was lost, to take its place."""

    name: str
    protocol: int = PROTOCOL
    token: str | None = None


class Welcome(_Message, frozen=True):
    """Referee: you are in. token: to come back with after a lost connection. seconds: that you have for a move."""

    name: str
    token: str
    seconds: Seconds
    protocol: int = PROTOCOL


class Begin(_Message, frozen=True):
    """Referee: a match begins. match: its number; none has it twice."""

    match: Number
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
    """Referee: it is your turn, after these moves. The answer is a Move. turn: which of your turns it is."""

    turn: Number
    moves: tuple[Square, ...]


class Move(_Message, frozen=True):
    """Player: I mark this square. turn: of the Turn that is answered, so that an answer that came too late is not taken
    for the answer to another question."""

    square: Square
    turn: int


class Result(_Message, frozen=True):
    """Referee: the round has ended, so. outcome: as its first mover sees it: win, lose, tie or both_lines."""

    moves: tuple[Square, ...]
    outcome: OutcomeName
    scored: tuple[bool, bool]
    points: tuple[Points, Points]


class Reveal(_Message, frozen=True):
    """Referee: the goals of the round that has ended."""

    goals: tuple[GoalName, GoalName]


class End(_Message, frozen=True):
    """Referee: the match has ended. reason: empty, or why it was not played to its end."""

    won: bool
    points: tuple[Points, Points]
    reason: str = ""


class Error(_Message, frozen=True):
    """Referee: that was wrong."""

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
    """What a player says. Raises ValueError, in a short sentence, for what is no message of a player."""
    return _decoded(_FROM_PLAYER, line)


def from_referee(line: bytes) -> FromReferee:
    """What the referee says. Raises ValueError as `from_player`."""
    return _decoded(_FROM_REFEREE, line)


def _decoded(decoder: msgspec.json.Decoder[_Said], line: bytes) -> _Said:
    line = line.removesuffix(b"\n")
    require_length(line)
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"not a message: {in_our_words(error)}") from error
