"""network host and network join, as processes: interrupted, and with people. tests/agents kills them."""

import asyncio
import errno
import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from support.programs import Result, call, call_in_a_child, complaint, environment, program
from support.terminal import Terminal
from support.waiting import HANGS

from tictactoe.agents.card_player import QTable
from tictactoe.agents.results import SavedResults
from tictactoe.storage.shipped import shipped_solution

HOST, JOIN = "network host", "network join"


def started(name: str, *arguments: object, **more: Any) -> subprocess.Popen[str]:
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([*program(name), *map(str, arguments)], env=environment(), text=True, **{**streams, **more})


def referee(*arguments: object, port: int = 0) -> tuple[subprocess.Popen[str], int]:
    process = started(HOST, "--listen", f"127.0.0.1:{port}", *arguments)
    assert process.stderr is not None
    told = r"Join with: tictactoe network join 127\.0\.0\.1:(\d+) "
    while (joining := re.search(told, line := process.stderr.readline())) is None:
        assert line, "it has ended"
    return process, int(joining[1])


def test_an_interrupted_referee(tmp_path: Path) -> None:
    process, port = referee("--players", 2, "-o", tmp_path / "saved")
    joined = started(JOIN, f"127.0.0.1:{port}", "uniform", "--name", "Ann")
    assert process.stderr is not None
    while "Ann has joined" not in process.stderr.readline():
        pass
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=HANGS)
    assert (process.returncode, out) == (130, "")
    how = "continue with: tictactoe network host --listen .*-o"
    assert re.search(f"tictactoe network host: interrupted; 0 matches had been played; {how}", err)
    out, _ = joined.communicate(timeout=HANGS)
    assert (joined.returncode, out) == (0, "The referee was stopped; when it continues, come back with your token.\n")


def test_two_people(tmp_path: Path) -> None:
    process, port = referee("--players", 2, "--matches", 1, "--winning-score", 1, "--seed", 3)
    people = []
    for name in ("Ann", "Bob"):
        typed = tmp_path / name
        typed.write_text("".join(f"{1 + number % 9}\n" for number in range(3000)))
        with typed.open() as stdin:
            people.append(started(JOIN, f"127.0.0.1:{port}", "--name", name, stdin=stdin))
    ann, bob = (person.communicate(timeout=HANGS)[0] for person in people)
    assert [person.returncode for person in people] == [0, 0], (ann, bob)
    assert process.communicate(timeout=HANGS)
    assert sum("You win the match. Score: You 1 : 0 " in out for out in (ann, bob)) == 1
    assert f"{'Bob' if 'Bob wins the match' in ann else 'Ann'} wins the match." in ann + bob
    for out, other in ((ann, "Bob"), (bob, "Ann")):
        assert f"A match to 1 against {other} begins." in out
        assert "You have 60 seconds for each move." in out
        assert not {"Commitment", "hint"} & set(re.findall(r"\w+", out))
        rounds = re.split(r"^(?=Round \d+ of a match to 1)", out, flags=re.M)[1:]
        assert rounds
        for part in rounds:
            before, _, after = part.rpartition("Board: ")
            assert (f"{other} wanted to " in before, f"{other} wanted to " in after) == (False, True)


def test_a_person_at_a_terminal() -> None:
    process, port = referee("--players", 2, "--matches", 1, "uniform", "--seed", 3, "--json")
    terminal = Terminal(JOIN, f"127.0.0.1:{port}", "--name", "Ann")
    shown = terminal.asked()
    for words in ("Your move (1-9, ? help, q quit):", "Round 1 of a match to 5", "You 0 : 0 uniform"):
        assert words in shown
    seconds = re.search(r"It is your turn[.] You have (\d+) s for this move[.]", shown)
    assert seconds is not None, shown
    terminal.until(rf"You have (?!{seconds[1]} )\d+ s for this move[.](.|\n)*q quit\):")  # it runs by itself
    assert "Commitment" not in terminal.enter("?", "mark that square")
    terminal.enter("q", "Quit")
    terminal.enter("y")
    assert terminal.finish()[0] == 0
    (result,) = json.loads(process.communicate(timeout=HANGS)[0])["results"]
    assert (result["winner"], result["reason"]) == ("uniform", "Ann: has left")


