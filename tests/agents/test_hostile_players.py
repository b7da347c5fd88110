"""Players who cheat, flood, hang, imitate or vanish: they get a clear error or lose; nobody else notices."""

import asyncio
import socket
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from support.network import Held, Wire, held, highest, lowest, play, player, tournament
from support.waiting import HANGS

from tictactoe.agents import connection, network_reception
from tictactoe.agents.messages import LONGEST_LINE, Error
from tictactoe.agents.network_player import NetworkPlayer, Patience

Attack = Callable[[Held], Awaitable[Wire]]


@pytest.fixture(autouse=True)
def _only_attackers_are_short_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    make = NetworkPlayer.__init__

    def patient(self: NetworkPlayer, name: str, token: str, patience: Patience, *more: Any) -> None:
        make(self, name, token, Patience(HANGS, HANGS) if name in ("Ann", "Bob") else patience, *more)

    monkeypatch.setattr(NetworkPlayer, "__init__", patient)


async def run(attack: Attack, **changes: float) -> tuple[Held, Wire]:
    """The tournament of Ann, Bob and Eve with that attack, of which nobody else has noticed anything."""
    async with held(tournament(**changes), 3) as referee:
        attacking = asyncio.create_task(attack(referee))
        for name, choice in (("Ann", lowest), ("Bob", highest)):
            wire = await Wire.joined(referee.port, name)
            await wire.hear("welcome")
            referee.playing.append(asyncio.create_task(play(wire, choice)))
        await referee.over()
    undisturbed(referee)
    return referee, await attacking


def undisturbed(referee: Held) -> None:
    """All results are there; Ann and Bob were told only that Eve had left or was back, and played as if alone."""
    assert len(referee.results.matches) == 6
    assert not referee.referee._strangers
    for wire in referee.wires[:2]:
        assert [said for said in errors(wire) if not said.startswith(("Eve has left; ", "Eve is back"))] == []
        assert wire.heard[-1]["type"] == "quit"
        assert max(map(len, wire.raw.split(b"\n"))) <= LONGEST_LINE, "whatever somebody else has said"
        types = Counter(message["type"] for message in wire.heard)
        assert types["begin"] == types["end"]
    for result in referee.results.matches.values():
        if result.names == ("Ann", "Bob"):
            assert result.reason == ""
            assert result.winner in ("Ann", "Bob")


def reasons_of_eve(referee: Held) -> list[str]:
    hers = [each for each in referee.results.matches.values() if "Eve" in each.names]
    assert not any(each.reason and each.winner == "Eve" for each in hers)
    return [each.reason for each in hers]


def errors(wire: Wire) -> list[str]:
    return [message["message"] for message in wire.heard if message["type"] == "error"]


def answering(answer: Callable[[Wire, dict[str, Any]], object]) -> Attack:
    async def attack(referee: Held) -> Wire:
        wire = await Wire.joined(referee.port, "Eve")
        while (message := await wire.hear()) and message["type"] != "quit":
            if message["type"] == "turn":
                answer(wire, message)
        return wire

    return attack


def at_the_first_turn(act: Callable[[Wire], object]) -> Attack:
    async def attack(referee: Held) -> Wire:
        wire = await Wire.joined(referee.port, "Eve")
        await wire.hear("turn")
        act(wire)
        await wire.rest()
        return wire

    return attack


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b'{"type":"move","square":10,"turn":1}', "not a message: square: expected int <= 9"),
        (b"[" * 3000, "not a message: "),
        (b'{"type":"quit","' + b"x" * 4070 + b'":1}', "not a message: contains unknown field xxx"),
        (b'{"type":"join","name":"Ann"}', "you have joined already"),
    ],
    ids=["no square", "nested", "long", "join"],
)
async def test_answers_that_are_none(answer: bytes, error: str) -> None:
    """An error each time. A few of them lose the match, three such matches all of them."""
    referee, wire = await run(answering(lambda wire, turn: wire.write(answer + b"\n" + answer + b"\n")), matches=2)
    assert errors(wire)[:2] == [errors(wire)[0]] * 2
    assert errors(wire)[0].startswith(error)
    *lost, last = reasons_of_eve(referee)
    start = f"Eve has made too many mistakes; the last one: {error}"
    assert [reason.startswith(start) for reason in lost] == [True] * 3
    assert last == "Eve did not play"
    assert wire.heard[-1] == {"type": "quit", "reason": "you are out: 3 matches forfeited one after another"}


