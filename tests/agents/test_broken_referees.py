"""`join` and a referee that is broken, silent or wants harm: a line that says so, in bounded time and memory."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from unittest import mock

import pytest
from support.programs import call, complaint

from tictactoe.agents import client, socket_line
from tictactoe.agents.client import Address, RefusedError, Visit
from tictactoe.agents.messages import Begin, End, Error, FromPlayer, FromReferee, GoalDrawn, Join, Quit, Turn, Welcome
from tictactoe.agents.strategy_agent import uniform_agent
from tictactoe.games.tic_tac_toe_tree import GameTree

WELCOME = Welcome("Ann", "token", 60.0)
BEGIN = Begin(1, "Bob", 5, "three-in-a-row")
GOAL = GoalDrawn(1, "first", "win", (0, 0))
TURN = Turn(1, ())
SILENCE, LOST = TimeoutError(), None

Said = FromReferee | TimeoutError | ValueError | None


class Script:
    """Connections on which a referee says what it says, one after another; the last one again and again."""

    def __init__(self, *connections: list[Said]) -> None:
        self.connections = list(connections)
        self.heard: list[FromPlayer] = []
        self.open: list[ScriptedLine] = []
        self.most_open = 0

    def __call__(self, *_: object) -> ScriptedLine:
        saying = self.connections.pop(0) if len(self.connections) > 1 else self.connections[0]
        self.open.append(ScriptedLine(self, list(saying)))
        self.most_open = max(self.most_open, len(self.open))
        return self.open[-1]


class ScriptedLine:
    def __init__(self, script: Script, saying: list[Said]) -> None:
        self.script, self.saying = script, saying
        self.waited: list[float | None] = []

    def send(self, message: FromPlayer) -> None:
        self.script.heard.append(message)

    def receive(self, seconds: float | None) -> FromReferee | None:
        self.waited.append(seconds)
        said = self.saying.pop(0)
        if isinstance(said, Exception):
            raise said
        return said

    def close(self) -> None:
        self.script.open.remove(self)


class Clock:
    """Time that passes when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(client, "time", found)
    return found


def visited(script: Script, said: list[str] | None = None, token: str | None = None) -> str:
    """What comes of it: the goodbye, or the error."""
    told = [] if said is None else said
    visit = Visit(Address("127.0.0.1", 9), "Ann", told.append, token, patience=3.0)
    with mock.patch.object(client, "connected", script):
        try:
            return visit.play(uniform_agent(GameTree.build(), 1))
        except RefusedError as error:
            return str(error).removeprefix("127.0.0.1:9: ")
        finally:
            visit.close()
            assert script.open == []


CANNOT_BE = "the referee says what cannot be: "


@pytest.mark.parametrize(
    ("saying", "problem"),
    [
        ([SILENCE], "the referee does not answer"),
        ([Error("no"), SILENCE], "no"),
        ([Error("n" * 4000), LOST], "n" * 200),
        ([LOST], "the referee has closed the connection"),
        ([BEGIN], CANNOT_BE + "begin where welcome is due"),
        ([TURN], CANNOT_BE + "turn where welcome is due"),
        ([WELCOME, WELCOME], CANNOT_BE + "welcome twice"),
        ([WELCOME, TURN], CANNOT_BE + "turn where begin is due"),
        ([WELCOME, BEGIN, TURN], CANNOT_BE + "turn where goal or end is due"),
        ([WELCOME, BEGIN, GOAL, Turn(1, (5, 5))], CANNOT_BE + "a square is marked twice"),
        (
            [WELCOME, BEGIN, End(False, (0, 0), "so"), Begin(2, "Bob", 4, "three-in-a-row")],
            CANNOT_BE + "a match by other rules, or to more or fewer points, than the one before",
        ),
        (
            [Welcome("Ann", "token", 60.0, 9)],
            "the referee speaks version 9 of the protocol, and this program version 1: use the same version of the "
            "program on both sides",
        ),
        ([ValueError("a line of more\x1b[2J")], "this is no referee of ours: a line of more?[2J"),
    ],
)
def test_what_no_referee_says(saying: list[Said], problem: str) -> None:
    assert visited(Script(saying)) == problem


