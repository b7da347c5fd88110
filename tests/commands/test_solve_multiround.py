"""solve-multiround, and what it has in common with solve-subgame: options, outputs that are there already, results."""

from __future__ import annotations

import io
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from rich.console import Console
from support.measured import two_seconds_a_pair
from support.programs import (
    MATCH,
    ONE_POINT,
    PROGRAMS,
    ROUND,
    SHORT,
    TWO_POINTS,
    call,
    call_in_a_child,
    complaint,
    contents,
    environment,
    json_of,
    run,
)
from support.slowness import slow
from tictactoe.tools.options import solving_options as tool_options
from tictactoe.tools.progress import MatchProgress

from tictactoe import Score, load_solution
from tictactoe.algorithms import kernels
from tictactoe.algorithms.cfr.update_rules import ALGORITHMS, FULL_WIDTH_ALGORITHMS
from tictactoe.games.tic_tac_toe_tree import GameTree
from tictactoe.solving.dry_run import BYTES_IN_FULL
from tictactoe.solving.forecast import MatchForecast
from tictactoe.storage.directory_layout import CERTIFICATE_FILE
from tictactoe.storage.lock import DirectoryLock

__all__ = ["two_seconds_a_pair"]
pytestmark = pytest.mark.usefixtures("two_seconds_a_pair")

QUICK = {MATCH: ONE_POINT, ROUND: SHORT}
CONTRADICTIONS = (
    ("--algorithm cfr --discount true", "--discount true: cfr does not discount; use --algorithm dcfr"),
    ("--algorithm pdcfr+ --discount false", "--discount false: pdcfr+ is nothing without it; use --algorithm pcfr+"),
    ("--algorithm hs-dcfr --discount false", "--discount false: hs-dcfr is nothing without it; use --algorithm cfr"),
    (
        "--algorithm dcfr --schedule-horizon 5",
        "--schedule-horizon: dcfr has no such parameter; it has alpha, beta, gamma",
    ),
    ("--algorithm pcfr+ --discount-alpha 1", "--discount-alpha: pcfr+ has no such parameter; it has gamma"),
    ("--algorithm cfr --discount-beta 1", "--discount-beta: cfr has no such parameter; it has none"),
    ("--algorithm cfr --discount-gamma 1", "--discount-gamma: cfr has no such parameter; it has none"),
    ("--discount false --discount-alpha 1", "--discount-alpha: cfr has no such parameter; it has none"),
    (
        "--small-move-epsilon-decay 0.1",
        "--small-move-epsilon-decay: there is no bonus to decay; give --small-move-epsilon too",
    ),
    (
        "--small-move-epsilon 0.1 --small-move-epsilon-decay 1e-300",
        "--small-move-epsilon-decay: 1e-300 is so small that nothing is ever lost; use 0, or more than 1e-16",
    ),
    ("--resume --restart", "--resume and --restart exclude each other"),
)


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


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        *((name, *case) for name in PROGRAMS for case in CONTRADICTIONS),
        (MATCH, "--algorithm es-mccfr", "--algorithm: es-mccfr samples, which is for single rounds; use solve-subgame"),
        (
            MATCH,
            "--small-move-epsilon 0.01",
            "--small-move-epsilon: the bonus is still 0.01 after a million iterations, too large for an "
            "exploitability of 1e-06; a larger decay of it, a larger target or a limit of iterations is needed",
        ),
    ],
)
def test_options_that_contradict_each_other(name: str, arguments: str, expected: str, tmp_path: Path) -> None:
    line = complaint(call(name, "-o", tmp_path / "out", *arguments.split()), 2, name)
    assert line == f"{name}: {expected} (see {name} --help)"
    assert contents(tmp_path) == {}


