"""Exploring: every kind of address, ways between positions, sharing, keys, and what is shown of a position."""

import json
import random
import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from support.browser import Page, expect
from support.explore_page import DEFAULT, address_of, expect_position, go_to, shown
from support.page_matches import likely_moves
from support.page_servers import running_server
from support.playing import random_moves
from support.slowness import by_default

from tictactoe import Cursor, Goal, RoundBot, Score, Solution, load_solution, open_saved
from tictactoe.browser.page_data import SHIPPED_ON_PAGE, PageData
from tictactoe.browser.server import PageServer
from tictactoe.match.percentages import percentage_points, win_percentage
from tictactoe.play.explored_position import Goals, View, view
from tictactoe.play.move_costs import LEAST_PLAYED_PROBABILITY
from tictactoe.play.notation import Numbers
from tictactoe.storage.open_saved import SavedRound, SavedRounds

ADDRESSES = {
    "4-3/w%3F/51": "4-3 w? 51",
    "4-3/XT/51": "4-3 ?t 51",
    "0-4/tl/-": "0-4 tl -",
    "2-1/xx/1542376": "2-1 ?? 1542376",
    "0-0/ww/14253": "0-0 ww 14253",
    "filled/4-3": "4-3 ?? -",
    "filled/0-0/xx/142536": "0-0 ?? 142536",
    "filled/0-0/lt/123456789": "0-0 lt 123456789",
    "three-in-a-row/1-1/xx/9": "1-1 ?? 9",
    "explore": "0-0 ?? -",
    "filled": "0-0 ?? -",
    "explore/filled/4-3": "4-3 ?? -",
}
WRONG = {
    "0-0/xx/1425367": "Move 6 of 1425367, on 6, cannot be played: the round is over.",
    "0-0/xx/11": '"11" are not moves: write different squares from 1 to 9, such as 513.',
    "0-0/wq/1": '"wq" are not two goals',
    "5-0": "There is no score 5-0 in a match to 5.",
    "filled/0-7/xx/1": "There is no score 0-7 in a match to 5.",
    "chess/0-0": 'This page has no rules "chess", only three-in-a-row and filled.',
    "nothing": '"nothing" is not a score: write both players\' points, such as 4-3.',
    "0-0/ww/1/2": '"2" comes after the moves, where nothing belongs.',
    "%E0%A4%A": "is not a score",
    "<b>0-0</b>": "is not a score",
}
PASTED = {
    " Position: 4-3 w? n597 (score as in the solution)": "4-3 w? 531",
    "Position 2-2 tt - (X has 2 points, O 2; match to 5)": "2-2 tt -",
    "https://example.org/tic-tac-toe/#1-2/wl/51": "1-2 wl 51",
    'explore --position "4-4 w? 512" --json': "4-4 w? 512",
    "3-3": "3-3 ?? -",
}


@pytest.fixture
def start(tab: Page) -> Page:
    go_to(tab, "", "0-0 ?? -")
    tab.evaluate("() => document.querySelectorAll('.explore details').forEach((one) => (one.open = true))")
    return tab


def square(page: Page, number: int) -> str:
    return page.locator(f'.explore .square[data-square="{number}"]').get_attribute("aria-label") or ""


def play(page: Page, number: int) -> None:
    page.locator(f'.explore .square[data-square="{number}"]').click()


def open_panel(page: Page, heading: str) -> None:
    page.locator(f"details:has(#{heading})").evaluate("(panel) => { panel.open = true; }")


def test_addresses(start: Page) -> None:
    for address, position in ADDRESSES.items():
        start.evaluate("(address) => { location.hash = address; }", address)
        expect_position(start, position, "filled" if "filled" in address else DEFAULT)
        assert start.url.partition("#")[2] == address
        assert start.title().startswith(position)
        moves = position.rpartition(" ")[2].replace("-", "")
        for digit in range(1, 10):
            number = moves.find(str(digit)) + 1
            told = f"{'OX'[number % 2]}, move {number}" if number else "free"
            assert re.match(rf"Square {digit}( .+)?, {told}", square(start, digit), re.DOTALL)


