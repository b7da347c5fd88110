"""A run that stops at any moment is continued by the same command, to the same bytes as one that never stopped.

The rounds are short ones, of a tree of 348 nodes: what a run does with its directory does not depend on the tree.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import random
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from pathlib import Path

import pytest
from oracle.matches import short_rounds
from support.killing import killed_everywhere
from support.programs import MATCH, PROGRAMS, ROUND, call, command_to_continue, complaint, contents
from support.waiting import HANGS, wait_until

from tictactoe.games.rules import DEFAULT_RULES
from tictactoe.solving import checkpoint_clock
from tictactoe.solving.checkpoint_clock import CheckpointClock

FORKING = multiprocessing.get_context("fork")

LONG = {
    MATCH: ("--winning-score", "2", "--algorithm", "cfr", "--maximum-subgame-exploitability", "2e-4"),
    ROUND: ("--algorithm", "pdcfr+", "--iterations", "30000"),
}
"""Half a second of work."""

SMALL = (
    (MATCH, ("--winning-score", "1", "--snapshot-at", "10"), 20, 20, 9),
    (MATCH, ("--winning-score", "2", "--snapshot-at", "10"), 20, 20, 61),
    (MATCH, ("--winning-score", "1", "--algorithm", "pdcfr+", "--snapshot-at", "none"), 20, 30, 7),
    (ROUND, ("--snapshot-at", "0,10"), 20, 20, 5),
)
"""The same steps in hundredths of a second: the limit of the run that is killed and of the one that goes on, and
every how many uses of the directory it is killed. A last state off the schedule must not stay when the limit rises."""
LIMIT = {MATCH: "--max-iterations", ROUND: "--iterations"}
NOT_CONVERGED = {MATCH: 1, ROUND: 0}
"""The exit code of a run of SMALL: the match does not converge so soon."""
Contents = dict[str, bytes | None]


@pytest.fixture(autouse=True, scope="module")
def _short_rounds() -> Iterator[None]:
    with short_rounds(DEFAULT_RULES):
        yield


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Contents]:
    """By program: what an undisturbed run of LONG leaves."""
    left = {}
    for name, arguments in LONG.items():
        output = tmp_path_factory.mktemp("uninterrupted") / "out"
        assert call(name, "-o", output, "--quiet", *arguments).code == 0
        left[name] = contents(output)
    return left


def jobs_of(name: str, jobs: int) -> list[str]:
    return ["--jobs", str(jobs)] if name == MATCH else []


@contextlib.contextmanager
def started(
    name: str, output: Path, *arguments: str, after_saving: Callable[[], object] = int
) -> Iterator[tuple[ForkProcess, Connection]]:
    """A program in a copy of this process that saves at every check; and where its Result comes from.

    after_saving: what it does to itself when it has saved a few times.
    """
    results, end = FORKING.Pipe(duplex=False)
    is_due, saves = CheckpointClock.is_due, count()

    def due(clock: CheckpointClock) -> bool:
        found = is_due(clock)
        if found and next(saves) == 5:
            after_saving()
        return found

    def run() -> None:
        checkpoint_clock.CHECKPOINT_SECONDS = 0.0
        CheckpointClock.is_due = due  # type: ignore[method-assign]
        end.send(call(name, "-o", output, *arguments))

    process = FORKING.Process(target=run)
    process.start()
    try:
        yield process, results
    finally:
        process.kill()
        process.join()


def checkpoints_of(output: Path) -> dict[Path, int]:
    """The files of what is in progress, and when they were written."""
    return {path: path.stat().st_mtime_ns for path in output.glob("checkpoint*")}


@pytest.mark.parametrize(("number", "more"), [(signal.SIGINT, ["--restart"]), (signal.SIGTERM, [])])
@pytest.mark.parametrize("name", PROGRAMS)
def test_an_interrupted_run_prints_the_command_that_continues_it(
    name: str, number: signal.Signals, more: list[str], tmp_path: Path, uninterrupted: dict[str, Contents]
) -> None:
    """Which does not restart it, even if the command that was interrupted said so."""
    output = tmp_path / "it's here"
    stop = partial(signal.raise_signal, number)
    with started(name, output, *LONG[name], *jobs_of(name, 2), *more, after_saving=stop) as (_, results):
        assert results.poll(HANGS)
        interrupted = results.recv()
    assert (interrupted.code, interrupted.out) == (130, ""), interrupted
    assert "Traceback" not in interrupted.err
    assert interrupted.err.count(": interrupted; ") == 1
    assert checkpoints_of(output)
    assert not list(output.rglob(".*"))
    words = command_to_continue(interrupted.err.splitlines()[-1], name)
    assert "--restart" not in words
    done = call(name, *words, "--resume", "--quiet")
    assert (done.code, done.err) == (0, "")
    assert contents(output) == uninterrupted[name]


@pytest.mark.parametrize("name", PROGRAMS)
def test_killed_again_and_again(name: str, tmp_path: Path, uninterrupted: dict[str, Contents]) -> None:
    """Every time after it has got further than the run before: by the system, milliseconds of work later."""
    generator, output = random.Random(2026), tmp_path / "out"
    for attempt in range(3):
        die = partial(signal.setitimer, signal.ITIMER_PROF, generator.uniform(0.001, 0.02))
        jobs = jobs_of(name, 1 + attempt)
        with started(name, output, *LONG[name], "--quiet", *jobs, after_saving=die) as (process, _):
            process.join(HANGS)
        assert process.exitcode == -signal.SIGPROF
        assert checkpoints_of(output)
    done = call(name, "-o", output, *LONG[name], "--quiet", *jobs_of(name, 3))
    assert (done.code, done.err) == (0, "")
    assert contents(output) == uninterrupted[name]


@pytest.mark.parametrize(("name", "options", "first", "then", "step"), SMALL)
def test_killed_before_a_use_of_the_directory(
    name: str, options: tuple[str, ...], first: int, then: int, step: int, tmp_path: Path
) -> None:
    def saving_at_every_check(output: Path) -> None:
        checkpoint_clock.CHECKPOINT_SECONDS = 0.0
        call(name, "-o", output, "--quiet", *options, LIMIT[name], first)

    expected = tmp_path / "expected"
    assert call(name, "-o", expected, "--quiet", *options, LIMIT[name], then).code == NOT_CONVERGED[name]
    wrong = []
    for output in killed_everywhere(tmp_path, step, saving_at_every_check):
        done = call(name, "-o", output, "--quiet", *options, LIMIT[name], then)
        differing = contents(output).items() ^ contents(expected).items()
        if done.code != NOT_CONVERGED[name] or differing:
            wrong.append((output.name, done.err, sorted({path for path, _ in differing})))
        shutil.rmtree(output, ignore_errors=True)
    assert wrong == []


@pytest.mark.parametrize("algorithm", ["dcfr", "cfr", "cfr+", "pdcfr+"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_raising_the_limit_gives_what_the_higher_limit_gives(name: str, algorithm: str, tmp_path: Path) -> None:
    """Also where the lower limit lies between two checks."""
    kind = ("--winning-score", "1") if name == MATCH else ("--snapshot-at", "none")
    for output, limit in (("expected", 20), ("raised", 7), ("raised", 20)):
        done = call(name, "-o", tmp_path / output, "--algorithm", algorithm, "--quiet", *kind, LIMIT[name], limit)
        assert done.code == NOT_CONVERGED[name]
    found, expected = contents(tmp_path / "raised"), contents(tmp_path / "expected")
    assert name == ROUND or sorted(found) == sorted(expected)
    assert [path for path in expected if found[path] != expected[path]] == []
    assert name == MATCH or "snapshot_000020.msgpack" in expected


@pytest.mark.parametrize("name", PROGRAMS)
def test_leftover_temporary_files_disappear(name: str, tmp_path: Path) -> None:
    """Of a run that was killed while it wrote its very first file, and of later ones."""
    output = tmp_path / "out"
    output.mkdir()
    for limit in (10, 20):
        for directory in [output, *output.glob("subgame_*")]:
            (directory / ".smbc-tictactoe-12345-0123456789abcdef.tmp").write_bytes(b"half a snapsh")
        kind = ("--winning-score", "2") if name == MATCH else ()
        assert call(name, "-o", output, "--quiet", *kind, LIMIT[name], limit).code == NOT_CONVERGED[name]
        assert list(output.rglob(".*")) == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_resume_needs_an_earlier_run(name: str, tmp_path: Path) -> None:
    output = tmp_path / "out"
    for there in (False, True):
        line = complaint(call(name, "-o", output, "--resume"), 1, name)
        assert str(output) in line
        assert output.exists() == there
        assert contents(tmp_path) == ({"out": None} if there else {})
        output.mkdir(exist_ok=True)


@pytest.mark.parametrize("name", PROGRAMS)
def test_rare_checks_do_not_delay_the_interruption(name: str, tmp_path: Path) -> None:
    """Nor the checkpoints: what a kill loses is a matter of seconds, not of the options."""
    every = ("--check-exploitability-every", "1000000000", "--snapshot-at", "none")
    arguments = ("--winning-score", "1") if name == MATCH else ("--iterations", "1000000000")
    output = tmp_path / "out"
    with started(name, output, *arguments, *every) as (process, results):
        wait_until(output.exists)
        time.sleep(0.2)  # in the middle of its work, where the machine has time for it
        os.kill(process.pid, signal.SIGINT)
        assert results.poll(HANGS)
        assert results.recv().code == 130
    assert checkpoints_of(output)
