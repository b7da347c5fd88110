"""The running of tasks that depend on each other, several at once.

A task is a generator that yields lists of functions and is sent their results. Only the functions run elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Hashable, Mapping
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from graphlib import TopologicalSorter
from itertools import chain
from threading import Event
from typing import Any, TypeVar

from ..checked_numbers import whole_number
from ..errors import Interrupted

Node = TypeVar("Node", bound=Hashable)
Result = TypeVar("Result")

SECONDS_BETWEEN_STOP_CHECKS = 0.2

Work = Generator[list[Callable[[], Any]], list[Any], Result]
"""The work of one node, which yields lists of functions, is sent their results, and returns the node's result."""


def run_graph(
    graph: Mapping[Node, Collection[Node]],
    work: Callable[[Node], Work[Result]],
    executor: Executor,
    *,
    most_at_once: int | None = None,
    stop: Event | None = None,
) -> dict[Node, Result]:
    """Run the work of every node of `graph` and return the results by node.

    graph: for every node, its predecessors.
    work: makes the generator of a node, in this thread and in the order of `graph`.
    most_at_once: the most nodes in progress; None for no limit, with which a stop cancels functions that have not
    begun. stop: ends the run early when it is set.

    A function's error is raised in its generator when the functions of its list have ended. After a failure or a stop,
    no node starts. Nodes in progress get their results, then Interrupted, which lets them save. The first failure is
    raised at the end.

    Raises Interrupted if `stop` prevented work, and ValueError for a circular graph or a limit below 1. Errors that are
    not an Exception, such as KeyboardInterrupt, are raised at once.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> def double(node):
    ...     (doubled,) = yield [lambda: 2 * node]
    ...     return doubled
    >>> with ThreadPoolExecutor(2) as pool:
    ...     run_graph({1: (), 2: (1,)}, double, pool)
    {1: 2, 2: 4}
    """
    if most_at_once is not None:
        most_at_once = whole_number("most_at_once", most_at_once, 1)
    return _GraphRun(graph, work, executor, stop or Event()).run(most_at_once)


class _GraphRun:
    def __init__(
        self, graph: Mapping[Any, Collection[Any]], work: Callable[[Any], Work[Any]], executor: Executor, stop: Event
    ) -> None:
        self._sorter = TopologicalSorter(graph)
        self._sorter.prepare()
        self._place = {node: place for place, node in enumerate(dict.fromkeys(chain(graph, *graph.values())))}
        self._work = work
        self._executor = executor
        self._stop = stop
        self._ready: list[Any] = []
        self._active: dict[Any, tuple[Work[Any], list[Future[Any]]]] = {}
        self._results: dict[Any, Any] = {}
        self._failure: Exception | None = None

    def run(self, most_at_once: int | None) -> dict[Any, Any]:
        limit = most_at_once or len(self._place)
        try:
            self._start(limit)
            while self._active:
                pending = {n: [f for f in futures if not f.done()] for n, (_, futures) in self._active.items()}
                waiting = list(chain.from_iterable(pending.values()))
                if most_at_once is None and self._stop.is_set():
                    for future in waiting:
                        future.cancel()
                if all(pending.values()):
                    wait(waiting, SECONDS_BETWEEN_STOP_CHECKS if most_at_once is None else None, FIRST_COMPLETED)
                for node in (node for node, futures in pending.items() if not futures):
                    self._go_on(node, *self._active.pop(node))
                self._start(limit)
        except BaseException:
            for generator, futures in self._active.values():
                for future in futures:
                    future.cancel()
                generator.close()
            raise
        if self._failure is not None:
            raise self._failure
        if len(self._results) < len(self._place):
            raise Interrupted
        return self._results

    def _is_stopping(self) -> bool:
        return self._failure is not None or self._stop.is_set()

    def _start(self, limit: int) -> None:
        while len(self._active) < limit and self._sorter.is_active() and not self._is_stopping():
            self._ready = sorted([*self._ready, *self._sorter.get_ready()], key=self._place.__getitem__)
            if not self._ready:
                return
            self._go_on(self._ready.pop(0), None, [])

    def _go_on(self, node: Any, generator: Work[Any] | None, futures: list[Future[Any]]) -> None:
        try:
            if generator is None:
                generator = self._work(node)
                functions = next(generator)
            else:
                functions = _send(generator, futures)
            if self._is_stopping():
                functions = generator.throw(Interrupted())
        except StopIteration as end:
            self._results[node] = end.value
            self._sorter.done(node)
        except Exception as error:
            if self._failure is None or isinstance(self._failure, Interrupted):
                self._failure = error
        else:
            self._active[node] = generator, [self._executor.submit(function) for function in functions]


def _send(generator: Work[Any], futures: list[Future[Any]]) -> list[Callable[[], Any]]:
    try:
        results = [future.result() for future in futures]
    except CancelledError:
        return generator.throw(Interrupted())
    except BaseException as error:
        return generator.throw(error)
    return generator.send(results)


class SerialExecutor(Executor):
    """An executor that calls functions in the thread that submits them."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(function(*arguments, **named))
        except Exception as error:
            future.set_exception(error)
        return future
