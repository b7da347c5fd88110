"""Matches on a Dask cluster: the same files as threads make, whatever becomes of workers, scheduler and client."""

import contextlib
import importlib.metadata
import json
import os
import platform
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from support.programs import contents, environment, program, run
from support.slowness import slow
from support.storage_files import linux
from support.waiting import HANGS, wait_until

from tictactoe import GameTree, MatchOptions, RunControl, Solution, load_solution, polish_solution, solve_match
from tictactoe.algorithms.user_code import digest_of_rules
from tictactoe.errors import ClusterError, FormatError, Interrupted
from tictactoe.match.scores import Pair
from tictactoe.solving.cluster import DASK_SETTINGS, Cluster, open_cluster
from tictactoe.solving.versions import COMPARED_LIBRARIES, differences, own_version, versions_here
from tictactoe.storage.directory_layout import snapshot_name

TREE = GameTree.build()
SLOW = MatchOptions(winning_score=3, maximum_subgame_exploitability=1e-5, snapshot_at=(0, 40))
"""Some seconds."""
QUICK = MatchOptions(winning_score=3, maximum_subgame_exploitability=1e-3)


def options(**changed: Any) -> MatchOptions:
    return MatchOptions(**{"winning_score": 2, "maximum_subgame_exploitability": 5e-2, **changed})


@pytest.fixture(scope="module", name="by_threads")
def _by_threads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("threads") / "match"
    solve(directory, SLOW)
    return directory


@pytest.fixture(scope="module", name="local_cluster")
def _local_cluster() -> Iterator[Cluster]:
    pytest.importorskip("distributed")
    with open_cluster("local:1") as cluster:
        yield cluster


@pytest.fixture(name="two_workers")
def _two_workers() -> Iterator[Cluster]:
    with open_cluster("local:2") as cluster:
        yield cluster


Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture(name="start")
def _start(tmp_path: Path) -> Iterator[Start]:
    """Starts a scheduler or a worker as somebody does by hand: a process, at any address of loopback."""
    pytest.importorskip("distributed")
    processes: list[subprocess.Popen[bytes]] = []
    env = environment(PYTHONPATH=os.pathsep.join(filter(None, sys.path)))

    def start(what: str, host: str, *more: str) -> subprocess.Popen[bytes]:
        place = ("--scheduler-file", "scheduler.json", "--host", host, "--no-dashboard")
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *place, *more]
        with open(tmp_path / "log", "ab") as log:
            processes.append(subprocess.Popen(command, env=env, stdout=log, stderr=log, cwd=tmp_path))
        wait_until(partial(is_whole, tmp_path / "scheduler.json"))
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.wait()


def is_whole(scheduler_file: Path) -> bool:
    with contextlib.suppress(OSError, ValueError):
        return bool(json.loads(scheduler_file.read_bytes()))
    return False


def started_by(pid: int) -> list[Any]:
    found: list[Any] = pytest.importorskip("psutil").Process(pid).children(recursive=True)
    return found


def solve(directory: Path, chosen: MatchOptions, workers: int | Executor = 2, limit: int | None = None) -> Solution:
    return solve_match(directory, TREE, chosen, max_iterations=limit, control=RunControl(workers))


@pytest.mark.parametrize(
    ("changed", "limit"),
    [({"snapshot_at": (0, 20)}, 40), *slow(({}, None), ({"snapshot_at": (0, 20, 50), "alternate_updates": False}, 90))],
    ids=["given up", "usual", "in full"],
)
def test_same_as_threads(local_cluster: Cluster, tmp_path: Path, changed: dict[str, Any], limit: int | None) -> None:
    """Snapshots of the schedule, checkpoints of unconverged pairs, and the record. Each continues the other's run."""
    chosen, threads, cluster = options(**changed), tmp_path / "threads", tmp_path / "cluster"
    solve(threads, chosen, 2, limit)
    solve(cluster, chosen, local_cluster, limit)
    assert contents(cluster) == contents(threads)
    more = limit and 2 * limit
    solve(threads, chosen, local_cluster, more)
    solve(cluster, chosen, 2, more)
    assert contents(cluster) == contents(threads)


def _pages_got_again() -> int:
    """Page faults of ten times 1 MB, allocated and freed one after the other, after ten such times."""
    import resource

    faults = []
    for _ in range(21):
        faults.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt)
        np.ones(1 << 17)
    return faults[20] - faults[10]


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another allocator has its own ways")
def test_workers_keep_memory_that_they_freed(local_cluster: Cluster) -> None:
    """Dask's own settings cost them a sixth of their time, in pages of memory that are given back and got again."""
    assert local_cluster.submit(_pages_got_again).result() < 256  # of 1 MB, not of ten


