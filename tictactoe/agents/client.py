"""A player's side of the network: join a referee, let an agent play, and come back when the connection is lost."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..errors import TicTacToeError
from .agent import Agent
from .hearing import Hearing
from .messages import PROTOCOL, Begin, Error, FromPlayer, FromReferee, Join, Quit, Turn, Welcome
from .socket_line import LEAST_SECONDS, Line, connected

_PAUSE = 0.2  # seconds between attempts to connect
_STEADY = 5.0  # seconds after which a connection is one, though nothing has been said on it but welcome
_LONGEST_SHOWN = 200


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


class Visit:
    """Somebody's part in a tournament.

    token: to come back with, once there is one. say: is called with what the referee objects to, and with what happens
    to the connection. patience: seconds that the referee has to take a connection and to say welcome, each time; and,
    in a match, to say something after the time for a move. waiting: is entered while nothing is done but wait. Closed,
    it has not said goodbye: with its token it may come back.
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
        self._left: Line | None = None  # one that is given up when another one is welcome
        self._welcome: float | None = None  # when that was said on this connection
        self._answer_by = 0.0
        self._in_vain_since: float | None = None  # connections are made and lost, and nothing is said on them
        self._agreed: tuple[int, str] | None = None

    def play(self, agent: Agent) -> str:
        """Until the referee says goodbye; what it says. Raises RefusedError when it is gone, says no, says nothing, or
        says what no referee says."""
        hearing = Hearing(agent)
        self._connect()
        problem = ""
        while True:
            try:
                message = self._received(in_match=hearing.in_match)
            except TimeoutError:
                if self._welcome is None:
                    raise self._refused(problem or "the referee does not answer") from None
                self._come_back("the referee says nothing; asking it again")
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
                    with self._possible():
                        self._tell(hearing, message)

    def _tell(self, hearing: Hearing, message: FromReferee) -> None:
        if self._welcome is None:
            raise ValueError(f"{message.__struct_config__.tag} where welcome is due")
        if isinstance(message, Turn):
            self._send(hearing.answer(message))
            return
        if isinstance(message, Begin):
            agreed = message.winning_score, message.rules
            if self._agreed not in (None, agreed):
                raise ValueError("a match by other rules, or to more or fewer points, than the one before")
            self._agreed = agreed
        hearing.tell(message)

    def _enter(self, message: Welcome) -> None:
        if message.protocol != PROTOCOL:
            which = f"version {message.protocol} of the protocol, and this program version {PROTOCOL}"
            raise self._refused(f"the referee speaks {which}: use the same version of the program on both sides")
        if self._welcome is not None:
            raise self._refused("the referee says what cannot be: welcome twice")
        self.token, self.seconds, self._welcome = message.token, message.seconds, time.monotonic()
        if self._left is not None:
            self._left.close()
            self._left = None

    @contextlib.contextmanager
    def _possible(self) -> Iterator[None]:
        try:
            yield
        except ValueError as error:
            raise self._refused(f"the referee says what cannot be: {shown(str(error))}") from error

    def _refused(self, why: str) -> RefusedError:
        return RefusedError(f"{self.address}: {why}")

    def quit(self) -> None:
        """Say goodbye: all matches that are left are lost."""
        self._send(Quit())
        self.close()

    def close(self) -> None:
        """Leave without a word."""
        for line in (self._line, self._left):
            if line is not None:
                line.close()
        self._line = self._left = None

    def _come_back(self, why: str) -> None:
        """By a new connection. One that is open still is left only when the referee has said welcome on the new one, so
        that nobody is away for a moment."""
        now = time.monotonic()
        if self._in_vain_since is None or (self._welcome is not None and now - self._welcome > _STEADY):
            self._in_vain_since = now
        elif now - self._in_vain_since > self._patience:
            raise self._refused("every connection is lost at once, and nothing is said on it")
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
        while True:
            try:
                with self._waiting():
                    self._line = connected(self.address, end - time.monotonic(), self._patience)
                    self._line.send(Join(self._name, token=self.token))
                self._answer_by = max(end, time.monotonic() + LEAST_SECONDS)
                return
            except OSError as error:
                if time.monotonic() + _PAUSE >= end:
                    why = error.strerror or str(error)
                    raise self._refused(f"no referee can be reached there: {why}") from error
                with self._waiting():
                    time.sleep(_PAUSE)

    def _received(self, *, in_match: bool) -> FromReferee | None:
        """None when the connection is lost. Raises TimeoutError when nothing has come in the time that there is: in a
        match the opponent has so many seconds for a move, and outside of one the others play as long as they like."""
        if self._line is None:
            return None
        seconds = self.seconds + max(self._patience, LEAST_SECONDS) if in_match else None
        if self._welcome is None:
            seconds = max(self._answer_by - time.monotonic(), 0.0)
        try:
            with self._waiting():
                return self._line.receive(seconds)
        except TimeoutError:
            raise
        except OSError:
            return None
        except ValueError as error:
            raise self._refused(f"this is no referee of ours: {shown(str(error))}") from error

    def _send(self, message: FromPlayer) -> None:
        """What cannot be sent is found out when the next message is waited for."""
        if self._line is not None:
            with contextlib.suppress(OSError):
                self._line.send(message)


def shown(text: str) -> str:
    """What somebody else wrote, so that a terminal may print it, and no more of it than a line has room for."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:_LONGEST_SHOWN])
