"""The screen "Learn": the rules, the story of a round, why moving second is better, the sheets and how they print."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import pytest
from support.browser import Page, Route, expect
from support.page_servers import running_server

from tictactoe import load_solution
from tictactoe.browser.page_data import SHIPPED_ON_PAGE, PageData
from tictactoe.browser.server import PageServer
from tictactoe.browser.sheets import read_sheets
from tictactoe.games.goals import Goal, goal_name
from tictactoe.games.rules import Rules
from tictactoe.match.scores import Score
from tictactoe.storage.open_saved import open_saved

WORDS = {
    (True, True): "Both score",
    (True, False): "Only X scores",
    (False, True): "Only O scores",
    (False, False): "Nobody scores",
}
SHEETS = [sheet for sheet in read_sheets() if sheet.name == "exact"]


def address_of(rules: str) -> str:
    return "learn" if rules == "three-in-a-row" else f"learn/{rules}"


@pytest.mark.parametrize("name", SHIPPED_ON_PAGE)
def test_the_rules_are_those_of_the_tab(page: Page, server: PageServer, name: str) -> None:
    rules = Rules.parse(load_solution(name).rules)
    page.goto(f"{server.url}#{address_of(str(rules))}")
    expect(page.get_by_role("heading", level=1)).to_have_text("Learn")
    expect(page.locator("main")).to_contain_text(rules.of_round.text)
    expect(page.locator("nav.choices [aria-current]")).to_have_count(1)
    levels = [int(heading.evaluate("one => one.tagName[1]")) for heading in page.get_by_role("heading").all()]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_tabs_are_addresses(page: Page, server: PageServer) -> None:
    page.goto(f"{server.url}#learn")
    page.get_by_role("link", name="The board is filled").click()
    expect(page).to_have_url(f"{server.url}#learn/filled")
    page.go_back()
    expect(page.get_by_role("heading", name="Five moves that everybody makes")).to_be_visible()


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.rules)
def test_the_nine_rounds_end_as_in_the_library(page: Page, server: PageServer, sheet) -> None:  # type: ignore[no-untyped-def]
    """Every cell of the table; a click on one shows the end of that round on the board."""
    tree = load_solution("shipped" if sheet.rules == "three-in-a-row" else sheet.rules).tree
    page.goto(f"{server.url}#{address_of(sheet.rules)}")
    board = page.get_by_role("group", name="Board of the story")
    for first in Goal:
        for second in Goal:
            moves = sheet.rounds[first][second]
            outcome = tree.outcome(tree.find(moves))
            assert outcome is not None
            cell = page.locator(f"button[data-goals='{int(first)}{int(second)}']")
            expect(cell).to_contain_text(WORDS[tree.rules.of_round.scores(outcome, first, second)])
            cell.click()
            expect(cell).to_have_attribute("aria-pressed", "true")
            expect(board.locator(".x, .o")).to_have_count(len(moves))
            expect(page.locator(".told")).to_contain_text(f"wants to {goal_name((first, second)[1 - len(moves) % 2])}")
            expect(page.locator(f"input[name='goal of X'][value='{int(first)}']")).to_be_checked()


def test_stepping_through_the_story(page: Page, server: PageServer) -> None:
    """By the keyboard alone."""
    page.goto(f"{server.url}#learn")
    told, back, forward = (
        page.locator(".told"),
        page.get_by_role("button", name="Back"),
        page.get_by_role("button", name="Next move"),
    )
    expect(told).to_have_text("Move 5: X marks 6, whatever the goal.")
    forward.press("Enter")
    expect(told).to_contain_text(
        "Move 6: O wants to win and marks 2. To lose or tie it would be 8. The round is decided"
    )
    expect(forward).to_be_disabled()
    page.get_by_role("group", name="O wants to").get_by_label("tie").check()
    expect(told).to_have_text("Move 5: X marks 6, whatever the goal.")
    for _ in range(5):
        back.press("Enter")
    expect(told).to_have_text("The board is empty. X moves first.")
    expect(back).to_be_disabled()


def test_shares_of_matches_are_those_of_the_solution(page: Page, server: PageServer) -> None:
    solution = load_solution("filled")
    page.goto(f"{server.url}#learn/filled")
    rows = page.locator("table.scores tbody tr")
    expect(rows).to_have_count(5)
    for first in range(5):
        shown = rows.nth(first).locator("td").all_inner_texts()
        assert shown == [f"{50 * (1 + solution.value[Score(first, second)]):.1f}" for second in range(5)]
    expect(page.get_by_role("heading", name="Why it is better to move second")).to_be_visible()
    counts = page.locator("section[aria-labelledby=learn-scores] p").first
    expect(counts).to_contain_text(
        "In 3 of the 9 rounds above only O scores, in 1 only X does. In 3 both score, in 2 nobody"
    )


def test_a_round_to_try(page: Page, server: PageServer) -> None:
    """Two rounds, one in each seat, to their ends: each says who scores."""
    page.goto(f"{server.url}#learn/filled")
    board, result = page.get_by_role("group", name="Board of the round to try"), page.locator(".try .result")
    for mark in "XO":
        expect(page.locator(".goal-to-try")).to_contain_text(f"You are {mark} and want to")
        for _ in range(9):
            free = board.locator("button[aria-disabled=false]")
            if free.count() == 0:
                break
            free.first.click()
        expect(result).to_have_text(
            re.compile(r"The round is over: .* You wanted to \w+: (no|a) point\. The other one .*point\.")
        )
        page.get_by_role("button", name="Another round").click()
        expect(result).to_have_text("Your move.")


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.rules)
def test_a_sheet_is_one_page(page: Page, server: PageServer, sheet) -> None:  # type: ignore[no-untyped-def]
    """Of A4 and of Letter paper, at the score with the longest words; nothing of the screen's frame is on it."""
    middle = "" if sheet.rules == "three-in-a-row" else f"{sheet.rules}/"
    page.goto(f"{server.url}#learn/sheet/{middle}4-3")
    expect(page.locator(".pictures svg")).to_have_count(len(sheet.pictures))
    for pictures, seat in zip(page.locator(".pictures").all(), range(2), strict=True):
        moves = sorted(board.num_marks // 2 + 1 for board in sheet.pictures if board.num_marks % 2 == seat)
        told = ["1st move", "2nd move", "3rd move", "4th move", "5th move"]
        assert pictures.locator("small").all_inner_texts() == [told[move - 1] for move in moves]
    for paper in ("A4", "Letter"):
        assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format=paper))) == 1
    page.emulate_media(media="print")
    for hidden in (".top", ".sheet .controls"):
        expect(page.locator(hidden)).to_be_hidden()


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.rules)
def test_a_sheet_states_its_cost(page: Page, server: PageServer, sheet) -> None:  # type: ignore[no-untyped-def]
    middle = "" if sheet.rules == "three-in-a-row" else f"{sheet.rules}/"
    for score in ("4-4", "4-3", "0-0"):
        page.goto(f"{server.url}#learn/sheet/{middle}{score}")
        expect(page.get_by_role("heading", level=1)).to_contain_text(f"at {score}")
        first, second = sheet.costs[score]
        cost = page.locator(".cost")
        if first == second == 0:
            expect(cost).to_contain_text(f"At {score} nobody can beat it in the long run")
        else:
            expect(cost).to_contain_text(
                f"costs at most {-(-first * 100 // 1) / 100:.2f}\u00a0% of matches when you move first"
            )
            expect(cost).to_contain_text(f"and {-(-second * 100 // 1) / 100:.2f}\u00a0% when you move second")


