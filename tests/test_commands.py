"""The commands in the hands of a hostile user: one line on standard error, the right exit code, nothing lost."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from click import Command
from commands import (
    MATCH,
    ONE_POINT,
    PROGRAMS,
    ROUND,
    SHORT,
    TWO_POINTS,
    Result,
    call,
    complaint,
    contents,
    driver,
    environment,
    program,
    run,
    with_version,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from tictactoe.tools import options as tool_options
from tictactoe.tools.solve_multiround import command as match_command
from tictactoe.tools.solve_subgame import command as round_command

from tictactoe import FormatError, Score, load_solution
from tictactoe.files import CERTIFICATE_FILE
from tictactoe.rules import ALGORITHMS, FULL_WIDTH_ALGORITHMS

COMMANDS: dict[str, Command] = {MATCH: match_command, ROUND: round_command}
QUICK = {MATCH: ONE_POINT, ROUND: SHORT}
HARMLESS = {MATCH: ("--dry-run",), ROUND: ("--iterations", "1", "--quiet")}
"""What keeps a command line from being solved for minutes if it is accepted by mistake."""
NOBODY = 65534

NEVER_NUMBERS = ("", " ", "nan", "inf", "-inf", "Infinity", "x", "1,5", "0x10", "--", "1 2", "9" * 5000 + "x")
BAD_COUNTS = (*NEVER_NUMBERS, "-1", "1.5", "1e3", "9" * 30, "9" * 5000)
BAD_NUMBERS = (*NEVER_NUMBERS, "1e999", "-1e999", "9" * 5000)

BAD_VALUES = {
    "--winning-score": (*BAD_COUNTS, "0"),
    "--maximum-subgame-exploitability": (*BAD_NUMBERS, "0", "-0.0", "-1e-6", "1e-999"),
    "--check-exploitability-every": (*BAD_COUNTS, "0"),
    "--discount-alpha": (*BAD_NUMBERS, "-0.5", "1e300"),
    "--discount-beta": (*BAD_NUMBERS, "-1e300", "1e300"),
    "--discount-gamma": (*BAD_NUMBERS, "-0.5", "1e300"),
    "--small-move-epsilon": (*BAD_NUMBERS, "-1e-9", "1.5", "1e300"),
    "--small-move-epsilon-decay": (*BAD_NUMBERS, "-1e-9", "1.5", "1e300"),
    "--jobs": (*BAD_COUNTS, "0"),
    "--max-iterations": (*BAD_COUNTS, "0"),
    "--iterations": (*BAD_COUNTS, "0"),
    "--snapshot-at": ("", "nan", "x", "-1", "1.5", "1e3", "9" * 30, ",", "1,", ",1", "1,,2", "1;2", "1,-2", "1,nan"),
    "--algorithm": ("", "DCFR+", "cfr++", "nan", "1"),
    "--discount": ("", "maybe", "2", "nan"),
    "--alternate-updates": ("", "maybe", "2", "nan"),
}


def options_of(name: str) -> list[str]:
    return [option for parameter in COMMANDS[name].params for option in parameter.opts if option.startswith("--")]


def numeric_cases() -> Iterator[tuple[str, str]]:
    for name in PROGRAMS:
        for option in BAD_VALUES:
            if option in options_of(name):
                yield name, option


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A solved match to 2; to be copied, not changed."""
    output = tmp_path_factory.mktemp("solved") / "match"
    assert call(MATCH, "-o", output, "--quiet", *TWO_POINTS).code == 0
    return output


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """By program: a directory with a checkpoint, as an interrupted run leaves it; to be copied."""
    match = tmp_path_factory.mktemp("started") / "match"
    assert call(MATCH, "-o", match, "--quiet", *ONE_POINT, "--max-iterations", "10").code == 1
    assert (match / "checkpoint_0_0.msgpack").exists()
    single = tmp_path_factory.mktemp("started") / "round"
    assert call(ROUND, "-o", single, "--quiet", *SHORT[:2], "--iterations", "20", *SHORT[4:]).code == 0
    (single / "snapshot_000020.msgpack").rename(single / "checkpoint.msgpack")
    return {MATCH: match, ROUND: single}


# --- usage


@pytest.mark.parametrize("name", PROGRAMS)
def test_usage_errors_of_the_installed_programs(name: str, tmp_path: Path) -> None:
    for arguments, named in ((["--nonsense"], "--nonsense"), (["surplus"], "surplus"), (["-o"], "-o")):
        assert named in complaint(run(name, *arguments, cwd=tmp_path), 2, name)
    assert contents(tmp_path) == {}