def test_wrong_addresses(start: Page) -> None:
    for address, text in WRONG.items():
        start.evaluate("(address) => { location.hash = address; }", address)
        expect(start.get_by_role("alert")).to_contain_text(text)
        assert start.locator(".explore .board").count() == 0
    start.get_by_role("link", name="Go to the start of a match").click()
    expect_position(start, "0-0 ?? -")
    assert start.locator(".explore .board").is_visible()
    start.evaluate("() => { location.hash = '4-3/wx/1425367'; }")
    start.get_by_role("link", name="Play the moves as far as possible").press("Enter")
    expect_position(start, "4-3 w? 14253")
    start.go_back()
    start.go_back()
    expect_position(start, "0-0 ?? -")
    go_to(start, "filled/", "1-0 w? 142536")  # by the other rules the round ends sooner
    start.get_by_label("Rules").select_option("three-in-a-row")
    expect_position(start, "1-0 w? 14253")
    expect(start.locator(".whose-turn")).to_contain_text("The round is over: X completes three in a row (X 1 2 3).")
    expect(start.locator(".square.in-line")).to_have_count(3)


def test_back_and_forward(start: Page) -> None:
    steps = [("0-0 ?? -", DEFAULT)]

    def step(act: Callable[[], object], position: str, rules: str = DEFAULT) -> None:
        act()
        expect_position(start, position, rules)
        steps.append((position, rules))

    def press(name: str) -> Callable[[], object]:
        return start.get_by_role("button", name=name).click

    step(lambda: play(start, 5), "0-0 ?? 5")
    step(start.locator(".choice-table thead a").first.click, "0-0 ?? 51")
    step(press("to lose"), "0-0 l? 51")
    step(lambda: start.get_by_label("O wants").select_option("to TIE"), "0-0 lt 51")
    step(start.get_by_role("link", name=f"X 0, O 4: X wins {score_text(0, 4)}\u00a0%").click, "0-4 lt 51")
    step(lambda: start.get_by_label("Rules").select_option("filled"), "0-4 lt 51", "filled")
    longer = "51" + "".join(map(str, shown(start)["course"]["squares"][:2]))
    step(start.locator("ol[aria-labelledby=course] a").nth(1).click, f"0-4 lt {longer}", "filled")
    step(press("Take back"), f"0-4 lt {longer[:-1]}", "filled")
    step(press("Restart the round"), "0-4 lt -", "filled")
    step(press("not known"), "0-4 ?t -", "filled")
    for position, rules in reversed(steps[:-1]):
        start.go_back()
        expect_position(start, position, rules)
    for position, rules in steps[1:]:
        start.go_forward()
        expect_position(start, position, rules)
    assert start.url.partition("#")[2] == "filled/0-4/xt"


def copied(page: Page) -> str:
    text: str = page.evaluate("() => navigator.clipboard.readText()")
    return text


def score_text(first: int, second: int) -> str:
    return f"{win_percentage(load_solution('shipped').value[Score(first, second)]):.1f}"


def test_map_of_scores(start: Page) -> None:
    links = start.locator(".score-map tbody a")
    said = [link.rpartition(" wins ")[2] for link in links.evaluate_all("all => all.map((one) => one.ariaLabel)")]
    assert said == [f"{score_text(*score)}\u00a0%" for score in product(range(5), repeat=2)]
    assert max(map(len, links.all_text_contents())) <= 3  # what can be read on a phone
    chosen = start.locator(".score-map a[aria-current]")
    expect(chosen).to_have_attribute("href", "#0-0")
    links.nth(17).click()
    expect_position(start, "3-2 ?? -")
    expect(chosen).to_be_focused()


