"""Bytes that somebody sends, as lines: how long one may be, for whoever listens."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator

LONGEST_LINE = 4096
"""Bytes of a line without the line feed that ends it."""


class Lines:
    """Parts of any size in, lines without their ends out. Never keeps more than a line and a part."""

    def __init__(self) -> None:
        self._begun = b""

    @property
    def has_begun(self) -> bool:
        """Whether a line has come in part."""
        return bool(self._begun)

    def of(self, part: bytes) -> Iterator[bytes]:
        """The lines that this part ends. Raises ValueError after those before a line that is too long.

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
    """Raises ValueError for a line, without its end, that is too long."""
    if len(line) > LONGEST_LINE:
        raise ValueError(f"a line of more than {LONGEST_LINE} bytes")


def prepare(connection: socket.socket) -> None:
    """Send at once what is to be sent, and let the system find out about a side that is gone without a word."""
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in (("TCP_KEEPIDLE", 20), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3)):
            if hasattr(socket, name):
                connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
