"""The page can be used by everybody: the rules of axe-core, small screens, large letters, the keyboard, less motion."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from support.browser import Browser, Page, noisy
from support.needed import missing
from support.page_states import STATES

from tictactoe.browser.server import PageServer

AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
SMALL = {"width": 320, "height": 568}

every_state = pytest.mark.parametrize("state", STATES)


@pytest.fixture(params=["light", "dark"])
def themed(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A tab on a small screen in one of the themes."""
    page = browser.new_page(viewport=SMALL, color_scheme=request.param)  # type: ignore[arg-type]
    told = noisy(page)
    yield page
    page.close()
    assert told == []


def violations(page: Page) -> list[str]:
    """What axe-core, with all its rules, finds wrong with the page as it is now."""
    if not AXE.exists():
        missing("`npm install` has not been run in tests/browser")
    page.evaluate(AXE.read_text("utf-8"))
    found: list[dict[str, Any]] = page.evaluate("async () => (await axe.run(document)).violations")
    return [
        f"{one['id']}: {node['html'][:100]}: {node['failureSummary'][:200]}"
        for one in found
        for node in one["nodes"][:3]
    ]


def overflowing(page: Page) -> list[str]:
    """What reaches beyond the right edge of the window and cannot be scrolled within a box of its own."""
    return page.evaluate(
        """() => {
          if (document.documentElement.scrollWidth <= innerWidth) return [];
          const beyond = (one) => one.getBoundingClientRect().right > innerWidth + 1;
          const wide = [...document.body.querySelectorAll("*")].filter(beyond);
          return ["the page", ...wide.map((one) => one.outerHTML.slice(0, 100))];
        }"""
    )


@every_state
def test_no_rule_is_broken(themed: Page, server: PageServer, state: str) -> None:
    STATES[state](themed, server.url)
    assert violations(themed) == []


def test_a_broken_rule_is_found(themed: Page, server: PageServer) -> None:
    STATES["play"](themed, server.url)
    themed.evaluate("() => document.querySelector('main').append(document.createElement('button'))")
    assert [one.split(":")[0] for one in violations(themed)] == ["button-name"]


@every_state
def test_nothing_reaches_beyond_a_small_screen(page: Page, server: PageServer, state: str) -> None:
    page.set_viewport_size(SMALL)
    STATES[state](page, server.url)
    assert overflowing(page) == []


@every_state
def test_letters_twice_as_large(page: Page, server: PageServer, state: str) -> None:
    """For somebody who has told the browser so."""
    page.set_viewport_size({"width": 768, "height": 1024})
    page.context.new_cdp_session(page).send("Page.setFontSizes", {"fontSizes": {"standard": 32}})
    STATES[state](page, server.url)
    size = page.evaluate("() => parseFloat(getComputedStyle(document.querySelector('main')).fontSize)")
    assert size >= 32.0
    assert overflowing(page) == []


@every_state
def test_less_motion(browser: Browser, server: PageServer, state: str) -> None:
    """For somebody who has told the browser so, nothing moves by itself."""
    page = browser.new_page(reduced_motion="reduce")
    STATES[state](page, server.url)
    moving = page.evaluate(
        """() => [...document.querySelectorAll("*")].filter((one) =>
          ["", "::before", "::after"].some((part) => {
            const style = getComputedStyle(one, part || null);
            const runs = parseFloat(style.transitionDuration) > 0 || parseFloat(style.animationDuration) > 0;
            return runs || style.scrollBehavior === "smooth";
          })).map((one) => one.outerHTML.slice(0, 100))"""
    )
    page.close()
    assert moving == []


@every_state
def test_focus_is_seen_wherever_it_goes(page: Page, server: PageServer, state: str) -> None:
    """By the tabulator key, from the first link to the last control; each has a name."""
    STATES[state](page, server.url)
    seen: list[dict[str, Any]] = []
    for _ in range(150):
        page.keyboard.press("Tab")
        seen.append(
            page.evaluate(
                """() => {
                  const one = document.activeElement;
                  const style = getComputedStyle(one);
                  return { tag: one.tagName, html: one.outerHTML.slice(0, 120),
                    width: style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth) };
                }"""
            )
        )
        if seen[-1]["tag"] == "BODY":
            break
    assert seen.pop()["tag"] == "BODY", "the focus does not come back"
    assert len(seen) >= 5
    assert [one["html"] for one in seen if one["width"] < 2] == []


@every_state
def test_headings_and_landmarks(page: Page, server: PageServer, state: str) -> None:
    """One heading of the first rank, none left out below it; the window's title and the screen's name."""
    STATES[state](page, server.url)
    ranks = [int(tag[1]) for tag in page.eval_on_selector_all("h1, h2, h3, h4", "all => all.map((one) => one.tagName)")]
    assert ranks.count(1) == 1
    assert ranks[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(ranks))
    assert page.locator("main").count() == page.locator("nav [aria-current=page]").count() == 1
    assert page.title().count(" · ") == 1
    assert page.locator("#announcer[aria-live=polite]").count() == 1
