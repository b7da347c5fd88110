"""Functions called in the worker processes of a Dask cluster, here or on other machines.

A cluster is an executor for `run_graph` and no more: what is called there knows of no directory and returns all that
is to be kept. Dask calls again what a worker was at when it died. Functions are only called by workers that have the
versions that are here; what another one is given comes back, and goes to the others.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import signal
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import ClusterError, missing_library
from .cluster_executor import ClusterExecutor, Notice
from .scheduler_address import brief, find_scheduler
from .versions import LIBRARIES, Versions, differences, portable_reader

if TYPE_CHECKING:
    from distributed import Client, LocalCluster

SHORTEST_PART, LONGEST_PART = 5.0, 30.0
"""Seconds that a worker goes on before it returns what it has: the longer, the more workers there are to listen to."""

SECONDS_TO_CONNECT = 10
KEPT_BYTES = 32 << 20
"""Freed memory that a worker started here keeps, and the size of blocks that it asks the system for one by one: Dask
has all be given back at once, and a sixth of the time goes into getting it again."""

DEATHS = 10
"""How many workers in a row may die of one task, in a cluster that is started here."""

GOES_ON = "what was finished is saved, and once there is a scheduler the same command goes on"
STARTS_OVER = "start over once there is one again"

LOGGERS = ("distributed", "distributed.client", "distributed.gc", "tornado.application")
"""Those that Dask gives levels of their own, and that say something in a process that hands out work."""

PRELOADED = "tictactoe.solving.cluster_worker"


class ClusterState(NamedTuple):
    """tasks: functions that were handed over and have not come back."""

    workers: int
    threads: int
    tasks: int


class Cluster:
    """A connection to a cluster; see `open_cluster`. executor: calls picklable functions in its workers."""

    def __init__(self, client: Client, address: str, expected: Versions, notice: Notice, after_loss: str) -> None:
        self._client = client
        self._totals = (0, 0)
        self.executor = ClusterExecutor(client, address, expected, notice, after_loss)

    def state(self) -> ClusterState:
        """As it was heard of last; costs nothing."""
        return ClusterState(*self._totals, self.executor.num_tasks)

    @contextlib.contextmanager
    def stopped_by(self, stop: Event | None) -> Iterator[None]:
        """As `executor_for` says, for as long as the block runs: workers may never come to what waits for them."""
        if stop is None:
            yield
            return
        watching = asyncio.run_coroutine_threadsafe(self.executor.give_back(stop), self._client.loop.asyncio_loop)
        try:
            yield
        finally:
            watching.cancel()

    def num_threads(self) -> int:
        """So many functions are called at the same time by the workers that are there now."""
        threads: dict[str, int] = self._client.nthreads()
        return sum(threads.values())

    @property
    def part_seconds(self) -> float:
        """How long a function that can be gone on with should take."""
        return min(LONGEST_PART, max(SHORTEST_PART, self._totals[1] / 2.0))

    async def listen(self) -> None:
        """Keep the state up to date, in the client's loop, until cancelled."""
        while True:
            with contextlib.suppress(OSError):
                found = await self._client.scheduler.identity()
                workers = found["workers"].values()
                num_threads = found.get("total_threads", sum(worker["nthreads"] for worker in workers))
                self._totals = found.get("n_workers", len(workers)), num_threads
            await asyncio.sleep(1.0)


@contextlib.contextmanager
def executor_for(jobs: int, cluster: Cluster | None, stop: Event | None) -> Iterator[tuple[Executor, int | None]]:
    """What `run_graph` needs for so many threads, or for a cluster: an executor, and how many nodes it works on.

    stop: once it is set, what a cluster's executor was given raises Interrupted unless a worker has it.
    """
    if cluster is not None:
        with cluster.stopped_by(stop):
            yield cluster.executor, None
        return
    with ThreadPoolExecutor(jobs) as pool:
        yield pool, jobs


