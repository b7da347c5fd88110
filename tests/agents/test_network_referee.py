"""Tournaments over real sockets: as in this process, whoever comes, dies or has no room; docs/protocol.md."""

import asyncio
import contextlib
import errno
import itertools
import json
import os
import random
import re
import shutil
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.network import Choice, Recorder, Tournament, Wire, held, highest, lowest, play, together, tournament
from support.programs import contents
from support.slowness import slow
from support.waiting import HANGS

from tictactoe import FormatError, GameTree, Goal, MatchEnd, StoreError
from tictactoe.agents import connection, messages, network_reception
from tictactoe.agents.client import Address, RefusedError, Visit
from tictactoe.agents.connection import Connection
from tictactoe.agents.named import parse_agents
from tictactoe.agents.results import MatchResult, Results, SavedResults
from tictactoe.agents.tournament import TournamentSettings, play_matches
from tictactoe.play.transcript import replay


class Kept(Results):
    def __init__(self, held: Tournament) -> None:
        super().__init__(held.agreed)
        self.transcripts: dict[int, list[dict[str, Any]]] = {}

    def add(self, result: MatchResult, transcript: Sequence[dict[str, Any]]) -> None:
        super().add(result, transcript)
        self.transcripts[result.number] = list(transcript)

    def in_order(self) -> list[list[dict[str, Any]]]:
        return [self.transcripts[number] for number in sorted(self.transcripts)]


def in_process(settings: Tournament, choices: dict[str, Choice]) -> list[list[dict[str, Any]]]:
    people = [
        SimpleNamespace(name=name, is_policy=True, program=None, agent=lambda *_, choice=choice: Recorder(choice))
        for name, choice in choices.items()
    ]
    agreed, results = settings.agreed, Kept(settings)
    tree = GameTree.build(agreed.rules)
    chosen = TournamentSettings(tree, agreed.winning_score, agreed.matches, agreed.seed or 0, sample=True)
    list(play_matches([*parse_agents(list(settings.agents)), *people], chosen, results))
    return results.in_order()


@pytest.mark.parametrize("rules", ["three-in-a-row", "filled 2:1:1"])
async def test_equal_seeds_give_the_same_as_in_process(rules: str) -> None:
    agents = ("learner-10", "uniform") if rules == "three-in-a-row" else ("uniform",)
    settings = tournament(2, 3, 7, agents, rules=rules)
    choices: dict[str, Choice] = {"Ann": lowest, "Bob": highest}
    expected = in_process(settings, choices)
    assert len({str(lines[1:]) for lines in expected}) == len(expected)
    for names in (["Ann", "Bob"], ["Bob", "Ann"]):
        results = Kept(settings)
        async with held(settings, len(agents) + 2, results) as referee:
            for name in names:
                referee.join(name, choice=choices[name])
            await referee.over()
        assert results.in_order() == expected
    for lines in expected:
        replay(map(json.dumps, lines), GameTree.build(rules))


async def test_what_a_player_is_told_does_not_depend_on_the_others_goal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tictactoe.agents.network_reception.secrets.token_urlsafe", lambda size: "token")
    heard: dict[tuple[str, Goal], set[bytes]] = {}
    for goals in itertools.product(Goal, Goal):
        monkeypatch.setattr("tictactoe.play.referee.deal_goals", lambda *_, goals=goals: goals)
        async with held(tournament(seed=None), 2) as referee:
            wires = [await Wire.joined(referee.port, name) for name in ("Ann", "Bob")]
            await together(*(until_the_result(wire) for wire in wires))
        for name, goal, wire in zip(("Ann", "Bob"), goals, wires, strict=True):
            before, result, _ = wire.raw.partition(b'{"type":"result"')
            assert result
            assert before.count(b'"turn"') >= 2
            heard.setdefault((name, goal), set()).add(before)
    assert len(heard) == 6
    assert all(len(said) == 1 for said in heard.values())
    assert len({next(iter(said)) for said in heard.values()}) == 6


async def until_the_result(wire: Wire) -> Wire:
    while (message := await wire.hear())["type"] != "result":
        if message["type"] == "turn":
            wire.say(type="move", square=lowest(message), turn=message["turn"])
    return wire


async def mortal(port: int, name: str, choice: Choice, generator: random.Random, told: list[str]) -> int:
    """A player that dies now and then, and comes back with its token; how often. told: gets what it hears of others."""
    token, deaths = None, 0
    while True:
        try:
            wire = await Wire.joined(port, name, token=token)
        except ConnectionRefusedError:  # the referee has closed since the player died
            return deaths
        with contextlib.suppress(ConnectionError):
            while message := await wire.hear():
                if message["type"] == "quit" or message.get("message") == "the tournament is over":
                    return deaths
                if message["type"] == "error":
                    told.append(message["message"].removeprefix(name))
                token = message.get("token", token)
                if generator.random() < 0.02:
                    wire.write(b'{"type":"mov' if generator.random() < 0.5 else b"")
                    break
                if message["type"] == "turn":
                    wire.say(type="move", square=choice(message), turn=message["turn"])
        wire.cut()
        deaths += 1


