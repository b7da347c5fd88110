"""Connections to strangers, with limits on what strangers send and how long they take."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from .messages import Error, Lines, Quit, Told, from_player, from_referee, line_of, prepare

MOST_UNREAD = 2**16
"""The number of bytes that a player may leave unread. A player who leaves more is disconnected."""
SPARE_LINES = 20
"""The number of lines that a player may send at once without a Turn. Every second and every Turn allow one more."""
LINGERING_SECONDS = 2.0
"""The seconds in which a closing connection may take the last messages."""


class Wire(NamedTuple):
    """The way that one side writes its messages and reads those of the other."""

    end: bytes
    """The end of a message."""
    encode: Callable[[Any], bytes]
    """Encodes a message with its end; empty for a message that this protocol does not have."""
    decode: Callable[[bytes], Any]
    """Decodes a message without its end. Raises ValueError, in a short sentence, for any other bytes."""
    last: bytes = b""
    """The last message before a connection is closed."""


REFEREE_WIRE = Wire(b"\n", line_of, from_player)
PLAYER_WIRE = Wire(b"\n", line_of, from_referee)


class Listener(Protocol):
    def connected(self, connection: Connection) -> None: ...
    def heard(self, connection: Connection, message: Any) -> None: ...
    def heard_nonsense(self, connection: Connection, problem: str) -> None: ...
    def flooded(self, connection: Connection, problem: str) -> None: ...
    def lost(self, connection: Connection) -> None: ...


class Connection(asyncio.Protocol):
    """The referee's end of a connection. It never waits for the player."""

    def __init__(self, listener: Listener, wire: Wire = REFEREE_WIRE) -> None:
        self._listener, self._wire = listener, wire
        self._loop = asyncio.get_running_loop()
        self._lines = Lines(wire.end)
        self._spare = float(SPARE_LINES)
        self._counted = self._loop.time()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport: asyncio.Transport = transport
        prepare(transport.get_extra_info("socket"))
        self._listener.connected(self)

    def data_received(self, data: bytes) -> None:
        lines = self._lines.of(data)
        while not self._transport.is_closing():
            try:
                line = next(lines, None)
            except ValueError as error:
                self._listener.flooded(self, str(error))
                return
            if line is None:
                return
            self._heard(line)

    def connection_lost(self, error: Exception | None) -> None:
        self._listener.lost(self)

    def _heard(self, line: bytes) -> None:
        now = self._loop.time()
        self._spare = min(self._spare + now - self._counted, float(SPARE_LINES)) - 1.0
        self._counted = now
        if self._spare < 0.0:
            self._listener.flooded(self, "too many messages")
            return
        if not line.strip():
            return
        try:
            message = self._wire.decode(line)
        except ValueError as error:
            self._listener.heard_nonsense(self, str(error))
        else:
            self._listener.heard(self, message)

    def may_answer(self) -> None:
        """Allow one more line, the answer to a Turn."""
        self._spare += 1.0

    @property
    def host(self) -> str:
        return str((self._transport.get_extra_info("peername") or [""])[0])

    def send(self, *messages: Told) -> None:
        """Send messages. Cuts the connection if the other side does not read them."""
        self._write(b"".join(map(self._wire.encode, messages)))

    def _write(self, data: bytes) -> None:
        if self._transport.is_closing():
            return
        self._transport.write(data)
        if self._transport.get_write_buffer_size() > MOST_UNREAD:
            self._transport.abort()

    def end(self, *messages: Error | Quit) -> None:
        self.send(*messages)
        self._write(self._wire.last)
        if not self._transport.is_closing():
            self._transport.close()
            self._loop.call_later(LINGERING_SECONDS, self._transport.abort)


LEAST_SECONDS = 2.0
"""The least time, in seconds, for the other side to send or take a message."""


