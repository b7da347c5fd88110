"""Waiting for what another process does, however long a busy machine takes for it."""

import time
from collections.abc import Callable

HANGS = 300.0
"""Seconds after which a test gives up: a hundred times what a success takes."""


def wait_until(is_so: Callable[[], object]) -> None:
    end = time.monotonic() + HANGS
    while not is_so():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.01)
