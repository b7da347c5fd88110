"""A run that stops at any moment is continued by the same command, to the same bytes as one that never stopped."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import (
    MATCH,
    ONE_POINT,
    PROGRAMS,
    ROUND,
    SHORT,
    call,
    command_to_continue,
    complaint,
    contents,
    driver,
    environment,
)

LONG = {
    MATCH: ("--winning-score", "2", "--algorithm", "pdcfr+", "--maximum-subgame-exploitability", "3e-3"),
    ROUND: ("--algorithm", "pdcfr+", "--iterations", "2000"),
}
"""A few seconds of work."""

SMALL = (
    (MATCH, ("--winning-score", "1", "--max-iterations", "20", "--snapshot-at", "10"), 9),
    (MATCH, ("--winning-score", "2", "--max-iterations", "20", "--snapshot-at", "10"), 61),
    (ROUND, ("--iterations", "20", "--snapshot-at", "0,10"), 5),
)
"""The same steps in some hundredths of a second, and every how many uses of the directory it is killed."""

WATCHED = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir")


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, bytes | None]]:
    """By program: what an undisturbed run of LONG leaves."""
    left = {}
    for name, arguments in LONG.items():
        output = tmp_path_factory.mktemp("uninterrupted") / "out"
        assert call(name, "-o", output, "--quiet", *arguments).code == 0
        left[name] = contents(output)
    return left


def jobs_of(name: str, jobs: int) -> list[str]:
    return ["--jobs", str(jobs)] if name == MATCH else []


def start(name: str, output: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        driver(name, "-o", output, *arguments), env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def wait_for(condition: Callable[[], object], process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 60.0
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, "nothing happened for a minute"
        time.sleep(0.005)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("name", PROGRAMS)
def test_an_interrupted_run_prints_the_command_that_continues_it(
    name: str, number: signal.Signals, tmp_path: Path, uninterrupted: dict[str, dict[str, bytes | None]]
) -> None:
    output = tmp_path / "it's here"
    process = start(name, output, *LONG[name], *jobs_of(name, 2))
    try:
        wait_for(lambda: list(output.glob("checkpoint*")), process)
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert out == ""
    assert "Traceback" not in err
    last = err.splitlines()[-1]
    assert err.count(": interrupted; ") == 1
    assert list(output.glob("checkpoint*"))
    assert not list(output.rglob(".*"))
    words = command_to_continue(last, name)
    done = call(name, *words, "--resume", "--quiet")
    assert (done.code, done.err) == (0, "")
    assert contents(output) == uninterrupted[name]


@pytest.mark.parametrize("name", PROGRAMS)
def test_killed_again_and_again(name: str, tmp_path: Path, uninterrupted: dict[str, dict[str, bytes | None]]) -> None:
    generator = random.Random(2026)
    output = tmp_path / "out"
    num_killed = 0
    for attempt in range(3):
        process = start(name, output, *LONG[name], "--quiet", *jobs_of(name, 1 + attempt % 3))
        try:
            wait_for(lambda: list(output.glob("checkpoint*")), process)
            before = {path: path.stat().st_mtime_ns for path in output.glob("checkpoint*")}
            wait_for(  # it has got further than the run before
                lambda before=before: {path: path.stat().st_mtime_ns for path in output.glob("checkpoint*")} != before,
                process,
            )
            time.sleep(generator.uniform(0.0, 0.15))
        finally:
            process.kill()
            process.communicate()
        num_killed += process.returncode == -signal.SIGKILL
        if process.returncode == 0:
            break
    assert num_killed >= 2
    done = call(name, "-o", output, *LONG[name], "--quiet", *jobs_of(name, 3))
    assert (done.code, done.err) == (0, "")
    assert contents(output) == uninterrupted[name]


def killed_at(event: int, name: str, arguments: list[str]) -> bool:
    """Run a program in a copy of this process that is killed just before its `event`th use of its directory.

    Whether it came that far.
    """
    child = os.fork()
    if child == 0:
        seen = 0

        def watch(what: str, details: tuple[object, ...]) -> None:
            nonlocal seen
            if what in WATCHED and arguments[1] in str(details):
                seen += 1
                if seen > event:
                    os.kill(os.getpid(), signal.SIGKILL)

        try:
            from tictactoe import single, solve

            single.CHECKPOINT_SECONDS = solve.CHECKPOINT_SECONDS = 0.0
            sys.addaudithook(watch)
            call(name, *arguments)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


@pytest.mark.parametrize(("name", "options", "step"), SMALL)
def test_killed_before_a_use_of_the_directory(name: str, options: tuple[str, ...], step: int, tmp_path: Path) -> None:
    expected = tmp_path / "expected"
    code = call(name, "-o", expected, "--quiet", *options).code
    assert code == (1 if name == MATCH else 0)  # the match does not converge so soon
    wrong = []
    for event in range(0, 1000, step):
        output = tmp_path / f"killed_{event}"
        arguments = ["-o", str(output), "--quiet", *options]
        if not killed_at(event, name, arguments):
            break
        done = call(name, *arguments)
        if done.code != code or contents(output) != contents(expected):
            differing = contents(output).items() ^ contents(expected).items()
            wrong.append((event, done.err, sorted({path for path, _ in differing})))
        shutil.rmtree(output, ignore_errors=True)
    assert event > 10
    assert wrong == []


@pytest.mark.parametrize("algorithm", ["dcfr", "cfr", "cfr+", "pdcfr+"])
def test_raising_the_limit_gives_what_the_higher_limit_gives(algorithm: str, tmp_path: Path) -> None:
    """Also where the lower limit lies between two checks."""
    basic = ["--winning-score", "1", "--algorithm", algorithm, "--quiet"]
    assert call(MATCH, "-o", tmp_path / "expected", *basic, "--max-iterations", 20).code == 1
    for limit in (7, 20):
        assert call(MATCH, "-o", tmp_path / "raised", *basic, "--max-iterations", limit).code == 1
    found, expected = contents(tmp_path / "raised"), contents(tmp_path / "expected")
    assert sorted(found) == sorted(expected)
    assert [path for path in expected if found[path] != expected[path]] == []


@pytest.mark.parametrize("algorithm", ["dcfr", "cfr", "cfr+", "pdcfr+"])
def test_raising_the_iterations_gives_what_the_higher_number_gives(algorithm: str, tmp_path: Path) -> None:
    basic = ["--algorithm", algorithm, "--quiet", "--snapshot-at", "none"]
    assert call(ROUND, "-o", tmp_path / "expected", *basic, "--iterations", 20).code == 0
    for iterations in (7, 20):
        assert call(ROUND, "-o", tmp_path / "raised", *basic, "--iterations", iterations).code == 0
    name = "snapshot_000020.msgpack"
    assert contents(tmp_path / "raised")[name] == contents(tmp_path / "expected")[name]


def test_killed_while_the_state_at_the_limit_is_saved(tmp_path: Path) -> None:
    """The last state of the lower limit is off the schedule: it must not stay behind."""
    limits = [["--max-iterations", str(limit)] for limit in (20, 30)]
    basic = ["--winning-score", "1", "--algorithm", "pdcfr+", "--quiet", "--snapshot-at", "none"]
    expected = tmp_path / "expected"
    call(MATCH, "-o", expected, *basic, *limits[1])
    wrong = []
    for event in range(0, 1000, 7):
        output = tmp_path / f"killed_{event}"
        if not killed_at(event, MATCH, ["-o", str(output), *basic, *limits[0]]):
            break
        call(MATCH, "-o", output, *basic, *limits[1])
        if contents(output) != contents(expected):
            wrong.append((event, sorted(contents(output).keys() ^ contents(expected).keys())))
    assert wrong == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_leftover_temporary_files_disappear(name: str, tmp_path: Path) -> None:
    leftover = ".smbc-tictactoe-12345-0123456789abcdef.tmp"
    output = tmp_path / "out"
    limits = ("--max-iterations", "--max-iterations") if name == MATCH else ("--iterations", "--iterations")
    basic = ["-o", output, "--quiet", *(("--winning-score", "2") if name == MATCH else ())]
    call(name, *basic, limits[0], 10)
    for directory in [output, *output.glob("subgame_*")]:
        (directory / leftover).write_bytes(b"half a snapsh")
    call(name, *basic, limits[1], 20)
    assert sorted(str(path.relative_to(output)) for path in output.rglob(".*")) == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_killed_while_the_very_first_file_was_written(name: str, tmp_path: Path) -> None:
    output = tmp_path / "out"
    output.mkdir()
    (output / ".smbc-tictactoe-12345-0123456789abcdef.tmp").write_bytes(b"half a snapsh")
    done = call(name, "-o", output, "--quiet", *(ONE_POINT if name == MATCH else SHORT))
    assert (done.code, done.err) == (0, "")
    assert not list(output.rglob(".*"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_resume_needs_an_earlier_run(name: str, tmp_path: Path) -> None:
    output = tmp_path / "out"
    line = complaint(call(name, "-o", output, "--resume"), 1, name)
    assert str(output) in line
    assert not output.exists()
    output.mkdir()
    line = complaint(call(name, "-o", output, "--resume"), 1, name)
    assert str(output) in line
    assert contents(output) == {}


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_interrupted_run_is_not_restarted_when_it_continues(name: str, tmp_path: Path) -> None:
    """The command that was interrupted said --restart; the one that is printed must not."""
    output = tmp_path / "out"
    process = start(name, output, *LONG[name], "--restart")
    try:
        wait_for(lambda: list(output.glob("checkpoint*")), process)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert "--restart" not in command_to_continue(err.splitlines()[-1], name)


@pytest.mark.parametrize("name", PROGRAMS)
def test_rare_checks_do_not_delay_the_interruption(name: str, tmp_path: Path) -> None:
    """Nor the checkpoints: what a kill loses is a matter of seconds, not of the options."""
    every = ("--check-exploitability-every", "1000000", "--snapshot-at", "none")
    arguments = ("--winning-score", "1") if name == MATCH else ("--iterations", "1000000")
    output = tmp_path / "out"
    process = start(name, output, *arguments, *every)
    try:
        wait_for(output.exists, process)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=3)
    except subprocess.TimeoutExpired:
        pytest.fail("still running 3 seconds after SIGINT")
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 130
    assert list(output.glob("checkpoint*"))