@pytest.mark.parametrize(
    ("name", "algorithm"),
    [
        (ROUND, "pdcfr+"),
        (MATCH, "hs-dcfr"),
        *slow(*((ROUND, algorithm) for algorithm in ALGORITHMS)),
        *slow(*((MATCH, algorithm) for algorithm in FULL_WIDTH_ALGORITHMS)),
    ],
)
def test_every_algorithm_runs(name: str, algorithm: str, tmp_path: Path) -> None:
    """All of them, by default, in test_compare_algorithms.py."""
    limit = ("--winning-score", "1", "--max-iterations", "20") if name == MATCH else ("--iterations", "20")
    result = call(name, "-o", tmp_path / "out", "--algorithm", algorithm, *limit, "--json")
    assert result.code == (1 if name == MATCH else 0)
    assert json.loads(result.out)["options"]["algorithm"] == algorithm


def test_the_names_of_the_algorithms() -> None:
    assert sorted(tool_options.ALGORITHMS) == sorted(ALGORITHMS)


def test_the_largest_and_the_smallest_match(tmp_path: Path) -> None:
    found = json_of(MATCH, "-o", tmp_path / "one", *ONE_POINT)
    assert [subgame["score"] for subgame in found["subgames"]] == [[0, 0]]
    plan = json_of(MATCH, "-o", tmp_path / "twenty", "--winning-score", "20", "--dry-run")
    assert (plan["subgames"], plan["pairs"]) == (400, 210)
    loose = ("--maximum-subgame-exploitability", "2", "--check-exploitability-every", "1", "--snapshot-at", "none")
    assert len(json_of(MATCH, "-o", tmp_path / "four", "--winning-score", "4", *loose)["subgames"]) == 16


# --- where the output goes