class Line:
    """A player's connection to a host and port. Raises OSError if it cannot be made within `seconds`.

    patience: the seconds in which the other side must take a message or complete a line.
    """

    def __init__(self, address: tuple[str, int], seconds: float, patience: float, wire: Wire = PLAYER_WIRE) -> None:
        self._socket = socket.create_connection(address, timeout=max(seconds, 0.1))
        prepare(self._socket)
        self._patience = max(patience, LEAST_SECONDS)
        self._lines, self._wire = Lines(wire.end), wire
        self._line_end: float | None = None  # the time at which the unfinished line must be complete
        self._heard: deque[bytes] = deque()

    def send(self, message: Any) -> None:
        """Send a message. Raises OSError for a lost connection."""
        self._socket.settimeout(self._patience)
        self._socket.sendall(self._wire.encode(message))

    def receive(self, seconds: float | None) -> Any:
        """The next message; None at the end of the connection. seconds: the limit until it begins; None for no limit.

        Raises TimeoutError for a late message, another OSError for a lost connection, and ValueError for a wrong
        message.
        """
        end = None if seconds is None else time.monotonic() + seconds
        while not self._heard:
            until = self._line_end or end
            left = None if until is None else until - time.monotonic()
            if left is not None and left <= 0.0:
                raise TimeoutError("nothing arrived in time")
            self._socket.settimeout(left)
            part = self._socket.recv(1 << 16)
            if not part:
                return None
            self._heard.extend(self._lines.of(part))
            if not self._lines.has_begun:
                self._line_end = None
            elif self._heard or self._line_end is None:
                self._line_end = time.monotonic() + self._patience
        return self._wire.decode(self._heard.popleft())

    def close(self) -> None:
        self._socket.close()


WAITING_LINE = 256
"""The number of connections that the system queues until they are accepted."""
RETRY_SECONDS = 1.0
"""The seconds until the next attempt if the system has no room for a connection."""
_MOMENT = 0.02  # seconds between two calls of has_room


class Listening:
    """Accepts connections at an address.

    make: makes the protocol of a connection. has_room: while it returns False, new connections wait. report: called
    with a line of text if the system has no room.
    """

    def __init__(
        self, make: Callable[[], asyncio.Protocol], has_room: Callable[[], bool], report: Callable[[str], object]
    ) -> None:
        self._make, self._has_room, self._report = make, has_room, report
        self._loop = asyncio.get_running_loop()
        self._sockets: list[socket.socket] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self, host: str, port: int) -> None:
        """Listen at every address of the host. port: 0 for any free port. Raises OSError for an unusable address."""
        found = await self._loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        try:
            for family, address in dict.fromkeys((family, where[:2]) for family, _, _, _, where in found):
                opened = socket.create_server(address, family=family, backlog=WAITING_LINE)
                opened.setblocking(False)
                self._sockets.append(opened)
        except OSError:
            self.close()
            raise
        self._tasks = [asyncio.create_task(self._take(each)) for each in self._sockets]

    @property
    def address(self) -> tuple[str, int]:
        host, port = self._sockets[0].getsockname()[:2]
        return str(host), int(port)

    def close(self) -> None:
        """Accept no more connections; accepted ones stay open."""
        for task in self._tasks:
            task.cancel()
        for each in self._sockets:
            each.close()

    async def _take(self, listening: socket.socket) -> None:
        is_told = False
        while True:
            while not self._has_room():
                await asyncio.sleep(_MOMENT)
            try:
                taken, _ = await self._loop.sock_accept(listening)
            except ConnectionAbortedError:  # closed before it was accepted
                await asyncio.sleep(0)
                continue
            except OSError as error:
                if not is_told:
                    self._report(f"Nobody can join for now: {error.strerror or error}; the matches continue")
                is_told = True
                await asyncio.sleep(RETRY_SECONDS)
                continue
            is_told = False
            try:
                await self._loop.connect_accepted_socket(self._make, taken)
            except OSError:  # closed already
                with contextlib.suppress(OSError):
                    taken.close()
