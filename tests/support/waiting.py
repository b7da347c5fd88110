"""Waiting for what another process does, however long a busy machine takes for it."""

import time
from collections.abc import Callable

HANGS = 300.0
"""Seconds after which a test gives up: a hundred times what a success takes."""


def wait_until(is_so: Callable[[], object]) -> None:
    begin = time.monotonic()
    while not is_so():
        waited = time.monotonic() - begin
        assert waited < HANGS, "it never came to that"
        time.sleep(min(0.01 + waited / 8, 0.1))  # the awaited program needs the processor, too
