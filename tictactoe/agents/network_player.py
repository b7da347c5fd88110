"""A player on a network: what it is asked and told, how long it may take, and what happens when it errs or vanishes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from .agent import MatchEnd, MatchFacts, RoundEnd, RoundFacts
from .connection import Connection
from .match_table import Table
from .messages import Error, FromReferee, Move, Turn
from .telling import messages_of

MOST_MISTAKES = 3
"""In a match; with one more it is lost."""
MOST_FORFEITS = 3
"""One after another, by mistakes or time; then the player is out."""


@dataclass(frozen=True)
class Patience:
    """seconds: for a move. grace: seconds that a player may be away in a match, together, or between two."""

    seconds: float
    grace: float


class NetworkPlayer:
    """A `Chair` at one table at a time. connection: None while it is away.

    expel: called with the player and a reason when it is out for good.
    """

    def __init__(self, name: str, token: str, patience: Patience, expel: Callable[[NetworkPlayer, str], None]) -> None:
        self.name = name
        self.token = token
        self.connection: Connection | None = None
        self.gone = False
        self.table: Table | None = None
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
        """Whether it is here, or its time to come back is running."""
        return self.connection is not None or self._absence.is_running

    def sit(self, table: Table, player: int) -> None:
        """Play the match as player 0 or 1."""
        self.table, self._player, self._mistakes = table, player, 0
        if self.connection is not None:
            self._absence.left = self._patience.grace

    def stand(self) -> None:
        """The match is over."""
        if self.table is not None and not self.table.reason:
            self._forfeits = 0
        self.table, self._turn, self._stands = None, None, ()
        self._move_clock.stop()

    def tell(self, event: MatchFacts | RoundFacts | RoundEnd | MatchEnd) -> None:
        """As `Chair` says."""
        assert self.table is not None
        messages = messages_of(event, self.table.pairing.number)
        if isinstance(event, (MatchFacts, RoundFacts)):
            self._stands = (*self._stands[:1], *messages)
        self._send(*messages)

    def ask(self, moves: tuple[int, ...]) -> None:
        """As `Chair` says."""
        self._turns += 1
        self._turn = Turn(self._turns, moves)
        self._move_clock.left = self._patience.seconds
        if self.connection is not None:
            self._send_turn(self._turn)
            self._move_clock.start()

    def move(self, message: Move) -> None:
        """What it answers; nothing to a turn that is over, as the match has ended, or time was up."""
        turn = self._turn
        if turn is None or message.turn != turn.turn or self.table is None:
            if message.turn > self._turns:
                self.mistake("it is not your turn")
        elif message.square in turn.moves:
            free = [square for square in range(1, 10) if square not in turn.moves]
            self.mistake(f"square {message.square} is not free; free: {' '.join(map(str, free))}")
        else:
            self._turn = None
            self._move_clock.stop()
            self.table.answer(message.square)

    # --- what goes wrong

    def mistake(self, problem: str) -> None:
        """Something that was wrong; some are forgiven, and a move that is waited for is asked for again."""
        self._mistakes += 1
        self._send(Error(problem))
        if self._mistakes <= MOST_MISTAKES:
            if self._turn is not None:
                self._send_turn(self._turn)
        else:
            self._mistakes = 0
            if self.table is None:
                self._expel(self, f"too many mistakes; the last one: {problem}")
            else:
                self._forfeit(f"{self.name} has made too many mistakes; the last one: {problem}")

    def vanished(self) -> None:
        """The connection is lost."""
        self.connection = None
        self._move_clock.pause()
        if self.table is None:
            self._absence.left = self._patience.grace
        self._absence.start()

    def miss(self) -> None:
        """It was not there when the referee began, and is now waited for no longer than others."""
        if not self.is_expected:
            self._absence.start()

    def came(self, connection: Connection, *greeting: FromReferee) -> None:
        """It is there, for the first time or again: what it may know of where its match stands is repeated."""
        self.connection = connection
        self._absence.pause()
        connection.send(*greeting, *self._stands)
        if self._turn is not None:
            self._send_turn(self._turn)
            self._move_clock.start()

    def leave(self) -> None:
        """It plays no more."""
        self.gone = True
        self._move_clock.stop()
        self._absence.stop()

    def forfeit(self, reason: str) -> None:
        """Lose the match that goes on, if there is one."""
        if self.table is not None:
            self.table.forfeit(self._player, reason)

    def _forfeit(self, reason: str) -> None:
        self._forfeits += 1
        self.forfeit(reason)
        if self._forfeits >= MOST_FORFEITS:
            self._expel(self, f"{MOST_FORFEITS} matches forfeited one after another")

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
    """Calls when `left` seconds have run, together."""

    def __init__(self, loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
        self.left = 0.0
        self._loop = loop
        self._call = call
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_running(self) -> bool:
        return self._timer is not None

    def start(self) -> None:
        """Go on from where it was paused, or begin."""
        self.pause()
        self._timer = self._loop.call_later(max(self.left, 0.0), self._rings)

    def pause(self) -> None:
        if self._timer is not None:
            self.left = self._timer.when() - self._loop.time()
            self.stop()

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _rings(self) -> None:
        self._timer = None
        self._call()