def test_what_the_sheet_costs_is_said_where_it_is_offered(page: Page, server: PageServer) -> None:
    section = page.locator("section[aria-labelledby=learn-sheet]")
    page.goto(f"{server.url}#learn")
    sheet = next(sheet for sheet in SHEETS if sheet.rules == "three-in-a-row")
    assert sheet.match_costs is not None
    expect(section).to_contain_text(
        f"Over a whole match it costs at most {-(-max(sheet.match_costs) * 100 // 1) / 100:.2f}\u00a0% of matches."
    )
    page.goto(f"{server.url}#learn/filled")
    expect(section).to_contain_text("Whatever the score, nobody gains anything against it")
    section.get_by_role("link").click()
    expect(page).to_have_url(f"{server.url}#learn/sheet/filled/4-4")


def test_slow_files_are_waited_for_in_words(page: Page, server: PageServer) -> None:
    """Nothing is said in the first moments, so that nothing flashes; then that it is loading, then all is there."""
    page.goto(server.url)
    held: list[Route] = []
    page.route("**/*sheets*", lambda route: held.append(route))
    page.goto(f"{server.url}#learn")
    expect(page.get_by_text("Loading\N{HORIZONTAL ELLIPSIS}")).to_be_visible()
    assert held
    for route in held:
        route.continue_()
    expect(page.get_by_role("heading", name="The rules")).to_be_visible()
    expect(page.get_by_text("Loading")).to_have_count(0)


def test_choosing_another_score(page: Page, server: PageServer) -> None:
    page.goto(f"{server.url}#learn/sheet/4-4")
    page.get_by_role("combobox").select_option("3-1")
    expect(page).to_have_url(f"{server.url}#learn/sheet/3-1")
    page.go_back()
    expect(page.get_by_role("combobox")).to_have_value("learn/sheet/4-4")


@pytest.mark.parametrize("address", ["learn/nothing", "learn/sheet/9-9", "learn/sheet/4-4/longest", "learn/sheet/x"])
def test_addresses_of_nothing_say_so(page: Page, server: PageServer, address: str) -> None:
    page.goto(f"{server.url}#{address}")
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_role("link", name="To the rules").click()
    expect(page.get_by_role("heading", name="The rules")).to_be_visible()


@pytest.fixture(scope="module")
def short_matches() -> Iterator[PageServer]:
    """Matches to 1, the second by rules that there are no sheets for."""
    names = ("match_to_1", "filled-none_match_to_1")
    with running_server(PageData([open_saved(name).solution for name in names])) as running:
        yield running


def test_a_short_match_has_the_sheet_of_its_score(page: Page, short_matches: PageServer) -> None:
    page.goto(f"{short_matches.url}#learn/sheet")
    expect(page.locator(".cost")).to_contain_text("At 0-0 nobody can beat it in the long run")
    expect(page.get_by_role("combobox")).to_have_text("0-0")


def test_rules_without_sheets(page: Page, short_matches: PageServer) -> None:
    """The chapters that can be written are there; an address of a sheet says that there is none."""
    page.goto(f"{short_matches.url}#learn/filled-none")
    expect(page.locator("main h2")).to_have_count(3)
    page.goto(f"{short_matches.url}#learn/sheet/filled-none")
    expect(page.get_by_role("alert")).to_contain_text("no such sheet")


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("sheet/9-9", "there is no score 9-9 in a match to 5"),
        ("chess", 'There is nothing to learn at "chess".'),
        ("sheet/4-4/nosuch", "There is no such sheet"),
    ],
)
def test_wrong_addresses_are_no_fault_of_the_page(page: Page, server: PageServer, address: str, why: str) -> None:
    page.goto(f"{server.url}#learn/{address}")
    expect(page.locator(".learn h1")).to_have_text("This address is no part of Learn")
    notice = page.locator(".learn .notice")
    expect(notice).to_contain_text(why)
    expect(notice).not_to_contain_text("fault")
