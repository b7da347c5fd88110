"""The screen "Riddle": what the list holds, the day and its streak, three tries, what is shared and what is kept."""

import json
import random
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from support.browser import BrowserContext, Page, expect
from support.page_library import PageLibrary
from support.page_servers import running_server
from support.slowness import slow

from tictactoe import Goal, MatchBot, Seat, load_solution
from tictactoe.browser.page_data import RIDDLES_FILE, PageData
from tictactoe.browser.server import PageServer
from tictactoe.play.notation import Position

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
import riddles

LIST = json.loads(RIDDLES_FILE.read_text("utf-8"))
DAY = 28
"""The number of 28 November 2026."""
KEPT = "smbc-tictactoe / riddles"


@pytest.fixture(scope="module")
def bot() -> MatchBot:
    return MatchBot(load_solution("shipped"))


def known(bot: MatchBot, text: str) -> riddles.Riddle:
    """What the library says of a position of the list, in its unit and on the board as it is shown."""
    position = Position.parse(text)
    goal = position.goals[len(position.moves) % 2]
    assert goal is not None
    assert position.goals[1 - len(position.moves) % 2] is None
    found = riddles.riddle_at(bot.round_bot(position.score), position.moves, goal)
    assert found is not None, f"{text}: no riddle any more; see benchmarks/riddles.py"
    return found


def test_every_position_is_a_riddle_by_the_solution_that_ships(bot: MatchBot) -> None:
    assert LIST["version"] == riddles.VERSION
    assert len(LIST["days"]) >= 366
    assert {*LIST["practice"]} == {*riddles.THEMES}
    everything = [*LIST["days"], *(text for texts in LIST["practice"].values() for text in texts)]
    assert len({*everything}) == len(everything)
    assert RIDDLES_FILE.stat().st_size < 10_000
    for text in LIST["days"]:
        found = known(bot, text)
        assert 1 <= len(found.good) <= 2
        assert found.cost >= riddles.NATURAL_COST
        assert not {*found.good} & {*found.natural}
    for theme, texts in LIST["practice"].items():
        assert len(texts) >= 20
        assert {known(bot, text).theme for text in texts} == {theme}


def test_what_is_no_riddle_is_refused(bot: MatchBot) -> None:
    at = bot.round_bot(Position.parse("4-3 w? 15").score)
    assert riddles.riddle_at(at, (1, 5), Goal.WIN) is None  # no square costs anything
    assert riddles.riddle_at(at, (), Goal.WIN) is None  # five squares are one move
    assert riddles.riddle_at(at, (1, 4, 2, 5, 3), Goal.WIN) is None  # the round is over


def test_the_list_is_appended_to() -> None:
    """The days that there are keep their places, whatever else is found."""
    texts = [Position.parse(text) for text in random.Random(1).sample(LIST["days"], 30)]
    found = [(position, riddles.Riddle((1,), (2,), 0.1, "lose")) for position in texts]
    kept = {"version": 1, "days": LIST["days"][:5], "practice": {theme: [] for theme in riddles.THEMES}}
    before = [*kept["days"]]
    after = riddles.extended(kept, found)
    assert after["days"][:5] == before
    new = {*map(str, texts)} - {*before}
    assert {*after["days"][5:], *after["practice"]["lose"]} == new
    assert len(after["practice"]["lose"]) == riddles.PRACTICE
    assert riddles.in_order(found) == riddles.in_order(found)


def noon(page: Page, number: int) -> None:
    page.clock.set_fixed_time(datetime(2026, 11, 1, 12, tzinfo=UTC).timestamp() + 86400.0 * (number - 1))


def open_today(page: Page, server: PageServer, number: int = DAY) -> None:
    noon(page, number)
    page.goto(f"{server.url}#riddle")
    expect(page.locator("h1")).to_have_text(f"Riddle {number}")


def square(page: Page, number: int) -> Any:
    return page.locator(f".riddle .square[data-square='{number}']")


def wrong(bot: MatchBot, text: str) -> list[int]:
    """The natural squares first."""
    found, position = known(bot, text), Position.parse(text)
    others = [one for one in range(1, 10) if one not in (*position.moves, *found.good, *found.natural)]
    return [*found.natural, *others]