def test_copying_from_a_new_tab(page: Page, server: PageServer) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    address = f"{server.url}#filled/4-3/wx/513"
    page.goto(address)
    expect_position(page, "4-3 w? 513", "filled")
    expect(page.locator("h1")).to_have_text("X has 4 points, O 3")
    page.locator("#share").click()
    for button, text in (("Copy link", address), ("Copy position", "4-3 w? 513")):
        page.get_by_role("button", name=button).click()
        expect(page.locator(".copied")).to_contain_text(f"is copied: {text}.")
        assert copied(page) == text
    page.get_by_role("button", name="Share").click()
    expect(page.locator(".copied")).to_contain_text("is copied.")
    lines = copied(page).split("\n")
    assert (lines[0], lines[-1]) == ("Tic-Tac-Tell, X 4 : 3 O, to 5", address)
    assert lines[2:5] == ["\u2b55\u2b1c\u274c", "\u2b1c\u274c\u2b1c", "\u2b1c\u2b1c\u2b1c"]


def test_sharing_the_address_that_the_page_was_built_for(page: Page, server: PageServer) -> None:
    manifest = json.loads(server.data.file("data/manifest.json")) | {"address": "https://example.org/game/"}
    page.route(f"{server.url}data/manifest.json", lambda route: route.fulfill(json=manifest))
    page.add_init_script("navigator.share = async (what) => { window.shared = what; };")
    page.goto(f"{server.url}#4-3/lx/51")
    expect_position(page, "4-3 l? 51")
    page.get_by_role("button", name="Share").click()
    page.wait_for_function("() => window.shared !== undefined")
    shared = page.evaluate("() => window.shared")
    assert shared["url"] == "https://example.org/game/#riddle/4-3/lx/51"  # which does not show the answer
    assert shared["text"].endswith("X moves next and wants to LOSE. Which square?")


def test_copying_where_it_is_refused(page: Page, server: PageServer) -> None:
    page.add_init_script("navigator.clipboard.writeText = undefined;")
    page.goto(f"{server.url}#4-3/lw/51")
    expect_position(page, "4-3 lw 51")
    page.locator("#share").click()
    selected = "(one) => one.value.slice(one.selectionStart, one.selectionEnd)"
    for button, address in (
        ("Copy link with the answer", "4-3/lw/51"),
        ("Copy link to the riddle", "riddle/4-3/lx/51"),
    ):
        page.get_by_role("button", name=button).click()
        expect(page.get_by_label("To copy")).to_be_focused()
        assert page.get_by_label("To copy").evaluate(selected) == f"{server.url}#{address}"
    play(page, 3)
    expect_position(page, "4-3 lw 513")
    expect(page.get_by_label("To copy")).to_be_hidden()


def test_pasting(start: Page) -> None:
    open_panel(start, "share")
    field = start.get_by_label("Go to a position or a link")
    for text, position in PASTED.items():
        field.fill(text)
        field.press("Enter")
        expect_position(start, position)
        assert field.input_value() == ""
    field.fill('explore --rules filled --position "4-3 w? 15"')
    start.get_by_role("button", name="Go", exact=True).click()
    expect_position(start, "4-3 w? 15", "filled")
    field.fill("2-2 ?? 5")  # says nothing of rules: those that are looked at
    field.press("Enter")
    expect_position(start, "2-2 ?? 5", "filled")
    assert start.url.endswith("#filled/2-2/xx/5")
    for text, problem in (("four to three", "is not a score"), ("", "is not a score"), ("9-9 ?? 5", "no score 9-9")):
        field.fill(text)
        field.press("Enter")
        expect(start.locator(".problem")).to_contain_text(problem)
        assert start.url.endswith("#filled/2-2/xx/5")
    field.fill("0")
    expect(start.locator(".problem")).to_be_empty()