@pytest.mark.parametrize("name", PROGRAMS)
def test_unknown_options_and_missing_values(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for unknown in ("--nonsense", "--winning-scores", "--iteration", "-x", "--quiet=1", "--json=true", "---", "extra"):
        complaint(call(name, *HARMLESS[name], unknown), 2, name)
    for parameter in COMMANDS[name].params:
        if not getattr(parameter, "is_flag", False):
            for option in parameter.opts:
                assert option in complaint(call(name, *HARMLESS[name], option), 2, name)
    assert contents(tmp_path) == {}


@pytest.mark.parametrize(("name", "option"), list(numeric_cases()))
def test_values_that_are_refused(name: str, option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for value in BAD_VALUES[option]:
        for arguments in ([f"{option}={value}"], [option, value]):
            line = complaint(call(name, *HARMLESS[name], *arguments), 2, name)
            assert option in line or value == "--", line
    assert contents(tmp_path) == {}


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "x", "", "1e999"])
@pytest.mark.parametrize("place", range(4))
def test_outcome_values_that_are_refused(value: str, place: int, tmp_path: Path) -> None:
    values = ["0", "1", "-1", "0"]
    values[place] = value
    line = complaint(call(ROUND, "-o", tmp_path / "out", "--outcome-values", *values), 2, ROUND)
    assert "--outcome-values" in line
    assert contents(tmp_path) == {}


@pytest.mark.parametrize("size", ["1e150", "1e200", "1e300", "1.7e308"])
def test_outcome_values_beyond_what_floats_can_add_up(size: str, tmp_path: Path) -> None:
    """Solved, or refused at once: but no internal error when the first result is to be saved."""
    values = (size, f"-{size}", size, f"-{size}")
    result = call(ROUND, "-o", tmp_path / "out", "--outcome-values", *values, *SHORT, "--json")
    if result.code == 0:
        assert 0.0 <= json.loads(result.out)["exploitability"] < float("inf")
    else:
        assert "--outcome-values" in complaint(result, 2, ROUND)
        assert contents(tmp_path) == {}


CONTRADICTIONS = (
    ("--algorithm cfr --discount true", "--discount"),
    ("--algorithm cfr+ --discount true", "--discount"),
    ("--algorithm pdcfr+ --discount false", "--discount"),
    ("--algorithm hs-dcfr --discount false", "--discount"),
    ("--algorithm rpcfr+ --discount true", "--discount"),
    ("--algorithm dcfr --schedule-horizon 5", "--schedule-horizon"),
    ("--algorithm hs-dcfr --schedule-horizon 0", "--schedule-horizon"),
    ("--algorithm pcfr+ --discount-alpha 1", "--discount-alpha"),
    ("--algorithm cfr --discount-alpha 1", "--discount-alpha"),
    ("--algorithm cfr --discount-beta 1", "--discount-beta"),
    ("--algorithm cfr --discount-gamma 1", "--discount-gamma"),
    ("--algorithm cfr+ --discount-alpha 1", "--discount-alpha"),
    ("--algorithm pdcfr+ --discount-beta 1", "--discount-beta"),
    ("--discount false --discount-alpha 1", "--discount-alpha"),
    ("--discount false --discount-gamma 1", "--discount-gamma"),
    ("--small-move-epsilon-decay 0.1", "--small-move-epsilon"),
    ("--resume --restart", "--re"),
)


@pytest.mark.parametrize(
    ("name", "arguments", "named"),
    [
        *((name, *case) for name in PROGRAMS for case in CONTRADICTIONS),
        (MATCH, "--algorithm es-mccfr", "--algorithm"),
        (ROUND, "--seed 1", "--seed"),
        (ROUND, "--algorithm es-mccfr --seed -1", "--seed"),
        (ROUND, "--algorithm es-mccfr --alternate-updates false", "--alternate-updates"),
        (ROUND, "--algorithm es-mccfr --small-move-epsilon 0.1", "--small-move-epsilon"),
        (ROUND, "--score 0 0", "--values-from"),
        (ROUND, "--values-from {solved}", "--score"),
        (ROUND, "--score 0 0 --values-from {solved} --outcome-values 0 1 -1 0", "--outcome-values"),
        (ROUND, "--score 2 0 --values-from {solved}", "--score"),
        (ROUND, "--score 0 -1 --values-from {solved}", "--score"),
        (ROUND, "--score 0 --values-from {solved}", "--score"),
        (ROUND, "--outcome-values 0 1 -1", "--outcome-values"),
        (ROUND, "--only-save-last --snapshot-at 1,2", "--snapshot-at"),
    ],
)
def test_options_that_contradict_each_other(
    name: str, arguments: str, named: str, solved: Path, tmp_path: Path
) -> None:
    words = [word.format(solved=solved) for word in arguments.split()]
    assert named in complaint(call(name, "-o", tmp_path / "out", *HARMLESS[name], *words), 2, name)
    assert contents(tmp_path) == {}


@pytest.mark.parametrize(
    ("name", "algorithm"),
    [*((ROUND, algorithm) for algorithm in ALGORITHMS), *((MATCH, algorithm) for algorithm in FULL_WIDTH_ALGORITHMS)],
)
def test_every_algorithm_runs(name: str, algorithm: str, tmp_path: Path) -> None:
    limit = ("--winning-score", "1", "--max-iterations", "20") if name == MATCH else ("--iterations", "20")
    result = call(name, "-o", tmp_path / "out", "--algorithm", algorithm, *limit, "--json")
    assert result.code == (1 if name == MATCH else 0)
    assert json.loads(result.out)["options"]["algorithm"] == algorithm


