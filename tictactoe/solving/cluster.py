"""An executor that calls functions in the workers of a Dask cluster. The workers write no files."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import signal
import time
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import ClusterError, FormatError, missing_library
from ..run_control import RunControl
from ..storage.atomic_files import read_bytes
from ..storage.texts import json_of
from .task_graph import Node, Result, Work, run_graph
from .versions import COMPARED_LIBRARIES, Versions, differences, versions_here

if TYPE_CHECKING:
    from distributed import Client, LocalCluster

SHORTEST_PART, LONGEST_PART = 5.0, 30.0
"""The limits of the seconds after which a worker returns its state. Parts are longer in a large cluster."""

SECONDS_TO_CONNECT = 10
LARGEST_SCHEDULER_FILE = 16 << 20
"""The most bytes of a scheduler's file."""

AFTER_LOSS_GOES_ON = "finished work is saved, and when there is a scheduler again, the same command continues"
AFTER_LOSS_STARTS_OVER = "start over when there is one again"
"""Advice after the loss of the scheduler, for commands that save their progress and for other commands."""

DASK_SETTINGS = {
    "distributed.admin.large-graph-warning-threshold": "1GB",
    "distributed.worker.profile.enabled": False,  # reads a worker's stack a hundred times a second
    # Freed memory that a worker keeps. With none, Dask's default, a sixth of the time is spent on getting it back.
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 32 << 20,
    "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": 32 << 20,
    "distributed.scheduler.allowed-failures": 10,  # deaths of workers before their task fails
}
DASK_LOGGERS = ("distributed", "distributed.client", "distributed.gc", "tornado.application")
"""The loggers of a process that hands out work. Dask sets the level of each of them."""

_SCHEDULER = re.compile(r"([a-z]+://)?([a-zA-Z0-9_.-]+|\[[0-9a-f:]+\]):([0-9]{1,5})", re.ASCII)


class ClusterState(NamedTuple):
    """The size of a cluster, and the number of functions whose results are pending."""

    workers: int
    threads: int
    tasks: int


class Cluster(Executor):
    """An executor for picklable functions on a Dask cluster. `open_cluster` makes it."""

    def __init__(self, client: Client, address: str, expected: Versions, after_loss: str) -> None:
        self._client, self._executor = client, client.get_executor(pure=False)
        self._address, self._expected, self._after_loss = address, expected, after_loss
        self._num_tasks = 0
        self._counted, self._threads = -1.0, [0]

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Call a picklable function in a worker. A function of a script is sent as byte code.

        The future raises ClusterError if the worker has other versions, the function kills workers, or the scheduler is
        lost.
        """
        import cloudpickle

        payload = cloudpickle.dumps(partial(function, *arguments, **named))
        theirs, ours = self._executor.submit(_called, dict(self._expected), payload), Future[Any]()
        self._num_tasks += 1
        ours.add_done_callback(lambda done: theirs.cancel() if done.cancelled() else None)
        theirs.add_done_callback(partial(self._pass_on, ours))
        return ours

    def _pass_on(self, ours: Future[Any], theirs: Future[Any]) -> None:
        self._num_tasks -= 1
        if not ours.set_running_or_notify_cancel():
            return
        try:
            ours.set_result(theirs.result())
        except BaseException as error:
            ours.set_exception(self._explained(error))

    def _explained(self, error: BaseException) -> BaseException:
        from distributed import KilledWorker

        if isinstance(error, KilledWorker):
            return ClusterError(
                f"{self._address}: one worker after another died of the same task, the last one at "
                f"{error.last_worker.address}; has it too little memory?"
            )
        if isinstance(error, (CancelledError, asyncio.CancelledError)) or self._client.status != "running":
            return ClusterError(f"{self._address}: the scheduler has gone away; {self._after_loss}")
        return error

    def state(self) -> ClusterState:
        """The current state. Workers are counted at most once a second."""
        if time.monotonic() > self._counted + 1.0:
            self._counted = time.monotonic()
            with contextlib.suppress(OSError, ValueError, RuntimeError):  # without an answer, the last state stays
                self._threads = list(self._client.nthreads().values())
        return ClusterState(len(self._threads), sum(self._threads), self._num_tasks)

    @property
    def part_seconds(self) -> float:
        """The seconds after which a resumable function should return its state."""
        return min(LONGEST_PART, max(SHORTEST_PART, self.state().threads / 2.0))


def run_by_workers(
    graph: Mapping[Node, Collection[Node]], work: Callable[[Node], Work[Result]], control: RunControl[Any]
) -> dict[Node, Result]:
    """Call `run_graph` with the workers of a run: a number of threads, or the caller's executor without a limit."""
    if isinstance(control.workers, Executor):
        return run_graph(graph, work, control.workers, stop=control.stop)
    with ThreadPoolExecutor(control.workers) as pool:
        return run_graph(graph, work, pool, most_at_once=control.workers, stop=control.stop)


