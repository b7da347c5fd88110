"""Commands that are stopped at some moment: job x moment x how. The same command, or the one that the program then
names, comes to the files of a run that nobody stopped. tests/solving does the same to the library, at every moment.
"""

import contextlib
import csv
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from oracle.matches import SHORT, SHORT_RULE, short_rounds_in_module
from support.contract import CONTINUE, INTERRUPTED, USES, at_the_file, expected_of, full_disk, used, written
from support.programs import (
    IMPORT,
    MATCH,
    ROUND,
    Result,
    call,
    called,
    command_to_continue,
    complaint,
    contents,
    environment,
    typed_words,
)
from support.slowness import by_default, slow
from support.waiting import HANGS, wait_until

from tictactoe.games.rules import DEFAULT_RULES, RULES
from tictactoe.games.tic_tac_toe_tree import GameTree
from tictactoe.storage.directory_layout import LOCK_FILE
from tictactoe.storage.shipped import shipped_solution

pytest.importorskip("fcntl", reason="signals of POSIX")

COMPARE = "compare-algorithms"
AT_THE_START = (MATCH, "tournament", "convert", COMPARE)
"""Between them, these commands print every message about saved results."""


@pytest.mark.parametrize(
    ("name", "number"),
    [
        *((name, signal.SIGINT) for name in AT_THE_START),
        *slow(*((name, signal.SIGINT) for name in INTERRUPTED if name not in AT_THE_START)),
        *slow(*((name, signal.SIGTERM) for name in INTERRUPTED)),
        (MATCH, signal.SIGHUP),
        *slow((IMPORT, signal.SIGTERM)),
    ],
)
def test_a_signal_at_the_start(name: str, number: signal.Signals, world: Path) -> None:
    with as_soon_as_handled(number):
        line = complaint(used(name), 130, name)
    command = shlex.join([*typed_words(name), *USES[name].words()])
    assert line == f"{called(name)}: interrupted; {INTERRUPTED[name].format(command=command)}"
    assert used(name).code == 0
    if name != COMPARE:  # which writes seconds
        assert written(world / "out") == expected_of(name)


def as_soon_as_handled(number: signal.Signals) -> Any:
    """Sends the signal once, when the command has begun to handle it as a wish to stop."""
    install, sent = signal.signal, []

    def installed(which: int, handler: Any) -> Any:
        before = install(which, handler)
        if which == number and handler is not signal.default_int_handler and not sent:
            sent.append(which)
            os.kill(os.getpid(), which)
        return before

    return mock.patch.object(signal, "signal", installed)


