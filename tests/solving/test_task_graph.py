"""The scheduler of graphs: order, limits, stopping, failing, whatever executor calls the functions."""

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import nullcontext, suppress
from functools import partial
from graphlib import CycleError
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tictactoe.errors import Interrupted, StoreError
from tictactoe.solving.task_graph import SerialExecutor, Work, run_graph

FREE: dict[int, tuple[int, ...]] = {1: (), 2: (), 3: ()}
interrupted = Mock(side_effect=KeyboardInterrupt)
EXECUTORS: list[Callable[[], Executor]] = [SerialExecutor, *(partial(ThreadPoolExecutor, size) for size in (1, 3))]
every_executor = pytest.mark.parametrize("executor_of", EXECUTORS, ids=["serial", "one thread", "three threads"])
STOPS = "asks the run to stop"
TROUBLES = ["fails when it is made", "fails before it asks 0", "fails before it asks 1", "fails in a function", STOPS]


def broken() -> None:
    raise StoreError("the disk is full")


class Recorder:
    """Asks three times for what a function returns, and writes down what happens. trouble: a node, its trouble."""

    def __init__(self, function: Callable[[], Any] = int, trouble: tuple[int, str] = (0, ""), steps: int = 3) -> None:
        self.events: list[tuple[str, int]] = []
        self._function = function
        self._trouble = trouble
        self._steps = steps

    def __call__(self, node: int) -> Work[int]:
        if self._trouble == (node, TROUBLES[0]):
            self.events.append(("fails", node))
            broken()
        return self._work(node, self._trouble[1] if self._trouble[0] == node else "")

    def _work(self, node: int, trouble: str) -> Work[int]:
        self.events.append(("starts", node))
        try:
            for number in range(self._steps):
                if trouble == f"fails before it asks {number}":
                    broken()
                yield [broken if trouble == "fails in a function" else self._function]
                self.events.append(("goes on", node))
        except (Interrupted, GeneratorExit, StoreError) as error:
            what = {Interrupted: "saves", GeneratorExit: "is closed", StoreError: "fails"}[type(error)]
            self.events.append((what, node))
            raise
        self.events.append(("ends", node))
        return node


@st.composite
def graphs(draw: st.DrawFn) -> dict[int, list[int]]:
    """Acyclic graphs of up to eight nodes in any order, some of which stand only among what others need."""
    size = draw(st.integers(0, 8))
    needs = {node: draw(st.lists(st.integers(0, node - 1), max_size=3)) if node else [] for node in range(size)}
    order = draw(st.permutations(range(size)))
    return {node: needs[node] for node in order if needs[node] or draw(st.booleans())}


troubles = st.none() | st.tuples(st.integers(0, 7), st.sampled_from(TROUBLES))


@settings(max_examples=120, deadline=None)
@given(graphs(), st.sampled_from(EXECUTORS), st.sampled_from([None, 1, 2]), troubles)
def test_every_node_comes_once_after_what_it_needs(
    graph: Mapping[int, list[int]], executor_of: Callable[[], Executor], limit: int | None, trouble: Any
) -> None:
    """After a failure nothing more is started, and what is in progress goes on once, to save."""
    stop = threading.Event()
    nodes = list(dict.fromkeys([*graph, *(node for needs in graph.values() for node in needs)]))
    troubled, kind = trouble if trouble and trouble[0] in nodes else (-1, "")
    recorder = Recorder(lambda: stop.set() if kind == STOPS else None, (troubled, kind))
    complaint = pytest.raises(StoreError, match=r"^the disk is full$")
    expected: Any = pytest.raises(Interrupted) if kind == STOPS else complaint if kind else nullcontext()
    with executor_of() as executor, expected:
        results = run_graph(graph, recorder, executor, most_at_once=limit, stop=stop)
        assert results == {node: node for node in nodes}
    ended, late, running, has_failed = [], [], set(), False
    for event, node in recorder.events:
        if event == "starts":
            assert not has_failed
            assert recorder.events.count((event, node)) == 1
            assert set(graph.get(node, ())) <= set(ended)
            ready = [one for one in nodes if one not in ended and set(graph.get(one, ())) <= set(ended)]
            assert limit != 1 or node == ready[0]
            running.add(node)
        elif event == "goes on":
            late += [node] if has_failed else []
        else:
            running.discard(node)
            ended += [node] if event == "ends" else []
            has_failed = has_failed or event == "fails"
        assert limit is None or len(running) <= limit
    assert running == set()
    assert len(late) == len(set(late))
    assert stop.is_set() == (kind == STOPS)