def test_the_names_of_the_algorithms() -> None:
    assert set(tool_options.ALGORITHMS) == set(ALGORITHMS)
    assert len(tool_options.ALGORITHMS) == len(ALGORITHMS)
    assert set(ALGORITHMS) - set(tool_options.SAMPLING_ALGORITHMS) == set(FULL_WIDTH_ALGORITHMS)


def test_a_seed_gives_the_same_files_and_another_seed_others(tmp_path: Path) -> None:
    for seed, directory in ((3, "one"), (3, "two"), (4, "three")):
        arguments = ("--algorithm", "es-mccfr", "--iterations", "150", "--seed", seed, "--quiet")
        assert call(ROUND, "-o", tmp_path / directory, *arguments).code == 0
    files = [(tmp_path / name / "snapshot_000150.msgpack").read_bytes() for name in ("one", "two", "three")]
    assert files[0] == files[1] != files[2]
    line = complaint(call(ROUND, "-o", tmp_path / "one", "--algorithm", "es-mccfr", "--seed", 4), 1, ROUND)
    assert "seed is 3 there and 4 here" in line


def test_discount_false_is_plain_cfr(tmp_path: Path) -> None:
    basic = ("--iterations", "20", "--quiet")
    assert call(ROUND, "-o", tmp_path / "one", "--discount", "false", *basic).code == 0
    assert call(ROUND, "-o", tmp_path / "other", "--algorithm", "cfr", *basic).code == 0
    assert contents(tmp_path / "one") == contents(tmp_path / "other")


def test_the_largest_and_the_smallest_match(tmp_path: Path) -> None:
    result = call(MATCH, "-o", tmp_path / "one", *ONE_POINT, "--json")
    assert result.code == 0
    assert [subgame["score"] for subgame in json.loads(result.out)["subgames"]] == [[0, 0]]
    result = call(MATCH, "-o", tmp_path / "twenty", "--winning-score", "20", "--dry-run", "--json")
    assert result.code == 0
    plan = json.loads(result.out)
    assert (plan["subgames"], plan["pairs"]) == (400, 210)
    loose = ("--maximum-subgame-exploitability", "2", "--check-exploitability-every", "1", "--snapshot-at", "none")
    result = call(MATCH, "-o", tmp_path / "four", "--winning-score", "4", *loose, "--json")
    assert result.code == 0
    assert len(json.loads(result.out)["subgames"]) == 16


# --- where the output goes


@pytest.mark.parametrize("name", PROGRAMS)
def test_output_that_is_a_file_or_below_one(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"mine")
    before = contents(tmp_path)
    assert str(tmp_path / "file") in complaint(call(name, "-o", tmp_path / "file", *QUICK[name]), 2, name)
    for below in ("file/out", "file/deeper/out"):
        line = complaint(call(name, "-o", tmp_path / below, *QUICK[name]), 1, name)
        assert str(tmp_path / below) in line
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere" / "at all")
    assert "dangling" in complaint(call(name, "-o", tmp_path / "dangling", *QUICK[name]), 1, name)
    (tmp_path / "dangling").unlink()
    assert contents(tmp_path) == before