@pytest.mark.parametrize("name", ["plot", *slow("best-response-multiround", "tournament")])
def test_an_interrupted_reader_is_silent(name: str, world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = contents(world)

    def interrupt(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(GameTree, "build", interrupt)
    assert used(name) == Result(130, "", "\n")
    assert contents(world) == before


SOLVED = "--winning-score 2 --algorithm pdcfr+ --jobs 1"
LOOSE = f"{SOLVED} --maximum-subgame-exploitability 0.001"
A_ROUND = "--algorithm pdcfr+ --max-iterations 300 --check-exploitability-every 10"
JOBS = {
    "solve": f"{MATCH} -o out {LOOSE}",
    "solve anew": f"{MATCH} -o begun {LOOSE} --restart",
    "solve and polish": f"{MATCH} -o out {SOLVED} --polish --against uniform",
    "solve and polish anew": f"{MATCH} -o begun {SOLVED} --polish --against uniform --restart",
    "polish another one": f"{MATCH} -o exact {SOLVED} --polish --against uniform --restart",
    "polish": "solve-multiround --polish -s learnt -o out --jobs 1 --against uniform",
    "round": f"{ROUND} -o out {A_ROUND}",
    "round anew": f"{ROUND} -o round {A_ROUND} --restart",
    "learn": "train-agent -o out --episodes 3000 --opponent uniform --seed 1",
    "atlas": "rules-atlas -o out --rules four-moves,four-more --winning-score 2 --jobs 1 --no-plot",
    "compare": f"{COMPARE} -o out --algorithm cfr,es-mccfr --seeds 2 --budget 20 --no-plot",
}
QUICK = ("solve anew", "round", "compare")
STOPS, MOMENTS = ("Ctrl-C", "full disk"), ("first file", "middle", "last but one")
WHEN = (("Ctrl-C", "first file"), ("full disk", "last but one"))


_short_rounds = short_rounds_in_module(SHORT_RULE, "four-more")


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Outputs of runs by other options: solved, begun, polished, a round; a table."""
    directory = tmp_path_factory.mktemp("begun")
    with mock.patch.dict(RULES, {DEFAULT_RULES: SHORT}), contextlib.chdir(directory):
        for line, code in (
            (f"{MATCH} -o learnt {LOOSE}", 0),
            (f"{MATCH} -o begun {SOLVED} --max-iterations 10", 1),
            ("solve-multiround --polish -s learnt -o exact --jobs 1 --against uniform", 0),
            (f"{ROUND} -o round --algorithm cfr --max-iterations 20", 0),
            ("convert learnt -o table.csv", 0),
        ):
            assert call(*line.split(), "--quiet").code == code
    return directory


@pytest.fixture
def place(begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with copies of these. Every round is a short one."""
    place = Path(shutil.copytree(begun, tmp_path / "place"))
    monkeypatch.chdir(place)
    monkeypatch.setitem(RULES, DEFAULT_RULES, SHORT)
    return place


def left(line: str) -> Any:
    """A command's output without what a killed program leaves; of a comparison without its seconds."""
    words = line.split()
    output = Path(words[words.index("-o") + 1])
    if words[0] != COMPARE:
        files = written(output)
        if isinstance(files, bytes):
            return files
        return {name: data for name, data in files.items() if name != LOCK_FILE and not name.endswith(".tmp")}
    with open(output / "comparison.csv", newline="", encoding="utf-8") as file:
        return [row | {"seconds": ""} for row in csv.DictReader(file)]


_whole: dict[str, tuple[int, Any]] = {}


def whole(line: str, begun: Path) -> tuple[int, Any]:
    """How many files a command writes that nobody stops, and its output."""
    if line not in _whole:
        shutil.copytree(begun, "../whole")
        with contextlib.chdir("../whole"), at_the_file(0, full_disk) as files:
            assert call(*line.split()).code == 0
            _whole[line] = files[0], left(line)
    return _whole[line]


@pytest.mark.parametrize(
    ("stop", "moment"), [*WHEN, *slow(*(each for each in product(STOPS, MOMENTS) if each not in WHEN))]
)
@pytest.mark.parametrize("job", by_default(JOBS, *QUICK))
def test_it_goes_on(job: str, stop: str, moment: str, begun: Path, place: Path) -> None:
    line = JOBS[job]
    files, expected = whole(line, begun)
    number = dict(zip(MOMENTS, (1, (files + 1) // 2, max(files - 1, 1)), strict=True))[moment]
    name, *words = line.split()
    continued = [word for word in words if word != "--restart"]
    with at_the_file(number, full_disk if stop == "full disk" else lambda: os.kill(os.getpid(), signal.SIGINT)):
        done = call(name, *words)
    if done.code == 0:  # nothing was left to be done; a comparison does without its journal
        assert moment != MOMENTS[0] or job == "compare"
        assert left(line) == expected
        return
    last = done.err.splitlines()[-1]
    if stop == "full disk":
        assert (done.code, "No space left on device" in last) == (1, True)
    else:
        assert (done.code, done.out) == (130, "")
        if moment == MOMENTS[0] and job != "compare":  # later there may be nothing to say
            assert last.startswith(f"{called(name)}: interrupted; ")
            assert last.endswith(CONTINUE.format(command=shlex.join([*typed_words(name), *continued])))
            assert command_to_continue(last, name) == continued
    begun_anew = stop == "full disk" and moment == MOMENTS[0]  # nothing was saved: what was there still is
    done = call(name, *(words if begun_anew else continued))
    assert done.code == 0, done
    assert left(line) == expected


@pytest.mark.parametrize(("number", "jobs"), slow((signal.SIGINT, 2), (signal.SIGTERM, 1)))
def test_an_interrupted_certify_leaves_nothing(number: int, jobs: int, tmp_path: Path) -> None:
    at_once = "c._Progress.__init__.__kwdefaults__['seconds'] = 0.0"
    source = f"from tictactoe.tools.commands import best_response_multiround as c; {at_once}; c.command()"
    arguments = ["--prove", "-s", str(shipped_solution()), "-o", str(tmp_path / "c.json"), "--jobs", str(jobs)]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    command = [sys.executable, "-c", source, *arguments]
    process = subprocess.Popen(command, env=environment(), start_new_session=True, **pipes)
    assert process.stderr is not None
    assert re.match(r"certifying, \d:\d\d elapsed: 1 of 25 scores, at most \S+ match value", process.stderr.readline())
    process.send_signal(number)
    out, err = process.communicate(timeout=HANGS)
    assert (process.returncode, out) == (130, "")
    assert all(line.startswith("certifying") for line in err.split("\n") if line)
    assert contents(tmp_path) == {}
    with pytest.raises(ProcessLookupError):  # the group of the workers is empty
        wait_until(lambda: os.killpg(process.pid, 0))