def test_how_long_a_referee_may_take() -> None:
    """Seconds for a welcome: the player's patience. For a turn: patience and the time for a move. Before a match, while
    players are missing: no limit."""
    script = Script([WELCOME, BEGIN, GOAL, TURN, Quit("over")])
    with mock.patch.object(ScriptedLine, "close"):
        script.open.clear()
        visit = Visit(Address("127.0.0.1", 9), "Ann", print, patience=3.0)
        with mock.patch.object(client, "connected", script):
            assert visit.play(uniform_agent(GameTree.build(), 1)) == "over"
    assert script.open[0].waited == [3.0, None, 63.0, 63.0, 63.0]


def test_a_referee_that_falls_silent_is_asked_on_another_connection() -> None:
    """An honest referee continues there. Until then the client keeps the first connection: it never counts as away."""
    said: list[str] = []
    script = Script([WELCOME, BEGIN, GOAL, SILENCE], [WELCOME, BEGIN, GOAL, TURN, Quit("over")])
    assert visited(script, said) == "over"
    assert said == ["the referee says nothing; asking it again"]
    assert script.most_open == 2
    assert [message for message in script.heard if isinstance(message, Join)] == [
        Join("Ann"),
        Join("Ann", token="token"),
    ]
    assert visited(Script([WELCOME, BEGIN, GOAL, SILENCE], [SILENCE])) == "the referee does not answer"


@pytest.mark.parametrize("saying", [[WELCOME, LOST], [LOST]])
def test_connections_that_are_lost_at_once(saying: list[Said], clock: Clock) -> None:
    """The client tries again until its patience is over."""
    said: list[str] = []
    began = clock.now
    problem = "every connection is lost at once, and nothing is said on it"
    assert visited(Script(saying), said, token="token") == problem
    assert 3.0 < clock.now - began < 4.0
    assert 3 < len(said) < 30


Serve = Callable[[socket.socket], object]


@contextlib.contextmanager
def server(serve: Serve) -> Iterator[tuple[str, int]]:
    """The address of one that takes a connection."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def run() -> None:
            with contextlib.suppress(OSError):
                taken, _ = listening.accept()
                with taken:
                    serve(taken)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        host, port = listening.getsockname()
        yield host, port
    thread.join(60)


@pytest.mark.parametrize("part", [b"", b'{"type":', b'\n{"type":'])
def test_silence_on_a_socket(part: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before a line, or in the middle of one, where there is no other limit."""
    monkeypatch.setattr(socket_line, "LEAST_SECONDS", 0.01)
    done = threading.Event()

    def serve(taken: socket.socket) -> None:
        taken.sendall(part)
        done.wait(60)

    with server(serve) as address:
        line = socket_line.connected(address, 60.0, 0.1)
        if part.startswith(b"\n"):
            with pytest.raises(ValueError, match="not a message"):
                line.receive(None)
        with pytest.raises(TimeoutError):
            line.receive(None if part else 0.1)
        line.close()
        done.set()


def test_a_line_that_never_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """A byte now and then, more often than patience is long; and many at once."""
    monkeypatch.setattr(socket_line, "LEAST_SECONDS", 0.01)

    def drip(taken: socket.socket) -> None:
        for _ in range(10**6):
            taken.sendall(b" ")

    def pour(taken: socket.socket) -> None:
        for _ in range(10**4):
            taken.sendall(bytes(10**5))

    times = iter(range(10**9))
    for serve, error in ((drip, (TimeoutError, ValueError)), (pour, ValueError)):
        with server(serve) as address:
            line = socket_line.connected(address, 60.0, 30.0)
            monkeypatch.setattr(socket_line, "time", SimpleNamespace(monotonic=lambda: float(next(times))))
            with pytest.raises(error):
                line.receive(None)
            monkeypatch.undo()
            line.close()


@pytest.mark.parametrize("who", [("--name", "Ann"), ("--agent", "perfect")])
@pytest.mark.parametrize("saying", [[WELCOME, TURN], [WELCOME, BEGIN, TURN], [WELCOME, BEGIN, GOAL, Turn(1, (1,))]])
def test_the_command(who: tuple[str, str], saying: list[Said]) -> None:
    """A line on standard error, whoever plays."""
    with mock.patch("tictactoe.agents.client.connected", Script(saying)):
        result = call("join", "127.0.0.1:9", *who, typed="")
    assert CANNOT_BE in result.err
    assert len(result.err.splitlines()) == 1
    assert complaint(type(result)(result.code, "", result.err), 1, "join")
