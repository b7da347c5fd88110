"""The messages between players and the referee, version 1: one JSON object per line. See docs/protocol.md.

In pairs, the player's own points, goal or success come first, then the opponent's.
"""

from __future__ import annotations

import contextlib
import operator
import socket
from collections.abc import Iterator
from enum import Enum
from typing import Annotated, Literal, TypeVar

import msgspec

from ..errors import AgentError
from ..games.board import Board
from ..games.rules import Goal, Outcome, Rules, Seat
from ..match.scores import LARGEST_WINNING_SCORE, points_after
from ..storage.texts import in_our_words
from .agent import Agent, MatchEnd, MatchFacts, RoundEnd, RoundFacts

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
    """Referee: a round begins."""

    round: Number
    seat: SeatName
    goal: GoalName
    points: tuple[Points, Points]


class Turn(_Message, frozen=True):
    """Referee: choose a square after these moves."""

    turn: Number
    """The number of the turn."""
    moves: tuple[Square, ...]


class Move(_Message, frozen=True):
    """Player: I mark this square."""

    square: Square
    turn: int
    """The number of the answered Turn."""


class Result(_Message, frozen=True):
    """Referee: the round has ended."""

    moves: tuple[Square, ...]
    outcome: OutcomeName
    """The outcome as the first mover sees it: win, lose, tie or both_lines."""
    scored: tuple[bool, bool]
    points: tuple[Points, Points]


class Reveal(_Message, frozen=True):
    """Referee: the goals of the round."""

    goals: tuple[GoalName, GoalName]


class End(_Message, frozen=True):
    """Referee: the match has ended."""

    won: bool
    points: tuple[Points, Points]
    reason: str = ""
    """The reason why the match was broken off; empty for a finished match."""


class Error(_Message, frozen=True):
    """Referee: your last message was wrong, or your opponent has left or come back."""

    message: str


class Quit(_Message, frozen=True):
    """Either: goodbye."""

    reason: str = ""


FromReferee = Welcome | Begin | GoalDrawn | Turn | Result | Reveal | End | Error | Quit
FromPlayer = Join | Move | Quit
Told = FromReferee | str
"""A message to a player; text is a message of twenty-one (dealer.py)."""

_Said = TypeVar("_Said")
_FROM_REFEREE: msgspec.json.Decoder[FromReferee] = msgspec.json.Decoder(FromReferee)
_FROM_PLAYER: msgspec.json.Decoder[FromPlayer] = msgspec.json.Decoder(FromPlayer)


def line_of(message: FromReferee | FromPlayer) -> bytes:
    return msgspec.json.encode(message) + b"\n"


def from_player(line: bytes) -> FromPlayer:
    """Read a player's message. Raises ValueError in a short sentence."""
    return _decoded(_FROM_PLAYER, line)


def from_referee(line: bytes) -> FromReferee:
    """Read a referee's message. Raises ValueError in a short sentence."""
    return _decoded(_FROM_REFEREE, line)


def _decoded(decoder: msgspec.json.Decoder[_Said], line: bytes) -> _Said:
    line = line.removesuffix(b"\n")
    require_length(line)
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"not a message: {in_our_words(error)}") from error


LONGEST_LINE = 4096
"""The most bytes of a line, without its line feed."""


class Lines:
    """Splits data in parts of any size into lines without their line ends."""

    def __init__(self, end: bytes = b"\n") -> None:
        self._begun, self._end = b"", end

    @property
    def has_begun(self) -> bool:
        return bool(self._begun)

    def of(self, part: bytes) -> Iterator[bytes]:
        """The lines that this part completes. Raises ValueError at a line that is too long.

        >>> lines = Lines()
        >>> list(lines.of(b'{"type":')), list(lines.of(b'"quit"}' + bytes([10])))
        ([], [b'{"type":"quit"}'])
        """
        *whole, self._begun = (self._begun + part).split(self._end)
        for line in whole:
            require_length(line)
            if line or self._end == b"\n":  # buffers of zeros are one message
                yield line
        require_length(self._begun)


def require_length(line: bytes) -> None:
    """Raise ValueError for a line, without its line feed, that is too long."""
    if len(line) > LONGEST_LINE:
        raise ValueError(f"a line of more than {LONGEST_LINE} bytes")


def prepare(connection: socket.socket) -> None:
    """Let the socket send at once, and let the system detect that the other side has vanished."""
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in (("TCP_KEEPIDLE", 20), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3)):
            if hasattr(socket, name):
                connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