@pytest.mark.parametrize(("winning_score", "kept"), slow((1, 0), (2, 2)))
def test_polished_on_a_cluster(local_cluster: Cluster, tmp_path: Path, winning_score: int, kept: int) -> None:
    """With earlier snapshots, some of which are kept. The error of a damaged file names the file."""
    pytest.importorskip("highspy")
    source = solve(tmp_path / "source", options(winning_score=winning_score, snapshot_at=(0, 40)))
    keep = list(source.results)[:kept]
    refined = winning_score > 1
    polish_solution(source, tmp_path / "threads", keep=keep, refined=refined, control=RunControl(workers=2))
    polish_solution(source, tmp_path / "cluster", keep=keep, refined=refined, control=RunControl(workers=local_cluster))
    assert contents(tmp_path / "cluster") == contents(tmp_path / "threads")
    last = max(source.results)
    damaged = source.directory_of(last) / snapshot_name(source.results[last].iteration)
    damaged.write_bytes(damaged.read_bytes()[:-1])
    with pytest.raises(FormatError, match=str(damaged)):
        polish_solution(source, tmp_path / "never", control=RunControl(workers=local_cluster))


@pytest.mark.slow
def test_workers_are_killed(by_threads: Path, tmp_path: Path) -> None:
    over, chance, killed = threading.Event(), random.Random(5), []
    psutil = pytest.importorskip("psutil")
    elsewhere = started_by(os.getpid())

    def shoot() -> None:
        while len(killed) < 4 and not over.wait(chance.uniform(0.2, 1.0)):
            with contextlib.suppress(psutil.Error):
                started = [each for each in started_by(os.getpid()) if each not in elsewhere]
                workers = [each for each in started if "spawn_main" in str(each.cmdline())]
                if len(workers) == 2:  # not faster than they are started again
                    killed.append(chance.choice(workers))
                    killed[-1].kill()

    shooting = threading.Thread(target=shoot)
    with open_cluster("local:2") as two_workers:
        shooting.start()
        try:
            solve(tmp_path / "cluster", SLOW, two_workers)
        finally:
            over.set()
            shooting.join()
    assert contents(tmp_path / "cluster") == contents(by_threads)
    assert killed


@pytest.mark.slow
def test_workers_on_two_hosts_come_and_go(start: Start, tmp_path: Path) -> None:
    start("scheduler", "127.0.0.1", "--port", "0")
    first = start("worker", "127.0.0.2", "--nthreads", "1", "--no-nanny")

    def exchange(pair: Pair, num_done: int, num_pairs: int) -> None:
        if num_done == 2:
            first.kill()
            start("worker", "127.0.0.3", "--nthreads", "1", "--no-nanny")

    with open_cluster(str(tmp_path / "scheduler.json")) as cluster:
        control = RunControl(cluster, reporter=Mock(pair_finished=exchange))
        solve_match(tmp_path / "cluster", TREE, QUICK, control=control)
        assert cluster.submit(_host).result() == "127.0.0.3"
        wait_until(lambda: cluster.state() == (1, 1, 0))
    solve(tmp_path / "threads", QUICK)
    assert contents(tmp_path / "cluster") == contents(tmp_path / "threads")


def _host() -> str:
    from distributed import get_worker

    return str(get_worker().address).removeprefix("tcp://").partition(":")[0]


def test_nobody_works_and_the_scheduler_goes_away(start: Start, tmp_path: Path) -> None:
    """What waits for workers that may never come holds up no stop, and ends with the scheduler."""
    scheduler, stop = start("scheduler", "127.0.0.1", "--port", "0"), threading.Event()
    with open_cluster(str(tmp_path / "scheduler.json")) as cluster:
        threading.Timer(0.3, stop.set).start()
        with pytest.raises(Interrupted):
            solve_match(tmp_path / "match", TREE, options(), control=RunControl(workers=cluster, stop=stop))
        assert cluster.state().tasks == 0
        threading.Timer(0.3, scheduler.kill).start()
        with pytest.raises(ClusterError, match="the scheduler has gone away"):
            solve_match(tmp_path / "match", TREE, options(), control=RunControl(workers=cluster))
    assert load_solution(tmp_path / "match").results == {}


