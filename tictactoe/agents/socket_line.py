"""A player's connection to an unknown referee: no call waits for longer than its time limit."""

from __future__ import annotations

import socket
import time
from collections import deque
from typing import Protocol

from .lines import Lines, prepare
from .messages import FromPlayer, FromReferee, from_referee, line_of

LEAST_SECONDS = 2.0
"""The time of the other side to send or take a message, at least, even with less patience."""


class Line(Protocol):
    """A channel for messages in both directions."""

    def send(self, message: FromPlayer) -> None: ...
    def receive(self, seconds: float | None) -> FromReferee | None: ...
    def close(self) -> None: ...


class SocketLine:
    """A connection to a host and port. Raises OSError when it cannot be made within `seconds`.

    patience: seconds that the other side has to take a message, and to complete a line that it has begun.
    """

    def __init__(self, address: tuple[str, int], seconds: float, patience: float) -> None:
        self._socket = socket.create_connection(address, timeout=max(seconds, 0.1))
        prepare(self._socket)
        self._patience = max(patience, LEAST_SECONDS)
        self._lines = Lines()
        self._line_end: float | None = None  # the time at which the unfinished line must be complete
        self._heard: deque[bytes] = deque()

    def send(self, message: FromPlayer) -> None:
        """Send a message. Raises OSError for a lost connection."""
        self._socket.settimeout(self._patience)
        self._socket.sendall(line_of(message))

    def receive(self, seconds: float | None) -> FromReferee | None:
        """The next message; None at the end of the connection. seconds: its latest beginning; None for no limit.

        Raises TimeoutError for a late message, another OSError for a lost connection, and ValueError for a line that is
        no message.
        """
        end = None if seconds is None else time.monotonic() + seconds
        while not self._heard:
            self._socket.settimeout(_until(self._line_end or end))
            part = self._socket.recv(1 << 16)
            if not part:
                return None
            self._heard.extend(self._lines.of(part))
            if not self._lines.has_begun:
                self._line_end = None
            elif self._heard or self._line_end is None:
                self._line_end = time.monotonic() + self._patience
        return from_referee(self._heard.popleft())

    def close(self) -> None:
        """Leave without goodbye."""
        self._socket.close()


def _until(end: float | None) -> float | None:
    """The seconds left until `end`; None for no limit. Raises TimeoutError when no time is left."""
    if end is None:
        return None
    left = end - time.monotonic()
    if left <= 0.0:
        raise TimeoutError("nothing has come in time")
    return left


def connected(address: tuple[str, int], seconds: float, patience: float) -> Line:
    """Connect within `seconds`. Raises OSError."""
    return SocketLine(address, seconds, patience)