class _Stage(Enum):
    NO_MATCH = "begin"
    MATCH = "goal or end"
    ROUND = "turn, result or end"
    RESULT = "reveal"


class Hearing:
    """A checker that passes each message on to an agent once. Raises ValueError for an impossible message."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._stage = _Stage.NO_MATCH
        self._came_back = (
            False  # after a lost connection, until a goal tells the state, because messages may be missing
        )
        self._match: Begin | None = None
        self._last_match = 0
        self._round: GoalDrawn | None = None  # None between rounds
        self._num_rounds = 0
        self._seat: Seat | None = None
        self._points = (0, 0)
        self._result: Result | None = None
        self._forget_turns()

    @property
    def in_match(self) -> bool:
        return self._stage is not _Stage.NO_MATCH

    def come_back(self) -> None:
        """Expect the state of the match again after a lost connection."""
        self._stage, self._came_back = _Stage.NO_MATCH, True
        self._forget_turns()

    def _forget_turns(self) -> None:
        self._turn: Turn | None = None
        self._moves: tuple[int, ...] | None = None  # the known moves of the round; None if some were missed

    def tell(self, message: FromReferee) -> None:
        """Check a Begin, GoalDrawn, Result, Reveal or End and pass it on. Ignores other messages."""
        match message:
            case Begin():
                self._require(message, _Stage.NO_MATCH)
                self._begin(message)
            case GoalDrawn():
                self._require(message, _Stage.MATCH)
                self._begin_round(message)
            case Result():
                self._require(message, _Stage.ROUND)
                self._end_board(message)
            case Reveal():
                self._require(message, _Stage.RESULT)
                self._end_round(message)
            case End():
                self._require(message, _Stage.MATCH, _Stage.ROUND)
                self._end(message)

    def _require(self, message: FromReferee, *stages: _Stage) -> None:
        if self._stage not in stages:
            raise ValueError(f"{message.__struct_config__.tag} where {self._stage.value} is due")

    # --- a match

    def _begin(self, message: Begin) -> None:
        is_same = message == self._match
        if not self._came_back and message.match == self._last_match:
            raise ValueError(f"match {message.match} begins twice")
        self._rules = Rules.parse(message.rules)
        if not is_same:
            self._match, self._round, self._num_rounds, self._seat, self._points = message, None, 0, None, (0, 0)
            self._agent.begin_match(MatchFacts(message.winning_score, message.rules, message.opponent))
        self._stage = _Stage.MATCH

    def _end(self, message: End) -> None:
        assert self._match is not None
        if not message.reason:
            if self._stage is _Stage.ROUND:
                raise ValueError("end in the middle of a round, without a reason")
            won, lost = (0, 1) if message.won else (1, 0)
            right = message.points == self._points and message.points[won] == self._match.winning_score
            if not right or message.points[lost] >= self._match.winning_score:
                raise ValueError(f"points {_shown(message.points)} at the end, after {_shown(self._points)}")
        self._stage, self._last_match, self._match = _Stage.NO_MATCH, self._match.match, None
        self._agent.end_match(MatchEnd(message.won, message.points, message.reason))

    # --- a round

    def _begin_round(self, message: GoalDrawn) -> None:
        assert self._match is not None
        seat = Seat[message.seat.upper()]
        if max(message.points) >= self._match.winning_score:
            raise ValueError(f"points {_shown(message.points)} in a match to {self._match.winning_score}")
        if not self._came_back:
            if message.round != self._num_rounds + 1:
                raise ValueError(f"round {message.round} after {self._num_rounds}")
            if message.points != self._points:
                raise ValueError(f"points {_shown(message.points)} after {_shown(self._points)}")
            if seat is self._seat:
                raise ValueError(f"the seat {message.seat} twice running")
        is_same = message == self._round
        self._round, self._num_rounds, self._seat, self._points = message, message.round, seat, message.points
        self._turn, self._moves = None, None if self._came_back else ()
        self._stage, self._came_back = _Stage.ROUND, False
        if not is_same:
            self._agent.begin_round(RoundFacts(message.round, seat, _goal(message.goal), message.points))

    def answer(self, turn: Turn) -> Move:
        """The agent's move. Raises ValueError for an impossible turn, AgentError if the agent returns no number."""
        self._require(turn, _Stage.ROUND)
        if turn != self._turn:  # the referee repeats a turn after a wrong move
            if self._turn is not None and turn.turn <= self._turn.turn:
                raise ValueError(f"turn {turn.turn} after {self._turn.turn}")
            self._require_moves(turn.moves)
            if len(turn.moves) % 2 != self._seat:
                raise ValueError(f"a turn after {len(turn.moves)} moves, where it is the opponent's")
            if self._outcome_after(turn.moves) is not None:
                raise ValueError("a turn after the end of the round")
        answer = self._agent.choose(turn.moves)
        try:
            square = operator.index(answer)
        except TypeError:
            free = " ".join(str(square) for square in range(1, 10) if square not in turn.moves)
            raise AgentError(f"choose returned {repr(answer)[:60]}, not the number of a free square: {free}") from None
        self._turn, self._moves = turn, (*turn.moves, square)
        return Move(square, turn.turn)

    def _end_board(self, message: Result) -> None:
        self._require_moves(message.moves)
        outcome = self._outcome_after(message.moves)
        if outcome is None or outcome.name.lower() != message.outcome:
            what = "is open" if outcome is None else f"is {outcome.name.lower()}"
            raise ValueError(f"the outcome {message.outcome} of a round that {what}")
        if self._outcome_after(message.moves[:-1]) is not None:
            raise ValueError("a move after the end of the round")
        self._result, self._stage = message, _Stage.RESULT

    def _end_round(self, message: Reveal) -> None:
        result, drawn, match = self._result, self._round, self._match
        assert result is not None
        assert drawn is not None
        assert match is not None
        if message.goals[0] != drawn.goal:
            raise ValueError(f"your goal was {drawn.goal}, not {message.goals[0]}")
        outcome, (own, other) = Outcome[result.outcome.upper()], map(_goal, message.goals)
        if self._seat is Seat.FIRST:
            scored = self._rules.scores(outcome, own, other)
        else:
            scored = self._rules.scores(outcome, other, own)[::-1]
        if result.scored != scored:
            raise ValueError(f"the wrong player scores with {result.outcome} for {' and '.join(message.goals)}")
        points = points_after(self._points, scored, match.winning_score)
        if result.points != points:
            raise ValueError(f"points {_shown(result.points)} where {_shown(points)} are right")
        self._result, self._round, self._points, self._stage = None, None, points, _Stage.MATCH
        self._agent.end_round(RoundEnd(result.moves, outcome, (own, other), scored, points))

    def _require_moves(self, moves: tuple[int, ...]) -> None:
        if len({*moves}) != len(moves):
            raise ValueError("a square is marked twice")
        known = self._moves
        if known is not None and (moves[: len(known)] != known or len(moves) > len(known) + 1):
            raise ValueError(f"moves {_shown(moves)} after {_shown(known) or 'none'}")

    def _outcome_after(self, moves: tuple[int, ...]) -> Outcome | None:
        from ..games.tic_tac_toe_tree import boards_of

        board = Board()
        for square in moves:
            board = board.play(square)
        return boards_of(self._rules.of_round).facts(board).outcome