def test_keys(start: Page) -> None:
    start.keyboard.press("5")
    expect_position(start, "0-0 ?? 5")
    start.keyboard.press("5")  # is taken
    start.keyboard.press("1")
    expect_position(start, "0-0 ?? 51")
    expect(start.locator("#announcer")).to_contain_text("O on 1. X moves next.")
    start.keyboard.press("Backspace")
    expect_position(start, "0-0 ?? 5")
    start.keyboard.press("Backspace")
    start.keyboard.press("Backspace")  # there is no move to take back
    expect_position(start, "0-0 ?? -")
    start.locator('.square[tabindex="0"]').focus()
    for key in ("ArrowUp", "ArrowLeft", "Enter"):
        start.keyboard.press(key)
    expect_position(start, "0-0 ?? 1")
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowDown", "Enter"):
        start.keyboard.press(key)
    expect_position(start, "0-0 ?? 16")
    open_panel(start, "share")
    start.get_by_label("Go to a position or a link").press("7")
    expect_position(start, "0-0 ?? 16")


def test_numpad(page: Page, server: PageServer) -> None:
    page.add_init_script("localStorage.setItem('smbc-tictactoe / keypad', 'numpad');")
    page.goto(f"{server.url}#0-0")
    expect_position(page, "0-0 ?? -")
    page.keyboard.press("7")
    expect_position(page, "0-0 ?? n7")
    assert page.url.endswith("#0-0/xx/1")
    assert square(page, 1).startswith("Square 7, X, move 1")
    assert {digit for column in shown(page)["columns"] for digit in column.split()} == set("12345689")
    open_panel(page, "choices")
    page.locator(".choice-table thead a", has_text="5").click()
    expect_position(page, "0-0 ?? n75")
    open_panel(page, "share")
    page.get_by_label("Go to a position or a link").fill("0-0 ?? n13")
    page.get_by_role("button", name="Go", exact=True).click()
    expect_position(page, "0-0 ?? n13")
    assert page.url.endswith("#0-0/xx/79")


def test_positions_nobody_plays(page: Page, uneven: Solution) -> None:
    """The page warns of positions after mistakes in a solution that is not refined."""
    assert cases_told(page, load_solution("match_to_1")) == {("X",), ("O",), ("X", "O"), ("goals",)}
    assert cases_told(page, uneven) == {("goals",), ("goals", "LOSE")}


def cases_told(page: Page, solution: Solution) -> set[tuple[str, ...]]:
    """Checks what the page says of one position of each kind, after two moves. Returns the kinds."""
    saved = open_saved(solution.directory).load(Score(0, 0))
    kinds: set[tuple[str, ...]] = set()
    warning = page.locator(".off-the-way")
    with running_server(PageData([solution], compression=1)) as server:
        page.goto(f"{server.url}#0-0")
        for moves in permutations(range(1, 10), 2):
            seen = view(saved, Cursor(saved.tree, moves), (None, None))
            nowhere = [seat for seat, belief in zip("XO", seen.beliefs, strict=True) if belief is None]
            of_x = seen.beliefs[0] or ()
            never = [goal.name for goal, share in zip(Goal, of_x, strict=False) if share < LEAST_PLAYED_PROBABILITY]
            kind = (*nowhere,) or ("goals", *never)
            if kind in kinds:
                continue
            kinds.add(kind)
            page.evaluate("(address) => { location.hash = address; }", address_of("", seen.position))
            expect(page.locator(".shown:not(.loading) .command")).to_contain_text(f'--position "{seen.position}"')
            assert [own[0] == "not known" for own in shown(page)["beliefs"]] == [seat in nowhere for seat in "XO"]
            if nowhere:
                expect(warning).to_contain_text(f"Perfect players never get here: whatever {' and '.join(nowhere)}")
            elif never:
                wants = " or ".join(f"to {name}" for name in never)
                expect(warning).to_contain_text(f"A perfect X that wants {wants} never gets here.")
            else:
                expect(warning).to_be_empty()
                continue
            expect(warning).to_contain_text("may be wrong")
    return kinds


