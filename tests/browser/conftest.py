"""The browser and the page that the tests of this folder share. Only fixtures of a browser import Playwright."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from oracle.matches import solve
from support.page_servers import running_server

from tictactoe import GameTree, Rules, Solution, load_solution
from tictactoe.browser.built_page import build_page
from tictactoe.browser.page_data import SHIPPED_ON_PAGE, PageData
from tictactoe.browser.page_folder import write_page_folder
from tictactoe.browser.server import PageServer

if TYPE_CHECKING:
    from support.browser import Browser, BrowserContext, Page
    from support.page_library import PageLibrary


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    from support.browser import running_browser

    with running_browser() as running:
        yield running


@pytest.fixture(scope="session")
def server() -> Iterator[PageServer]:
    with running_server(PageData([load_solution(name) for name in SHIPPED_ON_PAGE], compression=1)) as running:
        yield running


@pytest.fixture(scope="session")
def library(browser: Browser, uneven: Solution) -> Iterator[PageLibrary]:
    from support.page_library import running_library

    with running_library(browser, uneven) as running:
        yield running


@pytest.fixture(scope="session")
def not_refined() -> Iterator[PageServer]:
    """A page of matches to 1 that come from formulas: after a mistake they may play badly."""
    solutions = [load_solution(name) for name in ("match_to_1", "filled_match_to_1")]
    with running_server(PageData(solutions, compression=1)) as running:
        yield running


@pytest.fixture(scope="session")
def uneven(tmp_path_factory: pytest.TempPathFactory) -> Solution:
    """A match to 1 by uneven odds, solved roughly."""
    return solve(GameTree.build(Rules.parse("three-in-a-row 2:1:1")), tmp_path_factory.mktemp("uneven"), 1, 1e-3)


@pytest.fixture(scope="session")
def small_solution(tmp_path_factory: pytest.TempPathFactory) -> Solution:
    return solve(GameTree.build(), tmp_path_factory.mktemp("match_to_2"), 2, 0.05)


@pytest.fixture(scope="session")
def small_page(small_solution: Solution) -> PageData:
    """A page that is made quickly: that match, and one to 1 by the comic's rules."""
    return PageData([small_solution, load_solution("filled_match_to_1")], compression=1)


@pytest.fixture(scope="session")
def built_folder(small_page: PageData, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That page, built for a server, as the folder some/page below the one that is returned. Not to be changed."""
    root = tmp_path_factory.mktemp("built")
    write_page_folder(root / "some" / "page", build_page(small_page).files)
    return root


@pytest.fixture(scope="module")
def _loaded(browser: Browser, server: PageServer) -> Iterator[tuple[Page, list[str]]]:
    from support.browser import noisy

    context = browser.new_context()
    page = context.new_page()
    told = noisy(page)
    page.goto(f"{server.url}#learn")
    yield page, told
    context.close()


@pytest.fixture
def tab(_loaded: tuple[Page, list[str]]) -> Iterator[Page]:
    """A tab for tests of what an address shows: loading the page takes ten times as long as going to another address.
    All tests of a file share it. Each begins at an address that is wrong, with an empty storage."""
    page, told = _loaded
    page.set_viewport_size({"width": 1280, "height": 720})
    page.evaluate("() => { localStorage.clear(); location.hash = 'learn/nothing'; }")
    page.locator(".learn [role=alert]").wait_for()
    yield page
    noise = told.copy()
    told.clear()
    assert noise == []


TAUGHT = """
  try {
    localStorage.setItem(`smbc-tictactoe ${new URL(".", location.href).pathname} taught`, "yes");
  } catch { /* where nothing is kept */ }
"""
"""Somebody who has been on the page before: the screen Play begins with the set-up, not with the lesson."""


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context()
    context.add_init_script(TAUGHT)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A tab of that visitor; the test fails when the page wrote to the console or asked for anything elsewhere."""
    from support.browser import noisy

    page = context.new_page()
    told = noisy(page)
    yield page
    assert told == []


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    from support.browser import noisy

    context = browser.new_context(viewport={"width": 320, "height": 568}, has_touch=True, is_mobile=True)
    context.add_init_script(TAUGHT)
    page = context.new_page()
    told = noisy(page)
    yield page
    context.close()
    assert told == []
