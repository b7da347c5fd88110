"""Splitting received bytes into lines of limited length, and the settings of a socket."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator

LONGEST_LINE = 4096
"""Bytes of a line, at most, without its line feed."""


class Lines:
    """Splits parts of any size into lines without their line feeds. Never keeps more than a line and a part."""

    def __init__(self) -> None:
        self._begun = b""

    @property
    def has_begun(self) -> bool:
        """Whether the first part of a line has arrived, and not yet the rest."""
        return bool(self._begun)

    def of(self, part: bytes) -> Iterator[bytes]:
        """The lines that this part completes. Raises ValueError at a line that is too long, after the lines before it.

        >>> lines = Lines()
        >>> list(lines.of(b'{"type":')), list(lines.of(b'"quit"}' + bytes([10])))
        ([], [b'{"type":"quit"}'])
        """
        *whole, self._begun = (self._begun + part).split(b"\n")
        for line in whole:
            require_length(line)
            yield line
        require_length(self._begun)


def require_length(line: bytes) -> None:
    """Raise ValueError for a line, without its line feed, that is too long."""
    if len(line) > LONGEST_LINE:
        raise ValueError(f"a line of more than {LONGEST_LINE} bytes")


def prepare(connection: socket.socket) -> None:
    """Let the socket send without delay, and let the system detect an other side that has vanished."""
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in (("TCP_KEEPIDLE", 20), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3)):
            if hasattr(socket, name):
                connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
