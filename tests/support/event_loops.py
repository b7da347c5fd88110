"""Event loops in a process that may have run tests of the page before."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def no_running_loop() -> Iterator[None]:
    """The browser's loop, which stays behind in this thread once a test of the page has run, is out of the way."""
    running = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(running)