async def test_illegal_moves_may_be_mended() -> None:
    wrong: Counter[int] = Counter()

    def answer(wire: Wire, turn: dict[str, Any]) -> None:
        moves = turn["moves"]
        match = sum(message["type"] == "begin" for message in wire.heard)
        wrong[match] += bool(moves)
        wire.say(type="move", square=moves[0] if moves and wrong[match] <= 3 else lowest(turn), turn=turn["turn"])

    referee, wire = await run(answering(answer))
    assert referee.reasons() == [""] * 6
    assert len(errors(wire)) == 12
    assert all(error.startswith("square ") and " is not free; free: " in error for error in errors(wire))


async def test_moves_that_come_too_late() -> None:
    def answer(wire: Wire, turn: dict[str, Any]) -> None:
        number = turn["turn"]
        for other in (number - 1, -5, 0, number - 2) if number <= 4 else ():
            wire.say(type="move", square=highest(turn), turn=other)
        wire.say(type="move", square=lowest(turn), turn=number)

    referee, wire = await run(answering(answer), matches=2)
    assert (referee.reasons(), errors(wire)) == ([""] * 6, [])


async def test_players_that_hang() -> None:
    referee, wire = await run(answering(lambda wire, turn: None), seconds=0.15)
    late = "Eve took longer than 0.15 seconds for a move"
    assert referee.reasons().count(late) == 3
    ends = [(message["won"], message["reason"]) for message in wire.heard if message["type"] == "end"]
    assert ends == [(False, late)] * 3


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'{"type":"move","square":5,"turn":0}\n' * 100_000, "too many messages"),
        (b"\n" * 100_000, "too many messages"),
        (b"x" * 10_000, "a line of more than 4096 bytes"),
        (b" " * 4090 + b'"quit"}\n', "a line of more than 4096 bytes"),
    ],
    ids=["moves", "empty", "endless", "long"],
)
async def test_floods(data: bytes, reason: str) -> None:
    referee, _ = await run(at_the_first_turn(lambda wire: wire.write(data)))
    assert [line for line in referee.said if line.startswith("Eve is out: ")] == [f"Eve is out: {reason}"]


async def test_a_player_that_reads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The referee keeps few unread bytes, then drops the connection: the player is away, and loses in the end."""
    monkeypatch.setattr(connection, "MOST_UNREAD", 2000)

    async def attack(referee: Held) -> Wire:
        reader, writer = await asyncio.open_connection("127.0.0.1", referee.port, limit=100)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        writer.write(b'{"type":"join","name":"Eve"}\n')
        await referee.until("The tournament begins")
        eve = referee.referee.players["Eve"]
        hers = eve.connection
        assert hers is not None
        hers._transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1024)
        writer.transport.pause_reading()
        for _ in range(1000):  # at most two megabytes
            if "Eve is away" in referee.said:
                break
            eve.tell(*[Error("x" * 200)] * 10)
            await asyncio.sleep(0.002)
        hers.send(Error("too late"))  # to a connection that is closed: nothing happens
        return Wire(reader, writer)

    referee, wire = await run(attack, seconds=3.0, grace=0.1)
    assert "Eve is away" in referee.said
    assert wire.heard == []


async def test_somebody_who_vanishes_for_good() -> None:
    referee, _ = await run(at_the_first_turn(Wire.cut), grace=0.1)
    assert reasons_of_eve(referee) == ["Eve: away for longer than 0.1 seconds"] + ["Eve did not play"] * 3


async def test_coming_and_going_does_not_buy_time() -> None:
    """The clock of a move goes on where it was, and the time away adds up."""

    async def attack(referee: Held) -> Wire:
        wire = await Wire.joined(referee.port, "Eve")
        token = (await wire.hear("welcome"))["token"]
        await wire.hear("turn")
        async with asyncio.timeout(HANGS):
            while not any(reasons_of_eve(referee)):
                wire.cut()
                wire = await Wire.joined(referee.port, "Eve", token=token)
                if not (await wire.hear("turn", "quit", "error")):
                    break
                await asyncio.sleep(0.02)
        return wire

    referee, _ = await run(attack, seconds=0.3, grace=0.3)
    first = next(filter(None, reasons_of_eve(referee)))
    assert first in ("Eve took longer than 0.3 seconds for a move", "Eve: away for longer than 0.3 seconds")


async def test_a_second_connection_takes_the_place() -> None:
    async def attack(referee: Held) -> Wire:
        first = await Wire.joined(referee.port, "Eve")
        token = (await first.hear("welcome"))["token"]
        turn = await first.hear("turn")
        second = await Wire.joined(referee.port, "whatever", token=token)
        assert (await first.rest())[-1]["message"] == "another connection with your token has taken your place"
        welcome, *state = [await second.hear() for _ in range(4)]
        assert (welcome["type"], welcome["name"]) == ("welcome", "Eve")
        assert state[:2] == [message for message in first.heard if message["type"] in ("begin", "goal")][-2:]
        assert state[2] == turn
        second.say(type="move", square=lowest(turn), turn=turn["turn"])
        return await play(second)

    referee, wire = await run(attack)
    assert referee.reasons() == [""] * 6
    assert errors(wire) == []


async def before_it_begins(*messages: dict[str, object]) -> list[dict[str, Any]]:
    """What a connection hears until it is closed that says this beside Ann's, before Bob and Eve come."""
    async with held(tournament(), 3) as referee:
        ann = await Wire.joined(referee.port, "Ann")
        await ann.hear("welcome")
        wire = await Wire.to(referee.port)
        for message in messages:
            wire.say(**message)
        await wire.rest()
        referee.playing.append(asyncio.create_task(play(ann)))
        referee.join("Bob", "Eve")
        await referee.over()
    undisturbed(referee)
    return wire.heard