@pytest.mark.parametrize("name", [MATCH, *slow(ROUND)])
def test_strange_output_names(name: str, tmp_path: Path) -> None:
    """From another working directory, also from one with modules of the same names as ours."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "__init__.py").write_text("raise ImportError('not these')")
    (tmp_path / "tictactoe.py").write_text("raise ImportError('not this')")
    strange = Path("späce\nand [bold]") / os.fsdecode(b"latin-\xe4")
    environment_of_most = environment(PYTHONIOENCODING="utf-8:strict", LC_ALL="C.UTF-8")
    result = run(name, "-o", strange, *QUICK[name], env=environment_of_most, cwd=tmp_path)
    assert (result.code, result.err.count("\n")) == (0, 1 if name == MATCH else 0), result
    output = tmp_path / strange
    assert list(output.iterdir())
    for place in (output, output.parent):
        inside = place / "solution.msgpack" / "x" if name == MATCH else place / "x"
        assert complaint(call(name, "-o", inside, "--resume"), 1, name)


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
        [
            sys.executable,
            "-c",
            "from tictactoe.tools.commands.solve_subgame import command; command()",
            "-o",
            tmp_path,
            "--resume",
        ],
        env=environment(HOME="/proc/no", XDG_CACHE_HOME="/proc/no", PYTHONPATH=str(package.parent), NUMBA_CACHE_DIR=""),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "internal error" not in done.stderr
    assert "no earlier run to resume" in done.stderr


def small_files_only(limit: int) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))


@pytest.mark.parametrize(("name", "limit"), [(MATCH, 500_000), *slow((MATCH, 100_000), (ROUND, 500_000))])
def test_no_space_left_for_a_file(name: str, limit: int, tmp_path: Path) -> None:
    """One of the first files, or one of the large ones later, cannot be written; with more space the run goes on."""
    output, expected = tmp_path / "out", tmp_path / "expected"
    arguments = ("-o", output, "--quiet", *QUICK[name])
    result = call_in_a_child(name, *arguments, prepare=lambda: small_files_only(limit))
    assert complaint(result, 1, name).startswith(f"{name}: {output}"), "which of the disks is full"
    assert not list(output.rglob(".*"))
    assert all(path.stat().st_size <= limit for path in output.rglob("*.msgpack"))
    assert call(name, *arguments).code == call(name, "-o", expected, *arguments[2:]).code == 0
    assert contents(output) == contents(expected)


# --- what is in the output directory already


@pytest.mark.parametrize("name", [MATCH, *slow(ROUND)])
def test_a_damaged_checkpoint_is_thrown_away_with_restart(name: str, tmp_path: Path, started: dict[str, Path]) -> None:
    """And a certificate of what was there before with it."""
    output = tmp_path / "out"
    shutil.copytree(started[name], output)
    (checkpoint,) = output.glob("checkpoint*")
    checkpoint.write_bytes(b"damaged")
    (output / CERTIFICATE_FILE).write_text("of what was there before")
    assert call(name, "-o", output, "--quiet", *QUICK[name], "--restart").code == 0
    assert call(name, "-o", tmp_path / "expected", "--quiet", *QUICK[name]).code == 0
    assert contents(output) == contents(tmp_path / "expected")


def test_a_checkpoint_of_another_configuration_is_refused(tmp_path: Path, started: dict[str, Path]) -> None:
    """Copied in from another directory: sound in itself, but not what this run would have computed."""
    other = tmp_path / "other"
    assert call(MATCH, "-o", other, "--quiet", "--winning-score", "1", "--max-iterations", "10").code == 1
    output = tmp_path / "out"
    shutil.copytree(started[MATCH], output)
    shutil.copy(other / "checkpoint_0_0.msgpack", output)
    line = complaint(call(MATCH, "-o", output, "--quiet", *ONE_POINT), 1, MATCH)
    assert "checkpoint_0_0.msgpack" in line


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


@pytest.mark.parametrize("name", PROGRAMS)
def test_two_runs_at_once(name: str, tmp_path: Path, started: dict[str, Path]) -> None:
    output = tmp_path / "out"
    shutil.copytree(started[name], output)
    lock = DirectoryLock()
    lock.acquire(output)
    before = contents(output)
    for more in ((), ("--restart",), ("--resume",)):
        line = complaint(call(name, "-o", output, *QUICK[name], *more), 1, name)
        assert line.startswith(f"{name}: {output}: another run is using it")
    assert contents(output) == before
    lock.release()


# --- what is printed


@pytest.mark.parametrize("name", [MATCH, ROUND])
@pytest.mark.parametrize("compiled", [False, True])
def test_it_says_that_it_compiles(name: str, compiled: bool, tmp_path: Path) -> None:
    with mock.patch.object(kernels, "is_compiled", return_value=compiled):
        size = ("--winning-score", 1, "--max-iterations", 10) if name == MATCH else ("--iterations", 10)
        said = call(name, "-o", tmp_path / "out", *size).err
    assert (re.search(r"^compiling the solver, only this once, \d+:\d\d elapsed$", said, re.M) is None) is compiled


def test_a_terminal_shows_that_it_compiles_until_there_is_something_to_show() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=100)
    progress = MatchProgress(MatchForecast(1, 1), console=console)
    with mock.patch.object(kernels, "is_compiled", return_value=False):
        progress.starting()
    console.print(progress.drawn())
    progress.set("something else")
    console.print(progress.drawn())
    first, second, *_ = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert first.startswith("compiling the solver")
    assert second.startswith("0 of 1 pair of scores solved")


@pytest.mark.parametrize("algorithm", ["rdcfr", *slow("pdcfr+")])
@pytest.mark.parametrize("asked", [(), *slow((("--snapshot-at", "0,1,10"),), (("--snapshot-at", "none"),))])
def test_dry_run_foretells_the_disk(asked: tuple[str, ...], algorithm: str, tmp_path: Path) -> None:
    """Of real rounds, of which most are solved after 100 iterations and before 1000."""
    command = ("-o", tmp_path / "match", "--winning-score", "2", "--algorithm", algorithm, "--jobs", "1", *asked)
    command = (*command, "--maximum-subgame-exploitability", "0.0005")
    plan = json.loads(call(MATCH, *command, "--dry-run", "--json").out)
    assert call(MATCH, *command, "--quiet").code == 0
    _check_disk(tmp_path, plan)


def _check_disk(directory: Path, plan: dict[str, Any]) -> None:
    in_progress = 2 * BYTES_IN_FULL * GameTree.build(plan["rules"]).num_nodes / 37_538  # gone in the end
    assert sum(len(data) for data in contents(directory).values() if data) == pytest.approx(
        plan["disk_bytes"] - in_progress, rel=0.2
    )


def filled_to_2(directory: Path) -> tuple[object, ...]:
    command = ("-o", directory / "match", "--winning-score", "2", "--jobs", "1", "--rules", "filled")
    return (*command, "--maximum-subgame-exploitability", "0.0005")


def test_dry_run_foretells_the_disk_by_rules(tmp_path: Path) -> None:
    """Files grow with the tree, and so does the memory of what is in progress."""
    command = filled_to_2(tmp_path)
    plan = json.loads(call(MATCH, *command, "--dry-run", "--json").out)
    assert plan["rules"] == "filled"
    default = json.loads(call(MATCH, *command[:6], "--dry-run", "--json").out)
    scale = GameTree.build("filled").num_nodes / GameTree.build().num_nodes
    assert plan["disk_bytes"] == pytest.approx(scale * default["disk_bytes"], abs=1)
    assert 1.03 < plan["memory_bytes"] / default["memory_bytes"] < scale


@pytest.mark.slow
def test_dry_run_foretells_the_disk_of_other_rules(tmp_path: Path) -> None:
    plan = json_of(MATCH, *filled_to_2(tmp_path), "--dry-run")
    assert call(MATCH, *filled_to_2(tmp_path), "--quiet").code == 0
    _check_disk(tmp_path, plan)


def test_dry_run_touches_nothing(tmp_path: Path, solved: Path) -> None:
    """It says what there is to do, what is done already, and what is in the way."""
    before = contents(solved)
    common = ("--dry-run", "--jobs", "2")
    plain = call(MATCH, "-o", tmp_path / "new" / "deep", *common)
    assert (plain.code, plain.err) == (0, "")
    assert plain.out.splitlines()[:7] == [
        "would solve 25 scores as 15 pairs, 2 at a time",
        "work: about 0:25 of one core (2.0 s for 4-3/3-4, which was measured)",
        "time: about 0:12; no less than 0:09, with 6 or more: 9 pairs wait for each other",
        "memory: about 245 MB",
        "disk: about 68 MB, for 4 snapshots of a score and its last state",
        "rules: three-in-a-row",
        "winning_score: 5",
    ]
    for asked, kept in (
        (("--winning-score", 6), "the last state of every score, without regrets"),
        (("--winning-score", 6, "--snapshot-at", "none"), "the last state of every score"),
        (("--winning-score", 6, "--snapshot-at", "5,7"), "2 snapshots of a score and its last state"),
    ):
        assert call(MATCH, "-o", tmp_path / "new", *common, *asked).out.splitlines()[4].endswith(f" MB, for {kept}")
    plan = json.loads(call(MATCH, "-o", tmp_path / "new", *common, "--json").out)
    assert (plan["subgames"], plan["subgames_solved"], plan["conflicts"]) == (25, 0, [])
    assert (plan["memory_bytes"], plan["disk_bytes"]) == (245_300_000, 67_830_000)
    again = call(MATCH, "-o", solved, *TWO_POINTS, *common).out.splitlines()
    assert again[:2] == ["would solve 4 scores as 3 pairs, 2 at a time", f"{solved} holds 4 of them already"]
    other = call(MATCH, "-o", solved, *TWO_POINTS, *common, "--algorithm", "rpcfr+", "--discount-gamma", "5")
    conflicts = json.loads(call(MATCH, "-o", solved, "--dry-run", "--json").out)["conflicts"]
    assert "--winning-score is 2 there, 5 here" in conflicts
    assert "would be refused: --algorithm is pdcfr+ there, rpcfr+ here" in other.out
    assert contents(tmp_path) == {}
    assert contents(solved) == before


def test_dry_run_says_what_a_run_would_do(tmp_path: Path, solved: Path) -> None:
    """With --restart, --resume, --quiet, --polish and --cluster, and in a directory of somebody else's."""

    def plan(*arguments: object) -> dict[str, Any]:
        found: dict[str, Any] = json_of(MATCH, *arguments, "--dry-run")
        return found

    there = ("-o", solved, *TWO_POINTS)
    assert plan(*there)["subgames_solved"] == 4
    assert (plan(*there)["measured_pair"], plan(*there)["core_seconds"]) == (None, 0.0)
    again = plan(*there, "--restart")
    assert (again["subgames_solved"], again["conflicts"], again["core_seconds"]) == (0, [], 4.0)
    assert plan("-o", solved, "--restart")["conflicts"] == []  # whatever its options were
    new = tmp_path / "new"
    (refusal,) = plan("-o", new, *TWO_POINTS, "--resume")["conflicts"]
    assert refusal == f"{new}: no earlier run to resume; leave --resume out to start one"
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("mine")
    (refusal,) = plan("-o", tmp_path / "thesis", *TWO_POINTS)["conflicts"]
    assert refusal == complaint(call(MATCH, "-o", tmp_path / "thesis", *TWO_POINTS), 1, MATCH).partition(": ")[2]
    quiet = call(MATCH, "-o", new, *TWO_POINTS, "--dry-run", "--quiet")
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")
    plain, polished = plan("-o", new, "--jobs", 2), plan("-o", new, "--polish", "--jobs", 2)
    assert polished["memory_bytes"] > plain["memory_bytes"] + 100_000_000
    assert polished["disk_bytes"] > plain["disk_bytes"]
    (refusal,) = plan("-o", solved, "--polish")["conflicts"]
    assert "holds a solution that is not polished" in refusal
    elsewhere = plan("-o", new, "--cluster", "local:64", "--winning-score", "12")
    assert (elsewhere["jobs"], elsewhere["pairs"], elsewhere["chain"]) == (64, 78, 23)
    assert elsewhere["seconds"] == elsewhere["least_seconds"] == 44.0  # two seconds a pair, one for a tied score
    assert elsewhere["most_useful_jobs"] == 6
    assert elsewhere["memory_bytes"] < 1e9
    assert elsewhere["worker_memory_bytes"] < 5e8
    assert not new.exists()


