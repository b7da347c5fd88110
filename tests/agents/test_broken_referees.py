"""`network join` and a referee that is broken, silent or wants harm: one line, in bounded time and memory."""

from types import SimpleNamespace
from unittest import mock
from unittest.mock import Mock

import pytest
from support.programs import Result, call, complaint

from tictactoe.agents import client, connection
from tictactoe.agents.client import Address, RefusedError, Visit
from tictactoe.agents.messages import Begin, End, Error, FromPlayer, FromReferee, GoalDrawn, Join, Quit, Turn, Welcome
from tictactoe.agents.strategy_agent import uniform_agent
from tictactoe.games.tic_tac_toe_tree import GameTree

WELCOME = Welcome("Ann", "token", 60.0)
BEGIN = Begin(1, "Bob", 5, "three-in-a-row")
GOAL = GoalDrawn(1, "first", "win", (0, 0))
TURN = Turn(1, ())
SILENCE, LOST = TimeoutError(), None

Said = FromReferee | Exception | None


class Script:
    def __init__(self, *connections: list[Said]) -> None:
        self.connections = list(connections)
        self.heard: list[FromPlayer] = []
        self.waited: list[float | None] = []
        self.num_open = self.most_open = 0

    def __call__(self, *_: object) -> SimpleNamespace:
        saying = iter(self.connections.pop(0) if len(self.connections) > 1 else self.connections[0])

        def receive(seconds: float | None) -> FromReferee | None:
            self.waited.append(seconds)
            said = next(saying)
            if isinstance(said, Exception):
                raise said
            return said

        self._count(1)
        return SimpleNamespace(send=self.heard.append, receive=receive, close=lambda: self._count(-1))

    def _count(self, change: int) -> None:
        self.num_open += change
        self.most_open = max(self.most_open, self.num_open)


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    clock = SimpleNamespace(now=1000.0, monotonic=lambda: clock.now)
    clock.sleep = lambda seconds: setattr(clock, "now", clock.now + seconds)
    monkeypatch.setattr(client, "time", clock)
    return clock


def visited(script: Script, said: list[str] | None = None, token: str | None = None) -> str:
    visit = Visit(Address("127.0.0.1", 9), "Ann", [].append if said is None else said.append, token, patience=3.0)
    with mock.patch.object(client, "Line", script):
        try:
            return visit.play(uniform_agent(GameTree.build(), 1))
        except RefusedError as error:
            return str(error).removeprefix("127.0.0.1:9: ")
        finally:
            visit.close()
            assert script.num_open == 0


CANNOT_BE = "the referee breaks the protocol: "


@pytest.mark.parametrize(
    ("saying", "problem"),
    [
        ([SILENCE], "the referee does not answer"),
        ([Error("no"), SILENCE], "no"),
        ([Error("n" * 4000), LOST], "n" * 200),
        ([LOST], "the referee has closed the connection"),
        ([TURN], CANNOT_BE + "turn where welcome is due"),
        ([WELCOME, WELCOME], CANNOT_BE + "welcome twice"),
        ([WELCOME, BEGIN, GOAL, Turn(1, (5, 5))], CANNOT_BE + "a square is marked twice"),
        (
            [WELCOME, BEGIN, End(False, (0, 0), "so"), Begin(2, "Bob", 4, "three-in-a-row")],
            CANNOT_BE + "a match with other rules or another winning score than the one before",
        ),
        (
            [Welcome("Ann", "token", 60.0, 9)],
            "the referee speaks version 9 of the protocol, and this program version 1: use the same version of the "
            "program on both sides",
        ),
        ([ValueError("a line of more\x1b[2J")], "this is not a referee of ours: a line of more?[2J"),
    ],
)
def test_what_no_referee_says(saying: list[Said], problem: str) -> None:
    assert visited(Script(saying)) == problem


def test_how_long_a_referee_may_take() -> None:
    """For a welcome the player's patience, for a turn also the time for a move. Before a match there is no limit."""
    script = Script([WELCOME, BEGIN, GOAL, TURN, Quit("over")])
    assert visited(script) == "over"
    assert script.waited == [3.0, None, 63.0, 63.0, 63.0]


def test_a_referee_that_falls_silent_is_asked_on_another_connection() -> None:
    """An honest referee continues there. Until then the client keeps the first connection: it never counts as away."""
    said: list[str] = []
    script = Script([WELCOME, BEGIN, GOAL, SILENCE], [WELCOME, BEGIN, GOAL, TURN, Quit("over")])
    assert visited(script, said) == "over"
    assert said == ["the referee is silent; asking it again"]
    assert script.most_open == 2
    joined = [message for message in script.heard if isinstance(message, Join)]
    assert joined == [Join("Ann"), Join("Ann", token="token")]
    assert visited(Script([WELCOME, BEGIN, GOAL, SILENCE], [SILENCE])) == "the referee does not answer"


@pytest.mark.parametrize("saying", [[WELCOME, LOST], [LOST]])
def test_connections_that_are_lost_at_once(saying: list[Said], clock: SimpleNamespace) -> None:
    said: list[str] = []
    began = clock.now
    problem = "every connection is lost immediately, before any message"
    assert visited(Script(saying), said, token="token") == problem
    assert 3.0 < clock.now - began < 4.0
    assert 3 < len(said) < 30


@pytest.mark.parametrize(
    ("parts", "seconds", "errors", "lasts"),
    [
        ([], 0.5, [TimeoutError], 0.5),
        ([b'{"type":'], None, [TimeoutError], 31.0),
        ([b'\n{"type":'], None, [ValueError, TimeoutError], 31.0),
        ([b" "] * 1000, None, [TimeoutError], 31.0),
        ([bytes(10**5)], None, [ValueError], 1.0),
        ([b"{", b"}\n"], 50.0, [ValueError, TimeoutError], 52.0),
    ],
    ids=["silence", "half", "half after a whole one", "without end", "long", "whole"],
)
def test_lines_that_do_not_come(
    parts: list[bytes],
    seconds: float | None,
    errors: list[type[Exception]],
    lasts: float,
    clock: SimpleNamespace,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A part comes each second. A line must be whole after 30 seconds, even if there is no limit for its begin."""
    coming, limits = iter(parts), []

    def receive(_size: int) -> bytes:
        part, limit = next(coming, b""), limits[-1]
        assert limit is None or limit > 0.0
        clock.sleep(1.0 if part else limit)
        if not part:
            raise TimeoutError
        return part

    monkeypatch.setattr(connection, "time", clock)
    monkeypatch.setattr("socket.create_connection", lambda *_, **__: Mock(recv=receive, settimeout=limits.append))
    line, began = connection.Line(("127.0.0.1", 9), 60.0, 30.0), clock.now
    for error in errors:
        with pytest.raises(error):
            line.receive(seconds)
    assert clock.now - began == pytest.approx(lasts)
    monkeypatch.setattr("socket.create_connection", lambda *_, **__: Mock(recv=lambda _: b""))
    assert connection.Line(("127.0.0.1", 9), 60.0, 30.0).receive(None) is None  # the end of a connection


@pytest.mark.parametrize("who", [("--name", "Ann"), ("perfect",)])
def test_the_command(who: tuple[str, str]) -> None:
    with mock.patch("tictactoe.agents.client.Line", Script([WELCOME, BEGIN, TURN])):
        result = call("network join", "127.0.0.1:9", *who, typed="")
    assert CANNOT_BE in complaint(Result(result.code, "", result.err), 1, "network join")
