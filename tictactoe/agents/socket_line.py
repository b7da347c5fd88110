"""A player's connection to a referee, who may be anybody: nothing waits for longer than was agreed."""

from __future__ import annotations

import socket
import time
from collections import deque
from typing import Protocol

from .lines import Lines, prepare
from .messages import FromPlayer, FromReferee, from_referee, line_of

LEAST_SECONDS = 2.0
"""That the other side has for anything, however little patience there is."""


class Line(Protocol):
    """What messages go through, both ways."""

    def send(self, message: FromPlayer) -> None: ...
    def receive(self, seconds: float | None) -> FromReferee | None: ...
    def close(self) -> None: ...


class SocketLine:
    """A connection to a host and port. Raises OSError when it cannot be made within so many seconds.

    patience: seconds within which the other side takes what it is sent, and ends a line that it has begun.
    """

    def __init__(self, address: tuple[str, int], seconds: float, patience: float) -> None:
        self._socket = socket.create_connection(address, timeout=max(seconds, 0.1))
        prepare(self._socket)
        self._patience = max(patience, LEAST_SECONDS)
        self._lines = Lines()
        self._line_end: float | None = None  # when a line that has begun must have ended
        self._heard: deque[bytes] = deque()

    def send(self, message: FromPlayer) -> None:
        """Raises OSError when the connection is lost."""
        self._socket.settimeout(self._patience)
        self._socket.sendall(line_of(message))

    def receive(self, seconds: float | None) -> FromReferee | None:
        """The next message, None at the end. seconds: until it must have begun; None: any time.

        Raises TimeoutError when it has not come in time, another OSError for a lost connection, ValueError for no
        message.
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
        """Leave without a word."""
        self._socket.close()


def _until(end: float | None) -> float | None:
    """The seconds that are left; TimeoutError when there are none."""
    if end is None:
        return None
    left = end - time.monotonic()
    if left <= 0.0:
        raise TimeoutError("nothing has come in time")
    return left


def connected(address: tuple[str, int], seconds: float, patience: float) -> Line:
    """A connection, made within so many seconds. Raises OSError."""
    return SocketLine(address, seconds, patience)
