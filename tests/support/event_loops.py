"""Event loops in a process that may have run tests of the page before."""

import asyncio
import contextlib
from collections.abc import Iterator

import pytest


@contextlib.contextmanager
def without_running_loop() -> Iterator[None]:
    """The browser's loop, which stays behind in this thread once a test of the page has run, is out of the way."""
    running = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    try:
        yield
    finally:
        asyncio._set_running_loop(running)


@pytest.fixture(autouse=True)
def no_running_loop() -> Iterator[None]:
    """For every test of a module that imports it."""
    with without_running_loop():
        yield