def test_a_riddle_is_solved_shared_and_kept(page: Page, server: PageServer, bot: MatchBot) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    text = LIST["days"][DAY - 1]
    bad, good = wrong(bot, text)[0], known(bot, text).good[0]
    page.add_init_script(
        f"localStorage.getItem('{KEPT}') ?? localStorage.setItem('{KEPT}', "
        """'{"days":{"27":"5+","26":"12+","24":"3+"}}')"""
    )
    open_today(page, server)
    position = Position.parse(text)
    seat = Seat(len(position.moves) % 2)
    goal = position.goals[seat]
    assert goal is not None
    expect(page.locator(".wish")).to_contain_text(f"You are {'XO'[seat]} and want to {goal.name.lower()}:")
    expect(page.locator(".riddle .note, .riddle .hint-panel:visible")).to_have_count(0)
    square(page, bad).dblclick()  # the second tap is no second try
    expect(page.locator(".turn")).to_have_text("Not that one. Two tries left.")
    expect(page.locator(".why")).to_contain_text(f"{bad} costs ")
    expect(page.locator(".riddle .note")).to_have_count(1)
    page.reload()
    expect(page.locator(".turn")).to_have_text("Not that one. Two tries left.")
    page.keyboard.press(str(good))
    expect(page.locator(".turn")).to_have_text("Solved on the second try.")
    expect(page.locator(".riddle .hint-panel")).to_contain_text(str(good))
    expect(page.locator(".after")).to_contain_text("Your streak: 3 days; the longest: 3.")
    page.get_by_role("button", name="Share the result").click()
    shared = page.evaluate("() => navigator.clipboard.readText()").split("\n")
    cost = known(bot, text).cost
    assert shared == [
        f"Tic-Tac-Tell riddle {DAY} (list {LIST['version']}): 2/3",
        ("\U0001f7e8" if cost < 0.1 else "\u2b1b") + "\U0001f7e9",
        f"{server.url}#riddle",
    ]
    page.keyboard.press(str(wrong(bot, text)[1]))
    assert json.loads(page.evaluate(f"localStorage.getItem('{KEPT}')"))["days"][str(DAY)] == f"{bad}{good}+"
    noon(page, DAY - 1)  # the clock goes back, and then is right again
    page.reload()
    expect(page.locator("h1")).to_have_text(f"Riddle {DAY - 1}")
    expect(page.locator(".riddle .square[aria-disabled=false]")).to_have_count(0)
    noon(page, DAY)
    page.reload()
    expect(page.locator(".after")).to_contain_text("Your streak: 3 days; the longest: 3.")


def test_two_tabs_have_three_tries_together(context: BrowserContext, server: PageServer, bot: MatchBot) -> None:
    tabs = [context.new_page(), context.new_page()]
    for tab in tabs:
        open_today(tab, server)
    bad = wrong(bot, LIST["days"][DAY - 1])
    square(tabs[0], bad[0]).click()
    expect(tabs[1].locator(".turn")).to_have_text("Not that one. Two tries left.")
    square(tabs[1], bad[1]).click()
    expect(tabs[0].locator(".turn")).to_have_text("Not that one. One try left.")
    square(tabs[0], bad[2]).click()
    for tab in tabs:
        expect(tab.locator(".turn")).to_have_text("Not solved.")
        expect(tab.locator(".why")).to_contain_text("mark")
        expect(tab.locator(".after")).to_contain_text("Your streak: 0 days")


DAMAGED = [
    "{", '{"days":{"28":5,"27":null,"-1":"+","a":"1+"},"last":"x"}', "null", "5", '"x"', "[]", '{"days":5}',
    '{"days":{"28":"0+"},"last":{"number":"28","offset":null}}', '{"days":{"28":"1234+"}}',
]  # fmt: skip


@pytest.mark.parametrize("texts", [DAMAGED[:2], *slow((DAMAGED[2:],))], ids=["few", "more"])
def test_what_was_kept_is_damaged(page: Page, server: PageServer, texts: list[str]) -> None:
    open_today(page, server)
    for text in texts:
        page.evaluate("([name, text]) => localStorage.setItem(name, text)", [KEPT, text])
        page.evaluate("localStorage.setItem('smbc-tictactoe / riddles practised', '{\"a\":1}')")
        page.reload()
        expect(page.locator(".turn")).to_have_text("Which square costs nothing? You have three tries.")
        expect(page.locator(".practise")).to_contain_text("0 of 20")


def test_the_days_of_a_calendar(library: PageLibrary) -> None:
    """Time zones, flights, clocks that go back or were far ahead."""
    day = 86_400_000

    def number(text: str, offset: int) -> int:
        return library.call("([time, offset]) => ours.numberAt(time, offset)",
                            [datetime.fromisoformat(text).timestamp() * 1000, offset])  # fmt: skip

    assert number("2026-11-01T00:00+00:00", 0) == 1
    assert [number("2026-11-28T10:30+00:00", offset) for offset in (-840, 0, 720)] == [29, 28, 27]
    assert number("1990-01-01T00:00+00:00", 0) == 1

    def solved(*times: tuple[int, int, int]) -> dict[str, Any]:
        """By number, time in days since number 1 began by UTC, offset."""
        kept: dict[str, Any] = {"days": {}, "last": None}
        for at, time, offset in times:
            kept = library.call(
                "([kept, at, time, offset]) => ours.withTried(ours.daysOf(kept), at, '5+', time, offset)",
                [kept, at, datetime(2026, 11, 1, tzinfo=UTC).timestamp() * 1000 + time * day / 24, offset],
            )
        return kept

    def streak(kept: dict[str, Any], at: int) -> dict[str, int]:
        return library.call("([kept, at]) => ours.streakOf(ours.daysOf(kept), at)", [kept, at])

    row = solved((1, 12, 0), (2, 36, 0), (3, 60, 0))
    assert streak(row, 3) == streak(row, 4) == {"now": 3, "best": 3}
    assert streak(row, 5) == {"now": 0, "best": 3}  # a day was missed
    assert streak(row, 2) == {"now": 2, "best": 3}  # the clock has gone back
    assert streak(solved((1, 12, 0), (2, 36, 0), (2, 37, 0), (9, 204, 0), (3, 60, 0)), 3) == {"now": 3, "best": 3}
    flown = solved((1, 22, 600), (3, 47, -780))  # by the calendar it left, 12 o'clock of the next day
    assert flown["days"] == {"1": "5+", "2": "=", "3": "5+"}
    assert streak(flown, 3) == {"now": 2, "best": 2}
    assert streak(solved((1, 22, 600), (3, 60, 600)), 3) == {"now": 1, "best": 1}  # who stays has missed a day
    failed = {"days": {"1": "5+", "2": "123-"}, "last": None}
    assert streak(failed, 2) == {"now": 0, "best": 1}


