"""Players who cheat, flood, hang, imitate or vanish: they get a clear error or lose; nobody else notices."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from support.network import Held, Wire, held, highest, lowest, play, player, together, tournament
from support.waiting import HANGS

from tictactoe.agents import connection, network_referee
from tictactoe.agents.lines import LONGEST_LINE
from tictactoe.agents.network_player import NetworkPlayer, Patience
from tictactoe.agents.network_referee import Tournament

Attack = Callable[[Held], Awaitable[Wire | None]]


@pytest.fixture(autouse=True)
def _only_attackers_are_short_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ann and Bob are not late where the machine is busy."""
    make = NetworkPlayer.__init__

    def patient(self: NetworkPlayer, name: str, token: str, patience: Patience, *more: Any) -> None:
        make(self, name, token, Patience(HANGS, HANGS) if name in ("Ann", "Bob") else patience, *more)

    monkeypatch.setattr(NetworkPlayer, "__init__", patient)


async def attacked(what: Tournament, attack: Attack) -> tuple[Held, list[Wire], Wire | None]:
    """Ann and Bob play while somebody does something else."""
    async with held(what, 3) as found:
        attacking = asyncio.create_task(attack(found))
        playing = []
        for name, choice in (("Ann", lowest), ("Bob", highest)):
            wire = await Wire.joined(found.port, name)
            await wire.hear("welcome")
            playing.append(asyncio.create_task(play(wire, choice)))
        await found.over()
    return found, await together(*playing), await attacking


def undisturbed(found: Held, wires: list[Wire]) -> None:
    """All results are there, Ann and Bob have had no error, and played each other as if alone."""
    assert len(found.results.matches) == 6
    assert not found.referee._strangers
    for wire in wires:
        assert not [message for message in wire.heard if message["type"] == "error"]
        assert wire.heard[-1]["type"] == "quit"
        assert max(map(len, wire.raw.split(b"\n"))) <= LONGEST_LINE, "whatever somebody else has said"
        assert sum(message["type"] == "begin" for message in wire.heard) == sum(
            message["type"] == "end" for message in wire.heard
        )
    for result in found.results.matches.values():
        if result.names == ("Ann", "Bob"):
            assert result.reason == ""
            assert result.winner in ("Ann", "Bob")


def run(attack: Attack, **changes: float) -> tuple[Held, Wire]:
    """The tournament with that attack, of which nobody has noticed anything."""
    found, wires, wire = asyncio.run(attacked(tournament(**changes), attack))
    undisturbed(found, wires)
    assert wire is not None
    return found, wire


def errors(wire: Wire) -> list[str]:
    return [message["message"] for message in wire.heard if message["type"] == "error"]


def answering(answer: Callable[[Wire, dict[str, object]], object]) -> Attack:
    """Eve answers every turn so."""

    async def attack(found: Held) -> Wire:
        wire = await Wire.joined(found.port, "Eve")
        while (message := await wire.hear()) and message["type"] != "quit":
            if message["type"] == "turn":
                answer(wire, message)
        return wire

    return attack


LOST = "Eve has made too many mistakes; the last one: "


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b'{"type":"move","square":10,"turn":1}', "not a message: square: expected int <= 9"),
        (b'{"type":"move","square":5}', "not a message: missing required field turn"),
        (b'{"type":"move","square":"5"}', "not a message: square: expected int, got str"),
        (b"GET / HTTP/1.1\r", "not a message: not JSON at byte 1"),
        (b"\xff\xfe\x00", "not a message: not JSON at byte 1"),
        (b"[" * 3000, "not a message: "),
        (b'{"type":"move","square":5.0,"turn":1}', "not a message: square: expected int, got float"),
        (b'{"type":"quit","reason":"\xff"}', "not a message: not JSON: a byte that is no UTF-8"),
        (b'{"type":"quit","' + b"x" * 4070 + b'":1}', "not a message: contains unknown field xxx"),
        (b'{"type":"end","won":true}', "not a message: type: invalid value 'end'"),
        (b'{"type":"join","name":"Ann"}', "you have joined already"),
    ],
)
def test_answers_that_are_none(answer: bytes, error: str) -> None:
    """Told each time; after a few of them the match is lost, and after three matches so all of them."""
    found, wire = run(answering(lambda wire, turn: wire.write(answer + b"\n" + answer + b"\n")), matches=2)
    assert errors(wire)[:2] == [errors(wire)[0]] * 2
    assert errors(wire)[0].startswith(error)
    theirs = [each for each in found.results.matches.values() if "Eve" in each.names]
    assert [each.winner != "Eve" for each in theirs] == [True] * 4
    assert [each.reason.startswith(LOST + error) for each in theirs] == [True] * 3 + [False]
    assert theirs[3].reason == "Eve did not play"
    assert wire.heard[-1] == {"type": "quit", "reason": "you are out: 3 matches forfeited one after another"}


