"""Where strangers come in: connections are taken one after another, and no error of the system ends that."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable

WAITING_LINE = 256
"""Connections that the system keeps until they are taken."""
PAUSE = 1.0
"""Seconds until the next attempt where the system has no room for a connection."""
_MOMENT = 0.02  # seconds until it is asked again whether there is room here


class Listening:
    """An address that connections are taken at. Close it in the end.

    make: a protocol for a connection. has_room: asked before each; while it says no, further ones wait in line.
    report: called with a line when the system has no room, as for too many open files, and not again until it has.
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
        """At every address that the name stands for; port 0: any free one. Raises OSError where that cannot be."""
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
        """Host and port, of the first if there are several."""
        host, port = self._sockets[0].getsockname()[:2]
        return str(host), int(port)

    def close(self) -> None:
        """No further ones; those that were taken stay."""
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
            except ConnectionAbortedError:  # gone before it was taken
                await asyncio.sleep(0)
                continue
            except OSError as error:
                if not is_told:
                    self._report(f"Nobody can join for now: {error.strerror or error}; the matches go on")
                is_told = True
                await asyncio.sleep(PAUSE)
                continue
            is_told = False
            try:
                await self._loop.connect_accepted_socket(self._make, taken)
            except OSError:  # gone already
                with contextlib.suppress(OSError):
                    taken.close()