@pytest.mark.parametrize("num_workers", [1, *slow(2)])
def test_another_version_gets_no_tasks(
    num_workers: int, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here numba claims another version: workers are refused at the start, and when they come later."""
    from distributed import get_worker

    cluster = request.getfixturevalue("local_cluster" if num_workers == 1 else "two_workers")
    address = cluster.submit(lambda: get_worker().scheduler.address).result()
    versions = importlib.metadata.version
    with open_cluster(address) as earlier:
        monkeypatch.setattr(importlib.metadata, "version", lambda name: "0.1" if name == "numba" else versions(name))
        monkeypatch.setattr(earlier, "_expected", versions_here(COMPARED_LIBRARIES))
        words = f"numba {versions('numba')} (here 0.1)"
        with pytest.raises(ClusterError) as refused, open_cluster(address):
            pass
        more = " (and 1 more)" if num_workers == 2 else ""
        advice = "results would not be the same; install the same versions there"
        assert f"{words}{more}: {advice}" in str(refused.value)
        with pytest.raises(ClusterError, match=advice):
            earlier.submit((tmp_path / "called").touch).result()
    assert not (tmp_path / "called").exists()


def _die(notes: Path, times: int) -> int:
    deaths = notes.stat().st_size if notes.exists() else 0
    if deaths < times:
        notes.write_bytes(b"x" * (deaths + 1))
        os._exit(9)
    return deaths


@pytest.mark.slow
def test_a_task_whose_workers_die(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DASK_SETTINGS, "distributed.scheduler.allowed-failures", 2)
    with open_cluster("local:1") as cluster:
        assert cluster.submit(_die, tmp_path / "twice", 2).result() == 2
        with pytest.raises(ClusterError, match="one worker after another died of the same task"):
            cluster.submit(_die, tmp_path / "always", 9).result()
    assert (tmp_path / "always").stat().st_size == 3


COMMAND = ("--winning-score", 3, "--maximum-subgame-exploitability", "1e-5", "--snapshot-at", "0,40")


def started_command(directory: Path, *more: str) -> subprocess.Popen[str]:
    command = [*program("solve-multiround"), "-o", str(directory), *map(str, COMMAND), "--cluster", "local:2", *more]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, env=environment(), text=True, start_new_session=True, **pipes)


def send(started: "subprocess.Popen[str]", number: signal.Signals) -> None:
    """Ctrl-C reaches all processes of a terminal."""
    (os.killpg if number == signal.SIGINT else os.kill)(started.pid, number)


@linux
@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, getattr(signal, "SIGKILL", None)])
def test_the_client_is_stopped(number: signal.Signals, by_threads: Path, tmp_path: Path) -> None:
    started = started_command(tmp_path / "match")
    wait_until(lambda: list((tmp_path / "match").glob("subgame_2_2/*")))
    workers = started_by(started.pid)
    assert len(workers) >= 2
    send(started, number)
    out, err = started.communicate()
    assert out == ""
    if number == signal.SIGINT:
        assert started.returncode == 130, err
        assert "interrupted; what the workers returned is saved; continue with: solve-multiround" in err
        assert "Traceback" not in err
    assert not pytest.importorskip("psutil").wait_procs(workers, HANGS)[1]
    assert not load_solution(tmp_path / "match").unconverged_scores
    result = run("solve-multiround", "-o", tmp_path / "match", *COMMAND, "--cluster", "local:2", "--quiet")
    assert (result.code, result.out, result.err) == (0, "", "")
    assert contents(tmp_path / "match") == contents(by_threads)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_client_is_stopped_while_its_workers_start(number: signal.Signals, tmp_path: Path) -> None:
    started = started_command(tmp_path / "match", "--quiet")
    wait_until(lambda: len(started_by(started.pid)) > 1)
    workers = started_by(started.pid)
    send(started, number)
    out, err = started.communicate()
    assert (started.returncode, out, err.strip()) == (130, "", "")
    assert not pytest.importorskip("psutil").wait_procs(workers, HANGS)[1]


def test_a_library_that_a_worker_lacks_is_a_difference() -> None:
    assert differences({"numpy": "2"}, {"numpy": "2", "numba": "0.6"}) == "numba none (here 0.6)"


@pytest.mark.parametrize("digest", [own_version.__wrapped__, lambda: digest_of_rules(["ast"])])
def test_line_ends_of_windows_are_no_difference(digest: Callable[[], str], monkeypatch: pytest.MonkeyPatch) -> None:
    expected, read = digest(), Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: read(path).replace(b"\r", b"").replace(b"\n", b"\r\n"))
    assert digest() == expected
    monkeypatch.setattr(Path, "read_bytes", lambda path: read(path) + b"\n")
    assert digest() != expected


def test_without_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    from tictactoe.errors import MissingLibraryError

    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(MissingLibraryError, match=r"pip install distributed$"), open_cluster("local:2"):
        pass
