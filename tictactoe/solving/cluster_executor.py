"""What a Dask cluster is to `run_graph`: an executor that has functions called by workers of the same versions."""

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

CANCELLED = (asyncio.CancelledError, CancelledError)
"""What Dask raises for tasks that it has dropped."""

FOR_THIS_PYTHON = """(
    __import__("pickle").loads(work)()
    if ".".join(__import__("platform").python_version_tuple()[:2]) == python
    else (
        __import__("distributed").get_worker().address,
        {"Python": ".".join(__import__("platform").python_version_tuple()[:2])},
        None,
    )
)"""
"""For `eval` in a worker. Functions travel compiled, and another Python that runs them fails anyhow, or crashes."""

Notice = Callable[[str], None]


class ClusterExecutor(Executor):
    """Calls picklable functions in the workers; those of other versions are named to `notice`. See `open_cluster`."""

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
        """As of any executor; the function, its arguments and what it returns must be picklable.

        What no worker could import, such as a function of a script, travels itself.
        """
        import cloudpickle

        payload = cloudpickle.dumps(partial(function, *arguments, **named))
        work = cloudpickle.dumps(partial(self._call, self._expected, payload))
        future: Future[Any] = Future()
        self._client.loop.add_callback(self._carry_out, work, future)
        return future

    async def _carry_out(self, work: bytes, future: Future[Any]) -> None:
        """In the client's loop: have a worker call the function, another one if that is of other versions."""
        if not future.set_running_or_notify_cancel():
            return
        self.num_tasks += 1
        try:
            future.set_result(await self._result(work))
        except (Exception, *CANCELLED) as error:
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
            except CANCELLED:
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
        """In the client's loop, until cancelled: once `stop` is set, take back what no worker has."""
        while True:
            await asyncio.sleep(0.2)
            if stop.is_set() and self._at_cluster:
                with contextlib.suppress(OSError):
                    at_workers = set(chain(*(await self._client.scheduler.processing(workers=None)).values()))
                    back = [task for key, task in self._at_cluster.items() if key not in at_workers and not task.done()]
                    self._given_back.update(task.key for task in back)
                    await self._client.cancel(back, asynchronous=True)

    async def _accepted(self) -> list[str] | None:
        """The workers that a function should go to; None for any. Raises ClusterError when all have been refused."""
        if not self._refused:
            return None
        workers = set((await self._client.scheduler.identity(n_workers=-1))["workers"])
        accepted = sorted(workers - self._refused)
        if workers and not accepted:
            raise ClusterError(f"{self._address}: all its workers have other versions than here")
        return accepted or None

    def _explained(self, error: BaseException) -> Exception:
        """What is raised here for what went wrong there."""
        from distributed import KilledWorker

        if isinstance(error, KilledWorker):
            return ClusterError(
                f"{self._address}: one worker after another died of the same task, the last one at "
                f"{error.last_worker.address}; has it too little memory?"
            )
        if isinstance(error, CANCELLED) or self._client.status != "running":
            return ClusterError(f"{self._address}: the scheduler has gone away; {self._after_loss}")
        return error if isinstance(error, Exception) else RuntimeError(repr(error))


def _portable_call() -> Callable[[Versions, bytes], tuple[str, Versions, Any]]:
    """A function that is sent itself, not by its name: calls what it is given where the versions are as expected.

    It returns the worker's address, the versions there, and what the function returned.
    """
    read = portable_reader()

    def call(expected: Versions, payload: bytes) -> tuple[str, Versions, Any]:
        import pickle

        from distributed import get_worker

        found = read([name for name in expected if name not in ("Python", "smbc-tictactoe")])
        result = pickle.loads(payload)() if found == expected else None
        return get_worker().address, found, result

    return call