async def test_players_that_die_at_random_moments() -> None:
    choices: dict[str, Choice] = {"Ann": lowest, "Bob": highest, "Cy": lowest, "Dee": highest, "Eve": lowest}
    settings = tournament(1, 10, 3)
    results, told = Kept(settings), list[str]()
    async with held(settings, 5, results) as referee:
        players = [mortal(referee.port, name, choice, random.Random(name), told) for name, choice in choices.items()]
        playing = asyncio.gather(*players)
        await referee.over()
    assert sum(await playing) > 30
    assert {re.sub(r"\d+", "#", words) for words in told} == {
        f"{name} {what}" for name in choices for what in ("has left; # s to come back", "is back")
    }
    assert results.in_order() == in_process(settings, choices)
    assert len(results.matches) == 100


async def test_a_killed_referee_goes_on(tmp_path: Path) -> None:
    settings = tournament(1, 8, 3, ("uniform",))
    choices = {"Ann": lowest, "Bob": highest}
    tokens: dict[str, str] = {}

    async def play_until(last: int, results: SavedResults) -> None:
        async with held(settings, 3, results, killed=True) as referee:
            playing = []
            for name, choice in choices.items():
                wire = await Wire.joined(referee.port, name, token=tokens.get(name))
                tokens[name] = (await wire.hear("welcome"))["token"]
                playing.append(asyncio.create_task(play(wire, choice)))
            async with asyncio.timeout(HANGS):
                while len(results.matches) < last and not referee.referee.over.is_set():
                    await asyncio.sleep(0)
            assert referee.referee.over.is_set() == (last == 1000)
        await together(*playing)

    for last in (3, 4, 11, 20, 1000):
        with contextlib.closing(SavedResults(tmp_path, settings.agreed)) as results:
            await play_until(last, results)
        for name, end in (("tournament.ndjson", b'{"number":'), ("transcripts.jsonl", b'{"format": "smbc')):
            with open(tmp_path / name, "ab") as file:
                file.write(end)
    with contextlib.closing(SavedResults(tmp_path, settings.agreed)) as saved:
        assert sorted(saved.matches) == list(range(1, 25))
    written = (tmp_path / "transcripts.jsonl").read_text()
    expected = ("".join(f"{json.dumps(line)}\n" for line in lines) for lines in in_process(settings, choices))
    assert sorted(re.split(r'^(?=\{"format")', written, flags=re.MULTILINE)[1:]) == sorted(expected)


def test_results_are_flushed_after_their_transcripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed: list[str] = []
    monkeypatch.setattr("tictactoe.agents.results.sync_file", lambda file: flushed.append(Path(file.name).name))
    with contextlib.closing(SavedResults(tmp_path, tournament().agreed)) as results:
        results.begin(())
        flushed.clear()
        results.add(MatchResult(1, ("Ann", "Bob"), "Ann", (1, 0), ""), [])
    assert flushed == ["transcripts.jsonl", "tournament.ndjson"]


def test_files_that_are_not_ours_or_damaged(tmp_path: Path) -> None:
    first = SavedResults(tmp_path, tournament().agreed)
    with pytest.raises(StoreError, match="another run"):
        SavedResults(tmp_path, tournament().agreed)
    assert not contents(tmp_path).keys() & {"tournament.ndjson", "transcripts.jsonl"}
    first.begin(())
    first.close()
    with pytest.raises(StoreError, match="agents none, not uniform"):
        SavedResults(tmp_path, tournament(agents=("uniform",)).agreed)
    path, transcripts = tmp_path / "tournament.ndjson", tmp_path / "transcripts.jsonl"
    more = path.read_bytes()
    good = more.splitlines(keepends=True)[0]
    line = b'{"number":1,"names":["a","b"],"winner":"a","points":[1,0],"reason":"","transcripts_end":9}\n'
    for content, problem in (
        (b"", "line 1"),
        (b"[]\n", "line 1: expected map, got list"),
        (good.replace(b"tournament 1", b"tournament 2"), "line 1: format"),
        (good + b"{}\n", "line 2"),
        (more + b'{"x":' + b"[" * 5000 + b"]" * 5000 + b"}\n", "line 3"),
        (more + line + line, "line 4: match 1 occurs twice"),
        (more + line, "ends before"),
    ):
        path.write_bytes(content)
        with pytest.raises(FormatError, match=problem):
            SavedResults(tmp_path, tournament().agreed)
        assert path.read_bytes() == content
    path.unlink()
    transcripts.write_bytes(b"mine")
    with pytest.raises(StoreError, match="of no tournament"):
        SavedResults(tmp_path, tournament().agreed)
    assert transcripts.read_bytes() == b"mine"


