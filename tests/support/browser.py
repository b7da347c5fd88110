"""A real browser for tests of the page: Debian's Chromium, without a network of its own; where it is installed,
its build without windows, chromium-headless-shell: the same engine in half of the time.

Tests import Playwright's names from here: without Playwright they skip, with a line on how to install it. CI sets
TICTACTOE_REQUIRE_BROWSER=1, and then a missing browser fails the tests.
"""

import contextlib
import os
import shutil
from collections.abc import Iterator
from typing import Any, NoReturn

import pytest

from .waiting import HANGS

REQUIRED = os.environ.get("TICTACTOE_REQUIRE_BROWSER", "") not in ("", "0")
if not REQUIRED:
    pytest.importorskip("playwright.sync_api", reason="playwright is missing: pip install -e '.[browser]'")

from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route, expect, sync_playwright  # noqa: E402

__all__ = [
    "HTTPS", "Browser", "BrowserContext", "Locator", "Page", "Route", "expect", "missing", "noisy", "over_https",
    "running_browser",
]  # fmt: skip

HTTPS = "https://page.example/"
"""Where `over_https` has a page."""

ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


def missing(what: str) -> NoReturn:
    """Skip the test and say why; fail it where everything has to be there."""
    if REQUIRED:
        pytest.fail(f"TICTACTOE_REQUIRE_BROWSER=1, but {what}")
    pytest.skip(what)


@contextlib.contextmanager
def running_browser() -> Iterator[Browser]:
    """Skips the test where there is no Chromium, or fails if there has to be one."""
    path = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if path is None:
        missing("no chromium on this machine: apt-get install chromium-headless-shell")
    milliseconds = 1000 * HANGS
    expect.set_options(timeout=milliseconds)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS, timeout=milliseconds)
        make = browser.new_context

        def patient(**options: Any) -> BrowserContext:
            context = make(**{"reduced_motion": "reduce"} | options)  # nobody waits for the bot to take its time
            context.set_default_timeout(milliseconds)
            return context

        browser.new_context = patient  # type: ignore[method-assign]
        yield browser
        browser.close()


def over_https(context: BrowserContext, url: str) -> None:
    """Have a page of this machine at HTTPS, too, where browsers let it do all that a published page may do."""

    def answer(route: Route) -> None:
        route.fulfill(response=route.fetch(url=url + route.request.url.removeprefix(HTTPS)))

    context.route(f"{HTTPS}**", answer)


def noisy(page: Page) -> list[str]:
    """What the page writes to the console, the errors that it does not catch, and requests that leave its origin: a
    list that grows. A good page leaves it empty."""
    noise: list[str] = []
    ours = ("http://127.0.0.1:", HTTPS, "file:", "data:", "blob:")
    page.on("console", lambda message: noise.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: noise.append(f"error: {error}"))
    page.on("request", lambda request: None if request.url.startswith(ours) else noise.append(request.url))
    return noise
