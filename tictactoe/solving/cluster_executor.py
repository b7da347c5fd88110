"""An executor, for `run_graph`, that calls functions in the workers of a Dask cluster if they have our versions."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future
from functools import partial
from itertools import chain
from threading import Event
from typing import TYPE_CHECKING, Any

from ..errors import ClusterError, Interrupted
from .versions import Versions, differences, portable_reader

if TYPE_CHECKING:
    from distributed import Client
    from distributed import Future as Task

CANCELLED_ERRORS = (asyncio.CancelledError, CancelledError)
"""Dask raises these for tasks that it has dropped."""

FOR_THIS_PYTHON = """(
    __import__("pickle").loads(work)()
    if ".".join(__import__("platform").python_version_tuple()[:2]) == python
    else (
        __import__("distributed").get_worker().address,
        {"Python": ".".join(__import__("platform").python_version_tuple()[:2])},
        None,
    )
)"""
"""An expression for `eval` in a worker. It unpickles functions only with our version of Python: pickles hold byte code,
with which another version fails or crashes."""

Notice = Callable[[str], None]
"""Takes a line of text for the user."""


class ClusterExecutor(Executor):
    """Calls picklable functions in workers with our versions; tells `notice` of other workers. See `open_cluster`."""

    def __init__(self, client: Client, address: str, expected: Versions, notice: Notice, after_loss: str) -> None:
        self._client = client
        self._after_loss = after_loss
        self._address = address
        self._expected = expected
        self._notice = notice
        self._call = _portable_call()
        self._refused: set[str] = set()
        self._at_cluster: dict[Any, Task[Any]] = {}
        self._given_back: set[Any] = set()
        self.num_tasks = 0

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Call a function in a worker. The function, its arguments and its result must be picklable.

        A function that no worker can import, such as one of a script, is sent as byte code.
        """
        import cloudpickle

        payload = cloudpickle.dumps(partial(function, *arguments, **named))
        work = cloudpickle.dumps(partial(self._call, self._expected, payload))
        future: Future[Any] = Future()
        self._client.loop.add_callback(self._carry_out, work, future)
        return future

    async def _carry_out(self, work: bytes, future: Future[Any]) -> None:
        """Have a worker call the function and set the future. Runs in the client's loop."""
        if not future.set_running_or_notify_cancel():
            return
        self.num_tasks += 1
        try:
            future.set_result(await self._result(work))
        except (Exception, *CANCELLED_ERRORS) as error:
            future.set_exception(self._explained(error))
        finally:
            self.num_tasks -= 1

    async def _result(self, work: bytes) -> Any:
        while True:
            accepted = await self._accepted()
            task = self._client.submit(
                eval,
                FOR_THIS_PYTHON,
                {"work": work, "python": self._expected["Python"]},
                pure=False,
                workers=accepted,
                allow_other_workers=bool(accepted),
            )
            self._at_cluster[task.key] = task
            try:
                worker, found, result = await task.result()
            except CANCELLED_ERRORS:
                if task.key in self._given_back:
                    raise Interrupted from None
                raise
            finally:
                del self._at_cluster[task.key]
                self._given_back.discard(task.key)
            if found == self._expected:
                return result
            what = differences(found, {name: self._expected[name] for name in found})
            if worker not in self._refused:
                self._refused.add(worker)
                self._notice(f"worker {worker} is not given anything to do: it has {what}")

    async def give_back(self, stop: Event) -> None:
        """Once `stop` is set, cancel the tasks that no worker has yet. Runs in the client's loop until cancelled."""
        while True:
            await asyncio.sleep(0.2)
            if stop.is_set() and self._at_cluster:
                with contextlib.suppress(OSError):
                    at_workers = set(chain(*(await self._client.scheduler.processing(workers=None)).values()))
                    back = [task for key, task in self._at_cluster.items() if key not in at_workers and not task.done()]
                    self._given_back.update(task.key for task in back)
                    await self._client.cancel(back, asynchronous=True)

    async def _accepted(self) -> list[str] | None:
        """The workers with our versions; None while all are good. Raises ClusterError when all have been refused."""
        if not self._refused:
            return None
        workers = set((await self._client.scheduler.identity(n_workers=-1))["workers"])
        accepted = sorted(workers - self._refused)
        if workers and not accepted:
            raise ClusterError(f"{self._address}: all its workers have other versions than here")
        return accepted or None

    def _explained(self, error: BaseException) -> Exception:
        """The error to raise here for an error of a worker, or of the connection."""
        from distributed import KilledWorker

        if isinstance(error, KilledWorker):
            return ClusterError(
                f"{self._address}: one worker after another died of the same task, the last one at "
                f"{error.last_worker.address}; has it too little memory?"
            )
        if isinstance(error, CANCELLED_ERRORS) or self._client.status != "running":
            return ClusterError(f"{self._address}: the scheduler has gone away; {self._after_loss}")
        return error if isinstance(error, Exception) else RuntimeError(repr(error))


def _portable_call() -> Callable[[Versions, bytes], tuple[str, Versions, Any]]:
    """A function that is sent to workers as byte code. It unpickles and calls a payload if versions are as expected.

    It returns the worker's address, the versions there, and the payload's result; None if versions differ.
    """
    read = portable_reader()

    def call(expected: Versions, payload: bytes) -> tuple[str, Versions, Any]:
        import pickle

        from distributed import get_worker

        found = read([name for name in expected if name not in ("Python", "smbc-tictactoe")])
        result = pickle.loads(payload)() if found == expected else None
        return get_worker().address, found, result

    return call
