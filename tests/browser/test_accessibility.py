"""The page can be used by everybody: the rules of axe-core, small screens, large letters, the keyboard, less motion."""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from support.browser import HTTPS, Page, expect, missing, over_https
from support.page_matches import careless_match, match_record
from support.playing_page import begin, go_on_with, play_round
from support.slowness import by_default

from tictactoe import MatchBot, load_solution
from tictactoe.browser.server import PageServer

AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
SMALL = {"width": 320, "height": 568}
ADDRESSES = [
    "play", "friend", "review", "learn", "learn/filled", "learn/sheet/4-4", "0-0", "4-3/wl/51", "filled/4-3/wx/51",
    "play/4-3/wx/51", "riddle", "riddle/practice/decline", "riddle/4-3/lx/51",
    "thisaddressiswronganditisonewordofverymanylettersindeed", "0-0/wl/55",
]  # fmt: skip
"""Of every screen, and of what has an address on it; the last two are no positions."""
UNFOLDED = "() => document.querySelectorAll('details').forEach((one) => (one.open = true))"


def _open(page: Page, url: str, address: str) -> None:
    page.goto(f"{url}#{address}")
    page.wait_for_load_state("networkidle")
    page.locator("h1").first.wait_for()


def _unfolded(page: Page, url: str, address: str) -> None:
    _open(page, url, address)
    expect(page.locator(".shown:not(.loading)")).to_have_count(1)
    page.evaluate(UNFOLDED)


def _hint(page: Page, url: str) -> None:
    begin(page, url, first="0")
    page.keyboard.press("h")
    expect(page.locator(".square .note").first).to_be_visible()


def _round_over(page: Page, url: str) -> None:
    begin(page, url, rules="filled", opponent="uniform")
    page.evaluate(UNFOLDED)
    play_round(page)


def _solved(page: Page, url: str) -> None:
    _open(page, url, "riddle/4-3/lx/51")
    expect(page.locator(".riddle-table")).to_be_visible()
    for key in "234":
        page.keyboard.press(key)
    expect(page.locator(".riddle .hint-panel")).to_be_visible()


def _guess(page: Page, url: str) -> None:
    page.add_init_script("localStorage.setItem('smbc-tictactoe / guesses', JSON.stringify({ on: true }))")
    begin(page, url, opponent="uniform")
    play_round(page)
    expect(page.locator(".guess")).to_be_visible()


def _review(page: Page, url: str, address: str) -> None:
    match = careless_match(MatchBot(load_solution("shipped")), 4, start=(3, 3))
    go_on_with(page, url, match_record(match, "three-in-a-row"))
    _open(page, url, address)
    page.evaluate(UNFOLDED)


def _all_matches(page: Page, url: str) -> None:
    _review(page, url, "review")
    kept = "{ time: 1, cost: null, match: JSON.parse(localStorage.getItem('smbc-tictactoe / match')) }"
    page.evaluate(f"() => localStorage.setItem('smbc-tictactoe / history', JSON.stringify([{kept}, null]))")
    page.evaluate("() => { location.hash = 'review/matches'; }")
    expect(page.locator(".past .card")).to_be_visible()


def _friend(page: Page, url: str, invites: bool) -> None:
    over_https(page.context, url)
    page.goto(f"{HTTPS}#friend")
    page.locator("#friend-name").fill("Ann")
    if invites:
        page.get_by_role("button", name="Make an invitation").click()
        expect(page.locator(".link")).to_be_visible()


STATES: dict[str, Callable[[Page, str], None]] = {
    **{address: partial(_open, address=address) for address in ADDRESSES},
    "the first round": partial(_open, address="play/lesson"),
    "a hint": _hint,
    "a round is over": _round_over,
    "4-3/wl/51": partial(_unfolded, address="4-3/wl/51"),
    "a full board": partial(_unfolded, address="filled/0-0/tt/123456789"),
    "a friend": partial(_friend, invites=False),
    "an invitation": partial(_friend, invites=True),
    "two people": partial(begin, players="people"),
    "a riddle is over": _solved,
    "a guess is asked for": _guess,
    "a match in review": partial(_review, address="review"),
    "a round in review": partial(_review, address="review/1"),
    "all matches in review": _all_matches,
}
"""By a name, how a tab gets there, given the page's address."""
ALIKE = (
    "review",
    "learn/filled",
    "0-0",
    "0-0/wl/55",
    "filled/4-3/wx/51",
    "play/4-3/wx/51",
    "riddle/practice/decline",
    "a full board",
)
"""What is made of the same parts as another state."""


