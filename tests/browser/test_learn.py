"""The screen "Learn": rules, the story of a round, the sheets to play by, of which all is computed again."""

import random
import re
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from support.browser import Page, expect
from support.page_servers import running_server
from support.slowness import by_default, slow

from tictactoe import Board, GameTree, Goal, Rules, Score, exploitability, load_solution, tic_tac_toe_round
from tictactoe.browser.page_data import PageData
from tictactoe.browser.server import PageServer
from tictactoe.browser.sheets import (
    LINES_IN_WORDS,
    Sheet,
    costs_at,
    costs_in_match,
    read_sheets,
    sheet_strategy,
    sheets_file,
)
from tictactoe.games.board import SYMMETRIES
from tictactoe.games.rules import goal_name

WORDS = [["Nobody scores", "Only O scores"], ["Only X scores", "Both score"]]  # by whether X does, and O
SHEETS = [sheet for sheet in read_sheets() if sheet.name == "exact"]
by_sheet = pytest.mark.parametrize("sheet", [SHEETS[0], *slow(*SHEETS[1:])], ids=lambda sheet: sheet.rules)


def learn(page: Page, address: str = "") -> None:
    page.evaluate("address => { location.hash = address; }", f"learn{address}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def of_rules(sheet: Sheet) -> str:
    return "" if sheet.rules == "three-in-a-row" else f"/{sheet.rules}"


def points(cost: float) -> str:
    """Rounded up, as the page states a cost."""
    return f"{-(-cost * 100 // 1) / 100:.2f}\u00a0points"


@by_sheet
def test_the_rules_and_the_nine_rounds(tab: Page, sheet: Sheet) -> None:
    tree = load_solution("shipped" if sheet.rules == "three-in-a-row" else sheet.rules).tree
    learn(tab, of_rules(sheet))
    expect(tab.locator("main")).to_contain_text(Rules.parse(sheet.rules).of_round.text)
    expect(tab.locator("nav.choices [aria-current]")).to_have_count(1)
    board = tab.get_by_role("group", name="Board of the story")
    learn(tab, f"{of_rules(sheet)}/story")
    for first, second in product(Goal, Goal):
        moves = sheet.rounds[first][second]
        outcome = tree.outcome(tree.find(moves))
        assert outcome is not None
        cell = tab.locator(f"button[data-goals='{int(first)}{int(second)}']")
        x, o = tree.rules.of_round.scores(outcome, first, second)
        expect(cell).to_contain_text(WORDS[x][o])
        cell.click()
        expect(cell).to_have_attribute("aria-pressed", "true")
        expect(board.locator(".x, .o")).to_have_count(len(moves))
        expect(tab.locator(".told")).to_contain_text(f"wants to {goal_name((first, second)[1 - len(moves) % 2])}")
        expect(tab.locator(f"input[name='goal of X'][value='{int(first)}']")).to_be_checked()


def test_stepping_through_the_story(tab: Page) -> None:
    """One chapter at a time, each with a way to the next one."""
    learn(tab)
    expect(tab.locator(".chapters > section:visible")).to_have_count(1)
    tab.get_by_role("link", name="Next: A perfect round").click()
    expect(tab.locator(".chapters > section:visible h2")).to_have_text("Five moves that everybody makes")
    expect(tab.locator(".contents [aria-current]")).to_have_text("A perfect round")
    told, back = tab.locator(".told"), tab.get_by_role("button", name="Back")
    forward = tab.get_by_role("button", name="Next move")
    expect(told).to_have_text("Move 5: X marks 6, whatever the goal.")
    forward.press("Enter")
    expect(told).to_contain_text(
        "Move 6: O wants to win and marks 2. To lose or tie it would mark 8. The round is decided"
    )
    expect(forward).to_be_disabled()
    tab.get_by_role("group", name="O wants to").get_by_label("tie").check()
    expect(told).to_have_text("Move 5: X marks 6, whatever the goal.")
    for _ in range(5):
        back.press("Enter")
    expect(told).to_have_text("The board is empty. X moves first.")
    expect(back).to_be_disabled()


def test_shares_of_matches_by_score(tab: Page) -> None:
    value = load_solution("filled").value
    learn(tab)
    tab.get_by_role("link", name="The board is filled").click()
    expect(tab.locator(".choices [aria-current]")).to_have_text("The board is filled")
    tab.get_by_role("link", name="Who moves first").click()
    expect(tab.get_by_role("heading", name="Why it is better to move second")).to_be_visible()
    assert tab.url.endswith("#learn/filled/scores")
    shown = tab.locator("table.scores tbody td").all_inner_texts()
    assert shown == [f"{50 * (1 + value[Score(*score)]):.1f}" for score in product(range(5), repeat=2)]
    expect(tab.locator("section[aria-labelledby=learn-scores] p").first).to_contain_text(
        "In 3 of the 9 perfect rounds only O scores, in 1 only X scores. In 3 both score, and in 2 nobody"
    )
    tab.go_back()
    tab.go_back()
    expect(tab.locator(".choices [aria-current]")).to_have_text("Three in a row ends the round")


def test_a_round_to_try(tab: Page) -> None:
    learn(tab, "/filled")
    board, result = tab.get_by_role("group", name="Board of the round to try"), tab.locator(".try .result")
    for mark in "XO":
        expect(tab.locator(".goal-to-try")).to_contain_text(f"You are {mark} and want to")
        for _ in range(9):
            free = board.locator("button[aria-disabled=false]")
            if free.count() == 0:
                break
            free.first.click()
        expect(result).to_have_text(
            re.compile(r"The round is over: .* You wanted to \w+: (no|a) point\. The other player .*point\.")
        )
        tab.get_by_role("button", name="Another round").click()
        expect(result).to_have_text("Your move.")


@by_sheet
def test_a_sheet_states_its_cost_and_is_one_page(page: Page, server: PageServer, sheet: Sheet) -> None:
    page.goto(f"{server.url}#learn")
    for score in ("4-4", "0-0", "4-3"):
        learn(page, f"/sheet{of_rules(sheet)}/{score}")
        expect(page.get_by_role("heading", level=1)).to_contain_text(f"at {score}")
        first, second = sheet.costs[score]
        said = [f"At {score} nobody can beat the sheet in the long run"]
        if first or second:
            said = [f"costs at most {points(first)} of winning chance when you move first"]
            said.append(f"and {points(second)} when you move second")
        for words in said:
            expect(page.locator(".cost")).to_contain_text(words)
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


def test_where_the_sheet_is_offered(tab: Page) -> None:
    section = tab.locator("section[aria-labelledby=learn-sheets]")
    learn(tab, "/sheets")
    (most,) = (max(sheet.match_costs or ()) for sheet in SHEETS if sheet.rules == "three-in-a-row")
    expect(section).to_contain_text(f"Over a whole match, the sheet costs at most {points(most)} of winning chance.")
    learn(tab, "/filled/sheets")
    expect(section).to_contain_text("Whatever the score, nobody gains anything against the sheet")
    section.get_by_role("link", name="pictures").click()
    expect(tab.get_by_role("combobox")).to_have_value("learn/sheet/filled/4-4")
    tab.get_by_role("combobox").select_option("3-1")
    expect(tab).to_have_url(re.compile("#learn/sheet/filled/3-1$"))
    tab.go_back()
    expect(tab.get_by_role("combobox")).to_have_value("learn/sheet/filled/4-4")


def test_wrong_addresses_are_no_fault_of_the_page(tab: Page) -> None:
    for address, why in {
        "/sheet/9-9": "there is no score 9-9 in a match to 5",
        "/chess": 'There is nothing to learn at "chess".',
        "/sheet/4-4/nosuch": "There is no such sheet",
        "/sheet/x": "",
    }.items():
        learn(tab, address)
        expect(tab.locator(".learn h1")).to_have_text("There is no chapter at this address")
        notice = tab.locator(".learn .notice[role=alert]")
        expect(notice).to_contain_text(why)
        expect(notice).not_to_contain_text("fault")
        tab.get_by_role("link", name="To the rules").click()
        expect(tab.get_by_role("heading", name="The rules")).to_be_visible()


def test_short_matches_and_rules_without_sheets(page: Page) -> None:
    names = ("match_to_1", "filled-none_match_to_1")
    with running_server(PageData([load_solution(name) for name in names])) as short_matches:
        page.goto(f"{short_matches.url}#learn/sheet")
        expect(page.locator(".cost")).to_contain_text("At 0-0 nobody can beat the sheet in the long run")
        expect(page.get_by_role("combobox")).to_have_text("0-0")
        learn(page, "/filled-none")
        expect(page.locator("main h2")).to_have_count(3)
        learn(page, "/sheet/filled-none")
        expect(page.get_by_role("alert")).to_contain_text("no such sheet")


BY_RULES = {sheet.rules: sheet for sheet in read_sheets()}
STORIES = {
    "three-in-a-row": [["519362", "5193684", "5193684"], *2 * [["519362", "51936872", "51936874"]]],
    "filled": [["51936842", "51936847", "51936842"], *2 * [["51936872", "51936872", "51936874"]]],
}
"""docs/closed-forms.md: the nine rounds."""


def assert_rounded_up(computed: tuple[float, float], stated: tuple[float, float] | None) -> None:
    assert stated is not None
    for cost, most in zip(computed, stated, strict=True):
        assert -1e-12 < most - cost < 1e-4 + 1e-12, (computed, stated)


@pytest.mark.parametrize("rules", by_default(BY_RULES, "three-in-a-row"))
def test_costs_are_what_the_page_states(rules: str) -> None:
    """Nobody gains anything where it states a cost of 0: at 4-4, at all scores when the board is filled, and by three
    in a row wherever the first mover is behind."""
    sheet = BY_RULES[rules]
    solution = load_solution("shipped" if rules == "three-in-a-row" else rules)
    strategy = sheet_strategy(sheet, solution.tree)
    assert sheet.costs.keys() == {str(score) for score in solution.results}
    assert_rounded_up(costs_in_match(solution, strategy), sheet.match_costs)
    for score in solution.results:
        costs = costs_at(solution.tree, strategy, solution.outcome_values(score), solution.value[score])
        assert_rounded_up(costs, sheet.costs[str(score)])
        without_cost = sheet.costs[str(score)] == (0.0, 0.0)
        if score == Score(4, 4) or rules == "filled" or score.first < score.second:
            assert without_cost
        if without_cost:
            game = tic_tac_toe_round(solution.tree, solution.outcome_values(score))
            assert abs(exploitability(game, strategy).total) < 1e-12, score


@pytest.mark.parametrize("rules", BY_RULES)
def test_rounds_are_those_of_the_sheet(rules: str) -> None:
    sheet = BY_RULES[rules]
    tree = GameTree.build(rules)
    assert [["".join(map(str, moves)) for moves in row] for row in sheet.rounds] == STORIES[sheet.rules]
    for goals in product(Goal, Goal):
        board, moves = Board(), sheet.rounds[goals[0]][goals[1]]
        for square in moves:
            assert square in sheet.choices(board, goals[board.num_marks % 2])
            board = board.play(square)
        assert tree.outcome(tree.find(moves)) is not None


@pytest.mark.parametrize("rules", BY_RULES)
def test_pictures_say_what_the_lists_do_not_and_turn_with_the_board(rules: str) -> None:
    sheet, generator = BY_RULES[rules], random.Random(14)
    assert len({board.canonical() for board in sheet.pictures}) == len(sheet.pictures)
    lists_alone = replace(sheet, pictures={})
    for board, answers in sheet.pictures.items():
        assert any(lists_alone.choices(board, goal) != squares for goal, squares in answers.items()), board
        assert all(set(squares) <= set(board.free_squares) for squares in answers.values()), board
    for _ in range(100):
        board = Board()
        for _ in range(generator.randrange(8)):
            board = board.play(generator.choice(board.free_squares))
        for goal, turn in product(Goal, SYMMETRIES):
            squares = sheet.choices(board, goal)
            assert set(sheet.choices(board.image(turn), goal)) == {turn[square - 1] for square in squares}


def test_data_and_back() -> None:
    for sheet in BY_RULES.values():
        assert Sheet.from_data(sheet.to_data()) == sheet
        assert LINES_IN_WORDS.keys() >= set().union(*sheet.lists.values())
        assert str(Rules.parse(sheet.rules)) == sheet.rules
    assert b'"filled"' not in sheets_file(["three-in-a-row"])
    assert len(sheets_file(["three-in-a-row", "filled"])) < 40_000


def test_the_documentation_says_the_same() -> None:
    text = Path(__file__).parents[2].joinpath("docs", "closed-forms.md").read_text("utf-8")
    for sheet in BY_RULES.values():
        assert f"| `{sheet.rules}` | {len(sheet.pictures)} | 0 |" in text
        worst = max(max(costs) for costs in sheet.costs.values())
        assert sheet.match_costs is not None
        if worst > 0.0:
            over_match = f"{-(-max(sheet.match_costs) * 100 // 1) / 100:.2f}"
            assert f"else {-(-worst * 100 // 1) / 100:.2f}, at 4-3, moving first | {over_match} |" in text
            play = Path(__file__).parents[2].joinpath("docs", "play.md").read_text("utf-8")
            assert f"costs at most {over_match} points of winning chance over a whole match" in play
            assert sheet.costs["4-3"][0] == worst
