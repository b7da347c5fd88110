"""Processes to check proofs in, none of which an interruption leaves behind."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from typing import Any

from ..solving.schedule import SerialExecutor


@contextlib.contextmanager
def executor_of(jobs: int) -> Iterator[Executor]:
    """An executor of that many processes; of one job, this process. Whatever happens in the block, none is left."""
    if jobs == 1:
        yield SerialExecutor()
        return
    others = set(multiprocessing.active_children())
    pool = _Processes(jobs, multiprocessing.get_context("spawn"), _prepare_worker)
    try:
        yield pool
    except BaseException:
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


class _Processes(ProcessPoolExecutor):
    """A process starts when there is work for it; it inherits that interruptions are not for it."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        with _interruptions_blocked():
            return super().submit(function, *arguments, **named)


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