def test_the_same_every_way() -> None:
    def work(node: int) -> Work[list[int]]:
        found = yield [lambda: node, lambda: -node]
        return found + (yield [])

    for executor_of in EXECUTORS:
        with executor_of() as executor:
            assert run_graph({1: (), 2: (1,), 3: {2}}, work, executor) == {1: [1, -1], 2: [2, -2], 3: [3, -3]}
            assert run_graph({}, work, executor) == {}
    chain = {node: [node - 1] if node else [] for node in range(1000)}  # deeper than the stack may be
    assert run_graph(chain, Recorder(steps=0), SerialExecutor()) == {node: node for node in chain}


def test_functions_run_elsewhere_at_the_same_time_and_everything_else_here() -> None:
    together, here = threading.Barrier(6, timeout=120), []

    def elsewhere() -> threading.Thread:
        together.wait()
        return threading.current_thread()

    def work(node: int) -> Work[None]:
        here.append(threading.current_thread())
        threads = yield [elsewhere, elsewhere]
        here.append(threading.current_thread())
        assert threading.current_thread() not in threads

    with ThreadPoolExecutor(6) as pool:
        run_graph(FREE, work, pool)
    assert here == [threading.current_thread()] * 6


def test_a_node_that_is_ready_does_not_wait_for_another() -> None:
    others_done = threading.Event()

    def work(node: int) -> Work[None]:
        yield [partial(others_done.wait, 30)] if node == 1 else []
        if node > 1:
            yield [int]
        if node == 3:
            others_done.set()

    with ThreadPoolExecutor(2) as pool:
        run_graph({1: (), 2: (), 3: (2,)}, work, pool)


def test_graphs_and_limits_that_there_cannot_be() -> None:
    with pytest.raises(CycleError):
        run_graph({1: [2], 2: [1]}, Recorder(), SerialExecutor())
    with pytest.raises(ValueError, match=r"^most_at_once: 0 is not at least 1$"):
        run_graph(FREE, Recorder(), SerialExecutor(), most_at_once=0)


@every_executor
def test_stopped_at_the_very_end_and_before_anything_has_started(executor_of: Callable[[], Executor]) -> None:
    stop, unused = threading.Event(), Recorder()
    with executor_of() as executor:
        assert run_graph({1: ()}, Recorder(stop.set, steps=1), executor, stop=stop) == {1: 1}
        with pytest.raises(Interrupted):
            run_graph(FREE, unused, executor, stop=stop)
    assert unused.events == []


@every_executor
def test_nodes_that_catch_what_is_raised_in_them(executor_of: Callable[[], Executor]) -> None:
    stop = threading.Event()

    def finishes(node: int) -> Work[str]:
        with suppress(Interrupted):
            yield [stop.set]
            yield [int]
            return "not stopped"
        return "whole"

    def goes_on(node: int) -> Work[str]:
        with pytest.raises(StoreError, match=r"^the disk is full$"):
            yield [int, broken, int]
        return str((yield [partial(str, 5)]))

    with executor_of() as executor:
        assert run_graph({1: ()}, finishes, executor, stop=stop) == {1: "whole"}
        assert run_graph({1: ()}, goes_on, executor) == {1: "['5']"}


def test_the_first_failure_is_raised_and_one_while_saving_after_a_stop() -> None:
    """The graph raises the error of the node that cannot save, although another node reports the stop first."""
    stop, told, together = threading.Event(), threading.Event(), threading.Barrier(3, timeout=120)

    def work(node: int) -> Work[None]:
        try:
            yield [together.wait]
            yield [stop.set if node == 1 else partial(told.wait, 120)]
            yield [int]
        except Interrupted:
            if node == 1:
                told.set()
                raise
            raise StoreError(f"{node} cannot be saved") from None

    with ThreadPoolExecutor(3) as pool, pytest.raises(StoreError, match=r"^[23] cannot be saved$"):
        run_graph(FREE, work, pool, stop=stop)


def test_an_interruption_from_the_keyboard_is_raised_at_once() -> None:
    free, called = threading.Event(), threading.Event()
    recorder = Recorder(called.set)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(free.wait, 30)  # the only thread is occupied
        with pytest.raises(KeyboardInterrupt):
            run_graph(FREE, lambda node: interrupted() if node == 3 else recorder(node), pool)
        free.set()
    assert not called.is_set()
    assert recorder.events == [("starts", 1), ("starts", 2), ("is closed", 1), ("is closed", 2)]


@every_executor
def test_an_interruption_from_the_keyboard_in_a_function(executor_of: Callable[[], Executor]) -> None:
    with executor_of() as executor, pytest.raises(KeyboardInterrupt):
        run_graph(FREE, Recorder(interrupted), executor)
