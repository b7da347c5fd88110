"""Commands that are interrupted or killed at some moment. The same command, or the one that the program then names,
comes to the files of a run that nobody stopped."""

from __future__ import annotations

import csv
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from oracle.matches import SHORT, short_rounds
from support.contract import CONTINUE, INTERRUPTED, USES, at_the_file, expected_of, used, written
from support.programs import (
    MATCH,
    ROUND,
    Result,
    call,
    call_in_a_child,
    command_to_continue,
    complaint,
    contents,
    environment,
)
from support.slowness import slow
from support.waiting import HANGS, wait_until

from tictactoe.games.rules import DEFAULT_RULES, RULES
from tictactoe.games.tic_tac_toe_tree import GameTree
from tictactoe.storage.directory_layout import LOCK_FILE
from tictactoe.storage.shipped import shipped_solution

COMPARE = "compare-algorithms"
SOLVED = "--winning-score 2 --algorithm pdcfr+ --jobs 1"
LOOSE = f"{SOLVED} --maximum-subgame-exploitability 0.001"


@pytest.fixture(scope="module", autouse=True)
def _short_rounds() -> Any:
    with short_rounds(), short_rounds("four-more"):
        yield


@pytest.fixture
def _every_round_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes solving commands, which know the rules that ship, solve short rounds."""
    monkeypatch.setitem(RULES, DEFAULT_RULES, SHORT)


# --- before anything is done


@pytest.mark.parametrize(
    ("name", "number"),
    [
        *((name, signal.SIGINT) for name in INTERRUPTED),
        *slow(*((name, signal.SIGTERM) for name in INTERRUPTED)),
        (MATCH, signal.SIGHUP),
        ("import-solution", signal.SIGTERM),
    ],
)
def test_a_signal_at_the_start(name: str, number: signal.Signals, world: Path) -> None:
    """Ends the command with 130 and a line about its files. The command then runs as usual."""
    with as_soon_as_handled(number):
        line = complaint(used(name), 130, name)
    command = shlex.join([name, *USES[name].words()])
    assert line == f"{name}: interrupted; {INTERRUPTED[name].format(command=command)}"
    if name == COMPARE:  # its files have seconds in them
        assert used(name).code == 0
    else:
        assert used(name).code == 0
        assert written(world / "out") == expected_of(name)


def as_soon_as_handled(number: signal.Signals) -> Any:
    """Sends the signal once, when the command has begun to handle it as a wish to stop."""
    install, sent = signal.signal, []

    def installed(installed_for: int, handler: Any) -> Any:
        before = install(installed_for, handler)
        if installed_for == number and handler is not signal.default_int_handler and not sent:
            sent.append(number)
            os.kill(os.getpid(), number)
        return before

    return mock.patch.object(signal, "signal", installed)


@pytest.mark.parametrize("name", ["best-response-multiround", "best-response-subgame", "head-to-head", "plot-solution"])
def test_an_interrupted_reader_is_silent(name: str, world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that saves nothing on its way has nothing to report."""
    before = contents(world)

    def interrupt(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(GameTree, "build", interrupt)
    assert used(name) == Result(130, "", "\n")
    assert contents(world) == before


# --- while files are written

GOING_ON = {
    "solve": f"{MATCH} -o out {LOOSE}",
    "solve anew": f"{MATCH} -o begun {LOOSE} --restart",
    "solve and polish": f"{MATCH} -o out {SOLVED} --polish",
    "polish anew": f"{MATCH} -o exact {SOLVED} --polish --restart",
    "polish": "polish-multiround -s learnt -o out --jobs 1",
    "round": f"{ROUND} -o out --algorithm pdcfr+ --iterations 300 --check-exploitability-every 10",
    "atlas": f"rules-atlas -o out --rules four-moves,four-more {SOLVED.replace('--algorithm pdcfr+ ', '')} --no-plot",
    "learn": "train-agent -o out --episodes 3000 --opponent uniform --seed 1",
    "compare": f"{COMPARE} -o out --algorithm cfr,es-mccfr --seeds 2 --budget 20 --no-plot",
}
"""Commands that continue what an earlier run left."""
NO_CHILD = {"polish", "solve and polish", "polish anew"}
"""The solver of linear programs has threads, which a child does not get. tests/solving kills polishing."""


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match that is solved, one that is begun by other options, and one that is polished from elsewhere."""
    directory = tmp_path_factory.mktemp("begun")
    with mock.patch.dict(RULES, {DEFAULT_RULES: SHORT}):
        assert call(MATCH, "-o", directory / "learnt", *LOOSE.split(), "--quiet").code == 0
        assert call(MATCH, "-o", directory / "begun", *SOLVED.split(), "--max-iterations", 10, "--quiet").code == 1
        polished = ("polish-multiround", "-s", directory / "learnt", "-o", directory / "exact", "--quiet")
        assert call(*polished).code == 0
    return directory


@pytest.fixture
def place(begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, _every_round_short: None) -> Path:
    """The working directory, with copies of those matches."""
    place = Path(shutil.copytree(begun, tmp_path / "place"))
    monkeypatch.chdir(place)
    return place


_uninterrupted: dict[str, tuple[int, Any]] = {}


def whole(line: str) -> tuple[int, Any]:
    """How many files the command writes in a run that nobody stops, and its output. Leaves the directory as it was."""
    if line not in _uninterrupted:
        shutil.copytree(".", "../whole")
        with mock.patch.object(os, "getcwd", os.getcwd):
            here = Path.cwd()
            os.chdir("../whole")
            with at_the_file(0, lambda: None) as files:
                assert call(*line.split()).code == 0
            _uninterrupted[line] = files[0], left(line)
            os.chdir(here)
    return _uninterrupted[line]


def left(line: str) -> Any:
    """The output of a command, but for seconds, which a comparison has in its files."""
    words = line.split()
    output = Path(words[words.index("-o") + 1])
    if words[0] != COMPARE:
        files = written(output)
        return files if isinstance(files, bytes) else {name: data for name, data in files.items() if name != LOCK_FILE}
    with open(output / "comparison.csv", newline="", encoding="utf-8") as file:
        return [{**row, "seconds": ""} for row in csv.DictReader(file)]


@pytest.mark.parametrize("moment", ["first file", *slow("in the middle"), "last but one"])
@pytest.mark.parametrize("how", ["interrupted", "killed"])
@pytest.mark.parametrize("job", GOING_ON)
def test_it_goes_on(job: str, how: str, moment: str, place: Path) -> None:
    line = GOING_ON[job]
    if how == "killed" and job in NO_CHILD:
        return
    files, expected = whole(line)
    at = {"first file": 1, "in the middle": (files + 1) // 2, "last but one": max(1, files - 1)}[moment]
    name, *words = line.split()
    continued = [word for word in words if word != "--restart"]
    if how == "killed":
        done = call_in_a_child(name, *words, prepare=lambda: signalled_at(at, signal.SIGKILL).__enter__())
        assert done.code == -signal.SIGKILL
    else:
        with signalled_at(at, signal.SIGINT):
            done = call(name, *words)
        last = done.err.splitlines()[-1] if done.err else ""
        if done.code == 0:  # nothing was left to be done
            assert left(line) == expected
            return
        assert (done.code, done.out) == (130, "")
        assert last.startswith(f"{name}: interrupted; ")
        if job == "compare":
            assert re.search("nothing is written|and the same command goes on$", last)
        else:
            assert last.endswith(CONTINUE.format(command=shlex.join([name, *continued])))
            assert command_to_continue(last, name) == continued
    done = call(name, *continued)
    assert done.code == 0, done
    assert left(line) == expected


def signalled_at(number: int, which: signal.Signals) -> Any:
    return at_the_file(number, lambda: os.kill(os.getpid(), which))
