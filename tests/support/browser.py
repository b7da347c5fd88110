"""A real browser for tests of the page: Debian's Chromium, without a network of its own."""

from __future__ import annotations

import contextlib
import shutil
import threading
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tictactoe.browser.page_data import PageData
from tictactoe.browser.server import PageServer

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextlib.contextmanager
def running_browser() -> Iterator[Browser]:
    """Skips the test where there is no Chromium."""
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("no chromium on this machine")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@contextlib.contextmanager
def running_server(data: PageData) -> Iterator[PageServer]:
    with PageServer(data) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def noisy(page: Page) -> list[str]:
    """What the page writes to the console, the errors that it does not catch, and requests that leave its origin: a
    list that grows. A good page leaves it empty."""
    told: list[str] = []
    page.on("console", lambda message: told.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: told.append(f"error: {error}"))
    page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith(("http://127.0.0.1:", "file:", "data:", "blob:"))
            else told.append(request.url)
        ),
    )
    return told
