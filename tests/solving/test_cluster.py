"""Matches on a Dask cluster: the same files as threads make, whatever becomes of workers, scheduler and client.

By default each of these happens once, in the shortest match that notices it. The rest is slow.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import random
import signal
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.clusters import Machines, children, kill, local_cluster, machines
from support.programs import contents, environment, program, run
from support.waiting import wait_until

from tictactoe.errors import ClusterError, FormatError, Interrupted
from tictactoe.games.tic_tac_toe_tree import GameTree
from tictactoe.match.options import MatchOptions
from tictactoe.run_control import RunControl
from tictactoe.solving.cluster import Cluster, open_cluster
from tictactoe.solving.cluster_executor import ClusterExecutor
from tictactoe.solving.match_run import solve_match
from tictactoe.solving.pair_work import PairProgress
from tictactoe.solving.polish import polish_solution
from tictactoe.solving.versions import COMPARED_LIBRARIES, portable_reader
from tictactoe.storage.directory_layout import snapshot_name, subgame_name
from tictactoe.storage.solution import load_solution

__all__ = ["local_cluster", "machines"]
TREE = GameTree.build()
SLOW = MatchOptions(winning_score=3, maximum_subgame_exploitability=1e-5, snapshot_at=(0, 40))
"""Some seconds."""
QUICK = MatchOptions(winning_score=3, maximum_subgame_exploitability=1e-3)


def options(**changed: Any) -> MatchOptions:
    return MatchOptions(**{"winning_score": 2, "maximum_subgame_exploitability": 1e-3, **changed})


@pytest.fixture(scope="module", name="by_threads")
def _by_threads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The match of SLOW."""
    directory = tmp_path_factory.mktemp("threads") / "match"
    solve_match(directory, TREE, SLOW, control=RunControl(workers=2))
    return directory


