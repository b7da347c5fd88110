"""The referee's end of a connection to a stranger: lines in, messages out, and limits for both."""

from __future__ import annotations

import asyncio
from typing import Protocol

from .lines import Lines, prepare
from .messages import Error, FromPlayer, FromReferee, Quit, from_player, line_of

MOST_UNREAD = 2**16
"""Bytes that a player may leave unread; a player who leaves more is disconnected."""
SPARE_LINES = 20
"""Lines that a player may send at once without a Turn. Every second and every Turn give one more line."""
LINGERING_SECONDS = 2.0
"""Seconds in which a closing connection may take the last messages."""


class Listener(Protocol):
    """Handles the events of connections."""

    def connected(self, connection: Connection) -> None: ...
    def heard(self, connection: Connection, message: FromPlayer) -> None: ...
    def heard_nonsense(self, connection: Connection, problem: str) -> None: ...
    def flooded(self, connection: Connection, problem: str) -> None: ...
    def lost(self, connection: Connection) -> None: ...


class Connection(asyncio.Protocol):
    """A connection that never waits for the other side: it ends if too many bytes stay unread."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._loop = asyncio.get_running_loop()
        self._lines = Lines()
        self._spare = float(SPARE_LINES)
        self._counted = self._loop.time()
        self._transport: asyncio.Transport | None = None

    @property
    def is_open(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Part of asyncio.Protocol."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        prepare(transport.get_extra_info("socket"))
        self._listener.connected(self)

    def data_received(self, data: bytes) -> None:
        """Part of asyncio.Protocol."""
        lines = self._lines.of(data)
        while self.is_open:
            try:
                line = next(lines, None)
            except ValueError as error:
                self._listener.flooded(self, str(error))
                return
            if line is None:
                return
            self._heard(line)

    def connection_lost(self, error: Exception | None) -> None:
        """Part of asyncio.Protocol."""
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
            message = from_player(line)
        except ValueError as error:
            self._listener.heard_nonsense(self, str(error))
        else:
            self._listener.heard(self, message)

    def may_answer(self) -> None:
        """Allow one more line, the answer to a Turn."""
        self._spare += 1.0

    def send(self, *messages: FromReferee) -> None:
        """Send messages, unless the connection is closed. Cuts the connection if the other side does not read."""
        if self._transport is None or self._transport.is_closing():
            return
        self._transport.write(b"".join(map(line_of, messages)))
        if self._transport.get_write_buffer_size() > MOST_UNREAD:
            self._transport.abort()

    def end(self, *messages: Error | Quit) -> None:
        """Send the last messages and close."""
        self.send(*messages)
        if self._transport is not None and not self._transport.is_closing():
            self._transport.close()
            self._loop.call_later(LINGERING_SECONDS, self._transport.abort)