@pytest.mark.parametrize("watches", [True, False], ids=["posix", "Windows"])
def test_enter_begins_and_ctrl_c_says_how_to_go_on(
    watches: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On Windows an event loop watches neither a terminal nor signals."""
    for name in () if watches else ("add_reader", "add_signal_handler"):
        monkeypatch.setattr(asyncio.SelectorEventLoop, name, Mock(side_effect=NotImplementedError))
    more = ("--listen", "127.0.0.1:0", "--winning-score", 1, "--matches", 1, "uniform")
    alone = Terminal(HOST, *more, "-o", tmp_path / "saved")
    alone.until("Press Enter to begin")
    for number in (1, 2):
        alone.child.sendline("")
        alone.until(rf"(at least two players are needed\s+){{{number}}}")
    code, shown = alone.interrupt()
    assert (code, "0 matches had been played; continue with: tictactoe network host --listen" in shown) == (130, True)
    both = Terminal(HOST, *more, "perfect")
    both.until("Press Enter to begin")
    both.child.sendline("")
    assert "0 of all 1 matches were not played to the end" in both.finish()[1]


def test_another_address_is_warned_about() -> None:
    arguments = ("shipped", "uniform", "--players", 2, "--matches", 1)
    for address, warned in (("0.0.0.0:0", True), ("127.0.0.1:0", False)):
        assert ("messages are not encrypted" in call(HOST, "--listen", address, *arguments).err) is warned
    line = complaint(call(HOST, "--listen", "192.0.2.1:8080"), 1, HOST)
    assert line.startswith("tictactoe network host: --listen: 192.0.2.1:8080 cannot be used: ")


QUIET = ("--listen", "127.0.0.1:0", "--players", 2, "--matches", 1, "--winning-score", 1, "--quiet")


@pytest.mark.skipif(os.name != "posix", reason="limits of Linux")
def test_open_files() -> None:
    resource = pytest.importorskip("resource")

    def limited(soft: int, hard: int) -> Callable[[], None]:
        return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    line = complaint(call_in_a_child(HOST, "--players", 300, prepare=limited(256, 300)), 1, HOST)
    assert line == (
        "tictactoe network host: --players: 300 players need 480 open files, and this system allows 300: "
        "allow more (ulimit -n 480), or take fewer players"
    )
    agents = ("uniform", "perfect")
    assert call_in_a_child(HOST, *QUIET, *agents, prepare=limited(100, 500)) == Result(0, "", "")


def test_an_agent_whose_file_is_damaged(tmp_path: Path) -> None:
    """The event loop finds it when the match begins: the tournament ends with a line, and does not wait for ever."""
    shutil.copytree(shipped_solution("match_to_1"), tmp_path / "mine")
    (snapshot,) = (tmp_path / "mine" / "subgame_0_0").glob("snapshot_*.msgpack")
    snapshot.write_bytes(snapshot.read_bytes()[:-1])
    result = call(HOST, *QUIET, tmp_path / "mine", "uniform")
    assert str(snapshot) in complaint(result, 1, HOST)


def test_results_that_cannot_be_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(tmp_path / "saved"))
    monkeypatch.setattr(SavedResults, "add", Mock(side_effect=full))
    result = call(HOST, *QUIET, "uniform", "perfect", "-o", tmp_path / "saved")
    assert "No space left on device" in complaint(result, 1, HOST)


CARDS = ("--game", "twenty-one")


def dealer(*arguments: object) -> tuple[subprocess.Popen[str], int]:
    process = started(HOST, *CARDS, "--port", 0, *arguments)
    assert process.stderr is not None
    joining = re.search(r"join 127\.0\.0\.1:(\d+) TABLE\.csv --name NAME --game twenty-one", process.stderr.readline())
    assert joining is not None
    return process, int(joining[1])


def test_twenty_one_is_learnt_and_played(tmp_path: Path) -> None:
    process, port = dealer("--rounds", 60, "--players", 2, "--json", "--seed", 1)
    rows = [(name, tmp_path / f"{name}.csv") for name in ("Ann", "Bob")]
    players = [started(JOIN, f"127.0.0.1:{port}", path, *CARDS, "--name", name, "--train") for name, path in rows]
    outs = [player.communicate(timeout=HANGS)[0] for player in players]
    held = json.loads(process.communicate(timeout=HANGS)[0])
    assert (process.returncode, held["dealt"], held["seed"]) == (0, 60, 1)
    for row in held["standings"]:
        words = f"won {row['won']}, pushed {row['pushed']}, lost {row['lost']}, {row['bust']} of them bust"
        assert any(out.startswith(f"60 games: {words}\n") for out in outs)
    process, port = dealer("--rounds", 30)
    before = rows[0][1].read_bytes()
    result = call(JOIN, f"127.0.0.1:{port}", rows[0][1], *CARDS, "--name", "Ann")
    assert (result.code, result.out[:10]) == (0, "30 games: ")
    assert rows[0][1].read_bytes() == before
    assert re.search(r"1 +Ann +30 ", process.communicate(timeout=HANGS)[0])


@pytest.mark.slow
def test_ctrl_c_at_both_sides_of_a_table(tmp_path: Path) -> None:
    """A player that is interrupted has saved its table; a dealer that is says QUIT and prints the standings."""
    process, port = dealer("--rounds", 10**8)
    path, tried = tmp_path / "q.csv", 0
    assert process.stderr is not None
    for name, sent_to_dealer in (("Ann", False), ("Bob", True)):
        player = started(JOIN, f"127.0.0.1:{port}", path, *CARDS, "--name", name, "--train")
        while f"{name} has joined" not in process.stderr.readline():
            pass
        time.sleep(0.3)  # in the middle of games
        (process if sent_to_dealer else player).send_signal(signal.SIGINT)
        out, err = player.communicate(timeout=HANGS)
        assert player.returncode == (0 if sent_to_dealer else 130)
        assert ("interrupted; what was learnt is saved" in err) is not sent_to_dealer
        assert f"the table is in {path}" in out
        before, tried = tried, sum(average.tried for average in QTable.load(path).averages.values())
        assert tried >= before
    out, err = process.communicate(timeout=HANGS)
    assert process.returncode == 130
    assert re.search(r"1 +(Ann|Bob) +\d+ ", out)
    assert re.search(r"network host: interrupted; \d+ games had begun", err.replace(",", ""))


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ((HOST, *CARDS, "uniform"), "AGENT: players of twenty-one join with network join"),
        ((HOST, *CARDS, "--matches", 3), "--matches applies only to tic-tac-toe"),
        ((HOST, "--rounds", 3), "--rounds applies only to --game twenty-one"),
        ((HOST, "--players", 1), "--players: a tournament has at least two"),
        ((HOST, "--port", 1, "--listen", "127.0.0.1:1"), "--port is the same as --listen"),
        ((JOIN, "127.0.0.1:1", *CARDS, "--name", "Ann"), "--game: twenty-one needs a table"),
        ((JOIN, "127.0.0.1:1", "q.csv", *CARDS, "--name", "A B", "--train"), "--name: 'A B' contains spaces"),
        ((JOIN, "127.0.0.1:1", "q.csv", *CARDS, "--name", "Ann", "--seed", 1), "--seed requires --train"),
        ((JOIN, "127.0.0.1:1", "q.csv", "--train"), "--train requires --game twenty-one"),
    ],
)
def test_options_of_twenty_one(words: tuple[object, ...], problem: str) -> None:
    name, *rest = words
    assert problem in complaint(call(str(name), *rest), 2, str(name))


def test_a_table_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    for train in ((), ("--train",)):
        path.write_text("mine")
        line = complaint(call(JOIN, "127.0.0.1:1", path, *CARDS, "--name", "Ann", *train), 1, JOIN)
        assert f"{path}: line 1: the columns are not points,hand,dealer" in line
        assert path.read_text() == "mine"
