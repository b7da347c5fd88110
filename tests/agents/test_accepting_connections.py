"""Accepting players: all who join at once, never more than fit, and no error of the system ends it."""

import asyncio
import errno
import os
import socket
from typing import Any

import pytest
from support.network import Wire, held, tournament
from support.slowness import slow

from tictactoe.agents import connection, network_referee
from tictactoe.agents.connection import Connection
from tictactoe.agents.results import open_files_allowed


@pytest.mark.parametrize("code", [errno.EMFILE, errno.ECONNABORTED, *slow(errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)])
async def test_the_system_has_no_room(code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ann and Bob, who are there already, play on. Eve comes in when there is room again. Nothing is thrown."""
    monkeypatch.setattr(connection, "RETRY_SECONDS", 0.01)
    accept = socket.socket.accept
    errors = iter([OSError(code, os.strerror(code))] * 3)
    thrown: list[dict[str, Any]] = []

    def failing(listens: socket.socket) -> tuple[socket.socket, Any]:
        for error in errors:
            raise error
        return accept(listens)

    asyncio.get_running_loop().set_exception_handler(lambda _, context: thrown.append(context))
    async with held(tournament(), 3) as referee:
        referee.join("Ann", "Bob")
        await referee.until("2 of 3 players are there")
        monkeypatch.setattr(socket.socket, "accept", failing)
        referee.join("Eve")
        await referee.over()
    assert referee.reasons() == [""] * 6
    assert thrown == []
    warnings = [line for line in referee.said if line.startswith("Nobody can join for now: ")]
    expected = f"Nobody can join for now: {os.strerror(code)}; the matches go on"
    assert warnings == ([] if code == errno.ECONNABORTED else [expected])


async def test_all_who_join_at_once_are_let_in() -> None:
    assert open_files_allowed(600) >= 600

    async def first_word(port: int, number: int) -> dict[str, Any]:
        wire = await Wire.to(port)
        await asyncio.sleep(0)  # others come in between
        wire.say(type="join", name=f"player {number}")
        heard = await wire.hear()
        wire.cut()
        return heard

    async with held(tournament(), 201, killed=True) as referee:
        words = await asyncio.gather(*(first_word(referee.port, number) for number in range(200)))
    assert {message["type"] for message in words} == {"welcome"}


async def test_no_more_are_open_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A silent crowd, whose dismissed connections close slowly. Ten strangers stay, and one for each absent player."""
    monkeypatch.setattr(network_referee, "MOST_STRANGERS", 10)
    monkeypatch.setattr(network_referee, "_LEAVING", 3)
    monkeypatch.setattr(Connection, "end", lambda connection, *messages: connection.send(*messages))  # never goes
    numbers: set[tuple[int, int]] = set()

    async with held(tournament(), 3) as referee:
        silent = [await Wire.to(referee.port) for _ in range(40)]
        while referee.referee._num_open < 16:
            await asyncio.sleep(0.005)
        for _ in range(10):
            await asyncio.sleep(0.005)
            numbers.add((referee.referee._num_open, len(referee.referee._strangers)))
        for wire in silent:
            wire.cut()
        monkeypatch.undo()
        referee.join("Ann", "Bob", "Eve")
        await referee.over()
    assert referee.reasons() == [""] * 6
    assert numbers == {(16, 13)}