def test_illegal_moves_may_be_mended() -> None:
    """The turn is asked for again, with the free squares; three times in a match."""
    wrong: dict[str, int] = {}

    def answer(wire: Wire, turn: dict[str, object]) -> None:
        moves = turn["moves"]
        assert isinstance(moves, list)
        match = str(sum(message["type"] == "begin" for message in wire.heard))
        wrong[match] = wrong.get(match, 0) + bool(moves)
        wire.say(type="move", square=moves[0] if moves and wrong[match] <= 3 else lowest(turn), turn=turn["turn"])

    found, wire = run(answering(answer))
    assert found.reasons() == [""] * 6
    assert len(errors(wire)) == 12
    assert all(error.startswith("square ") and " is not free; free: " in error for error in errors(wire))


def test_moves_that_come_too_late_or_too_early() -> None:
    """One for an earlier turn is not taken for the answer to this one; one for a turn to come is a mistake."""

    def answer(wire: Wire, turn: dict[str, object]) -> None:
        number = turn["turn"]
        assert isinstance(number, int)
        for other in (number - 1, -5, 0, number - 2) if number <= 4 else ():
            wire.say(type="move", square=highest(turn), turn=other)
        wire.say(type="move", square=lowest(turn), turn=number)

    found, wire = run(answering(answer), matches=2)
    assert (found.reasons(), errors(wire)) == ([""] * 6, [])

    async def too_early(found: Held) -> Wire:
        wire = await Wire.joined(found.port, "Eve")
        for _ in range(4):
            wire.say(type="move", square=5, turn=1)
        await wire.rest()
        return wire

    found, wires, wire_or_none = asyncio.run(attacked_by_one_who_is_replaced(too_early))
    assert wire_or_none is not None
    assert errors(wire_or_none)[:4] == ["it is not your turn"] * 4
    assert wire_or_none.heard[-1]["reason"] == "you are out: too many mistakes; the last one: it is not your turn"
    undisturbed(found, wires)


async def attacked_by_one_who_is_replaced(attack: Attack) -> tuple[Held, list[Wire], Wire | None]:
    """The attacker is out before it begins, and its place is free again."""
    async with held(tournament(), 3) as found:
        wire = await attack(found)
        playing = [asyncio.create_task(player(found.port, name)) for name in ("Ann", "Bob", "Eve")]
        await found.over()
    return found, await together(*playing), wire


def test_players_that_hang() -> None:
    """A move that never comes loses the match; three in a row lose all of them."""
    found, wire = run(answering(lambda wire, turn: None), seconds=0.15)
    assert sum(reason == "Eve has taken longer than 0.15 seconds for a move" for reason in found.reasons()) == 3
    ends = [message for message in wire.heard if message["type"] == "end"]
    assert [(end["won"], end["reason"]) for end in ends] == [
        (False, "Eve has taken longer than 0.15 seconds for a move")
    ] * 3