def _goal(name: GoalName) -> Goal:
    return Goal[name.upper()]


def _shown(numbers: tuple[int, ...]) -> str:
    return " ".join(map(str, numbers))


_GOALS: dict[Goal, GoalName] = {Goal.WIN: "win", Goal.LOSE: "lose", Goal.TIE: "tie"}
_OUTCOMES: dict[Outcome, OutcomeName] = {
    Outcome.WIN: "win",
    Outcome.LOSE: "lose",
    Outcome.TIE: "tie",
    Outcome.BOTH_LINES: "both_lines",
}


def messages_of(event: MatchFacts | RoundFacts | RoundEnd | MatchEnd, match: int) -> tuple[FromReferee, ...]:
    """The messages to a player for an event of match number `match`."""
    match event:
        case MatchFacts(winning_score, rules, opponent):
            return (Begin(match, opponent, winning_score, rules),)
        case RoundFacts(number, seat, goal, points):
            return (GoalDrawn(number, "first" if seat is Seat.FIRST else "second", _GOALS[goal], points),)
        case RoundEnd(moves, outcome, goals, scored, points):
            own, other = goals
            return Result(moves, _OUTCOMES[outcome], scored, points), Reveal((_GOALS[own], _GOALS[other]))
        case MatchEnd(won, points, reason):
            return (End(won, points, reason),)