@pytest.mark.parametrize("name", PROGRAMS)
def test_impossible_output_names(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    line = complaint(call(name, "-o", "long" * 100, *QUICK[name]), 1, name)
    assert "long" in line
    complaint(call(name, "-o", "", *QUICK[name]), 2, name)  # an unset variable of a shell, not the working directory
    assert contents(tmp_path) == {}


@pytest.mark.parametrize("name", PROGRAMS)
def test_strange_output_names(name: str, tmp_path: Path) -> None:
    for number, strange in enumerate(("späce\nand [bold]", os.fsdecode(b"latin-\xe4"))):
        output = tmp_path / str(number) / strange
        environment_of_most = environment(PYTHONIOENCODING="utf-8:strict", LC_ALL="C.UTF-8")
        result = run(name, "-o", output, *QUICK[name], env=environment_of_most)
        assert result.code == 0, result
        assert list(output.iterdir())
        line = complaint(call(name, "-o", output / "solution.msgpack" / "x" if name == MATCH else output / "x",
                              "--resume"), 1, name)  # fmt: skip
        assert line


def call_as_ordinary_user(name: str, *arguments: object) -> Result:
    """As `call`, in a copy of this process that has given up being root: permissions do not bind root."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.getuid() == 0:
                os.setuid(NOBODY)
            result = call(name, *arguments)
            os.write(writer, json.dumps([result.code, result.out, result.err]).encode())
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with open(reader) as answer:
        return Result(*json.load(answer))


@pytest.mark.parametrize("name", PROGRAMS)
def test_output_that_cannot_be_written(name: str, tmp_path: Path, started: dict[str, Path]) -> None:
    closed = tmp_path / "closed"
    shutil.copytree(started[name], closed / "started")
    (closed / "empty").mkdir()
    before = contents(closed)
    for directory in (closed / "started", closed / "empty", closed):
        directory.chmod(0o555)
    for directory in (tmp_path, *list(tmp_path.parents)[:2]):
        directory.chmod(0o755)
    try:
        for output in (closed / "new", closed / "new" / "deep", closed / "empty", closed / "started"):
            for more in ((), ("--restart",)):
                line = complaint(call_as_ordinary_user(name, "-o", output, *QUICK[name], *more), 1, name)
                assert line.startswith(f"{name}: {output}: "), line
        assert contents(closed) == before
    finally:
        for directory in (closed, closed / "started", closed / "empty"):
            directory.chmod(0o755)


def test_no_place_to_keep_compiled_code(tmp_path: Path) -> None:
    """Installed by root, run by somebody without a home: slow to start, but no reason to fail."""
    import tictactoe
    from tictactoe import tools

    package = tmp_path / "site" / "tictactoe"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(tictactoe.__file__).parent, package, ignore=ignored)
    shutil.copytree(Path(tools.__file__).parent, package / "tools", ignore=ignored, dirs_exist_ok=True)
    (package / "__pycache__").touch()  # no directory can be made here, not even by root
    done = subprocess.run(
        [sys.executable, "-c", "from tictactoe.tools.solve_subgame import main; main()", "-o", tmp_path, "--resume"],
        env=environment(HOME="/proc/no", XDG_CACHE_HOME="/proc/no", PYTHONPATH=str(package.parent), NUMBA_CACHE_DIR=""),
        capture_output=True, text=True, timeout=120, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    assert "internal error" not in done.stderr
    assert "no earlier run to resume" in done.stderr


LIMITS = {MATCH: (50, 100_000, 500_000), ROUND: (50, 500_000)}


@pytest.mark.parametrize(("name", "limit"), [(name, limit) for name in PROGRAMS for limit in LIMITS[name]])
def test_no_space_left_for_a_file(name: str, limit: int, tmp_path: Path) -> None:
    """The first file, one of the first, or one of the large ones later cannot be written."""

    def small_files_only() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    output, expected = tmp_path / "out", tmp_path / "expected"
    command = [program(name), "-o", str(output), "--quiet", *QUICK[name]]
    done = subprocess.run(
        command, preexec_fn=small_files_only, capture_output=True, text=True, timeout=120, check=False,
        env=environment(),
    )  # fmt: skip
    line = complaint(type_of_result(done), 1, name)
    assert not list(output.rglob(".*"))
    for path in output.rglob("*.msgpack"):
        assert path.stat().st_size <= limit
    assert call(name, *command[1:]).code == 0
    assert call(name, "-o", expected, "--quiet", *QUICK[name]).code == 0
    assert contents(output) == contents(expected)
    assert str(output) in line, line  # which of the disks is full


def type_of_result(done: subprocess.CompletedProcess[str]) -> Result:
    return Result(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_space_left_on_a_small_file_system(name: str, tmp_path: Path) -> None:
    output, expected = tmp_path / "out", tmp_path / "expected"
    output.mkdir()
    mounted = os.getuid() == 0 and shutil.which("mount") and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1200k", "tmpfs", str(output)], capture_output=True, check=False
    ).returncode == 0  # fmt: skip
    if not mounted:
        pytest.skip("needs to mount a tmpfs")
    try:
        line = complaint(call(name, "-o", output, "--quiet", *QUICK[name]), 1, name)
        assert "No space left" in line
        assert not list(output.rglob(".*"))
        subprocess.run(["mount", "-o", "remount,size=64m", str(output)], check=True)
        assert call(name, "-o", output, "--quiet", *QUICK[name]).code == 0
        assert call(name, "-o", expected, "--quiet", *QUICK[name]).code == 0
        assert contents(output) == contents(expected)
        assert str(output) in line
    finally:
        subprocess.run(["umount", str(output)], check=True)


# --- what is in the output directory already


def damaged(data: bytes, other_kind: bytes) -> Iterator[tuple[str, bytes]]:
    """A file's bytes, made unusable in every way, and the name of the way."""
    generator = random.Random(7)
    yield "empty", b""
    for length in (10, len(data) // 2, len(data) - 1):
        yield f"truncated to {length}", data[:length]
    places = [0, 5, 20, 28, *(generator.randrange(len(data)) for _ in range(4)), len(data) - 34, len(data) - 1]
    for place in places:
        flipped = bytearray(data)
        flipped[place] ^= 1 << generator.randrange(8)
        yield f"flipped at {place}", bytes(flipped)
    yield "appended to", data + b"\0"
    yield "foreign", b"\x89PNG\r\n\x1a\n" + bytes(1000)
    yield "text", b"not what you think\n" * 100
    yield "another kind", other_kind
    yield "a newer version", with_version(data, 2)
    yield "an older version", with_version(data, 0)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_damaged_checkpoint_is_refused(name: str, tmp_path: Path, started: dict[str, Path]) -> None:
    output = tmp_path / "out"
    shutil.copytree(started[name], output)
    checkpoint = output / ("checkpoint_0_0.msgpack" if name == MATCH else "checkpoint.msgpack")
    other = output / ("subgame_0_0/snapshot_000001.msgpack" if name == MATCH else "snapshot_000000.msgpack")
    other_kind = other.read_bytes() if name == MATCH else (started[MATCH] / "solution.msgpack").read_bytes()
    for what, data in damaged(checkpoint.read_bytes(), other_kind):
        checkpoint.write_bytes(data)
        before = contents(output)
        line = complaint(call(name, "-o", output, "--quiet", *QUICK[name]), 1, name)
        assert str(checkpoint) in line, what
        assert ("newer" in line) == (what == "a newer version")
        assert contents(output) == before, what
    (output / CERTIFICATE_FILE).write_text("of what was there before")
    assert call(name, "-o", output, "--quiet", *QUICK[name], "--restart").code == 0
    assert call(name, "-o", tmp_path / "expected", "--quiet", *QUICK[name]).code == 0
    assert contents(output) == contents(tmp_path / "expected")


def test_a_damaged_record_is_refused(tmp_path: Path, solved: Path) -> None:
    output = tmp_path / "out"
    shutil.copytree(solved, output)
    record = output / "solution.msgpack"
    other_kind = (output / "subgame_0_0" / "snapshot_000001.msgpack").read_bytes()
    uses = (
        (MATCH, ["-o", str(output), "--quiet", *TWO_POINTS]),
        (ROUND, ["-o", str(tmp_path / "other"), "--quiet", "--score", "0", "0", "--values-from", str(output)]),
    )
    for what, data in damaged(record.read_bytes(), other_kind):
        record.write_bytes(data)
        before = contents(tmp_path)
        for name, arguments in uses:
            line = complaint(call(name, *arguments), 1, name)
            assert str(record) in line, what
            assert ("newer" in line) == (what == "a newer version")
            assert contents(tmp_path) == before, what
        with pytest.raises(FormatError):
            load_solution(output)
    assert call(MATCH, "-o", output, "--quiet", *TWO_POINTS, "--restart").code == 0
    assert contents(output) == contents(solved)


def test_a_damaged_last_snapshot_of_a_round_is_refused(tmp_path: Path) -> None:
    output = tmp_path / "out"
    assert call(ROUND, "-o", output, "--quiet", *SHORT).code == 0
    last = output / "snapshot_000030.msgpack"
    for what, data in damaged(last.read_bytes(), b"\x95" * 50):
        last.write_bytes(data)
        before = contents(output)
        for more in (SHORT,):
            assert str(last) in complaint(call(ROUND, "-o", output, "--quiet", *more), 1, ROUND), what
        assert contents(output) == before, what


def test_a_checkpoint_of_another_configuration_is_refused(tmp_path: Path, started: dict[str, Path]) -> None:
    """Copied in from another directory: sound in itself, but not what this run would have computed."""
    other = tmp_path / "other"
    assert call(MATCH, "-o", other, "--quiet", "--winning-score", "1", "--max-iterations", "10").code == 1
    output = tmp_path / "out"
    shutil.copytree(started[MATCH], output)
    shutil.copy(other / "checkpoint_0_0.msgpack", output)
    line = complaint(call(MATCH, "-o", output, "--quiet", *ONE_POINT), 1, MATCH)
    assert "checkpoint_0_0.msgpack" in line


def test_values_from_something_else(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    common = ("-o", tmp_path / "out", "--score", "0", "0", "--values-from")
    complaint(call(ROUND, *common, tmp_path / "file"), 2, ROUND)
    assert str(tmp_path / "nothing") in complaint(call(ROUND, *common, tmp_path / "nothing"), 1, ROUND)
    assert sorted(contents(tmp_path)) == ["file"]


def test_values_from_a_solution(tmp_path: Path, solved: Path) -> None:
    result = call(ROUND, "-o", tmp_path / "out", *SHORT, "--score", "1", "0", "--values-from", solved, "--json")
    assert result.code == 0
    found = json.loads(result.out)
    assert found["outcome_values"] == load_solution(solved).outcome_values(Score(1, 0))._asdict()
    assert (found["score"], found["winning_score"]) == ([1, 0], 2)


@pytest.mark.parametrize("restart", [(), ("--restart",), ("--resume",)])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_foreign_directory_is_refused(
    name: str, restart: tuple[str, ...], tmp_path: Path, started: dict[str, Path]
) -> None:
    (tmp_path / "photos" / "summer").mkdir(parents=True)
    (tmp_path / "photos" / "summer" / "beach.png").write_bytes(b"\x89PNG")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "notes.msgpack").write_bytes(b"\x95")
    shutil.copytree(started[ROUND if name == MATCH else MATCH], tmp_path / "of the other program")
    before = contents(tmp_path)
    for directory in ("photos", "notes", "of the other program", "."):
        line = complaint(call(name, "-o", tmp_path / directory, *QUICK[name], *restart), 1, name)
        assert str(tmp_path / directory) in line
    assert contents(tmp_path) == before


def test_a_solution_without_its_record_is_not_deleted(tmp_path: Path, solved: Path) -> None:
    """Hours of work are in the snapshots: to throw them away takes --restart."""
    output = tmp_path / "out"
    shutil.copytree(solved, output)
    (output / "solution.msgpack").unlink()
    (output / CERTIFICATE_FILE).write_text("")
    before = contents(output)
    assert "--restart" in complaint(call(MATCH, "-o", output, "--quiet", *TWO_POINTS), 1, MATCH)
    assert contents(output) == before


def test_another_configuration_is_named(tmp_path: Path, solved: Path) -> None:
    before = contents(solved)
    for changed, named in (
        (("--winning-score", "3"), ["winning_score is 2 there and 3 here"]),
        (("--maximum-subgame-exploitability", "0.01"), ["maximum_subgame_exploitability is 0.05 there and 0.01 here"]),
        (("--algorithm", "cfr"), ["algorithm is pdcfr+ there and cfr here", "discount_alpha", "discount_gamma"]),
        (("--check-exploitability-every", "20", "--snapshot-at", "5", "--alternate-updates", "false"),
         ["check_exploitability_every", "snapshot_at", "alternate_updates is True there and False here"]),
        (("--small-move-epsilon", "0.1", "--small-move-epsilon-decay", "0.5", "--discount-gamma", "3"),
         ["small_move_epsilon is", "small_move_epsilon_decay is", "discount_gamma is"]),
    ):  # fmt: skip
        line = complaint(call(MATCH, "-o", solved, *TWO_POINTS, *changed), 1, MATCH)
        for difference in named:
            assert difference in line
        assert line.count(" there and ") == len(named)
        assert str(solved) in line
        assert contents(solved) == before


def test_another_configuration_of_a_round_is_named(tmp_path: Path, started: dict[str, Path]) -> None:
    before = contents(started[ROUND])
    for changed, named in (
        (("--outcome-values", "1", "1", "0", "0"), ["outcome_values"]),
        (("--check-exploitability-every", "20", "--only-save-last"), ["check_exploitability_every", "snapshot_at"]),
        (("--algorithm", "cfr"), ["algorithm", "discount_alpha", "discount_gamma"]),
    ):
        line = complaint(call(ROUND, "-o", started[ROUND], *SHORT, *changed), 1, ROUND)
        assert line.count(" there and ") == len(named)
        assert all(f"{name} is " in line for name in named)
        assert contents(started[ROUND]) == before


@pytest.mark.parametrize("name", PROGRAMS)
def test_two_runs_at_once(name: str, tmp_path: Path) -> None:
    endless = ("--winning-score", "1", "--maximum-subgame-exploitability", "1e-12") if name == MATCH else (
        "--iterations", "100000000")  # fmt: skip
    output = tmp_path / "out"
    first = subprocess.Popen(
        driver(name, "-o", output, "--quiet", *endless), env=environment(), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        while not list(output.glob("checkpoint*")):
            assert first.poll() is None, first.communicate()
        for more in ((), ("--restart",), ("--resume",)):
            line = complaint(call(name, "-o", output, *endless, *more), 1, name)
            assert "another run" in line
            assert str(output) in line
        assert first.poll() is None
        assert (output / ("solution.msgpack" if name == MATCH else "snapshot_000001.msgpack")).exists()
        first.send_signal(signal.SIGINT)
        _, err = first.communicate(timeout=20)
    finally:
        first.kill()
        first.communicate()
    assert first.returncode == 130
    assert "interrupted" in err


# --- what is printed


def test_dry_run_touches_nothing(tmp_path: Path, solved: Path) -> None:
    before = contents(solved)
    for output in (tmp_path / "new" / "deep", solved):
        plain = call(MATCH, "-o", output, "--dry-run")
        assert (plain.code, plain.err) == (0, "")
        assert "25" in plain.out
        assert "MB" in plain.out
        assert json.loads(call(MATCH, "-o", output, "--dry-run", "--json").out)["subgames"] == 25
    assert contents(tmp_path) == {}
    assert contents(solved) == before


def test_json_is_the_solution(tmp_path: Path) -> None:
    result = run(MATCH, "-o", tmp_path / "out", "--json", *TWO_POINTS)
    assert result.code == 0
    found = json.loads(result.out)
    assert set(found) == {"winning_score", "converged", "options", "subgames"}
    solution = load_solution(tmp_path / "out")
    assert found["converged"] is True
    assert found["winning_score"] == solution.winning_score == 2
    assert found["options"] == solution.options
    assert {Score(*subgame["score"]): subgame["value"] for subgame in found["subgames"]} == solution.value
    assert {Score(*subgame["score"]): subgame["exploitability"] for subgame in found["subgames"]} == (
        solution.exploitability
    )
    for subgame in found["subgames"]:
        assert subgame["first_mover_wins_percent"] == pytest.approx(50.0 + 50.0 * subgame["value"])
        assert subgame["iterations"] == solution.results[Score(*subgame["score"])].iteration
        assert subgame["exploitability"] <= 0.05


def test_json_of_a_round(tmp_path: Path) -> None:
    from tictactoe import GameTree, Snapshot

    found = json.loads(call(ROUND, "-o", tmp_path / "out", "--json", *SHORT).out)
    snapshot = Snapshot.load(tmp_path / "out" / "snapshot_000030.msgpack", GameTree.build())
    assert found["value"] == snapshot.value
    assert found["exploitability"] == snapshot.exploitability
    assert found["iterations"] == 30
    assert found["score"] is None


@pytest.mark.parametrize("name", PROGRAMS)
def test_quiet_prints_nothing(name: str, tmp_path: Path) -> None:
    result = run(name, "-o", tmp_path / "out", "--quiet", *QUICK[name])
    assert (result.code, result.out, result.err) == (0, "", "")


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_escape_bytes_without_a_terminal(name: str, tmp_path: Path) -> None:
    for number, variables in enumerate(({"TERM": "xterm-256color", "COLUMNS": "20", "NO_COLOR": ""},)):
        result = run(name, "-o", tmp_path / str(number), *QUICK[name], env=environment(**variables))
        assert result.code == 0
        assert "\x1b" not in result.out + result.err
        assert "\r" not in result.out + result.err


@pytest.mark.parametrize("descriptor", [1, 2])
@pytest.mark.parametrize("name", PROGRAMS)
def test_output_that_is_closed(name: str, descriptor: int, tmp_path: Path) -> None:
    """As by `>&-` in a shell: the work is done all the same."""
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {descriptor}>&-', "sh", program(name), "-o", tmp_path / "out", *QUICK[name]],
        capture_output=True, text=True, env=environment(), timeout=120, check=False,
    )  # fmt: skip
    assert "internal error" not in done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert done.returncode == 0, done
    assert list((tmp_path / "out").rglob("snapshot_*"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_output_that_nobody_reads(name: str, tmp_path: Path) -> None:
    for number, arguments in enumerate((["--help"], [*QUICK[name]])):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run(
            [program(name), "-o", tmp_path / str(number), *arguments], stdout=writer, stderr=subprocess.PIPE,
            text=True, env=environment(), timeout=120, check=False,
        )  # fmt: skip
        os.close(writer)
        assert [line for line in done.stderr.splitlines() if not line.startswith("solved ")] == []
        assert done.returncode in (0, 1)
    done = subprocess.run(
        ["/bin/sh", "-c", '"$0" "$@" | head -n 1', program(name), "-o", tmp_path / "1", *QUICK[name], "--json"],
        capture_output=True, text=True, env=environment(), timeout=120, check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("{\n", "")


@pytest.mark.parametrize("name", PROGRAMS)
def test_standard_output_that_is_full(name: str, tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [program(name), "-o", tmp_path / "out", *QUICK[name], "--json"], stdout=full, stderr=subprocess.PIPE,
            text=True, env=environment(), timeout=120, check=False,
        )  # fmt: skip
    lines = [line for line in done.stderr.splitlines() if not line.startswith("solved ")]
    assert done.returncode == 1
    assert len(lines) == 1
    assert "No space left" in lines[0]


def test_not_converged(tmp_path: Path) -> None:
    output, expected = tmp_path / "out", tmp_path / "expected"
    result = call(MATCH, "-o", output, *TWO_POINTS, "--max-iterations", "20")
    assert result.code == 1
    last = result.err.splitlines()[-1]
    assert last.startswith(f"{MATCH}: not converged within 20 iterations: 4 of 4 scores")
    assert "--max-iterations" in last
    solution = load_solution(output)
    assert len(solution.unconverged_scores) == 4
    assert solution.missing_scores == []
    assert solution.average_strategy[Score(0, 0)].shape[1] == 3
    assert "not converged" in result.out
    again = call(MATCH, "-o", output, *TWO_POINTS, "--max-iterations", "20")
    assert (again.code, again.out) == (1, result.out)
    done = call(MATCH, "-o", output, *TWO_POINTS, "--max-iterations", "100000")
    assert done.code == 0
    assert call(MATCH, "-o", expected, "--quiet", *TWO_POINTS).code == 0
    assert contents(output) == contents(expected)


def test_not_converged_says_how_far_it_came(tmp_path: Path) -> None:
    """Also when the limit is lower than what an earlier run has done: 30 iterations are not 20."""
    basic = ("-o", tmp_path / "out", "--quiet", "--winning-score", "1")
    assert call(MATCH, *basic, "--max-iterations", "30").code == 1
    line = complaint(call(MATCH, *basic, "--max-iterations", "20"), 1, MATCH)
    assert "within 30 iterations" in line


def test_not_converged_claims_no_favourite(tmp_path: Path) -> None:
    """What an unconverged solution says of the favourite, it says as such."""
    result = call(MATCH, "-o", tmp_path / "out", "--winning-score", "1", "--max-iterations", "5")
    assert result.code == 1
    assert "As far as this unconverged solution tells, in a match to 1" in result.out
    assert "perfect players" not in result.out


def test_a_finished_match_is_printed_again(tmp_path: Path, solved: Path) -> None:
    output = tmp_path / "out"
    first = call(MATCH, "-o", output, *TWO_POINTS)
    before = {path: path.stat().st_mtime_ns for path in output.rglob("*")}
    for more in ((), ("--resume",), ("--max-iterations", "5"), ("--jobs", "7")):
        again = call(MATCH, "-o", output, *TWO_POINTS, *more)
        assert (again.code, again.out, again.err) == (0, first.out, "")
    assert {path: path.stat().st_mtime_ns for path in output.rglob("*")} == before
    assert contents(output) == contents(solved)


def test_a_finished_round_is_printed_again(tmp_path: Path) -> None:
    first = call(ROUND, "-o", tmp_path / "out", *SHORT)
    before = contents(tmp_path)
    again = call(ROUND, "-o", tmp_path / "out", *SHORT, "--resume")
    assert (again.code, again.out, again.err) == (0, first.out, "")
    assert contents(tmp_path) == before


@pytest.mark.parametrize("name", PROGRAMS)
def test_from_another_working_directory(name: str, tmp_path: Path) -> None:
    """Also from one with modules of the same names as ours."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "__init__.py").write_text("raise ImportError('not these')")
    (tmp_path / "tictactoe.py").write_text("raise ImportError('not this')")
    result = run(name, "-o", "here/out", "--quiet", *QUICK[name], cwd=tmp_path)
    assert (result.code, result.err) == (0, "")
    assert list((tmp_path / "here" / "out").iterdir())


@pytest.mark.parametrize("name", PROGRAMS)
def test_help_teaches(name: str) -> None:
    result = run(name, "--help")
    assert (result.code, result.err) == (0, "")
    words = result.out.split()
    for option in options_of(name):
        assert option in words or f"{option}," in words, option
    assert result.out.count(f"\n  {name} -o ") >= 2
    assert "Ctrl-C" in result.out
    assert "continues" in result.out or "goes on" in result.out
    assert all(parameter.help for parameter in COMMANDS[name].params if hasattr(parameter, "help"))
    assert max(map(len, result.out.splitlines())) <= 100
    assert run(name, "-h").out == result.out


@pytest.mark.parametrize("name", PROGRAMS)
def test_help_imports_nothing_slow(name: str) -> None:
    source = (
        "import sys, atexit\n"
        f"sys.argv = [{name!r}, '--help']\n"
        "atexit.register(lambda: print([m for m in ('numba', 'numpy', 'rich', 'msgpack') if m in sys.modules]))\n"
        f"from tictactoe.tools.{name.replace('-', '_')} import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "[]"


# --- fuzz

VALUES = st.one_of(
    st.sampled_from(["0", "1", "-1", "0.5", "nan", "inf", "true", "false", "none", "cfr", "pdcfr+", "", "--", "1,2"]),
    st.text(st.characters(blacklist_characters="\0", blacklist_categories=("Cs",)), max_size=8),
    st.integers().map(str),
    st.floats().map(str),
)


@pytest.mark.parametrize("name", PROGRAMS)
@settings(max_examples=30, deadline=None, derandomize=True)
@given(data=st.data())
def test_random_command_lines(name: str, data: st.DataObject) -> None:
    """Nothing is solved here: a command line that is accepted ends as if it had been interrupted at once."""
    option = st.sampled_from([*options_of(name), "--unknown", "-h", "-q"])
    words = data.draw(st.lists(st.one_of(option, VALUES), max_size=6))
    with mock.patch(f"tictactoe.tools.{name.replace('-', '_')}._solve", return_value=None):
        result = call(name, *words)
    if result.code == 0:
        assert result.err == ""
    elif result.code != 130:
        complaint(result, 1 if "no solution here" in result.err else 2, name)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(data=st.data())
def test_random_plans(data: st.DataObject) -> None:
    """Any options that are taken together give a plan; the others a line."""
    given_options = data.draw(
        st.fixed_dictionaries(
            {},
            optional={
                "--winning-score": st.integers(-1, 30),
                "--maximum-subgame-exploitability": st.floats(),
                "--check-exploitability-every": st.integers(-1, 10**10),
                "--algorithm": st.sampled_from(ALGORITHMS),
                "--discount": st.booleans(),
                "--discount-alpha": st.floats(-1.0, 25.0),
                "--discount-beta": st.floats(-25.0, 25.0),
                "--discount-gamma": st.floats(-1.0, 25.0),
                "--small-move-epsilon": st.floats(-0.5, 1.5),
                "--small-move-epsilon-decay": st.floats(-0.5, 1.5),
                "--alternate-updates": st.booleans(),
                "--jobs": st.integers(-1, 2000),
                "--snapshot-at": st.lists(st.integers(-1, 100), max_size=4).map(
                    lambda items: ",".join(map(str, items))
                ),
                "--max-iterations": st.integers(-1, 10**10),
            },
        )
    )
    result = call(MATCH, "--dry-run", "--json", *(f"{option}={value}" for option, value in given_options.items()))
    if result.code == 0:
        assert json.loads(result.out)["pairs"] >= 1
    else:
        complaint(result, 2, MATCH)