@pytest.mark.parametrize(
    ("join", "error"),
    [
        ({"name": "Ann"}, "name: 'Ann' is taken; choose another"),
        ({"name": "\u202eAnn"}, "'\\u202eAnn' is longer than 20 characters, or unprintable"),
        ({"name": "Dan", "protocol": 2}, "protocol: this is version 1, not 2"),
        ({"name": "\ud800"}, "not a message: "),
    ],
    ids=ascii,
)
async def test_who_may_not_join(join: dict[str, object], error: str) -> None:
    (only,) = await before_it_begins({"type": "join", **join})
    assert only["type"] == "error"
    assert only["message"].startswith(error)
    assert only["message"].isprintable()


async def test_moves_before_the_tournament() -> None:
    join, move = {"type": "join", "name": "Eve"}, {"type": "move", "square": 5, "turn": 1}
    heard = await before_it_begins(join, *[move] * 4)
    assert [message.get("message") for message in heard[1:5]] == ["it is not your turn"] * 4
    assert heard[-1]["reason"] == "you are out: too many mistakes; the last one: it is not your turn"


async def test_strangers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network_reception, "SECONDS_TO_JOIN", 0.2)
    monkeypatch.setattr(network_reception, "MOST_STRANGERS", 20)

    async def last_word(wire: Wire) -> str:
        return str((await wire.rest())[-1]["message"])

    async def attack(referee: Held) -> Wire:
        silent = [await Wire.to(referee.port) for _ in range(60)]
        web, early = [await Wire.to(referee.port) for _ in range(2)]
        web.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert (await last_word(web)).startswith("not a message: ")
        early.say(type="move", square=5, turn=1)
        assert await last_word(early) == "join first"
        eve = asyncio.create_task(player(referee.port, "Eve"))
        await referee.until("The tournament begins")
        for token in (None, "guessed", referee.referee.players["Ann"].token):
            said = await last_word(await Wire.joined(referee.port, "Zoe", token=token))
            assert said == "the tournament has begun; only its players may come back, with their tokens"
        for wire in silent:
            said = await last_word(wire)
            assert said in ("too many connections", "nobody has joined in time", "the tournament is over")
        return await eve

    referee, _ = await run(attack)
    assert referee.reasons() == [""] * 6


async def test_who_is_out_does_not_come_back() -> None:
    async with held(tournament(), 3) as referee:
        ann, bob, eve = [await Wire.joined(referee.port, name) for name in ("Ann", "Bob", "Eve")]
        token = (await eve.hear("welcome"))["token"]
        await referee.until("The tournament begins")
        eve.say(type="quit")
        await eve.rest()
        again = await (await Wire.joined(referee.port, "Eve", token=token)).hear()
        referee.playing += [asyncio.create_task(play(wire)) for wire in (ann, bob)]
        await referee.over()
    undisturbed(referee)
    assert again == {"type": "error", "message": "you are out of this tournament"}
