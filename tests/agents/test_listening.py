"""Accepting players: all who join at once, never more than fit, and no error of the system ends it."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
from typing import Any

import pytest
from support.network import Wire, held, player, together, tournament

from tictactoe.agents import listening, network_referee
from tictactoe.agents.connection import Connection
from tictactoe.agents.open_files import open_files_allowed


@pytest.mark.parametrize("code", [errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.ECONNABORTED])
def test_the_system_has_no_room(code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ann and Bob, who are there already, play on. Eve comes in when there is room again. Nothing is thrown."""
    monkeypatch.setattr(listening, "RETRY_SECONDS", 0.01)
    accept = socket.socket.accept
    failures = 0
    thrown: list[dict[str, Any]] = []

    def failing(listens: socket.socket) -> tuple[socket.socket, Any]:
        nonlocal failures
        if 0 < failures < 4:
            failures += 1
            raise OSError(code, os.strerror(code))
        return accept(listens)

    async def main() -> list[str]:
        nonlocal failures
        asyncio.get_running_loop().set_exception_handler(lambda _, context: thrown.append(context))
        async with held(tournament(), 3) as found:
            playing = [asyncio.create_task(player(found.port, name)) for name in ("Ann", "Bob")]
            await found.until("2 of 3 players are there")
            monkeypatch.setattr(socket.socket, "accept", failing)
            failures = 1
            playing.append(asyncio.create_task(player(found.port, "Eve")))
            await found.over()
        await together(*playing)
        assert found.reasons() == [""] * 6
        return found.said

    said = asyncio.run(main())
    assert thrown == []
    told = [line for line in said if line.startswith("Nobody can join for now: ")]
    expected = f"Nobody can join for now: {os.strerror(code)}; the matches go on"
    assert told == ([] if code == errno.ECONNABORTED else [expected])


def test_all_who_join_at_once_are_let_in() -> None:
    assert open_files_allowed(600) >= 600

    async def first_word(port: int, number: int) -> dict[str, Any]:
        wire = await Wire.to(port)
        await asyncio.sleep(0)  # others come in between
        wire.say(type="join", name=f"player {number}")
        heard = await wire.hear()
        wire.cut()
        return heard

    async def main() -> list[dict[str, Any]]:
        async with held(tournament(), 201, killed=True) as found:
            return list(await asyncio.gather(*(first_word(found.port, number) for number in range(200))))

    assert {message["type"] for message in asyncio.run(main())} == {"welcome"}


def test_no_more_are_open_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A silent crowd, whose dismissed connections close slowly."""
    monkeypatch.setattr(network_referee, "MOST_STRANGERS", 10)
    monkeypatch.setattr(network_referee, "_LEAVING", 3)
    monkeypatch.setattr(Connection, "end", lambda connection, *messages: connection.send(*messages))  # never goes
    numbers: list[int] = []

    async def main() -> None:
        async with held(tournament(), 3) as found:
            silent = [await Wire.to(found.port) for _ in range(40)]
            while found.referee._num_open < 16:
                await asyncio.sleep(0.005)
            for _ in range(10):
                await asyncio.sleep(0.005)
                numbers.append(found.referee._num_open)
            for wire in silent:
                wire.cut()
            monkeypatch.undo()
            playing = [asyncio.create_task(player(found.port, name)) for name in ("Ann", "Bob", "Eve")]
            await found.over()
        await together(*playing)
        assert found.reasons() == [""] * 6

    asyncio.run(main())
    assert set(numbers) == {16}


def test_every_address_of_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Taken together or not at all."""

    async def main() -> int:
        loop = asyncio.get_running_loop()
        places = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, 0)) for host in ("127.0.0.1", "192.0.2.1")]

        async def both(*_: object, **more: object) -> list[Any]:
            return places

        monkeypatch.setattr(loop, "getaddrinfo", both)
        found = listening.Listening(asyncio.Protocol, lambda: True, print)
        with pytest.raises(OSError, match="assign"):
            await found.start("anything", 0)
        assert [each.fileno() for each in found._sockets] == [-1]
        places.pop()
        again = listening.Listening(asyncio.Protocol, lambda: True, print)
        await again.start("anything", 0)
        again.close()
        return len(again._sockets)

    assert asyncio.run(main()) == 1
