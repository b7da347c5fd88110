"""An executor in this process that pickles functions and results, as one of another process must."""

import pickle
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest


class Travelling(ThreadPoolExecutor):
    """Calls functions in threads, but only what has travelled as to a cluster, like results. called: their names."""

    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        self.called: set[str] = set()

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        self.called.add((function.func if isinstance(function, partial) else function).__name__)
        payload = pytest.importorskip("cloudpickle").dumps(partial(function, *arguments, **named))
        return super().submit(lambda: pickle.loads(pickle.dumps(pickle.loads(payload)())))
