"""A player on a network: time limits, and the consequences of mistakes and lost connections."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from .connection import Connection
from .messages import Error, Told

MOST_MISTAKES = 3
"""The number of mistakes that a player may make in a match. One more loses the match."""
MOST_FORFEITS = 3
"""The number of matches forfeited in a row, by mistakes or by time, that expel a player from the tournament."""


@dataclass(frozen=True)
class Patience:
    seconds: float
    """The seconds for a move."""
    grace: float
    """The seconds that a player may be away in total in a match, or between two matches."""


class NetworkPlayer:
    """A player on a network, in one match at a time.

    expel: called with a player that is expelled and the reason.
    connection: the player's connection; None while the player is away.
    question: the question that waits for an answer.
    stands: the messages that tell a returning player the state of the match.
    """

    def __init__(self, name: str, token: str, patience: Patience, expel: Callable[[NetworkPlayer, str], None]) -> None:
        self.name, self.token = name, token
        self.connection: Connection | None = None
        self.gone = False
        self.num_questions = 0
        self.question: Told | None = None
        self.stands: tuple[Told, ...] = ()
        self._patience, self._expel = patience, expel
        self._lose: Callable[[str], None] | None = None  # None between matches
        self._waiting: NetworkPlayer | None = None  # the opponent, who is told when this player leaves and returns
        self._mistakes = self._forfeits = 0
        loop = asyncio.get_running_loop()
        self._move_clock = _Clock(loop, self._too_slow)
        self._absence = _Clock(loop, self._away_too_long)
        self._absence.left = patience.grace

    # --- matches

    @property
    def is_expected(self) -> bool:
        return self.connection is not None or self._absence.is_running

    def begin(self, lose: Callable[[str], None], waiting: NetworkPlayer | None) -> None:
        """Begin a match. lose: ends it as lost, for a reason. waiting: the opponent on the network."""
        self._lose, self._waiting, self._mistakes = lose, waiting, 0
        if self.connection is not None:
            self._absence.left = self._patience.grace

    def finish(self, reason: str) -> None:
        """Leave the match. reason: why it was broken off; empty for a finished match."""
        if not reason:
            self._forfeits = 0
        self._lose, self._waiting, self.question, self.stands = None, None, None, ()
        self._move_clock.stop()

    def tell(self, *messages: Told) -> None:
        if self.connection is not None:
            self.connection.send(*messages)

    def ask(self, question: Told) -> None:
        """Ask for a move; the player's time runs while it is connected."""
        self.num_questions += 1
        self.question, self._move_clock.left = question, self._patience.seconds
        if self.connection is None:
            self._tell_who_waits()
        else:
            self._ask_again()
            self._move_clock.start()

    def answered(self) -> None:
        self.question = None
        self._move_clock.stop()

    # --- what goes wrong

    def mistake(self, problem: str) -> None:
        """Forgive a mistake and repeat the question, or forfeit after MOST_MISTAKES."""
        self._mistakes += 1
        self.tell(Error(problem))
        if self._mistakes <= MOST_MISTAKES:
            self._ask_again()
            return
        self._mistakes = 0
        if self._lose is None:
            self._expel(self, f"too many mistakes; the last one: {problem}")
        else:
            self._forfeit(f"{self.name} has made too many mistakes; the last one: {problem}")

    def vanished(self) -> None:
        """Begin the time in which the player may return."""
        self.connection = None
        self._move_clock.pause()
        if self._lose is None:
            self._absence.left = self._patience.grace
        self._tell_who_waits()
        self._absence.start()

    def miss(self) -> None:
        """Begin the time in which an enrolled player may return."""
        self._absence.start()

    def came(self, connection: Connection, *greeting: Told) -> None:
        """Take a connection, and repeat the messages that tell the state of the match."""
        was_away, self.connection = self.connection is None, connection
        self._absence.pause()
        if was_away:
            self._tell_who_waits()
        self.tell(*greeting, *self.stands)
        if self.question is not None:
            self._ask_again()
            self._move_clock.start()

    def leave(self) -> None:
        self.gone = True
        self._move_clock.stop()
        self._absence.stop()

    def lose(self, reason: str) -> None:
        if self._lose is not None:
            self._lose(reason)

    def _forfeit(self, reason: str) -> None:
        self._forfeits += 1
        self.lose(reason)
        if self._forfeits >= MOST_FORFEITS:
            self._expel(self, f"{MOST_FORFEITS} matches forfeited one after another")

    def _tell_who_waits(self) -> None:
        if self.question is not None and self._waiting is not None:
            what = "is back" if self.connection else f"has left; {self._absence.seconds:.0f} s to come back"
            self._waiting.tell(Error(f"{self.name} {what}"))

    def _too_slow(self) -> None:
        self._forfeit(f"{self.name} took longer than {self._patience.seconds:g} seconds for a move")

    def _away_too_long(self) -> None:
        self._expel(self, f"away for longer than {self._patience.grace:g} seconds")

    def _ask_again(self) -> None:
        if self.connection is not None and self.question is not None:
            self.connection.may_answer()
            self.connection.send(self.question)


class _Clock:
    """A clock that calls a function after `left` seconds, not counting its pauses."""

    def __init__(self, loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
        self.left = 0.0
        self._loop, self._call = loop, call
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_running(self) -> bool:
        return self._timer is not None

    @property
    def seconds(self) -> float:
        return self.left if self._timer is None else self._timer.when() - self._loop.time()

    def start(self) -> None:
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
