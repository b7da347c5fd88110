"""A player on a network: its messages, its time limits, and the consequences of mistakes and lost connections."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from .agent import MatchEnd, MatchFacts, RoundEnd, RoundFacts
from .connection import Connection
from .messages import Error, FromReferee, Move, Turn, messages_of
from .network_match import NetworkMatch

MOST_MISTAKES = 3
"""Mistakes that a player may make in a match; one more loses the match."""
MOST_FORFEITS = 3
"""Matches forfeited in a row, by mistakes or by time, that put a player out of the tournament."""


@dataclass(frozen=True)
class Patience:
    """The time limits of players."""

    seconds: float
    """Seconds for a move."""
    grace: float
    """Seconds that a player may be away in one match in all, or between two matches."""


class NetworkPlayer:
    """A player on a network, who is a `Player` in one match at a time.

    connection: the player's connection; None while the player is away. expel: called with the player and a reason when
    the player is out of the tournament.
    """

    def __init__(self, name: str, token: str, patience: Patience, expel: Callable[[NetworkPlayer, str], None]) -> None:
        self.name = name
        self.token = token
        self.connection: Connection | None = None
        self.gone = False
        self.playing: NetworkMatch | None = None
        self._player = 0
        self._patience = patience
        self._expel = expel
        self._loop = asyncio.get_running_loop()
        self._mistakes = self._forfeits = self._turns = 0
        self._turn: Turn | None = None
        self._stands: tuple[FromReferee, ...] = ()
        self._move_clock = _Clock(self._loop, self._too_slow)
        self._absence = _Clock(self._loop, self._away_too_long)
        self._absence.left = patience.grace

    # --- matches

    @property
    def is_expected(self) -> bool:
        """Whether the player is connected, or still has time to come back."""
        return self.connection is not None or self._absence.is_running

    def begin(self, match: NetworkMatch, player: int) -> None:
        """Begin a match, as player 0 or 1."""
        self.playing, self._player, self._mistakes = match, player, 0
        if self.connection is not None:
            self._absence.left = self._patience.grace

    def finish(self) -> None:
        """Leave the match that has ended."""
        if self.playing is not None and not self.playing.reason:
            self._forfeits = 0
        self.playing, self._turn, self._stands = None, None, ()
        self._move_clock.stop()

    def tell(self, event: MatchFacts | RoundFacts | RoundEnd | MatchEnd) -> None:
        assert self.playing is not None
        messages = messages_of(event, self.playing.pairing.number)
        if isinstance(event, (MatchFacts, RoundFacts)):
            self._stands = (*self._stands[:1], *messages)
        self._send(*messages)

    def ask(self, moves: tuple[int, ...]) -> None:
        self._turns += 1
        self._turn = Turn(self._turns, moves)
        self._move_clock.left = self._patience.seconds
        if self.connection is not None:
            self._send_turn(self._turn)
            self._move_clock.start()
        else:
            self._tell_who_waits()

    def move(self, message: Move) -> None:
        """Take the player's answer to a turn. Ignores a late answer, to a turn that has ended."""
        turn = self._turn
        if turn is None or message.turn != turn.turn or self.playing is None:
            if message.turn > self._turns:
                self.mistake("it is not your turn")
        elif message.square in turn.moves:
            free = [square for square in range(1, 10) if square not in turn.moves]
            self.mistake(f"square {message.square} is not free; free: {' '.join(map(str, free))}")
        else:
            self._turn = None
            self._move_clock.stop()
            self.playing.answer(message.square)

    # --- what goes wrong

    def mistake(self, problem: str) -> None:
        """Handle a mistake of the player: forgive it and repeat the open turn, or forfeit after MOST_MISTAKES."""
        self._mistakes += 1
        self._send(Error(problem))
        if self._mistakes <= MOST_MISTAKES:
            if self._turn is not None:
                self._send_turn(self._turn)
        else:
            self._mistakes = 0
            if self.playing is None:
                self._expel(self, f"too many mistakes; the last one: {problem}")
            else:
                self._forfeit(f"{self.name} has made too many mistakes; the last one: {problem}")

    def vanished(self) -> None:
        """Handle a lost connection: the player's time for coming back begins."""
        self.connection = None
        self._move_clock.pause()
        if self.playing is None:
            self._absence.left = self._patience.grace
        self._tell_who_waits()
        self._absence.start()

    def miss(self) -> None:
        """Let the time for coming back begin for a player who has been away since the referee's start."""
        if not self.is_expected:
            self._absence.start()

    def came(self, connection: Connection, *greeting: FromReferee) -> None:
        """Take a player's first or next connection; repeat the messages that tell the state of the match."""
        was_away, self.connection = self.connection is None, connection
        self._absence.pause()
        if was_away:
            self._tell_who_waits()
        connection.send(*greeting, *self._stands)
        if self._turn is not None:
            self._send_turn(self._turn)
            self._move_clock.start()

    def leave(self) -> None:
        """Stop all clocks: the player is out of the tournament, or the tournament ends."""
        self.gone = True
        self._move_clock.stop()
        self._absence.stop()

    def forfeit(self, reason: str) -> None:
        """Lose the match in progress, if any."""
        if self.playing is not None:
            self.playing.forfeit(self._player, reason)

    def _forfeit(self, reason: str) -> None:
        self._forfeits += 1
        self.forfeit(reason)
        if self._forfeits >= MOST_FORFEITS:
            self._expel(self, f"{MOST_FORFEITS} matches forfeited one after another")

    def _tell_who_waits(self) -> None:
        """Tell the opponent, who waits for this player's move, that this player is away, or is back."""
        if self._turn is not None and self.playing is not None:
            opponent = self.playing.opponent_of(self._player)
            if isinstance(opponent, NetworkPlayer):
                what = "is back" if self.connection else f"has left; {self._absence.seconds:.0f} s to come back"
                opponent._send(Error(f"{self.name} {what}"))

    def _too_slow(self) -> None:
        self._forfeit(f"{self.name} has taken longer than {self._patience.seconds:g} seconds for a move")

    def _away_too_long(self) -> None:
        self._expel(self, f"away for longer than {self._patience.grace:g} seconds")

    def _send(self, *messages: FromReferee) -> None:
        if self.connection is not None:
            self.connection.send(*messages)

    def _send_turn(self, turn: Turn) -> None:
        if self.connection is not None:
            self.connection.may_answer()
            self.connection.send(turn)


class _Clock:
    """Calls a function after it has run for `left` seconds in all, without its pauses."""

    def __init__(self, loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
        self.left = 0.0
        self._loop = loop
        self._call = call
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_running(self) -> bool:
        return self._timer is not None

    @property
    def seconds(self) -> float:
        """The seconds that are left."""
        return self.left if self._timer is None else self._timer.when() - self._loop.time()

    def start(self) -> None:
        """Begin, or continue after a pause."""
        self.pause()
        self._timer = self._loop.call_later(max(self.left, 0.0), self._rings)

    def pause(self) -> None:
        if self._timer is not None:
            self.left = self.seconds
            self.stop()

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _rings(self) -> None:
        self._timer = None
        self._call()
