"""Accepting strangers' connections, one after another. No error of the system ends it."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable

WAITING_LINE = 256
"""Connections that the system keeps in line until they are accepted."""
RETRY_SECONDS = 1.0
"""Seconds until the next attempt when the system has no room for a connection."""
_MOMENT = 0.02  # seconds between two calls of has_room


class Listening:
    """Accepts connections at an address until it is closed.

    make: makes the protocol of a connection. has_room: called before each connection; while it returns False, new
    connections wait in line. report: called with a line of text when the system has no room, as for too many open
    files, and again only after a success.
    """

    def __init__(
        self, make: Callable[[], asyncio.Protocol], has_room: Callable[[], bool], report: Callable[[str], object]
    ) -> None:
        self._make = make
        self._has_room = has_room
        self._report = report
        self._loop = asyncio.get_running_loop()
        self._sockets: list[socket.socket] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self, host: str, port: int) -> None:
        """Listen at every address of the host. port: 0 for any free one. Raises OSError for an unusable address."""
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
        """Host and port of the first socket."""
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
                    self._report(f"Nobody can join for now: {error.strerror or error}; the matches go on")
                is_told = True
                await asyncio.sleep(RETRY_SECONDS)
                continue
            is_told = False
            try:
                await self._loop.connect_accepted_socket(self._make, taken)
            except OSError:  # closed already
                with contextlib.suppress(OSError):
                    taken.close()
