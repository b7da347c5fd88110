"""Functions called in the worker processes of a Dask cluster, here or on other machines.

For `run_graph` a cluster is just an executor: its workers write no files, and functions return all data to be saved.
When a worker dies, Dask gives its tasks to another one. Only workers with our versions of the libraries call functions:
a task returned by a worker with other versions is submitted again, elsewhere.
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
from ..run_control import RunControl
from .cluster_executor import ClusterExecutor, Notice
from .scheduler_address import brief, find_scheduler
from .versions import COMPARED_LIBRARIES, Versions, differences, portable_reader

if TYPE_CHECKING:
    from distributed import Client, LocalCluster

SHORTEST_PART, LONGEST_PART = 5.0, 30.0
"""Seconds after which a worker returns its state: more of them in a large cluster, so that fewer workers report."""

SECONDS_TO_CONNECT = 10
WORKER_MALLOC_BYTES = 32 << 20
"""malloc's thresholds in a worker started here, in bytes: how much freed memory it keeps, and how large a block must be
to be allocated on its own. By Dask's defaults it returns freed memory at once; to get it back takes a sixth of the
time."""

MAX_WORKER_DEATHS_PER_TASK = 10
"""How many workers in a row may die of one task, in a cluster started here, before the task fails."""

AFTER_LOSS_GOES_ON = "what was finished is saved, and once there is a scheduler the same command goes on"
AFTER_LOSS_STARTS_OVER = "start over once there is one again"
"""Advice after the loss of the scheduler, for commands that save their progress, and for those that do not."""

DASK_LOGGERS = ("distributed", "distributed.client", "distributed.gc", "tornado.application")
"""Loggers of a process that hands out work; Dask sets the level of each of them."""

PRELOADED_MODULE = "tictactoe.solving.cluster_worker"
"""The module that a worker started here loads first."""


class ClusterState(NamedTuple):
    """The size of a cluster and its load."""

    workers: int
    threads: int
    """Threads of all workers together."""
    tasks: int
    """Functions submitted whose results have not arrived."""


class Cluster(ClusterExecutor):
    """A connection to a cluster; see `open_cluster`."""

    def __init__(self, client: Client, address: str, expected: Versions, notice: Notice, after_loss: str) -> None:
        super().__init__(client, address, expected, notice, after_loss)
        self._totals = (0, 0)

    def state(self) -> ClusterState:
        """The state that the scheduler reported last. Sends no message."""
        return ClusterState(*self._totals, self.num_tasks)

    @contextlib.contextmanager
    def stopped_by(self, stop: Event) -> Iterator[None]:
        """Within the block, functions that wait for a worker raise Interrupted once `stop` is set."""
        watching = asyncio.run_coroutine_threadsafe(self.give_back(stop), self._client.loop.asyncio_loop)
        try:
            yield
        finally:
            watching.cancel()

    def num_threads(self) -> int:
        """The threads of all present workers: they call so many functions at the same time."""
        threads: dict[str, int] = self._client.nthreads()
        return sum(threads.values())

    @property
    def part_seconds(self) -> float:
        """As the function `part_seconds`."""
        return min(LONGEST_PART, max(SHORTEST_PART, self._totals[1] / 2.0))

    async def listen(self) -> None:
        """Keep `state` up to date. Runs in the client's loop until cancelled."""
        while True:
            with contextlib.suppress(OSError):
                found = await self._client.scheduler.identity()
                workers = found["workers"].values()
                num_threads = found.get("total_threads", sum(worker["nthreads"] for worker in workers))
                self._totals = found.get("n_workers", len(workers)), num_threads
            await asyncio.sleep(1.0)


@contextlib.contextmanager
def executor_for(control: RunControl[Any]) -> Iterator[tuple[Executor, int | None]]:
    """The executor and `most_at_once` for `run_graph`: a pool of threads, or the caller's executor without a limit.

    Once the run is to stop, functions that wait for a worker of a cluster raise Interrupted.
    """
    workers = control.workers
    if isinstance(workers, Cluster):
        with workers.stopped_by(control.stop):
            yield workers, None
    elif isinstance(workers, Executor):
        yield workers, None
    else:
        with ThreadPoolExecutor(workers) as pool:
            yield pool, workers


def part_seconds(workers: Executor) -> float:
    """Seconds after which a function that can be resumed should return its state: the executor's own, if it has any."""
    seconds: float = getattr(workers, "part_seconds", SHORTEST_PART)
    return seconds


@contextlib.contextmanager
def open_cluster(
    address: str,
    *,
    libraries: Sequence[str] = COMPARED_LIBRARIES,
    notice: Notice = lambda text: None,
    after_loss: str = AFTER_LOSS_GOES_ON,
) -> Iterator[Cluster]:
    """Connect to a cluster, or start one on this machine, which ends with the block.

    address: a scheduler, such as tcp://10.0.0.1:8786; the path of the file that a scheduler has written; or local:N
    for N worker processes on this machine.
    libraries: libraries that must have the same version in every worker, beside this package and Python.
    notice: called with a line of text, perhaps in another thread, when a worker that joined later is refused.
    after_loss: advice for the error when the scheduler goes away.

    Raises ClusterError when no scheduler answers or one of its workers has other versions, and MissingLibraryError
    without dask.
    """
    try:
        import dask
        import distributed
    except ModuleNotFoundError as error:
        raise missing_library(error.name or "distributed", "distributed") from error
    reader = portable_reader()
    quiet = {
        "distributed.admin.large-graph-warning-threshold": "1GB",
        "distributed.worker.profile.enabled": False,  # it would read a worker's stack a hundred times a second
        "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": WORKER_MALLOC_BYTES,
        "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": WORKER_MALLOC_BYTES,
        "distributed.scheduler.allowed-failures": MAX_WORKER_DEATHS_PER_TASK,
    }
    with contextlib.ExitStack() as stack:
        stack.enter_context(dask.config.set(quiet))
        stack.enter_context(warnings.catch_warnings())
        for name in DASK_LOGGERS:
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
    """The N of local:N; None for another address. Raises ValueError unless a number follows "local:".

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
    """Start the cluster of an address local:N on this machine; None for another address."""
    number = local_workers(address)
    if number is None:
        return None
    from distributed import LocalCluster

    # No limit of memory: a worker needs little, and Dask would pause it for ever at a limit.
    start = partial(
        LocalCluster,
        n_workers=number,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        memory_limit=0,
        silence_logs=logging.CRITICAL + 1,
        preload=[PRELOADED_MODULE],
    )
    # In a thread that Ctrl-C does not reach: interrupted during its start, Dask and its processes would print errors.
    # After Ctrl-C this waits for the start and then closes the cluster.
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
    """Leave Ctrl-C to the main thread: this thread, and all threads and processes that it starts, block SIGINT."""
    if hasattr(signal, "pthread_sigmask"):
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()  # later, its start would unblock SIGINT again
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])


def _closed(close: Callable[[], Any]) -> None:
    with contextlib.suppress(Exception):  # no caller could mend a failure to close
        close()


def _check_workers(client: Client, reader: Callable[[], Versions], expected: Versions) -> None:
    """Raise ClusterError if a worker has other versions."""
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
    """Silence a logger of Dask within the block: it would write between the lines of progress. Failures are raised."""
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(before)
