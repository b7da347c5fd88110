"""A player's side of the network: join a referee, let an agent play, and come back when the connection is lost."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from ..errors import TicTacToeError
from .agent import Agent
from .messages import (
    LONGEST_LINE,
    Error,
    FromPlayer,
    FromReferee,
    Join,
    Move,
    Quit,
    Turn,
    Welcome,
    from_referee,
    line_of,
)
from .telling import Hearing

_PAUSE = 0.2  # seconds between attempts to connect


class RefusedError(TicTacToeError):
    """The referee does not let somebody play, or is not there."""


class Address(NamedTuple):
    """Of a referee."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @classmethod
    def parse(cls, text: str, least_port: int = 1) -> Address:
        """HOST:PORT or [HOST]:PORT; ValueError for anything else.

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


class Line(Protocol):
    """What messages go through, both ways."""

    def send(self, message: FromPlayer) -> None: ...
    def receive(self) -> FromReferee | None: ...
    def close(self) -> None: ...


class SocketLine:
    """A connection to a referee. Raises OSError when it cannot be made."""

    def __init__(self, address: Address, seconds: float) -> None:
        self._socket = socket.create_connection(address, timeout=max(seconds, 0.1))
        self._socket.settimeout(None)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._unread = b""

    def send(self, message: FromPlayer) -> None:
        """Raises OSError when the connection is lost."""
        self._socket.sendall(line_of(message))

    def receive(self) -> FromReferee | None:
        """The next message, None at the end. Raises OSError for a lost connection, ValueError for no message."""
        while b"\n" not in self._unread:
            if len(self._unread) > LONGEST_LINE:
                raise ValueError(f"a line of more than {LONGEST_LINE} bytes")
            part = self._socket.recv(1 << 16)
            if not part:
                return None
            self._unread += part
        line, _, self._unread = self._unread.partition(b"\n")
        return from_referee(line)

    def close(self) -> None:
        """Leave without a word."""
        self._socket.close()


class Visit:
    """Somebody's part in a tournament.

    token: to come back with, once there is one. say: is called with what the referee objects to, and with what happens
    to the connection. patience: seconds for which it tries to get a connection, each time. waiting: is entered while
    nothing is done but wait. Closed, it has not said goodbye: with its token it may come back.
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
        self._name = name
        self._say = say
        self._patience = patience
        self._waiting = waiting
        self._line: Line | None = None
        self._welcome = False

    def play(self, agent: Agent) -> str:
        """Until the referee says goodbye; what it says. Raises RefusedError when it is gone, or says no."""
        hearing = Hearing(agent)
        self._connect()
        problem = ""
        while True:
            match self._received():
                case None if not self._welcome and (problem or self.token is None):
                    raise RefusedError(f"{self.address}: {problem or 'the referee has closed the connection'}")
                case None:
                    if not self._welcome:  # a referee that was ending still took the connection
                        with self._waiting():
                            time.sleep(_PAUSE)
                    self._say("the connection is lost; trying to come back")
                    self._connect()
                case Welcome(_, token, seconds):
                    self.token, self.seconds, self._welcome = token, seconds, True
                    problem = ""
                case Error(message):
                    problem = shown(message)
                    if self._welcome:
                        self._say(f"the referee says: {problem}")
                case Quit(reason):
                    return shown(reason)
                case Turn(turn, moves):
                    with self._possible():
                        square = agent.choose(moves)
                    self._send(Move(square, turn))
                case message:
                    with self._possible():
                        hearing.tell(message)

    @contextlib.contextmanager
    def _possible(self) -> Iterator[None]:
        try:
            yield
        except ValueError as error:
            raise RefusedError(f"{self.address}: the referee says what cannot be: {shown(str(error))}") from error

    def quit(self) -> None:
        """Say goodbye: all matches that are left are lost."""
        self._send(Quit())
        self.close()

    def close(self) -> None:
        """Leave without a word."""
        if self._line is not None:
            self._line.close()
            self._line = None

    def _connect(self) -> None:
        self.close()
        self._welcome = False
        end = time.monotonic() + self._patience
        while True:
            try:
                with self._waiting():
                    self._line = connected(self.address, end - time.monotonic())
                    self._line.send(Join(self._name, token=self.token))
                return
            except OSError as error:
                if time.monotonic() + _PAUSE >= end:
                    why = error.strerror or str(error)
                    raise RefusedError(f"{self.address}: no referee can be reached there: {why}") from error
                with self._waiting():
                    time.sleep(_PAUSE)

    def _received(self) -> FromReferee | None:
        """None when the connection is lost."""
        if self._line is None:
            return None
        try:
            with self._waiting():
                return self._line.receive()
        except OSError:
            return None
        except ValueError as error:
            raise RefusedError(f"{self.address}: this is no referee of ours: {shown(str(error))}") from error

    def _send(self, message: FromPlayer) -> None:
        """What cannot be sent is found out when the next message is waited for."""
        if self._line is not None:
            with contextlib.suppress(OSError):
                self._line.send(message)


def connected(address: Address, seconds: float) -> Line:
    """A connection, made within so many seconds. Raises OSError."""
    return SocketLine(address, seconds)


def shown(text: str) -> str:
    """What somebody else wrote, so that a terminal may print it."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
