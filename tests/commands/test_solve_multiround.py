"""solve-multiround of a match and of a round: occupied outputs, results, dry runs. Consoles have the messages."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from support.programs import (
    MATCH,
    PROGRAMS,
    ROUND,
    SHORT,
    TWO_POINTS,
    call,
    called,
    complaint,
    contents,
    environment,
    json_of,
)

import tictactoe
from tictactoe import GameTree, MatchOptions, load_solution, tools
from tictactoe.algorithms import compiling
from tictactoe.solving.dry_run import BYTES_IN_FULL
from tictactoe.solving.match_run import start_values_by_formula, start_values_of
from tictactoe.storage.directory_layout import CERTIFICATE_FILE
from tictactoe.storage.locked_directory import DirectoryLock

pytestmark = pytest.mark.usefixtures("quick_forecasts")

QUICK = {MATCH: TWO_POINTS, ROUND: SHORT}


@pytest.fixture
def started(original: Path) -> dict[str, Path]:
    """By program: a directory with a checkpoint, as an interrupted run leaves it; to be copied."""
    return {MATCH: original / "started", ROUND: original / "begun"}


def test_no_place_to_keep_compiled_code(tmp_path: Path) -> None:
    """Installed by root, run by somebody without a home: slow to start, but no reason to fail."""
    package = tmp_path / "site" / "tictactoe"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(tictactoe.__file__).parent, package, ignore=ignored)
    shutil.copytree(Path(tools.__file__).parent, package / "tools", ignore=ignored, dirs_exist_ok=True)
    (package / "__pycache__").touch()  # no directory can be made here, not even by root
    program = "from tictactoe.tools.commands.solve_multiround import command; command()"
    nowhere = {"HOME": "/proc/no", "XDG_CACHE_HOME": "/proc/no", "NUMBA_CACHE_DIR": ""}
    env = environment(PYTHONPATH=str(package.parent), **nowhere)
    command = [sys.executable, "-c", program, "--one-round", "-o", tmp_path]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "choose another output directory" in done.stderr


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_foreign_directory_is_refused(name: str, tmp_path: Path, started: dict[str, Path]) -> None:
    (tmp_path / "photos" / "summer").mkdir(parents=True)
    (tmp_path / "photos" / "summer" / "beach.png").write_bytes(b"\x89PNG")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "notes.msgpack").write_bytes(b"\x95")
    shutil.copytree(started[ROUND if name == MATCH else MATCH], tmp_path / "of the other program")
    shutil.copytree(started[name], tmp_path / "used")
    lock = DirectoryLock()
    lock.acquire(tmp_path / "used")
    before = contents(tmp_path)
    for directory in ("photos", "notes", "of the other program", ".", "used"):
        output = tmp_path / directory
        for more in ((), ("--restart",)):
            line = complaint(call(name, "-o", output, *QUICK[name], *more), 1, name)
            assert line.startswith(f"{called(name)}: {output}: ")
            assert ("another run is using it" in line) == (directory == "used")
    assert contents(tmp_path) == before
    lock.release()


def test_a_solution_without_its_record_is_not_deleted(tmp_path: Path, solved: Path) -> None:
    """Hours of work are in the snapshots: to throw them away takes --restart."""
    output = tmp_path / "out"
    shutil.copytree(solved, output)
    (output / "solution.msgpack").unlink()
    (output / CERTIFICATE_FILE).write_text("")
    before = contents(output)
    assert "restart to discard them" in complaint(call(MATCH, "-o", output, "--quiet", *TWO_POINTS), 1, MATCH)
    assert contents(output) == before


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_says_that_it_compiles(name: str, tmp_path: Path) -> None:
    size = ("--winning-score", 1, "--max-iterations", 10) if name == MATCH else ("--max-iterations", 10)
    once, anew = "(only once), 0:00 elapsed", "0:00 elapsed; the compiled code cannot be saved: set NUMBA_CACHE_DIR to"
    for compiled, kept, words in ((False, True, once), (False, False, anew), (True, True, "")):
        with (
            mock.patch.object(compiling, "is_compiled", return_value=compiled),
            mock.patch.object(compiling, "is_kept", return_value=kept),
        ):
            said = call(name, "-o", tmp_path / f"{compiled}{kept}", *size).err
        line = re.search(r"^compiling the solver,? (.*)$", said, re.M)
        assert (line is None) is compiled
        assert line is None or re.sub(r"\d+:\d\d", "0:00", line[1]).startswith(words)


def plan_of(*arguments: object) -> dict[str, Any]:
    found: dict[str, Any] = json_of(MATCH, *arguments, "--dry-run")
    return found


TARGET = ("--jobs", "1", "--maximum-subgame-exploitability", "0.0005")


@pytest.mark.slow
def test_dry_run_foretells_the_disk(tmp_path: Path) -> None:
    command = ("-o", tmp_path / "match", "--winning-score", "2", *TARGET, "--algorithm", "rdcfr")
    plan = plan_of(*command)
    assert call(MATCH, *command, "--quiet").code == 0
    in_progress = 2 * BYTES_IN_FULL * GameTree.build(plan["rules"]).num_nodes / 37_538  # gone in the end
    written = sum(len(data) for data in contents(tmp_path).values() if data)
    assert written == pytest.approx(plan["disk_bytes"] - in_progress, rel=0.2)


MEMORY_AND_DISK = [(245_300_000, 67_830_000), (470_300_000, 70_080_000), (264_093_543, 85_292_548)]
"""In bytes: of the usual match, of one that is polished, and by filled, whose tree is larger."""


def test_dry_run_to_the_byte_and_what_solving_refuses(tmp_path: Path, solved: Path) -> None:
    """The console dry_run.txt has its words and other numbers."""
    before, new = contents(solved), ("-o", tmp_path / "new" / "deep")
    plans = [plan_of(*new, "--jobs", 2, *more) for more in ((), ("--polish",), ("--rules", "filled"))]
    assert [(plan["memory_bytes"], plan["disk_bytes"]) for plan in plans] == MEMORY_AND_DISK
    assert plan_of("-o", solved, "--restart")["conflicts"] == []  # whatever its options were
    for arguments in (("-o", solved, "--polish"), ("-o", solved / "subgame_0_0")):
        (refusal,) = plan_of(*arguments)["conflicts"]
        assert refusal == complaint(call(MATCH, *arguments), 1, MATCH).partition(": ")[2]
    assert (contents(tmp_path), contents(solved)) == ({}, before)


def test_the_values_that_are_meant(tmp_path: Path) -> None:
    for source, rules, winning_score in (
        ("shipped", "three-in-a-row", 5),
        ("filled", "filled", 3),
        ("filled-tie_match_to_1", "filled-tie", 1),
    ):
        found = plan_of("-o", tmp_path / "out", "--start-from", source, "--winning-score", winning_score)
        values = start_values_of(load_solution(source), winning_score)
        options = MatchOptions(winning_score=winning_score, start_from=values).as_dict()
        assert (found["rules"], found["options"]) == (rules, options)
    text = call(MATCH, "-o", tmp_path / "out", "--dry-run", "--start-from", "formula", "--rules", "filled").out
    digest = MatchOptions(start_from=start_values_by_formula(5, "filled")).as_dict()["start_from"]
    assert f"start_from: {digest}\n" in text
    assert contents(tmp_path) == {}


def test_a_finished_match_is_left_alone(tmp_path: Path, solved: Path) -> None:
    output = Path(shutil.copytree(solved, tmp_path / "out"))
    first = call(MATCH, "-o", output, *TWO_POINTS)
    before = {path: path.stat().st_mtime_ns for path in output.rglob("*")}
    for more in ((), ("--max-iterations", "5"), ("--jobs", "7")):
        again = call(MATCH, "-o", output, *TWO_POINTS, *more)
        assert (again.code, again.out, again.err) == (0, first.out, "")
    assert {path: path.stat().st_mtime_ns for path in output.rglob("*")} == before
