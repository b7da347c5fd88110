"""The contract of every command: inputs that are not there or damaged, outputs that cannot be used, streams."""

import os
import shutil
import signal
from pathlib import Path

import pytest
from fuzzing.judge import state
from support.contract import (
    ALL,
    FILES,
    READING,
    RESUMED,
    SILENT,
    USES,
    WITH_JSON,
    WRITING,
    expected_of,
    used,
    without_progress,
    written,
)
from support.programs import (
    EXPORT,
    IMPORT,
    MATCH,
    POLISH,
    PROVE,
    Result,
    as_nobody,
    call,
    call_in_a_child,
    called,
    complaint,
    json_of,
)
from support.slowness import by_default

resource = pytest.importorskip("resource")


INPUTS = {
    **{f"{name} {pattern}": (name, USES[name].words(), pattern) for name in READING for pattern in USES[name].reads},
    **{f"{name} {arguments} {pattern}": (name, arguments.split(), pattern) for name, arguments, pattern in RESUMED},
}
"""A command, its arguments, and the pattern of a file that it reads then."""


@pytest.mark.parametrize("name", INPUTS)
def test_a_damaged_input(name: str, world: Path) -> None:
    """Whatever is read is checked; tests/storage damages the files in every way."""
    command, words, pattern = INPUTS[name]
    path = sorted(world.glob(pattern))[-1]
    path.unlink()
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(1000))
    before = state(world)
    assert str(path.relative_to(world)) in complaint(call(command, *words, typed=""), 1, command)
    if command == POLISH:  # whose output has a record before the first snapshot is read
        shutil.rmtree("out", ignore_errors=True)
    assert state(world) == before


@pytest.mark.parametrize("name", by_default(WRITING, MATCH, PROVE, "page"))
def test_outputs_that_cannot_be_used(name: str, world: Path) -> None:
    (world / "dangling").symlink_to(world / "nowhere" / "at all")
    (world / "circle").symlink_to(world / "circle")
    before = state(world)
    for output in ("adirectory" if name in FILES else "afile", "afile/below", "x" * 400):
        result = used(name, out=output)
        assert output in complaint(result, 2 if result.code == 2 and "/" not in output else 1, name)
    what = "a link that does not lead to a directory; choose another output directory"
    if name in FILES:
        what = "not a regular file; choose another output file"
    elif name == "page":
        what = "this is not a folder; choose another"
    for output in ("dangling", "circle")[name in FILES :]:
        assert complaint(used(name, out=output), 1, name) == f"{called(name)}: {output}: {what}"
    if name in FILES:
        more = ["--restart"] if name == "train-agent" else []
        assert "other data of this program" in complaint(used(name, *more, out="match/solution.msgpack"), 1, name)
    assert state(world) == before


@pytest.mark.parametrize("name", by_default(WRITING, MATCH, EXPORT))
def test_outputs_that_may_not_be_written(name: str, world: Path) -> None:
    closed = world / "unwritable"
    (closed / "empty").mkdir(parents=True)
    shutil.copytree("started", closed / "started")
    for directory in (closed / "started", closed / "empty", closed):
        directory.chmod(0o555)
    before = state(closed)
    places = ("unwritable/new", "unwritable/empty", "unwritable/started")
    for place in places[: 1 if name in FILES else 3]:
        result = call_in_a_child(name, *USES[name].words(out=place), prepare=as_nobody)
        assert place in complaint(without_progress(Result(result.code, "", result.err)), 1, name)
    assert state(closed) == before


@pytest.mark.parametrize("name", by_default(WRITING, MATCH, "train-agent"))
def test_a_disk_that_is_full(name: str, world: Path) -> None:
    def small_files_only() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (50, 50))

    result = call_in_a_child(name, *USES[name].words(), prepare=small_files_only)
    assert "out" in complaint(without_progress(Result(result.code, "", result.err)), 1, name)
    assert not list(world.rglob(".*"))
    assert used(name).code == 0
    if name not in ("compare-algorithms", "plot"):  # seconds; names of elements
        assert written(world / "out") == expected_of(name)


@pytest.mark.parametrize("name", by_default(ALL, MATCH, "explore"))
def test_streams_that_nobody_takes(name: str, world: Path) -> None:
    """Standard output full, without a reader, or closed with the input: no more than a line is said of it."""
    expected = f"{called(name)}: No space left on device; what was saved before is intact\n"
    nowhere = f"{called(name)}: standard output is closed: the result cannot be printed\n"

    def full() -> None:
        os.dup2(os.open("/dev/full", os.O_WRONLY), 1)

    def without_reader() -> None:
        reader, writer = os.pipe()
        os.dup2(writer, 1)
        os.close(reader)
        os.close(writer)

    def closed() -> None:
        import sys

        sys.stdin = sys.stdout = None  # type: ignore[assignment]
        os.closerange(0, 2)

    for prepare, codes, said in ((full, (1,), expected), (without_reader, (0, 1), ""), (closed, (1,), nowhere)):
        if name == POLISH:
            used(name)  # the solver of linear programs has threads, which a child does not get
        else:
            remove_output()
        result = without_progress(call_in_a_child(name, *USES[name].words(), prepare=prepare))
        assert (result.code in codes, result.err) == (True, said), (prepare, result)


@pytest.mark.parametrize("name", by_default(ALL, MATCH, "tournament"))
def test_outputs_without_a_terminal(name: str, world: Path) -> None:
    words = USES[name].words()
    result = call(name, *words, typed="", TERM="xterm-256color", NO_COLOR="1", COLUMNS="40")
    assert result.code == 0, result
    assert result.out
    assert not {"\x1b", "\r"} & set(result.out + result.err)
    if name in WITH_JSON:
        remove_output()
        assert isinstance(json_of(name, *words, *["--quiet"] * (name in SILENT)), dict)
    if name in SILENT:
        remove_output()
        assert used(name, "--quiet") == Result(0, "", "")


def remove_output() -> None:
    shutil.rmtree("out", ignore_errors=True)
    Path("out").unlink(missing_ok=True)


@pytest.mark.parametrize("name", by_default(READING, "explore", "review", IMPORT, PROVE))
def test_inputs_that_are_not_there_have_strange_names_or_are_of_another_kind(name: str, world: Path) -> None:
    """A line names them. No file changes."""
    before = state(world)
    for path in ("missing", "afile", "afile/below", "adirectory", "é [bold]", "x" * 5000):
        inputs = dict.fromkeys(("match", "short", "closed", "game", "table.csv", "agent.msgpack"), path)
        result = used(name, **inputs)
        assert result.code in ((1, 2) if path == "afile" else (1,)), result
        assert path in complaint(result, result.code, name)
    assert state(world) == before
