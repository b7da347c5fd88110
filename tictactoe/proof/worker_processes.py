"""Processes that check proofs. An interruption leaves none behind, and the work of a killed process is repeated."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from typing import Any, TypeVar

from ..errors import LostWorkerError
from ..solving.task_graph import SerialExecutor

MOST_ATTEMPTS = 3
"""A piece of work is begun so often, at most, if its process is killed each time."""

MOST_ON_WINDOWS = 61
"""Processes of a pool there, at most: Python refuses more."""

_Result = TypeVar("_Result")


@contextlib.contextmanager
def executor_of(jobs: int) -> Iterator[Executor]:
    """An executor with `jobs` processes; for one job, this process. No process outlives the block."""
    if jobs == 1:
        yield SerialExecutor()
        return
    others = set(multiprocessing.active_children())
    pool = _Processes(jobs)
    try:
        yield pool
    except BaseException:
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def done_again_if_lost(function: Callable[[], _Result]) -> Generator[list[Callable[[], Any]], list[Any], _Result]:
    """The work of a node of `run_graph`: call the function, and again if the process that runs it is killed.

    Returns the function's result. Raises LostWorkerError after MOST_ATTEMPTS killed processes.
    """
    for _ in range(MOST_ATTEMPTS):
        try:
            (result,) = yield [function]
        except BrokenExecutor:
            continue
        found: _Result = result
        return found
    how = f"{MOST_ATTEMPTS} times a process was ended from outside, perhaps for want of memory"
    raise LostWorkerError(how)


class _Processes(Executor):
    """A pool of processes. A pool that has lost a process is replaced by a new one.

    Processes start on demand. They inherit a signal mask that blocks Ctrl-C.
    """

    def __init__(self, jobs: int) -> None:
        self._jobs = min(jobs, MOST_ON_WINDOWS) if sys.platform == "win32" else jobs
        self._pool = self._new_pool()

    def _new_pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._jobs, multiprocessing.get_context("spawn"), _prepare_worker)

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        with _interruptions_blocked():
            try:
                return self._pool.submit(function, *arguments, **named)
            except BrokenExecutor:
                self._pool.shutdown()
                self._pool = self._new_pool()
                return self._pool.submit(function, *arguments, **named)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._pool.shutdown(wait, cancel_futures=cancel_futures)


@contextlib.contextmanager
def _interruptions_blocked() -> Iterator[None]:
    """Hold back Ctrl-C, SIGTERM and SIGHUP until the block is left. Processes started in the block never get Ctrl-C.

    New processes inherit this thread's signal mask, which blocks Ctrl-C. The mask alone does not protect this process:
    the system may deliver a signal to another thread, such as numpy's. Handlers therefore note the signals, and the
    first one is raised at the end of the block.
    """
    if not hasattr(signal, "pthread_sigmask") or threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived: list[int] = []
    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    numbers = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
    handlers = {number: signal.signal(number, lambda which, _: arrived.append(which)) for number in numbers}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if arrived:
            signal.raise_signal(arrived[0])


def _prepare_worker() -> None:
    """In a worker process: ignore Ctrl-C, and end as soon as the parent process has ended for any reason."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()