@pytest.fixture(scope="module", name="two_by_threads")
def _two_by_threads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The match to 2 of options()."""
    directory = tmp_path_factory.mktemp("threads") / "match"
    solve_match(directory, TREE, options(), control=RunControl(workers=2))
    return directory


class Watching:
    """An observer that does something once so many pairs are done."""

    def __init__(self, after: int, act: Any) -> None:
        self.started: list[tuple[Any, int]] = []
        self._after = after
        self._act = act

    def pair_started(self, progress: PairProgress) -> None:
        self.started.append((progress.pair, progress.iteration))

    def pair_checked(self, progress: PairProgress) -> None:
        pass

    def pair_finished(self, pair: Any, num_done: int, num_pairs: int) -> None:
        if num_done == self._after:
            self._act()


@pytest.mark.parametrize(
    ("changed", "limit"),
    [
        ({"snapshot_at": (0, 20)}, 40),
        pytest.param({}, None, marks=pytest.mark.slow),
        pytest.param({"snapshot_at": (0, 20, 50), "alternate_updates": False}, 90, marks=pytest.mark.slow),
    ],
    ids=["given up", "usual", "in full"],
)
def test_the_same_files_as_threads(
    local_cluster: Cluster, tmp_path: Path, changed: dict[str, Any], limit: int | None
) -> None:
    """Snapshots of the schedule, checkpoints of what was given up, and the record."""
    chosen = options(**changed)
    solve_match(tmp_path / "threads", TREE, chosen, max_iterations=limit, control=RunControl(workers=2))
    solve_match(tmp_path / "cluster", TREE, chosen, max_iterations=limit, control=RunControl(workers=local_cluster))
    assert contents(tmp_path / "cluster") == contents(tmp_path / "threads")
    more = limit and 2 * limit  # and a run goes on where one of the other kind has come to
    solve_match(tmp_path / "threads", TREE, chosen, max_iterations=more, control=RunControl(workers=local_cluster))
    solve_match(tmp_path / "cluster", TREE, chosen, max_iterations=more, control=RunControl(workers=2))
    assert contents(tmp_path / "cluster") == contents(tmp_path / "threads")


def _pages_got_again() -> int:
    """By the second ten of twenty times 1 MB, had and freed one after the other."""
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


class PartsAtEveryCheck(ThreadPoolExecutor):
    part_seconds = 0.0


def test_a_pair_in_many_parts(two_by_threads: Path, tmp_path: Path) -> None:
    """A worker that returns what it has at every check, as a very slow one, and is given it back."""
    observer = Watching(0, None)
    with PartsAtEveryCheck(2) as parts:
        solve_match(tmp_path / "parts", TREE, options(), control=RunControl(workers=parts, reporter=observer))
    assert contents(tmp_path / "parts") == contents(two_by_threads)
    assert len(observer.started) == 3


@pytest.mark.parametrize(("winning_score", "kept"), [(1, 0), pytest.param(2, 2, marks=pytest.mark.slow)])
def test_polished_on_a_cluster(local_cluster: Cluster, tmp_path: Path, winning_score: int, kept: int) -> None:
    """With earlier snapshots, some of which are kept; a damaged file is named as ever."""
    pytest.importorskip("highspy")
    match = options(winning_score=winning_score, snapshot_at=(0, 40))
    source = solve_match(tmp_path / "source", TREE, match, control=RunControl(workers=2))
    keep = list(source.results)[:kept]
    polish_solution(source, tmp_path / "threads", keep=keep, control=RunControl(workers=2))
    polish_solution(source, tmp_path / "cluster", keep=keep, control=RunControl(workers=local_cluster))
    assert contents(tmp_path / "cluster") == contents(tmp_path / "threads")
    last = max(source.results)
    path = source.directory_of(last) / snapshot_name(source.results[last].iteration)
    copy = tmp_path / "damaged"
    subprocess.run(["cp", "-r", tmp_path / "source", copy], check=True)
    damaged = copy / subgame_name(last) / path.name
    damaged.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(FormatError, match=str(damaged)):
        polish_solution(load_solution(copy), tmp_path / "never", control=RunControl(workers=local_cluster))


def test_all_workers_are_killed_at_once(local_cluster: Cluster, two_by_threads: Path, tmp_path: Path) -> None:
    """Just before one of them would be given a pair: others come, and do it."""
    killed: list[int] = []

    def shoot() -> None:
        for pid in filter(is_worker, children(os.getpid())):
            kill(pid)
            killed.append(pid)

    solve_match(
        tmp_path / "cluster", TREE, options(), control=RunControl(workers=local_cluster, reporter=Watching(1, shoot))
    )
    assert contents(tmp_path / "cluster") == contents(two_by_threads)
    assert len(killed) == 2


@pytest.mark.slow
def test_workers_are_killed(local_cluster: Cluster, by_threads: Path, tmp_path: Path) -> None:
    """At random moments: what they were at is done again."""
    over, chance, killed = threading.Event(), random.Random(5), []

    def shoot() -> None:
        while len(killed) < 4 and not over.wait(chance.uniform(0.2, 1.0)):
            workers = [pid for pid in children(os.getpid()) if is_worker(pid)]
            if len(workers) == 2:  # not faster than they are started again
                killed.append(chance.choice(workers))
                kill(killed[-1])

    shooting = threading.Thread(target=shoot)
    shooting.start()
    try:
        solve_match(tmp_path / "cluster", TREE, SLOW, control=RunControl(workers=local_cluster))
    finally:
        over.set()
        shooting.join()
    assert contents(tmp_path / "cluster") == contents(by_threads)
    assert killed


def is_worker(pid: int) -> bool:
    """Whether a process is one that computes."""
    try:
        return b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def test_stopped_in_between(local_cluster: Cluster, two_by_threads: Path, tmp_path: Path) -> None:
    """What was finished is there, and another run goes on."""
    stop = threading.Event()
    with pytest.raises(Interrupted):
        solve_match(
            tmp_path / "match",
            TREE,
            options(),
            control=RunControl(workers=local_cluster, stop=stop, reporter=Watching(1, stop.set)),
        )
    assert len(load_solution(tmp_path / "match").results) == 1
    solve_match(tmp_path / "match", TREE, options(), control=RunControl(workers=local_cluster))
    assert contents(tmp_path / "match") == contents(two_by_threads)


@pytest.mark.slow
def test_workers_on_two_hosts_come_and_go(machines: Machines, tmp_path: Path) -> None:
    """Two addresses of loopback. One worker is switched off, another one is added later."""
    machines.scheduler()
    first = machines.worker("127.0.0.2")

    def exchange() -> None:
        first.kill()
        machines.worker("127.0.0.3")

    with open_cluster(str(machines.scheduler_file)) as cluster:
        solve_match(
            tmp_path / "cluster", TREE, QUICK, control=RunControl(workers=cluster, reporter=Watching(2, exchange))
        )
        assert cluster.submit(_host).result() == "127.0.0.3"
        wait_until(lambda: cluster.state() == (1, 1, 0))
    solve_match(tmp_path / "threads", TREE, QUICK, control=RunControl(workers=2))
    assert contents(tmp_path / "cluster") == contents(tmp_path / "threads")


def _host() -> str:
    from distributed import get_worker

    return str(get_worker().address).removeprefix("tcp://").partition(":")[0]


def another_numba(directory: Path) -> Path:
    """A folder that makes Python say that numba is of another version."""
    metadata = directory / "path" / "numba-0.1.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: numba\nVersion: 0.1\n")
    return metadata.parent


def test_stopped_without_a_worker(machines: Machines, tmp_path: Path) -> None:
    """What waits for workers that may never come does not hold it up."""
    machines.scheduler()
    stop = threading.Event()
    with open_cluster(str(machines.scheduler_file)) as cluster:
        threading.Timer(0.3, stop.set).start()
        with pytest.raises(Interrupted):
            solve_match(tmp_path / "match", TREE, options(), control=RunControl(workers=cluster, stop=stop))
        assert cluster.state().tasks == 0


def test_workers_of_another_version_are_given_nothing_to_do(
    local_cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As they are, while here numba is of another one: they are refused at once, and so they would be later."""
    from distributed import Client, get_worker

    address = local_cluster.submit(lambda: get_worker().scheduler.address).result()
    versions = importlib.metadata.version
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "0.1" if name == "numba" else versions(name))
    words = f"numba {versions('numba')} (here 0.1)"
    with pytest.raises(ClusterError) as refused, open_cluster(address):
        pass
    assert f"{words} (and 1 more): results would not be the same; install the same versions there" in str(refused.value)
    notes: list[str] = []
    with Client(address, set_as_default=False) as client:
        executor = ClusterExecutor(client, address, portable_reader()(COMPARED_LIBRARIES), notes.append, "")
        with pytest.raises(ClusterError, match="all its workers have other versions than here"):
            executor.submit((tmp_path / "called").touch).result()
    assert len(notes) == 2
    assert all(note.endswith(f"is not given anything to do: it has {words}") for note in notes)
    assert not (tmp_path / "called").exists()


