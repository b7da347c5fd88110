"""Processes to check proofs in: none is left behind by an interruption, and what a killed one did is done again."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from typing import Any, TypeVar

from ..errors import LostWorkerError
from ..solving.schedule import SerialExecutor

MOST_LOST = 3
"""So often a piece of work is begun that kills whatever does it."""

_Result = TypeVar("_Result")


@contextlib.contextmanager
def executor_of(jobs: int) -> Iterator[Executor]:
    """An executor of that many processes; of one job, this process. Whatever happens in the block, none is left."""
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
    """For the work of a node of `run_graph`: what the function returns, though the process that runs it be killed.

    Raises LostWorkerError when that happens MOST_LOST times.
    """
    for _ in range(MOST_LOST):
        try:
            (result,) = yield [function]
        except BrokenExecutor:
            continue
        found: _Result = result
        return found
    how = f"{MOST_LOST} times a process was ended from outside, perhaps for want of memory"
    raise LostWorkerError(f"{how}; nothing was written: try again, with fewer processes (--jobs)")


class _Processes(Executor):
    """A pool of processes, and a new one in the place of one that has lost a process.

    A process starts when there is work for it; it inherits that interruptions are not for it.
    """

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
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
    """Ctrl-C, SIGTERM and SIGHUP wait until the block is left; Ctrl-C does not reach processes that are started within.

    Blocking in this thread is what processes inherit. It is not enough: the system may choose a thread of numpy's.
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
    """In a worker: leave interruptions to the parent, and end when it does, however that happens."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()
