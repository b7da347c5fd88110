"""A player's side of the network: join a referee, let an agent play, and come back after a lost connection."""

from __future__ import annotations

import contextlib
import ipaddress
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from ..errors import TicTacToeError
from .agent import Agent
from .connection import LEAST_SECONDS, PLAYER_WIRE, Line, Wire
from .messages import PROTOCOL_VERSION, Begin, Error, FromPlayer, FromReferee, Hearing, Join, Quit, Turn, Welcome

_PAUSE = 0.2  # seconds between two attempts to connect
_STEADY = 5.0  # seconds after which a connection counts as good, even if it brought only a welcome
_LONGEST_SHOWN = 200  # characters of a referee's text


class RefusedError(TicTacToeError):
    """The referee refuses a player or cannot be reached."""


class Address(NamedTuple):
    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the host.

        >>> Address("127.0.0.1", 80).is_loopback, Address("0.0.0.0", 80).is_loopback
        (True, False)
        """
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host.lower() == "localhost"

    @classmethod
    def parse(cls, text: str, least_port: int = 1) -> Address:
        """Read HOST:PORT or [HOST]:PORT. Raises ValueError for any other text.

        >>> Address.parse("127.0.0.1:8080"), str(Address.parse("[::1]:80"))
        (Address(host='127.0.0.1', port=8080), '[::1]:80')
        """
        host, colon, port = text.rpartition(":")
        if host.startswith("[") and host.endswith("]"):
            host = host[1:-1]
        elif ":" in host:
            colon = ""
        right = colon and host and host.isprintable() and " " not in host and port.isascii() and port.isdecimal()
        if not right or len(port) > 5 or not least_port <= int(port) <= 65535:
            raise ValueError(f"{text[:60]!r} is not HOST:PORT, such as 127.0.0.1:8080")
        return cls(host, int(port))


class Visit:
    """A player's participation in a tournament.

    token: the token of an earlier connection or from the referee's welcome; None if there is none.
    say: called with a line of text for the user.
    patience: seconds for the referee to accept a connection, again for its welcome, and for a message beyond the time
    for a move.
    waiting: makes a context that is entered during every wait.
    """

    def __init__(
        self,
        address: Address,
        name: str,
        say: Callable[[str], object],
        token: str | None = None,
        patience: float = 30.0,
        waiting: Callable[[], contextlib.AbstractContextManager[None]] = contextlib.nullcontext,
    ) -> None:
        self.address = address
        self.token = token
        self.seconds = 0.0
        self._name, self._say, self._patience, self._waiting = name, say, patience, waiting
        self._line: Line | None = None
        self._left: Line | None = None  # the old connection, kept until the referee welcomes us on the new one
        self._welcome: float | None = None  # the time of the welcome on this connection
        self._answer_by = 0.0
        self._in_vain_since: float | None = (
            None  # the start of a series of connections that were lost without a message
        )
        self._agreed: tuple[int, str] | None = None

    def play(self, agent: Agent) -> str:
        """Let the agent play until the referee says goodbye. Returns the referee's reason.

        Raises RefusedError if the referee is gone or silent, refuses the player, or sends impossible messages.
        """
        hearing = Hearing(agent)
        self._connect()
        problem = ""
        while True:
            try:
                message = self._received(in_match=hearing.in_match)
            except TimeoutError:
                if self._welcome is None:
                    raise self._refused(problem or "the referee does not answer") from None
                self._come_back("the referee is silent; asking it again")
                hearing.come_back()
                continue
            match message:
                case None:
                    if self._welcome is None and (problem or self.token is None):
                        raise self._refused(problem or "the referee has closed the connection")
                    self.close()
                    self._come_back("the connection is lost; trying to come back")
                    hearing.come_back()
                case Error(text):
                    problem = shown(text)
                    if self._welcome is not None:
                        self._say(f"the referee says: {problem}")
                case Quit(reason):
                    return shown(reason)
                case Welcome():
                    self._enter(message)
                    problem = ""
                case _:
                    self._in_vain_since = None
                    try:
                        self._tell(hearing, message)
                    except ValueError as error:
                        raise self._refused(f"the referee breaks the protocol: {shown(str(error))}") from error

    def _tell(self, hearing: Hearing, message: FromReferee) -> None:
        if self._welcome is None:
            raise ValueError(f"{message.__struct_config__.tag} where welcome is due")
        if isinstance(message, Turn):
            self._send(hearing.answer(message))
            return
        if isinstance(message, Begin):
            agreed = message.winning_score, message.rules
            if self._agreed not in (None, agreed):
                raise ValueError("a match with other rules or another winning score than the one before")
            self._agreed = agreed
        hearing.tell(message)

    def _enter(self, message: Welcome) -> None:
        if message.protocol != PROTOCOL_VERSION:
            which = f"version {message.protocol} of the protocol, and this program version {PROTOCOL_VERSION}"
            raise self._refused(f"the referee speaks {which}: use the same version of the program on both sides")
        if self._welcome is not None:
            raise self._refused("the referee breaks the protocol: welcome twice")
        self.token, self.seconds, self._welcome = message.token, message.seconds, time.monotonic()
        if self._left is not None:
            self._left.close()
            self._left = None

    def _refused(self, why: str) -> RefusedError:
        return RefusedError(f"{self.address}: {why}")

    def quit(self) -> None:
        """Say goodbye and lose all remaining matches."""
        self._send(Quit())
        self.close()

    def close(self) -> None:
        """Leave without a goodbye. The token lets the player come back."""
        for line in (self._line, self._left):
            if line is not None:
                line.close()
        self._line = self._left = None

    def _come_back(self, why: str) -> None:
        now = time.monotonic()
        if self._in_vain_since is None or (self._welcome is not None and now - self._welcome > _STEADY):
            self._in_vain_since = now
        elif now - self._in_vain_since > self._patience:
            raise self._refused("every connection is lost immediately, before any message")
        else:
            with self._waiting():
                time.sleep(_PAUSE)
        self._say(why)
        self._connect()

    def _connect(self) -> None:
        if self._left is not None:
            self._left.close()
        self._line, self._left, self._welcome = None, self._line, None
        end = time.monotonic() + self._patience
        self._line = reach(self.address, self._patience, Join(self._name, token=self.token), self._waiting)
        self._answer_by = max(end, time.monotonic() + LEAST_SECONDS)

    def _received(self, *, in_match: bool) -> FromReferee | None:
        """The next message; None if the connection is lost. Raises TimeoutError."""
        if self._line is None:
            return None
        seconds = self.seconds + max(self._patience, LEAST_SECONDS) if in_match else None
        if self._welcome is None:
            seconds = max(self._answer_by - time.monotonic(), 0.0)
        try:
            with self._waiting():
                message: FromReferee | None = self._line.receive(seconds)
            return message
        except TimeoutError:
            raise
        except OSError:
            return None
        except ValueError as error:
            raise self._refused(f"this is not a referee of ours: {shown(str(error))}") from error

    def _send(self, message: FromPlayer) -> None:
        if self._line is not None:
            with contextlib.suppress(OSError):
                self._line.send(message)


def reach(
    address: Address,
    patience: float,
    first: Any,
    waiting: Callable[[], contextlib.AbstractContextManager[None]] = contextlib.nullcontext,
    wire: Wire = PLAYER_WIRE,
) -> Line:
    """A connection on which the message `first` was sent. Raises RefusedError if none is made within `patience`."""
    end = time.monotonic() + patience
    while True:
        try:
            with waiting():
                line = Line(address, end - time.monotonic(), patience, wire)
                line.send(first)
            return line
        except OSError as error:
            if time.monotonic() + _PAUSE >= end:
                why = error.strerror or str(error)
                raise RefusedError(f"{address}: nobody can be reached there: {why}") from error
            with waiting():
                time.sleep(_PAUSE)


def shown(text: str) -> str:
    """Another program's text, made printable and short enough for a line."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:_LONGEST_SHOWN])