async def test_the_client_comes_back_by_itself() -> None:
    said: list[str] = []
    loop = asyncio.get_running_loop()
    async with held(tournament(1, 6, 3), 2) as referee:

        def cut() -> None:
            if (connection := referee.referee.players["Ann"].connection) is not None:
                connection._transport.abort()

        def choice(turn: dict[str, Any]) -> int:
            if len(said) < 4:
                loop.call_soon_threadsafe(cut)
            return lowest(turn)

        ann = Recorder(choice)
        visit = Visit(Address("127.0.0.1", referee.port), "Ann", said.append)
        playing = asyncio.create_task(asyncio.to_thread(visit.play, ann))
        await referee.until("Ann has joined")
        referee.join("Bob", choice=highest)
        await referee.over()
    goodbye = await playing
    assert goodbye.startswith("the tournament is over: you are number ")
    assert referee.reasons() == [""] * 6
    ends = [event for event in ann.heard if isinstance(event, MatchEnd)]
    assert 0 < len(ends) <= 6
    assert not any(end.reason for end in ends)
    assert set(said) == {"the connection is lost; trying to come back"}


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        address = Address(*closed.getsockname())
    with pytest.raises(RefusedError, match="nobody can be reached there: "):
        Visit(address, "Ann", print, patience=0.0).play(Recorder())


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
    expected = f"Nobody can join for now: {os.strerror(code)}; the matches continue"
    assert warnings == ([] if code == errno.ECONNABORTED else [expected])


async def test_all_who_join_at_once_are_let_in() -> None:
    assert network_reception.open_files_allowed(600) >= 600

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
    monkeypatch.setattr(network_reception, "MOST_STRANGERS", 10)
    monkeypatch.setattr(network_reception, "_LEAVING", 3)
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


PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")


def code(language: str) -> str:
    if language == "javascript":
        return (Path(__file__).parents[2] / "examples" / "agents" / "network_client.js").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    return str(block)


async def test_the_example_match_is_a_real_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "tictactoe.agents.network_reception.secrets.token_urlsafe", lambda size: "iEJ7P0RYBP1Yb7ZiMFgBXQ"
    )
    async with held(tournament(1, 1, 1, seconds=60.0), 2) as referee:
        ann = await Wire.joined(referee.port, "Ann", protocol=1)
        referee.playing.append(asyncio.create_task(play(ann)))
        await referee.until("Ann has joined")
        referee.join("Bob", choice=highest)
        await referee.over()
    (shown,) = re.findall(r"```\n(> \{.*?)```", PAGE, re.DOTALL)
    assert shown.splitlines() == ann.lines


def test_every_message_is_on_the_page() -> None:
    for kind in (*messages.FromReferee.__args__, *messages.FromPlayer.__args__):
        assert f"`{kind.__struct_config__.tag}`" in PAGE or f'"type":"{kind.__struct_config__.tag}"' in PAGE
        for field in kind.__struct_fields__:
            assert f"`{field}`" in PAGE or f'"{field}"' in PAGE, field


@pytest.mark.parametrize("language", ["python", "javascript"])
async def test_the_clients_play(language: str, tmp_path: Path) -> None:
    program = sys.executable if language == "python" else shutil.which("node")
    if program is None:
        pytest.skip("needs node")
    assert len([line for line in code(language).splitlines() if line.strip()]) <= 30
    client = tmp_path / ("client.py" if language == "python" else "client.js")
    client.write_text(code(language), encoding="utf-8")

    async with held(tournament(2, 4, 5, ("uniform",)), 3) as referee:

        async def start(*more: str) -> asyncio.subprocess.Process:
            return await asyncio.create_subprocess_exec(
                program, str(client), "127.0.0.1", str(referee.port), "Cy", *more, stdout=asyncio.subprocess.PIPE
            )

        first = await start()
        assert first.stdout is not None
        token = json.loads((await first.stdout.readline()).decode().replace("'", '"'))["token"]
        referee.join("Dan")
        await referee.until("The tournament begins")
        first.kill()
        await first.wait()
        second = await start(token)
        await referee.over()
    output, _ = await second.communicate()
    assert second.returncode == 0
    lines, reasons = output.decode().splitlines(), referee.reasons()
    assert "welcome" in lines[0]
    assert "you are number" in lines[-1]
    assert not [line for line in lines if "error" in line]
    assert reasons == [""] * 12
