"""A command that Ctrl-C or SIGTERM interrupts prints the command that continues it; test_durability.py has the rest."""

import contextlib
import multiprocessing
import os
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
from support.programs import MATCH, PROGRAMS, ROUND, call, command_to_continue, contents
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


@pytest.fixture(autouse=True, scope="module")
def _short_rounds() -> Iterator[None]:
    with short_rounds(DEFAULT_RULES):
        yield


@contextlib.contextmanager
def started(
    name: str, output: Path, *arguments: str, after_saving: Callable[[], object] = int
) -> Iterator[tuple[ForkProcess, Connection]]:
    """A program in a copy of this process that saves at every check; and the pipe that its Result comes from.

    after_saving: the copy calls it after some saves.
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


@pytest.mark.parametrize(("number", "more"), [(signal.SIGINT, ["--restart"]), (signal.SIGTERM, [])])
@pytest.mark.parametrize("name", PROGRAMS)
def test_an_interrupted_run_prints_the_command_that_continues_it(
    name: str, number: signal.Signals, more: list[str], tmp_path: Path
) -> None:
    output, jobs = tmp_path / "it's here", ["--jobs", "2"] if name == MATCH else []
    stop = partial(signal.raise_signal, number)
    with started(name, output, *LONG[name], *jobs, *more, after_saving=stop) as (_, results):
        assert results.poll(HANGS)
        interrupted = results.recv()
    assert (interrupted.code, interrupted.out) == (130, ""), interrupted
    assert "Traceback" not in interrupted.err
    assert interrupted.err.count(": interrupted; ") == 1
    assert list(output.glob("checkpoint*"))
    assert not list(output.rglob(".*"))
    words = command_to_continue(interrupted.err.splitlines()[-1], name)
    assert "--restart" not in words
    done = call(name, *words, "--resume", "--quiet")
    assert (done.code, done.err) == (0, "")
    assert call(name, "-o", tmp_path / "whole", "--quiet", *LONG[name]).code == 0
    assert contents(output) == contents(tmp_path / "whole")


@pytest.mark.parametrize("name", PROGRAMS)
def test_rare_checks_do_not_delay_the_interruption(name: str, tmp_path: Path) -> None:
    """Nor do they delay the checkpoints: a kill loses seconds of work, whatever the options."""
    every = ("--check-exploitability-every", "1000000000", "--snapshot-at", "none")
    arguments = ("--winning-score", "1") if name == MATCH else ("--iterations", "1000000000")
    output = tmp_path / "out"
    with started(name, output, *arguments, *every) as (process, results):
        wait_until(output.exists)
        time.sleep(0.2)  # in the middle of its work, where the machine has time for it
        os.kill(process.pid, signal.SIGINT)
        assert results.poll(HANGS)
        assert results.recv().code == 130
    assert list(output.glob("checkpoint*"))