@contextlib.contextmanager
def open_cluster(
    address: str, *, libraries: Sequence[str] = COMPARED_LIBRARIES, after_loss: str = AFTER_LOSS_GOES_ON
) -> Iterator[Cluster]:
    """Connect to a cluster, or start one on this machine for the duration of the block.

    address: a scheduler, such as tcp://10.0.0.1:8786; the path of a scheduler's file; or local:N for N local processes.
    libraries: libraries whose versions must agree, besides this package and Python.
    after_loss: advice in the error if the scheduler is lost.

    Raises ClusterError if no scheduler answers or a worker has other versions, and MissingLibraryError without dask.
    """
    try:
        import dask
        import distributed
    except ModuleNotFoundError as error:
        raise missing_library(error.name or "distributed", "distributed") from error
    with contextlib.ExitStack() as stack:
        stack.enter_context(dask.config.set(DASK_SETTINGS))
        stack.enter_context(warnings.catch_warnings())
        for logger in map(logging.getLogger, DASK_LOGGERS):  # they would write between the lines of progress
            stack.callback(logger.setLevel, logger.level)
            logger.setLevel(logging.CRITICAL + 1)
        warnings.simplefilter("ignore")
        try:
            if (number := local_workers(address)) is None:
                where: str | LocalCluster = _scheduler_at(address)
            else:
                where = _started(address, number)
                stack.callback(_close, partial(where.close, timeout=5))
            client = distributed.Client(where, timeout=SECONDS_TO_CONNECT, set_as_default=False)
        except (OSError, ValueError, TimeoutError, RuntimeError) as error:
            raise ClusterError(f"{address}: no connection to its scheduler ({_brief(error)}); try again") from error
        stack.callback(_close, partial(client.close, timeout=2))
        expected = versions_here(libraries)
        _check_versions(client.run(versions_here, list(libraries), on_error="return"), expected)
        yield Cluster(client, address, expected, after_loss)


def dask_setup(worker: Any) -> None:
    """Called by Dask in each worker started here: ignore Ctrl-C and import the compiled code."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from ..algorithms import kernels

    assert kernels


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


def is_address(text: str) -> bool:
    """Whether the text has the form of a scheduler's address.

    >>> [is_address(text) for text in ("tcp://10.0.0.1:8786", "[::1]:8786", "10.0.0.1", "host:99999")]
    [True, True, False, False]
    """
    found = _SCHEDULER.fullmatch(text)
    return found is not None and 0 < int(found[3]) < 2**16


def _called(expected: dict[str, str], payload: bytes) -> Any:
    import pickle

    from distributed import get_worker

    found = versions_here([name for name in expected if name not in ("Python", "smbc-tictactoe")])
    _check_versions({get_worker().address: found}, expected)
    return pickle.loads(payload)()


def _check_versions(found: Mapping[str, object], expected: Versions) -> None:
    others = []
    for address, versions in found.items():
        if not isinstance(versions, dict):
            others.append(f"{address} has no smbc-tictactoe, or another version of it ({_brief(versions)})")
        elif what := differences(versions, expected):
            others.append(f"{address} has {what}")
    if others:
        more = f" (and {len(others) - 1} more)" if len(others) > 1 else ""
        advice = "results would not be the same; install the same versions there, or stop it"
        raise ClusterError(f"worker {others[0]}{more}: {advice}")


def _started(address: str, number: int) -> LocalCluster:
    from distributed import LocalCluster

    # Without a memory limit, at which Dask would pause a worker for ever.
    start = partial(
        LocalCluster,
        n_workers=number,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        memory_limit=0,
        silence_logs=logging.CRITICAL + 1,
        preload=[__name__],
    )
    # In a thread that blocks Ctrl-C, because Dask prints errors if it is interrupted during its start.
    # After Ctrl-C this waits for the start and then closes the cluster.
    with ThreadPoolExecutor(1, initializer=_leave_ctrl_c) as starter:
        started = starter.submit(start)
        try:
            return started.result()
        except KeyboardInterrupt:
            _close(lambda: started.result().close(timeout=5))
            raise
        except (OSError, RuntimeError) as error:
            raise ClusterError(f"{address}: its workers did not start ({_brief(error)}); try again") from error


def _leave_ctrl_c() -> None:
    if hasattr(signal, "pthread_sigmask"):
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()  # a later start would unblock SIGINT again
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])


def _scheduler_at(address: str) -> str:
    from distributed import Security, rpc
    from distributed.utils import LoopRunner

    where = _in_file(Path(address)) if Path(address).is_file() else address

    async def kind_of_server() -> str:
        certificates = Security().get_connection_args("client")  # from Dask's configuration, as for Dask's own client
        async with rpc(where, timeout=SECONDS_TO_CONNECT, connection_args=certificates) as remote:
            return str((await asyncio.wait_for(remote.identity(n_workers=0), SECONDS_TO_CONNECT))["type"])

    try:  # in another thread, because the caller may have a loop
        kind = LoopRunner().run_sync(kind_of_server)
    except Exception as error:  # other protocols' bytes may raise anything
        reason = "nothing came back in time" if isinstance(error, TimeoutError) and not str(error) else _brief(error)
        raise ClusterError(f"{address}: no scheduler answers there ({reason}); is it running?") from error
    if "Scheduler" not in kind:
        raise ClusterError(f"{address}: this is not a scheduler, but a {kind[:50]}; give the address of the scheduler")
    return where


def _in_file(path: Path) -> str:
    try:
        found = json_of(read_bytes(path, LARGEST_SCHEDULER_FILE))["address"]
    except FormatError as error:
        raise ClusterError(str(error)) from error
    except (ValueError, TypeError, KeyError):
        found = None
    if not isinstance(found, str) or not is_address(found):
        raise ClusterError(
            f"{path}: this is not a scheduler's file; give one that dask scheduler --scheduler-file wrote, "
            "or the address of a scheduler, such as tcp://10.0.0.1:8786"
        )
    return found


def _brief(error: object) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


def _close(close: Callable[[], Any]) -> None:
    with contextlib.suppress(Exception):  # no caller could cure a failure to close
        close()
