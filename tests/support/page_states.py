"""What the page can look like: its addresses, and what only playing leads to."""

from collections.abc import Callable
from functools import partial

from tictactoe import MatchBot, load_solution

from .browser import Page, expect
from .page_matches import careless_match, match_record
from .playing_page import begin, go_on_with, play_round

ADDRESSES = [
    "play", "review", "learn", "learn/filled", "learn/sheet/4-4", "0-0", "4-3/wl/51", "filled/4-3/wx/51",
    "play/4-3/wx/51", "thisaddressiswronganditisonewordofverymanylettersindeed", "0-0/wl/55",
]  # fmt: skip
"""Of every screen, and of what has an address on it; the last two are no positions."""
UNFOLDED = "() => document.querySelectorAll('details').forEach((one) => (one.open = true))"


def open_address(page: Page, url: str, address: str) -> None:
    page.goto(f"{url}#{address}")
    page.wait_for_load_state("networkidle")


def _unfolded(page: Page, url: str, address: str) -> None:
    open_address(page, url, address)
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


def _review(page: Page, url: str, address: str) -> None:
    match = careless_match(MatchBot(load_solution("shipped")), 4, start=(3, 3))
    go_on_with(page, url, match_record(match, "three-in-a-row"))
    open_address(page, url, address)
    page.evaluate(UNFOLDED)


def _all_matches(page: Page, url: str) -> None:
    _review(page, url, "review")
    kept = "{ time: 1, cost: null, match: JSON.parse(localStorage.getItem('smbc-tictactoe / match')) }"
    page.evaluate(f"() => localStorage.setItem('smbc-tictactoe / history', JSON.stringify([{kept}, null]))")
    page.evaluate("() => { location.hash = 'review/matches'; }")
    expect(page.locator(".past .card")).to_be_visible()


STATES: dict[str, Callable[[Page, str], None]] = {
    **{address: partial(open_address, address=address) for address in ADDRESSES},
    "the first round": partial(open_address, address="play/lesson"),
    "a hint": _hint,
    "a round is over": _round_over,
    "4-3/wl/51": partial(_unfolded, address="4-3/wl/51"),
    "a full board": partial(_unfolded, address="filled/0-0/tt/123456789"),
    "two people": partial(begin, players="people"),
    "a match in review": partial(_review, address="review"),
    "a round in review": partial(_review, address="review/1"),
    "all matches in review": _all_matches,
}
"""By a name, how a tab gets there, given the page's address."""