@pytest.mark.slow
def test_a_worker_of_another_version(machines: Machines, tmp_path: Path) -> None:
    """Refused in words when it is there; when it comes later, it is given nothing to do."""
    machines.scheduler()
    foreign = machines.worker(path=[another_numba(tmp_path)])
    address = str(machines.scheduler_file)

    def complaint() -> str:
        try:
            with open_cluster(address):
                return ""
        except ClusterError as error:
            return str(error)

    wait_until(complaint)
    assert "numba 0.1 (here " in complaint()
    assert "install the same versions there" in complaint()
    foreign.kill()
    foreign.wait()
    wait_until(lambda: not complaint())
    notes: list[str] = []
    with open_cluster(address, notice=notes.append) as cluster:
        machines.worker(path=[tmp_path / "path"])
        solved = threading.Thread(
            target=solve_match,
            args=(tmp_path / "match", TREE, options()),
            kwargs={"control": RunControl(workers=cluster)},
        )
        wait_until(lambda: cluster.state().workers == 1)
        machines.worker("127.0.0.2")
        wait_until(lambda: cluster.state().workers == 2)
        solved.start()
        solved.join()
    solve_match(tmp_path / "threads", TREE, options(), control=RunControl(workers=2))
    assert contents(tmp_path / "match") == contents(tmp_path / "threads")
    assert len(notes) <= 1
    assert all("numba 0.1 (here " in note for note in notes)