def test_practice_goes_on_to_what_has_not_been_solved(page: Page, server: PageServer, bot: MatchBot) -> None:
    first, second = LIST["practice"]["punish"][:2]
    page.goto(f"{server.url}#riddle/practice/punish")
    expect(page.locator("h1")).to_have_text("Punish: 1 of 20")
    square(page, known(bot, first).good[0]).click()
    expect(page.locator(".turn")).to_have_text("Solved on the first try.")
    expect(page.locator(".practise")).to_contain_text("1 of 20")
    page.get_by_role("button", name="Next one").click()
    expect(page.locator("h1")).to_have_text("Punish: 2 of 20")
    expect(page.locator(":focus")).to_have_text("Punish: 2 of 20")
    square(page, wrong(bot, second)[0]).click()
    expect(page.locator(".turn")).to_have_text("Not that one. Two tries left.")
    page.reload()
    expect(page.locator("h1")).to_have_text("Punish: 2 of 20")
    expect(page.locator(".turn")).to_have_text("Which square costs nothing? You have three tries.")
    page.goto(f"{server.url}#riddle/practice/mixed")
    expect(page.locator("h1")).to_have_text("Practice: 1 of 80")
    for one in wrong(bot, LIST["practice"]["decline"][0])[:3]:
        square(page, one).click()
    expect(page.locator(".turn")).to_have_text("Not solved.")
    expect(page.locator("h1")).to_have_text("Decline a win: 1 of 80")
    expect(page.locator(".practise")).to_contain_text("1 of 80")  # that of before
    page.reload()
    expect(page.locator("h1")).to_have_text("Practice: 1 of 80")


@pytest.mark.parametrize(("width", "height"), [(320, 568), *slow((844, 390), (390, 844))])
def test_board_and_question_are_seen_at_once(tab: Page, width: int, height: int) -> None:
    tab.set_viewport_size({"width": width, "height": height})
    tab.evaluate("() => { location.hash = 'riddle/2-1/xw/15274'; }")
    expect(tab.locator(".riddle .head")).to_contain_text("1 point,")
    for seen in (".riddle .board", ".riddle .turn"):
        box = tab.locator(seen).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= height
        assert box["width"] >= min(width - 30, height - 150, 190)
    said = "one => getComputedStyle(one, '::before').content"
    assert tab.locator(".riddle .order").first.evaluate(said) == ("none" if width == 320 else '"move "')
    tab.evaluate("() => { location.hash = '4-3/xw/51'; }")
    assert tab.locator(".explore .order").first.evaluate(said) == '"move "'  # its squares are containers, too


def test_a_position_that_was_sent_shows_no_answer(tab: Page) -> None:
    tab.evaluate("() => { location.hash = 'riddle/4-3/lx/51'; }")
    expect(tab.locator("h1")).to_have_text("A riddle for you")
    expect(tab.locator(".riddle .note, .riddle .hint-panel:visible, .after a")).to_have_count(0)
    for key in "234":
        tab.keyboard.press(key)
    expect(tab.locator(".riddle .hint-panel")).to_be_visible()
    tab.get_by_role("link", name="Look at it in Explore").click()
    expect(tab.locator(".explore .whose-turn")).to_be_visible()


def test_addresses_that_are_no_riddle(tab: Page) -> None:
    for address, told in {
        "4-3/xx/51": "It does not say what the player wants.",
        "4-3/wx/14253": "Here the round is over.",
        "4-3/wx/15": "Here no square costs anything: there is nothing to find.",
        "9-3/wx/15": "There is no score 9-3 in a match to 5.",
        "4-3/wx/11": '"11" are not moves',
        "practice/nothing": '"nothing" is not a score',
    }.items():
        tab.evaluate("address => { location.hash = address; }", f"riddle/{address}")
        expect(tab.locator(".riddle [role=alert]")).to_contain_text(told)
        expect(tab.locator(".practise")).to_be_visible()


def test_a_page_of_another_match_has_no_riddles(page: Page, small_page: PageData) -> None:
    assert small_page.manifest()["riddles"] is None
    with running_server(small_page) as server:
        page.goto(f"{server.url}#riddle")
        expect(page.locator(".riddle [role=alert]")).to_contain_text("This page has no riddles")
        expect(page.locator("nav a")).to_have_text(["Play", "Review", "Explore", "Learn"])
