"""Playing on the page, as a person at a browser does, and what the browser has kept of it."""

import json
from typing import Any

from tictactoe import GameTree, Goal
from tictactoe.play.opponents import LADDER, OPPONENTS
from tictactoe.play.referee import Match

from .browser import Locator, Page, expect

KEPT = "smbc-tictactoe / match"


def set_up(page: Page, url: str, **choices: str | bool) -> None:
    """The set-up with choices by their name on the page: the value of a radio button or a list, True for a tick."""
    page.goto(url)
    choose(page, **choices)


def choose(page: Page, **choices: str | bool) -> None:
    """Those of the fold "More", too."""
    beside = choices.get("opponent") in OPPONENTS.keys() - set(LADDER)
    if beside or choices.keys() & {"players", "first", "points_0", "points_1", "takeback"}:
        page.locator(".more").evaluate("fold => { fold.open = true; }")
    for name, value in choices.items():
        found = page.locator(f"#{name.replace('_', '-')}")
        if value is True:
            found.check()
        elif found.count():
            found.select_option(str(value))
        else:
            page.locator(f"#{name}-{value}").check()


def begin(page: Page, url: str, **choices: str | bool) -> None:
    set_up(page, url, **choices)
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".play .board, .hand-over")).to_be_visible()


def free_squares(page: Page) -> Locator:
    return page.locator(".play .square[aria-disabled=false]")


def is_over(page: Page) -> bool:
    """Waits for the bot's move, after which the person moves or the round is over, or a guess is asked for."""
    page.locator(".play .square[aria-disabled=false], .table.over, .guess").first.wait_for()
    return page.locator(".table.over, .guess").count() > 0


def play_round(page: Page) -> None:
    """To its end, on the first free square each time."""
    while not is_over(page):
        free_squares(page).first.click()


def play_match(page: Page) -> None:
    while not page.get_by_role("button", name="Play again").is_visible():
        if is_over(page):
            page.get_by_role("button", name="Next round").click()
            expect(page.locator(".table.over")).to_have_count(0)
        play_round(page)


def kept_match(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(page.evaluate("name => localStorage.getItem(name)", KEPT))
    return found


def keep(page: Page, text: str | dict[str, Any]) -> None:
    """As if the browser had kept this match, before the page is opened the next time."""
    value = text if isinstance(text, str) else json.dumps(text)
    page.evaluate("([name, text]) => localStorage.setItem(name, text)", [KEPT, value])


def go_on_with(page: Page, url: str, kept: str | dict[str, Any]) -> None:
    """Load the page where the browser has kept something as the match, which an address beside the page puts there."""
    page.goto(f"{url}icon.svg")
    keep(page, kept)
    page.goto(url)


def show_match(page: Page, url: str, kept: dict[str, Any], what: str = ".play .board") -> None:
    """As go_on_with, until this part of the page is there."""
    go_on_with(page, url, kept)
    expect(page.locator(what)).to_be_visible()


def round_record(**changed: Any) -> dict[str, Any]:
    """A RoundRecord of referee.js: round 1 has just begun."""
    start = {"number": 1, "score": [0, 0], "first": 0, "goals": [0, 1], "moves": []}
    return start | {"commitment": "", "takenBack": 0, "hints": 0} | changed


def record(**changed: Any) -> dict[str, Any]:
    """A MatchRecord of referee.js, against the perfect bot, by default at its start. round: changes of round 1, which
    the person begins, without a seal; None between rounds."""
    match = {"solution": "three-in-a-row", "winningScore": 5, "names": ["You", "Bot"], "opponent": "perfect"}
    begun = changed.pop("round", {})
    match |= {"score": [0, 0], "first": 0, "rounds": [], "winner": None, "takeback": False}
    return match | changed | {"round": None if begun is None else round_record(**begun)}


def replayed(kept: dict[str, Any], tree: GameTree) -> Match:
    """The same match, played by Python from 0-0. Raises what the referee raises when it cannot be real."""
    first = kept["rounds"][0]["first"] if kept["rounds"] else kept["first"]
    match = Match(tree, kept["winningScore"], tuple(kept["names"]), first)
    for one in kept["rounds"]:
        goals = Goal(one["goals"][0]), Goal(one["goals"][1])
        played = match.next_round(goals, one["commitment"], tuple(one["moves"]))
        assert [*played.score] == one["score"], "the score before a round"
        assert played.first == one["first"], "who moves first"
        match.finish(played)
    return match