def test_json_is_the_solution(tmp_path: Path, solved: Path) -> None:
    output = shutil.copytree(solved, tmp_path / "out")
    found = json_of(MATCH, "-o", output, *TWO_POINTS)
    assert set(found) == {"rules", "winning_score", "converged", "options", "subgames"}
    solution = load_solution(output)
    assert (found["converged"], found["rules"]) == (True, "three-in-a-row")
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


def test_not_converged(tmp_path: Path, solved: Path) -> None:
    output = tmp_path / "out"
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
    assert contents(output) == contents(solved)


def test_not_converged_says_how_far_it_came(tmp_path: Path) -> None:
    """Also when the limit is lower than what an earlier run has done; and of the favourite no more than it knows."""
    basic = ("-o", tmp_path / "out", "--winning-score", "1")
    assert call(MATCH, *basic, "--quiet", "--max-iterations", "30").code == 1
    result = call(MATCH, *basic, "--max-iterations", "20")
    assert (result.code, len(result.err.splitlines())) == (1, 1)
    assert result.err.startswith(f"{MATCH}: not converged within 30 iterations: 1 of 1 score (0-0); ")
    assert "\nAs far as this unconverged solution tells, in a match to 1, whoever moves " in result.out
    assert "perfect players" not in result.out


def test_a_finished_match_is_printed_again(tmp_path: Path, solved: Path) -> None:
    output = Path(shutil.copytree(solved, tmp_path / "out"))
    first = call(MATCH, "-o", output, *TWO_POINTS)
    before = {path: path.stat().st_mtime_ns for path in output.rglob("*")}
    for more in ((), ("--resume",), ("--max-iterations", "5"), ("--jobs", "7")):
        again = call(MATCH, "-o", output, *TWO_POINTS, *more)
        assert (again.code, again.out, again.err) == (0, first.out, "")
    assert {path: path.stat().st_mtime_ns for path in output.rglob("*")} == before
    assert contents(output) == contents(solved)