def test_floods() -> None:
    """Messages without end, or a line without one: out at once."""
    for data, reason in (
        (b'{"type":"move","square":5,"turn":0}\n' * 100_000, "too many messages"),
        (b"\n" * 100_000, "too many messages"),
        (b"x" * 10_000, "a line of more than 4096 bytes"),
        (b" " * 4090 + b'"quit"}\n', "a line of more than 4096 bytes"),
    ):

        async def attack(found: Held, data: bytes = data) -> Wire:
            wire = await Wire.joined(found.port, "Eve")
            await wire.hear("turn")
            wire.write(data)
            await wire.rest()
            return wire

        found, _ = run(attack)
        out = [line for line in found.said if line.startswith("Eve is out: ")]
        assert len(out) == 1
        assert out == [f"Eve is out: {reason}"]


def test_a_player_that_reads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The referee keeps few unread bytes, then drops the connection: the player is away, and loses in the end."""
    monkeypatch.setattr(connection, "MOST_UNREAD", 2000)

    async def attack(found: Held) -> Wire:
        reader, writer = await asyncio.open_connection("127.0.0.1", found.port, limit=100)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        writer.write(b'{"type":"join","name":"Eve"}\n')
        await found.until("The tournament begins")
        theirs = found.referee.players["Eve"].connection
        assert theirs is not None
        theirs._transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1024)
        writer.transport.pause_reading()
        while not any("Eve is away" in line for line in found.said):
            found.referee.players["Eve"]._send(*[network_referee.Error("x" * 200)] * 10)
            await asyncio.sleep(0.002)
            if found.referee.players["Eve"].gone:
                break
        return Wire(reader, writer)

    found, wire = run(attack, grace=0.1)
    assert any(line.startswith(("Eve is away", "Eve is out")) for line in found.said)
    assert wire.heard == []


def test_somebody_who_vanishes_for_good() -> None:
    """All the matches left to it are lost when its time is over; everybody else plays on."""

    async def attack(found: Held) -> Wire:
        wire = await Wire.joined(found.port, "Eve")
        await wire.hear("turn")
        wire.cut()
        return wire

    found, _ = run(attack, grace=0.1)
    theirs = [each for each in found.results.matches.values() if "Eve" in each.names]
    assert [each.reason for each in theirs] == ["Eve: away for longer than 0.1 seconds"] + ["Eve did not play"] * 3
    assert all(each.winner in ("Ann", "Bob") for each in theirs)


def test_coming_and_going_does_not_buy_time() -> None:
    """The clock of a move goes on where it was, and the time away adds up."""

    async def attack(found: Held) -> Wire:
        wire = await Wire.joined(found.port, "Eve")
        token = (await wire.hear("welcome"))["token"]
        await wire.hear("turn")
        async with asyncio.timeout(HANGS):
            while any(not message for message in wire.heard) or not found.reasons_of_eve():
                wire.cut()
                wire = await Wire.joined(found.port, "Eve", token=token)
                if not (await wire.hear("turn", "quit", "error")):
                    break
                await asyncio.sleep(0.02)
        return wire

    Held.reasons_of_eve = lambda found: [  # type: ignore[attr-defined]
        each.reason for each in found.results.matches.values() if "Eve" in each.names and each.reason
    ]
    found, _ = run(attack, seconds=0.3, grace=0.3)
    reasons = found.reasons_of_eve()  # type: ignore[attr-defined]
    assert reasons[0] in ("Eve has taken longer than 0.3 seconds for a move", "Eve: away for longer than 0.3 seconds")


def test_a_second_connection_takes_the_place() -> None:
    """With the token; where the match stands is said again, and the first connection is closed."""

    async def attack(found: Held) -> Wire:
        first = await Wire.joined(found.port, "Eve")
        token = (await first.hear("welcome"))["token"]
        turn = await first.hear("turn")
        second = await Wire.joined(found.port, "whatever", token=token)
        assert (await first.rest())[-1]["message"] == "another connection with your token has taken your place"
        heard = [await second.hear() for _ in range(4)]
        assert [message["type"] for message in heard] == ["welcome", "begin", "goal", "turn"]
        assert heard[0]["name"] == "Eve"
        assert heard[1:3] == [message for message in first.heard if message["type"] in ("begin", "goal")][-2:]
        assert heard[3] == turn
        second.say(type="move", square=lowest(turn), turn=turn["turn"])
        return await play(second)

    found, wire = run(attack)
    assert found.reasons() == [""] * 6
    assert errors(wire) == []


@pytest.mark.parametrize(
    ("join", "error"),
    [
        ({"name": "Ann"}, "name: 'Ann' is taken; choose another"),
        ({"name": "A\u200bnn"}, "'A\\u200bnn' is longer than 20 characters, or unprintable"),
        ({"name": "\u202eAnn"}, "'\\u202eAnn' is longer than 20 characters, or unprintable"),
        ({"name": "\u0410nn"}, "name: '\\u0410nn' can be mistaken for 'Ann'; choose another"),
        ({"name": "Dan", "protocol": 2}, "protocol: this is version 1, not 2"),
        ({"name": ""}, "a name has 1 to 20 characters, and this one has none"),
        ({"name": "Dan "}, "'Dan ' begins or ends with a space, or has two spaces together"),
        ({"name": "\ud800"}, "not a message: "),
        ({}, "not a message: missing required field name"),
    ],
)
def test_who_may_not_join(join: dict[str, object], error: str) -> None:
    async def main() -> list[dict[str, object]]:
        async with held(tournament(), 3) as found:
            ann = await Wire.joined(found.port, "Ann")
            await ann.hear("welcome")
            wire = await Wire.to(found.port)
            wire.say(type="join", **join)
            heard = await wire.rest()
            others = [player(found.port, name) for name in ("Bob", "Eve")]
            playing = [asyncio.create_task(each) for each in (play(ann), *others)]
            await found.over()
        await together(*playing)
        return heard

    (only,) = asyncio.run(main())
    assert only["type"] == "error"
    assert str(only["message"]).startswith(error)
    assert str(only["message"]).isprintable()


def test_strangers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who does not join, speaks another language, comes too late, or guesses tokens; and a hundred of them."""
    monkeypatch.setattr(network_referee, "SECONDS_TO_JOIN", 0.2)
    monkeypatch.setattr(network_referee, "MOST_STRANGERS", 20)

    async def attack(found: Held) -> Wire:
        silent = [await Wire.to(found.port) for _ in range(60)]
        web = await Wire.to(found.port)
        web.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert (await web.rest())[-1]["message"].startswith("not a message: ")
        early = await Wire.to(found.port)
        early.say(type="move", square=5, turn=1)
        assert (await early.rest())[-1]["message"] == "join first"
        eve = asyncio.create_task(player(found.port, "Eve"))
        await found.until("The tournament begins")
        for token in (None, "guessed", found.referee.players["Ann"].token):
            late = await Wire.joined(found.port, "Zoe", token=token)
            said = (await late.rest())[-1]["message"]
            assert said == "the tournament has begun; only those who play in it may come back, with their token"
        for wire in silent:
            said = (await wire.rest())[-1]["message"]
            assert said in ("too many connections", "nobody has joined in time", "the tournament is over")
        return await eve

    found, _ = run(attack)
    assert found.reasons() == [""] * 6


def test_quitting_and_being_alone() -> None:
    """A player who quits loses the remaining matches; when all have quit, the tournament ends."""

    async def quits(found: Held, name: str) -> Wire:
        wire = await Wire.joined(found.port, name)
        await found.until("The tournament begins")
        wire.say(type="quit")
        await wire.rest()
        return wire

    async def main() -> Held:
        async with held(tournament(matches=2), 3) as found:
            await together(*(quits(found, name) for name in ("Ann", "Bob", "Eve")))
            await found.over()
        return found

    found = asyncio.run(main())
    assert len(found.results.matches) == 6
    assert {reason.split(":")[0] for reason in found.reasons() if ":" in reason} <= {"Ann", "Bob", "Eve"}
    assert any(winner is None for winner in found.winners())