@contextlib.contextmanager
def open_cluster(
    address: str, *, libraries: Sequence[str] = LIBRARIES, notice: Notice = lambda text: None, after_loss: str = GOES_ON
) -> Iterator[Cluster]:
    """Connect to a cluster, or start one on this machine, which ends with the block.

    address: of a scheduler, such as tcp://10.0.0.1:8786; the path of the file that a scheduler has written; or local:N
    for N worker processes here. libraries: those that must be of the same version in every worker, beside this package
    and Python. notice: is told in words when a worker that joins later is refused, perhaps in another thread.
    after_loss: what to say of what was done when the scheduler goes away.

    Raises ClusterError when there is no such scheduler or one of its workers has other versions, and
    MissingLibraryError without dask.
    """
    try:
        import dask
        import distributed
    except ModuleNotFoundError as error:
        raise missing_library(error.name or "distributed", "distributed") from error
    reader = portable_reader()
    quiet = {
        "distributed.admin.large-graph-warning-threshold": "1GB",
        "distributed.worker.profile.enabled": False,  # looks at a worker's stack a hundred times a second
        "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": KEPT_BYTES,
        "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": KEPT_BYTES,
        "distributed.scheduler.allowed-failures": DEATHS,
    }
    with contextlib.ExitStack() as stack:
        stack.enter_context(dask.config.set(quiet))
        stack.enter_context(warnings.catch_warnings())
        for name in LOGGERS:
            stack.enter_context(_silenced(logging.getLogger(name)))
        warnings.simplefilter("ignore")
        try:
            local = _started(address)
            if local is not None:
                stack.callback(_closed, partial(local.close, timeout=5))
            where = local or find_scheduler(address, SECONDS_TO_CONNECT)
            client = distributed.Client(where, timeout=SECONDS_TO_CONNECT, set_as_default=False)
        except (OSError, ValueError, TimeoutError, RuntimeError) as error:
            raise ClusterError(f"{address}: no connection to its scheduler ({brief(error)}); try again") from error
        stack.callback(_closed, partial(client.close, timeout=2))
        expected = reader(libraries)
        _check_workers(client, partial(reader, libraries), expected)
        cluster = Cluster(client, address, expected, notice, after_loss)
        listening = asyncio.run_coroutine_threadsafe(cluster.listen(), client.loop.asyncio_loop)
        stack.callback(listening.cancel)
        yield cluster


def local_workers(address: str) -> int | None:
    """The N of local:N; None for another address. Raises ValueError for something else after "local:".

    >>> local_workers("local:3"), local_workers("tcp://10.0.0.1:8786")
    (3, None)
    """
    if not address.startswith("local:"):
        return None
    found = re.fullmatch("local:([1-9][0-9]{0,3})", address, re.ASCII)
    if found is None:
        raise ValueError(f"{address!r} is not local:N with a number of workers from 1 to 9999, such as local:2")
    return int(found[1])


def _started(address: str) -> LocalCluster | None:
    """The cluster that `address` asks to be started on this machine, if it does."""
    number = local_workers(address)
    if number is None:
        return None
    from distributed import LocalCluster

    # Without a limit of memory: a worker needs little, and one that is paused for it would never go on.
    start = partial(
        LocalCluster,
        n_workers=number,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        memory_limit=0,
        silence_logs=logging.CRITICAL + 1,
        preload=[PRELOADED],
    )
    # In a thread, as Dask cannot be stopped while it starts: it and its processes would complain. The start is waited
    # for, and what has been started is closed.
    with ThreadPoolExecutor(1, initializer=_leave_ctrl_c) as starter:
        started = starter.submit(start)
        try:
            return started.result()
        except KeyboardInterrupt:
            _closed(lambda: started.result().close(timeout=5))
            raise
        except (OSError, RuntimeError) as error:
            raise ClusterError(f"{address}: its workers did not start ({brief(error)}); try again") from error


def _leave_ctrl_c() -> None:
    """To the main thread: this one's threads and processes do not get it, not even before they could ignore it."""
    if hasattr(signal, "pthread_sigmask"):
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()  # which would let it through again
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])


def _closed(close: Callable[[], Any]) -> None:
    with contextlib.suppress(Exception):  # whatever it was, nothing can be done about it
        close()


def _check_workers(client: Client, reader: Callable[[], Versions], expected: Versions) -> None:
    """Raises ClusterError for workers of other versions."""
    python = {
        address: {"Python": ".".join(str(found["host"]["python"]).split(".")[:2])}
        for address, found in client.get_versions()["workers"].items()
        if found is not None
    }
    only_python = {"Python": expected["Python"]}
    foreign = {address: differences(found, only_python) for address, found in python.items()}
    if not any(foreign.values()):
        found_versions = client.run(reader, on_error="return")
        foreign = {
            address: differences(found, expected) if isinstance(found, dict) else f"an answer of its own ({found!r})"
            for address, found in found_versions.items()
        }
    others = [f"{address} has {what}" for address, what in foreign.items() if what]
    if others:
        more = f" (and {len(others) - 1} more)" if len(others) > 1 else ""
        raise ClusterError(
            f"worker {others[0]}{more}: results would not be the same; install the same versions there, or stop it"
        )


@contextlib.contextmanager
def _silenced(logger: logging.Logger) -> Iterator[None]:
    """What Dask would log does not get between the lines of progress: what matters is raised."""
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(before)