NUMBERS = Numbers(4)  # as the terminal begins
ROUNDING = 1e-9  # what may differ by the order in which numbers are added


SPACE = "\u00a0"


def wins(value: float) -> str:
    return NUMBERS.percent(win_percentage(value)).replace(" ", "").replace("%", f"{SPACE}%")


def share(probability: float, never: str = "never", always: str = "always") -> str:
    """As in the terminal, but for what is never or always so."""
    if min(probability, 1 - probability) < 1e-12:
        return never if probability < 0.5 else always
    return f">99{SPACE}%" if probability > 0.995 else NUMBERS.share(probability).replace("%", f"{SPACE}%")


def chance(probability: float) -> str:
    return share(probability, "ruled out", "certain")


def near(written: Callable[[float], str], number: float) -> set[str]:
    """The texts of a number that rounding may have moved; of nothing at all only its own."""
    return {written(number + error) for error in ((-ROUNDING, 0.0, ROUNDING) if number else (0.0,))}


def costs(cost: float) -> set[str]:
    written = partial(NUMBERS.cost, digits_less=2)
    return near(lambda number: written(percentage_points(number)), cost)


def positions(rounds: SavedRounds, name: str) -> Iterator[tuple[SavedRound, RoundBot, Cursor, Goals]]:
    """At scores of either lead and of none: one of perfect players, one of any."""
    rng = random.Random(f"explore {name}")
    wanted: tuple[Goal | None, ...] = (*Goal, None)
    for score in ((0, 0), (4, 3), (1, 4)):
        saved = rounds.load(Score(*score))
        bot = RoundBot(saved.tree, saved.average_strategy, saved.snapshot.outcome_values)
        likely = likely_moves(rng, bot, rng.randrange(0, 6))
        for moves in (likely, random_moves(rng, saved.tree, rng.randrange(1, 9))):
            yield saved, bot, Cursor(saved.tree, moves), (rng.choice(wanted), rng.choice(wanted))


def check_table(seen: View, told: dict[str, Any]) -> None:
    mover = seen.to_move
    if mover is None:
        assert told["groups"] == []
        return
    *of_goals, any_goal = told["groups"]
    assert [group["name"] for group in told["groups"]] == ["to WIN", "to LOSE", "to TIE", "any goal"]
    assert [group["chosen"] for group in told["groups"]] == [goal is seen.goals[mover] for goal in Goal] + [False]
    assert told["columns"] == [" ".join(map(str, move.squares)) for move in seen.rows[0].moves]
    for row, group in zip(seen.rows, of_goals, strict=True):
        assert group["worth"] in near(wins, row.value)
        for index, cell in enumerate(row.moves):
            assert group["plays"][index] in near(share, cell.probability)
            assert group["wins"][index] in near(wins, cell.value)
            assert group["costs"][index] in costs(cell.cost)
    assert seen.mover_value is not None
    assert any_goal["worth"] in near(wins, seen.mover_value)
    believed = seen.beliefs[mover] or seen.rules.goal_probabilities
    for index, text in enumerate(any_goal["plays"]):
        assert text in near(
            share, sum(b * row.moves[index].probability for b, row in zip(believed, seen.rows, strict=True))
        )


def check_board(seen: View, told: dict[str, Any]) -> None:
    """Free squares show how often each goal marks them, unless it costs something and is not done; and their price if
    the mover's goal is known."""
    mover = seen.to_move
    known = None if mover is None else seen.goals[mover]
    assert set(told["shades"]) == {str(square) for move in seen.choices for square in move.squares}
    for index, move in enumerate(seen.choices):
        cells = {goal: row.moves[index] for goal, row in zip(Goal, seen.rows, strict=True) if known in (None, goal)}
        free = [goal for goal, cell in cells.items() if cell.cost == 0]
        for square in map(str, move.squares):
            often = {goal: cell.probability / len(move.squares) for goal, cell in cells.items()}
            assert told["bars"][square] == {
                goal.name.lower(): pytest.approx(share, abs=1e-5)
                for goal, share in often.items()
                if goal in free or share >= 0.005
            }
            if known is None:
                assert told["shades"][square] == f"fits-{len(free)}"
                continue
            assert told["notes"][square] in (
                {"good"} if free else {f"costs {text}" for text in costs(cells[known].cost)}
            )
            assert (told["shades"][square] == "price-0") is (free == [known])


