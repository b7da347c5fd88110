"""A referee in this process, on a port of its own, and players who talk to it through real sockets."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NamedTuple

from support.waiting import HANGS

from tictactoe import Rules
from tictactoe.agents.agent import MakeAgent
from tictactoe.agents.named import built_in_agents
from tictactoe.agents.network_player import Patience
from tictactoe.agents.network_referee import Referee
from tictactoe.agents.results import Agreed, Results


class Tournament(NamedTuple):
    agreed: Agreed
    agents: dict[str, MakeAgent]
    patience: Patience


def tournament(
    winning_score: int = 1,
    matches: int = 2,
    seed: int | None = 1,
    agents: tuple[str, ...] = (),
    seconds: float = 20.0,
    grace: float = 20.0,
    rules: str = "three-in-a-row",
) -> Tournament:
    made = built_in_agents(agents, Rules.parse(rules), winning_score)
    return Tournament(Agreed(winning_score, rules, matches, seed, agents), made, Patience(seconds, grace))


class Host:
    """Whoever listens at a port. said: its reports. ended: is set when all is over."""

    ended: asyncio.Event

    def __init__(self) -> None:
        self.said: list[str] = []
        self.port = 0

    async def over(self) -> None:
        async with asyncio.timeout(HANGS):
            await self.ended.wait()

    async def until(self, pattern: str) -> None:
        async with asyncio.timeout(HANGS):
            while not any(pattern in line for line in self.said):
                await asyncio.sleep(0.005)


class Held(Host):
    """A listening referee. wires: in the end, the connections of those who join."""

    def __init__(self, held: Tournament, most: int, results: Results | None = None) -> None:
        super().__init__()
        self.results = results or Results(held.agreed)
        self.referee = Referee(self.results, held.agents, held.patience, most, self.said.append)
        self.ended = self.referee.over
        self.playing: list[asyncio.Task[Wire]] = []
        self.wires: list[Wire] = []

    def join(self, *names: str, choice: "Choice | None" = None) -> None:
        self.playing += [asyncio.create_task(player(self.port, name, choice or lowest)) for name in names]

    def reasons(self) -> list[str]:
        return [self.results.matches[number].reason for number in sorted(self.results.matches)]


@contextlib.asynccontextmanager
async def held(
    settings: Tournament, most: int, results: Results | None = None, *, killed: bool = False
) -> AsyncIterator[Held]:
    """A listening referee. killed: it ends without a goodbye."""
    tournament = Held(settings, most, results)
    server = await tournament.referee.listen("127.0.0.1", 0)
    tournament.port = server.address[1]
    try:
        yield tournament
    finally:
        if killed:
            server.close()
            tournament.referee.stop()
            for connection in list(tournament.referee._joined):
                connection._transport.abort()
        else:
            await tournament.referee.close(server)
    tournament.wires = await together(*tournament.playing)


class Wire:
    """A player's connection. heard: the messages received; raw: their bytes; lines: these, and what it says."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.heard: list[dict[str, Any]] = []
        self.raw = b""
        self.lines: list[str] = []

    @classmethod
    async def to(cls, port: int) -> "Wire":
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    @classmethod
    async def joined(cls, port: int, name: str, **more: object) -> "Wire":
        wire = await cls.to(port)
        wire.say(type="join", name=name, **more)
        return wire

    def say(self, **message: object) -> None:
        line = json.dumps(message, separators=(",", ":"))
        self.lines.append(f"> {line}")
        self.write(f"{line}\n".encode())

    def write(self, data: bytes) -> None:
        self.writer.write(data)

    async def hear(self, *types: str) -> dict[str, Any]:
        """The next message, or the next one of these types; an empty one at the end."""
        async with asyncio.timeout(HANGS):
            while True:
                line = await self.reader.readline()
                if not line:
                    return {}
                self.raw += line
                self.lines.append(f"< {line.decode().strip()}")
                self.heard.append(json.loads(line))
                if not types or self.heard[-1]["type"] in types:
                    return self.heard[-1]

    async def rest(self) -> list[dict[str, Any]]:
        with contextlib.suppress(ConnectionError):
            while await self.hear():
                pass
        return self.heard

    def cut(self) -> None:
        self.writer.transport.abort()


Choice = Callable[[dict[str, Any]], int]


def lowest(turn: dict[str, Any]) -> int:
    return min(set(range(1, 10)) - set(turn["moves"]))


def highest(turn: dict[str, Any]) -> int:
    return max(set(range(1, 10)) - set(turn["moves"]))


async def play(wire: Wire, choice: Choice = lowest) -> "Wire":
    with contextlib.suppress(ConnectionError):
        while (message := await wire.hear()) and message["type"] != "quit":
            if message["type"] == "turn":
                wire.say(type="move", square=choice(message), turn=message["turn"])
    wire.writer.close()
    return wire


async def player(port: int, name: str, choice: Choice = lowest) -> "Wire":
    return await play(await Wire.joined(port, name), choice)


async def together(*players: Awaitable[Wire]) -> list[Wire]:
    async with asyncio.timeout(HANGS):
        return list(await asyncio.gather(*players))


class Recorder:
    """An agent of this process that chooses as a player on the network does, and keeps every event that it hears."""

    def __init__(self, choice: Choice = lowest) -> None:
        self.heard: list[Any] = []
        self._choice = choice
        self.begin_match = self.begin_round = self.end_round = self.end_match = self.heard.append

    def choose(self, moves: tuple[int, ...]) -> int:
        return self._choice({"moves": moves})