def test_a_worker_of_another_python_is_not_sent_compiled_functions(local_cluster: Cluster) -> None:
    """As a worker that joins later: what it gets is text that it can read, and it says no more than what it is."""
    from tictactoe.solving.cluster_executor import FOR_THIS_PYTHON

    arguments = {"work": b"not even a pickle", "python": "3.1"}
    address, found, result = local_cluster.submit(eval, FOR_THIS_PYTHON, arguments).result()
    assert address.startswith("tcp://")
    assert found == {"Python": ".".join(platform.python_version_tuple()[:2])}
    assert result is None


def test_a_scheduler_goes_away(machines: Machines, two_by_threads: Path, tmp_path: Path) -> None:
    scheduler = machines.scheduler()
    machines.worker()
    with open_cluster(str(machines.scheduler_file)) as cluster:
        observer = Watching(2, scheduler.kill)
        with pytest.raises(ClusterError, match="the scheduler has gone away"):
            solve_match(tmp_path / "match", TREE, options(), control=RunControl(workers=cluster, reporter=observer))
    assert len(load_solution(tmp_path / "match").results) == 3
    solve_match(tmp_path / "match", TREE, options(), control=RunControl(workers=2))
    assert contents(tmp_path / "match") == contents(two_by_threads)


COMMAND = ("--winning-score", 3, "--maximum-subgame-exploitability", "1e-5", "--snapshot-at", "0,40")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_the_client_is_stopped(number: signal.Signals, by_threads: Path, tmp_path: Path) -> None:
    """By Ctrl-C, which reaches all processes of a terminal, or killed: no worker stays, the same command goes on."""
    command = ("-o", tmp_path / "match", *COMMAND, "--cluster", "local:2")
    started = subprocess.Popen(
        [program("solve-multiround"), *map(str, command)],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    wait_until(lambda: list((tmp_path / "match").glob("subgame_2_2/*")))
    workers = children(started.pid)
    assert len(workers) >= 2
    if number == signal.SIGINT:
        os.killpg(started.pid, number)
    else:
        started.kill()
    out, err = started.communicate()
    assert out == ""
    if number == signal.SIGINT:
        assert started.returncode == 130, err
        assert "interrupted; everything is saved, continue with: solve-multiround" in err
        assert "Traceback" not in err
    wait_until(lambda: not any(Path(f"/proc/{pid}/cmdline").exists() for pid in workers))
    assert not load_solution(tmp_path / "match").unconverged_scores
    result = run("solve-multiround", *command, "--quiet")
    assert (result.code, result.out, result.err) == (0, "", "")
    assert contents(tmp_path / "match") == contents(by_threads)


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_the_client_is_stopped_while_its_workers_start(number: signal.Signals, tmp_path: Path) -> None:
    """Without a word of Dask's, and no process stays."""
    started = subprocess.Popen(
        [
            program("solve-multiround"),
            *map(str, ("-o", tmp_path / "match", *COMMAND, "--cluster", "local:2", "--quiet")),
        ],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    wait_until(lambda: len(children(started.pid)) > 1)
    workers = children(started.pid)
    if number == signal.SIGINT:  # of a terminal
        os.killpg(started.pid, number)
    else:
        started.send_signal(number)
    out, err = started.communicate()
    assert (started.returncode, out, err.strip()) == (130, "", "")
    wait_until(lambda: not any(Path(f"/proc/{pid}/cmdline").exists() for pid in workers))


def test_without_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    from tictactoe.errors import MissingLibraryError

    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(MissingLibraryError, match=r"pip install distributed$"), open_cluster("local:2"):
        pass