def check_knowledge(seen: View, bot: RoundBot, node: int, told: dict[str, Any]) -> None:
    for own, texts in zip(seen.beliefs, told["beliefs"], strict=True):
        for goal, text in enumerate(texts):
            assert text in ({"not known"} if own is None else near(chance, own[goal]))
    first, second = (np.vstack([np.eye(3), belief or seen.rules.goal_probabilities]) for belief in seen.beliefs)
    for texts, values in zip(told["values"], first @ bot.expected[node] @ second.T, strict=True):
        assert all(f"{text}{SPACE}%" in near(wins, value) for text, value in zip(texts, values, strict=True))
    x, o = (3 if goal is None else int(goal) for goal in seen.goals)
    assert told["chosen_values"] == [told["values"][x][o]]
    line = seen.most_likely_line
    assert (line is None) == (told["course"] is None)
    if line is not None:
        assert told["course"]["squares"] == list(line.squares)
        assert f"Then {seen.rules.of_round.happened[line.outcome]}, whatever follows." in told["course"]["end"]
        assert told["course"]["end"].startswith(
            ("The round always", *(f"In {text} of" for text in near(share, line.probability)))
        )


@pytest.mark.parametrize("name", by_default(SHIPPED_ON_PAGE, "shipped"))
def test_same_as_in_terminal(name: str, tab: Page) -> None:
    solution = "" if name == "shipped" else f"{name}/"
    for saved, bot, cursor, goals in positions(open_saved(name), name):
        seen = view(saved, cursor, goals)
        go_to(tab, solution, seen.position)
        told = shown(tab)
        check_table(seen, told)
        check_board(seen, told)
        check_knowledge(seen, bot, cursor.node, told)
        off = None in seen.beliefs
        assert ("Perfect players never get here" in told["warning"]) is off
        assert ("The round is over" in told["turn"]) is (seen.to_move is None)
        certain = seen.forced_outcome is not None and seen.outcome is None
        assert ("the end is certain" in told["turn"]) is certain
        if seen.forced_outcome is not None:
            assert seen.rules.of_round.happened[seen.forced_outcome] in told["turn"]


def test_forced_colours_show_what_is_chosen(start: Page) -> None:
    go_to(start, "", "4-3 l? 51")
    start.emulate_media(forced_colors="active")
    style = "(one, name) => getComputedStyle(one)[name]"
    for selector in (".goal-choice [aria-pressed=true]", ".choice-table .chosen .goal", ".score-map [aria-current]"):
        assert start.locator(selector).evaluate(style, "outlineStyle") == "solid"
    assert start.locator(".square.price-0").evaluate(style, "borderStyle") == "double"
    assert start.locator(".belief-bar").first.evaluate(style, "backgroundColor") == "rgb(0, 0, 0)"
    start.emulate_media(forced_colors="none")


def test_small_screen(phone: Page, server: PageServer) -> None:
    phone.goto(f"{server.url}#0-0/xx/1")
    expect_position(phone, "0-0 ?? 1")
    bottom = phone.locator(".explore .board").evaluate("(board) => board.getBoundingClientRect().bottom")
    assert 300 < bottom < 568
    phone.locator('.square[data-square="2"]').tap()
    expect_position(phone, "0-0 ?? 12")
    height = phone.evaluate("() => document.documentElement.scrollHeight")
    assert height < 1100  # everything below the board is folded