def violations(page: Page) -> list[str]:
    """What axe-core finds wrong with the page as it is now: with all its rules in the light theme, and two that it
    leaves out by default, with the one about contrast in the dark one, too."""
    page.evaluate(AXE.read_text("utf-8"))
    bad: list[dict[str, Any]] = []
    more = {"rules": {name: {"enabled": True} for name in ("label-content-name-mismatch", "target-size")}}
    for theme, options in (("light", more), ("dark", {"runOnly": ["color-contrast"]})):
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        bad += page.evaluate("async (options) => (await axe.run(document, options)).violations", options)
    return [
        f"{one['id']}: {node['html'][:100]}: {node['failureSummary'][:200]}" for one in bad for node in one["nodes"][:3]
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


SPACED = """() => {
  const sheet = new CSSStyleSheet();
  const spaces = "line-height: 1.5; letter-spacing: 0.12em; word-spacing: 0.16em;".replaceAll(";", " !important;");
  sheet.replaceSync(`* { ${spaces} } p { margin-bottom: 2em !important; }`);
  document.adoptedStyleSheets = [sheet];
}"""
"""The spaces that a person may want, by WCAG 1.4.12."""
SMALL_BOXES = """() => [...document.querySelectorAll("input:is([type=radio], [type=checkbox])")]
  .filter((one) => one.checkVisibility() && Math.min(one.offsetWidth, one.offsetHeight) < 24)
  .map((one) => one.outerHTML)"""


@pytest.mark.parametrize("state", by_default(STATES, *(name for name in STATES if name not in ALIKE)))
def test_everybody_can_use_it(page: Page, server: PageServer, state: str) -> None:
    page.set_viewport_size(SMALL)
    STATES[state](page, server.url)
    assert not AXE.exists() or violations(page) == []
    assert overflowing(page) == []
    tags = page.eval_on_selector_all("h1, h2, h3, h4", "all => all.map((one) => one.tagName)")
    ranks = [int(tag[1]) for tag in tags]
    assert ranks.count(1) == ranks[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(ranks))
    assert page.locator("main").count() == page.locator("nav [aria-current=page]").count() == 1
    assert page.title().count(" · ") == 1
    assert page.locator("#announcer[aria-live=polite]").count() == 1
    check_focus(page)
    assert page.evaluate(SMALL_BOXES) == []
    page.evaluate(SPACED)
    assert overflowing(page) == []
    page.evaluate("() => { document.adoptedStyleSheets = []; }")
    page.set_viewport_size({"width": 844, "height": 390})
    assert overflowing(page) == []
    page.set_viewport_size({"width": 768, "height": 1024})
    page.emulate_media(reduced_motion="reduce")
    page.context.new_cdp_session(page).send("Page.setFontSizes", {"fontSizes": {"standard": 32}})
    page.wait_for_function("() => parseFloat(getComputedStyle(document.querySelector('main')).fontSize) >= 32")
    assert overflowing(page) == []
    assert page.evaluate(MOVING) == []
    if not AXE.exists():
        missing("`npm install` has not been run in tests/browser")


def test_the_header_can_be_skipped(page: Page, server: PageServer) -> None:
    page.goto(server.url)
    page.keyboard.press("Tab")
    skip = page.get_by_role("button", name="Skip to the content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport(ratio=1)
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")


MOVING = """() => [...document.querySelectorAll("*")].filter((one) =>
  ["", "::before", "::after"].some((part) => {
    const style = getComputedStyle(one, part || null);
    const runs = parseFloat(style.transitionDuration) > 0 || parseFloat(style.animationDuration) > 0;
    return runs || style.scrollBehavior === "smooth";
  })).map((one) => one.outerHTML.slice(0, 100))"""
WATCH_FOCUS = """() => {
  document.querySelector("header nav a").focus();
  const focused = [];
  addEventListener("focusin", ({ target }) => {
    const style = getComputedStyle(target);
    const width = style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth);
    focused.push([target.outerHTML.slice(0, 120), width]);
  });
  addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget === null) window.allFocused ??= [...focused];
  });
}"""


def check_focus(page: Page) -> None:
    """It is seen from the first link to the last control."""
    page.evaluate(WATCH_FOCUS)
    for _ in range(15):
        for _ in range(10):
            page.keyboard.press("Tab")
        if seen := page.evaluate("window.allFocused"):
            break
    assert len(seen or ()) >= 5, "the focus does not come back"
    assert [html for html, width in seen if width < 2] == []
