"""However playing ends, the match is saved if possible, and commitments are opened unless their round goes on later."""

import contextlib
import hashlib
import itertools
import json
import os
import re
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from support.programs import ANYTHING, Result, call, complaint, environment, program
from support.terminal import Terminal
from tictactoe.tools.program import CommandError
from tictactoe.tools.program import run as run_command

from tictactoe.play.match_history import TranscriptFile

resource = pytest.importorskip("resource")

PLAY = "play-multiround"
PROMPT = "Your move|Enter for"


def opens_all(shown: str, file: Path | None = None) -> None:
    """Every commitment that was shown is opened, and is the hash of its text, unless its round goes on in the file."""
    sealed = set(re.findall(r"Commitment to .*: (\w{64})", shown))
    opened = {hashlib.sha256(one.strip().encode()).hexdigest() for one in re.findall(r"Commitment opened: (.*)", shown)}
    lasting = {
        line["commitment"]["sha256"]
        for line in (rounds_of(file) if file else [])
        if line.get("outcome", "over") is None and not line.get("abandoned")
    }
    assert sealed
    assert opened == sealed - lasting


def rounds_of(file: Path) -> list[Any]:
    return [json.loads(line) for line in file.read_text().splitlines()][1:]


@contextlib.contextmanager
def at_each_save(monkeypatch: pytest.MonkeyPatch, number: int, act: Callable[[], object]) -> Iterator[None]:
    """Act just before the transcript is saved for the `number`-th time."""
    saves, original = itertools.count(1), TranscriptFile.save

    def save(self: TranscriptFile, *arguments: Any, **named: Any) -> None:
        if next(saves) == number:
            act()
        original(self, *arguments, **named)

    with monkeypatch.context() as patched:
        patched.setattr(TranscriptFile, "save", save)
        yield


@pytest.mark.parametrize("more", [("--winning-score", 1), ("--rounds", 2)], ids=["match", "practice"])
def test_interrupted_while_saving(more: tuple[object, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in (2, 6, 7, 11):  # the first save comes before the first screen
        file = tmp_path / f"{number}.jsonl"
        with at_each_save(monkeypatch, number, lambda: os.kill(os.getpid(), signal.SIGINT)):
            result = call(PLAY, "--seed", 1, "--transcript", file, *more, typed=ANYTHING)
        assert result.code in (0, 130), result
        assert result.err == ""
        opens_all(result.out, file if "--rounds" not in more else None)
        assert not any(line.get("abandoned") for line in rounds_of(file))
        assert call("review", file).code == 0


@pytest.mark.parametrize("number", [1, 3])
def test_no_room_for_the_transcript(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "match.jsonl"
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        with at_each_save(monkeypatch, number, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50, limits[1]))):
            result = call(PLAY, "--seed", 1, "--transcript", file, typed=ANYTHING)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    line = complaint(Result(result.code, "", result.err), 1, PLAY)
    assert line == f"{PLAY}: {file}: File too large; what was saved before is intact"
    assert list(tmp_path.glob(".*")) == []
    if number == 1:
        assert result.out == ""
        return
    assert "Stopped (failed)" in result.out
    opens_all(result.out, file)
    assert call("review", file).code == 0


def test_no_place_for_a_match_that_is_left(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    terminal = Terminal(PLAY, "--seed", 3, XDG_CONFIG_HOME=str(tmp_path / "file"))
    terminal.until(PROMPT)
    terminal.talk(("5", "O2(.|\n)*It is your turn"))
    code, output = terminal.interrupt()
    assert code == 1
    last = output.splitlines()[-1]
    assert last.startswith(f"{PLAY}: ")
    assert last.endswith("Not a directory; what was saved before is intact")
    assert re.search(r"Commitment opened:\s+smbc-tictactoe round 1 goal lose", output)
    assert "To continue" not in output


def test_a_match_in_pieces_is_the_same_match(tmp_path: Path) -> None:
    whole, pieces = tmp_path / "whole.jsonl", tmp_path / "pieces.jsonl"
    options = ("--seed", 4, "--winning-score", 1, "--opponent", "careless")
    call(PLAY, *options, "--transcript", pieces, typed="s")
    squares = []
    for number in range(200):
        board = rounds_of(pieces)[-1] if rounds_of(pieces) else {"outcome": "none", "moves": []}
        taken = board["moves"] if board["outcome"] is None else []
        square = next(square for square in range(1, 10) if square not in taken)
        squares.append(square)
        result = call(PLAY, "--resume", "--transcript", pieces, typed=f"{square}\ns")
        assert result.code == 0, result
        if "the match." in result.out:
            break
        if number % 2:  # what the bot has not answered yet when the program is killed
            lines = pieces.read_text().splitlines()
            last = json.loads(lines[-1])
            last["moves"] = last["moves"][: -1 if last["outcome"] is None and len(last["moves"]) > 1 else None]
            pieces.write_text("\n".join([*lines[:-1], json.dumps(last)]) + "\n")
    assert call(PLAY, *options, "--transcript", whole, typed="\n".join(map(str, squares))).code == 0
    assert pieces.read_text() == whole.read_text()


def test_two_programs_on_one_transcript(tmp_path: Path) -> None:
    """The one that wrote last goes on. The other overwrites nothing."""
    file = tmp_path / "match.jsonl"
    terminal = Terminal(PLAY, "--seed", 3, "--transcript", file)
    terminal.until(PROMPT)
    terminal.talk(("5", "O2(.|\n)*It is your turn"))
    assert call(PLAY, "--resume", "--transcript", file, typed="2\ns").code == 0
    before = file.read_bytes()
    terminal.enter("6")
    code, output = terminal.finish()
    assert code == 1
    assert re.search(rf"^{PLAY}: {file}: another program has written to it", output, re.M)
    assert "Commitment opened:" not in output  # in the other program, the round goes on
    assert file.read_bytes() == before


def test_a_round_that_cannot_go_on_is_opened(tmp_path: Path) -> None:
    """Nobody goes on from a named pipe: an unfinished round counts for nothing."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.extend(pipe.read_text().splitlines()))
    reader.start()
    command = [*program(PLAY), "--seed", "3", "--transcript", str(pipe)]  # closes the pipe when it ends
    shown = subprocess.run(command, input="5\n", env=environment(), capture_output=True, text=True, timeout=300).stdout
    reader.join()
    opens_all(shown)
    assert "To continue" not in shown
    assert [json.loads(line).get("abandoned") for line in read] == [None, True]


def test_ctrl_c_while_an_error_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    class Unspeakable(CommandError):
        def __str__(self) -> str:
            raise KeyboardInterrupt

    @click.command()
    def command() -> None:
        raise Unspeakable

    monkeypatch.setattr("sys.argv", ["command"])
    monkeypatch.setattr("signal.signal", lambda *_: None)
    with pytest.raises(SystemExit) as ended:
        run_command(command)
    assert ended.value.code == 130
    assert capsys.readouterr() == ("", "")
