"""The table while a round is played: goals, buttons, sounds and pace, hints, beliefs, one person or two."""

import itertools
import random
import re
from typing import Any

import pytest
from support.browser import Page, expect
from support.page_library import PageLibrary
from support.playing_page import begin, free_squares, is_over, kept_match, record, round_record, set_up, show_match
from support.slowness import slow

from tictactoe import Cursor, GameTree, Goal, MatchBot, RoundBot, Score, Seat, load_solution, open_saved
from tictactoe.browser.server import PageServer
from tictactoe.match.percentages import percentage_points
from tictactoe.play.judge import Judge
from tictactoe.play.move_costs import LEAST_PLAYED_PROBABILITY, advise, off_equilibrium
from tictactoe.play.referee import Round, new_commitment
from tictactoe.play.round_text import Speaker


def test_a_kept_round(page: Page, server: PageServer) -> None:
    show_match(page, server.url, record(winningScore=1, round={"moves": [1, 4]}, opponent="uniform"))
    assert page.get_by_role("button", name="Take back").count() == 0
    card, told = page.locator(".goal-card"), page.locator("#announcer")
    expect(card).to_contain_text("Complete three in a row.")
    expect(told).to_contain_text("You want to win: complete three in a row.")
    page.get_by_role("button", name="Cover").click()
    assert "win" not in card.inner_text()
    page.reload()
    expect(card).to_contain_text("Your goal is covered.")
    page.keyboard.press("g")
    expect(told).to_have_text("Your goal is covered.")
    page.get_by_role("button", name="Show").click()
    expect(card).to_contain_text("You want to win")
    page.keyboard.press("u")
    assert kept_match(page)["round"]["moves"] == [1, 4]
    page.keyboard.press("9")
    moves = kept_match(page)["round"]["moves"]
    expect(told).to_contain_text(f"You mark 9. The bot marks {moves[3]}.")
    page.keyboard.press("1")
    expect(told).to_have_text("1 is taken.")
    # Both reach the last point: the match goes on.
    show_match(page, server.url, record(score=[4, 4], round={"score": [4, 4], "moves": [1, 4, 2, 5]}))
    page.keyboard.press("3")
    expect(page.locator(".turn")).to_have_text("Both score a point.")
    expect(page.locator(".why")).to_contain_text("Both reached 5, so the match goes on from 4 : 4.")
    expect(page.locator(".score strong")).to_have_text("You 4 : 4 Bot")
    expect(page.locator(".square.in-line")).to_have_count(3)
    expect(page.get_by_role("button", name="Next round")).to_be_focused()


def test_two_people_at_one_device(page: Page, server: PageServer) -> None:
    set_up(page, server.url, players="people", length="1", first="0")
    page.locator("#name-0").fill("Cleo")
    page.locator("#name-1").fill("Cleo")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".wrong")).to_have_text("The two players need different names.")
    page.locator("#name-1").fill("Dan")
    page.get_by_role("button", name="Play", exact=True).click()
    asking = page.locator(".hand-over")
    for name, other in (("Dan", "Cleo"), ("Cleo", "Dan")):  # who moves first looks last
        expect(asking).to_contain_text(f"Only {name} looks now. {other} looks away.")
        assert "want" not in asking.inner_text()
        page.get_by_role("button", name=f"Show {name}\u2019s goal").click()
        goal = Goal(kept_match(page)["round"]["goals"][0 if name == "Cleo" else 1])
        expect(asking).to_contain_text(f"{name}, you want to {goal.name.lower()}")
        expect(page.locator("#announcer")).to_contain_text(f"{name}, you want to {goal.name.lower()}")
        page.get_by_role("button", name="Hide it").click()
    card = page.locator(".goal-card")
    for name, square in (("Cleo", 5), ("Dan", 1)):
        expect(page.locator(".turn")).to_contain_text(name)
        assert "wants" not in card.inner_text()
        page.get_by_role("button", name=f"Show {name}\u2019s goal").click()
        expect(card).to_contain_text(f"{name} wants to")
        page.locator(f"[data-square='{square}']").click()
    assert (kept_match(page)["round"]["moves"], kept_match(page)["round"]["commitment"]) == ([5, 1], "")
    page.keyboard.press("h")
    for absent in (".note", ".beliefs", ".commitment"):
        assert page.locator(absent).count() == 0
    page.reload()
    while not is_over(page):
        expect(page.locator(".play .board")).to_be_visible()
        free_squares(page).first.click()
    expect(page.locator(".result-panel")).to_contain_text("Dan\u2019s moves")


TWO = {"opponent": None, "names": ["Ann", "Ca$$ie"]}
DEAF = """const later = setTimeout, waiting = [];
globalThis.setTimeout = (then, time) => (time === 700 ? waiting.push(then) && 0 : later(then, time));
globalThis.hear = () => waiting.splice(0).forEach((then) => then());"""
"""Buttons are deaf until the test says so, however slow the machine is."""


def tap_twice(page: Page, name: str) -> None:
    page.evaluate("hear()")
    page.get_by_role("button", name=name).scroll_into_view_if_needed()
    box = page.get_by_role("button", name=name).bounding_box()
    assert box
    for _ in range(2):
        page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def test_only_a_deliberate_press_shows_a_goal(phone: Page, server: PageServer) -> None:
    """No double tap, no key that is held down, and nothing too soon."""
    phone.add_init_script(DEAF)
    show_match(phone, server.url, record(**TWO, round={"goals": [Goal.LOSE, Goal.LOSE]}), ".hand-over")
    asking = phone.locator(".hand-over")
    for name, other in (("Ca$$ie", "Ann"), ("Ann", "Ca$$ie")):
        assert "want" not in asking.inner_text()
        button = phone.get_by_role("button", name=f"Show {name}\u2019s goal")
        button.focus()
        phone.keyboard.press("Enter")
        button.tap(force=True)
        phone.keyboard.down("Enter")
        phone.evaluate("hear()")
        phone.keyboard.down("Enter")  # held down
        phone.keyboard.up("Enter")
        assert "want" not in asking.inner_text()
        tap_twice(phone, f"Show {name}\u2019s goal")
        expect(asking).to_contain_text(f"You have to make {other} complete three in a row.")
        tap_twice(phone, "Hide it")
    expect(phone.locator(".play .board")).to_be_visible()
    assert free_squares(phone).count() == len(kept_match(phone)["round"]["moves"]) == 0
    card = phone.locator(".goal-card")
    tap_twice(phone, "Show Ann\u2019s goal")
    expect(card).to_contain_text("Ann wants to lose")
    tap_twice(phone, "Cover Ann\u2019s goal")
    expect(card).to_contain_text("Ann\u2019s goal is covered.")
    free_squares(phone).first.tap()
    phone.get_by_role("button", name="Show Ca$$ie\u2019s goal").tap(force=True)
    expect(card).to_contain_text("Ca$$ie\u2019s goal is covered.")


def test_a_double_tap_presses_once(phone: Page, server: PageServer) -> None:
    """Whatever comes to stand in the place of what it has pressed."""
    phone.add_init_script(DEAF)
    over = record(round=None, opponent="uniform", rounds=[round_record(moves=[1, 4, 2, 5, 3], goals=[0, 0])])
    show_match(phone, server.url, over | {"score": [0, 1], "first": 1})
    tap_twice(phone, "Next round")
    expect(phone.get_by_role("button", name="Hint")).to_be_visible()
    assert kept_match(phone)["round"]["hints"] == 0
    tap_twice(phone, "New match")
    expect(phone.locator("dialog")).to_be_visible()
    phone.evaluate("hear()")
    phone.get_by_role("button", name="Keep playing").tap()
    tap_twice(phone, "Hint")  # the same button takes its next step
    assert kept_match(phone)["round"]["hints"] == 1
    expect(phone.get_by_role("button", name="What do the others cost?")).to_have_count(0)  # the step between
    phone.evaluate("location.hash = 'play/lesson'")
    phone.locator("[data-square='1']").tap()
    tap_twice(phone, "Try again")
    expect(phone.get_by_role("button", name="Skip", exact=True)).to_be_visible()
    phone.evaluate("location.hash = '0-0/w?/5123'")
    for left in (3, 2, 1):  # the same button pressed again is meant so
        phone.get_by_role("button", name="Take back").tap()
        expect(phone.locator(".explore .square.x, .explore .square.o")).to_have_count(left)


def test_why_a_round_stops(page: Page, server: PageServer) -> None:
    """The rest stands there in ghosts; why, and the worst mistake, above the fold; nothing moves at the end."""
    completes = "the bot completes three in a row: a win for the bot, a loss for you."
    for size, moves, last, ghosts, rows, why in (
        ((320, 568), [1, 2, 9, 3, 8], 6, "xox", 2, completes),
        ((360, 640), [3, 7, 6, 4, 5, 9, 8], 2, "x", 0, "nobody completes three in a row: a tie."),
    ):
        said = f"Whatever is played now, {why}"
        page.set_viewport_size({"width": size[0], "height": size[1]})
        show_match(page, server.url, record(first=1, round={"first": 1, "goals": [2, 0], "moves": moves}))
        before = page.locator(".play .board").bounding_box()
        page.keyboard.press(str(last))
        expect(page.locator(".why")).to_have_text(re.compile(f"^{re.escape(said)} (. would have been|You made no)"))
        seen = page.locator(".square.ghost")
        marks = seen.evaluate_all(
            "all => all.sort((a, b) => a.style.getPropertyValue('--turn') - b.style.getPropertyValue('--turn'))"
            ".map((one) => (one.classList.contains('x') ? 'x' : 'o')).join('')"
        )
        assert (marks, page.locator(".strikes .coming").count()) == (ghosts, rows)
        expect(seen.first).to_have_attribute("aria-label", re.compile("free, [XO] could come here$"))
        assert page.locator(".play .board").bounding_box() == before
        for part in (".why", ".actions .main"):
            assert page.locator(part).evaluate("one => one.getBoundingClientRect().bottom") <= size[1]


def test_what_the_moves_tell_is_help(page: Page, server: PageServer) -> None:
    show_match(page, server.url, record(round={"moves": [1, 4, 2, 5]}))
    fold = page.locator(".beliefs-fold")
    for _ in range(2):
        assert fold.get_attribute("open") is None
        fold.locator("summary").click()
        expect(page.locator("#announcer")).to_have_text("This counts as help in this round.")
        page.reload()
        expect(fold.locator("summary")).to_have_text("What the moves tell")
        page.evaluate("() => (document.querySelector('#announcer').textContent = 'This counts as help in this round.')")
    for _ in range(2):
        page.keyboard.press("h")
        expect(page.locator(".square.hint-good")).not_to_have_count(0)
        expect(page.locator("#announcer")).to_have_text(page.locator(".why").inner_text())
        page.evaluate("() => (document.querySelector('#announcer').textContent = '')")
        while page.locator(".square .note").count():
            page.keyboard.press("h")
    page.keyboard.press("3")
    expect(page.locator(".result-panel")).to_contain_text("With help: 1 hint, and a look at what the moves tell.")
    assert kept_match(page)["rounds"][0]["looked"] is True


HEARD = """globalThis.heard = 0;
globalThis.AudioContext = class extends AudioContext { constructor() { super(); globalThis.heard += 1; } };"""
LATER = "() => { globalThis.later = setTimeout; globalThis.setTimeout = (then) => { globalThis.then = then; }; }"


def test_the_pace_of_the_bot_and_of_a_win(page: Page, server: PageServer) -> None:
    page.emulate_media(reduced_motion="no-preference")
    page.add_init_script(HEARD)
    show_match(page, server.url, record(score=[4, 2], round={"score": [4, 2], "moves": [1, 4]}))
    page.evaluate(LATER)
    page.keyboard.press("2")
    assert len(kept_match(page)["round"]["moves"]) == 4
    assert page.locator(".square.x, .square.o").count() == 3
    assert free_squares(page).count() == 0
    page.keyboard.press("3")
    page.evaluate("() => { globalThis.setTimeout = later; then(); }")
    assert len(kept_match(page)["round"]["moves"]) == page.locator(".square.x, .square.o").count() == 4
    assert page.evaluate("heard") == 0
    page.evaluate("localStorage.setItem('smbc-tictactoe / sound', 'on')")
    show_match(page, server.url, record(score=[4, 2], round={"score": [4, 2], "goals": [0, 0], "moves": [1, 4, 2, 5]}))
    page.keyboard.press("3")
    expect(page.locator(".confetti i").first).to_be_attached()
    expect(page.locator(".points.scored")).to_have_text("5")
    expect(page.locator(".strikes .of-x")).to_have_count(1)
    assert page.evaluate("heard") == 1
    page.emulate_media(reduced_motion="reduce")
    show_match(page, server.url, record(score=[4, 2], round={"score": [4, 2], "goals": [0, 0], "moves": [1, 4, 2, 5]}))
    page.keyboard.press("3")
    expect(page.locator(".points.scored")).to_have_text("5")
    assert page.locator(".confetti").count() == 0


@pytest.mark.slow
def test_long_names_and_forced_colours(page: Page, server: PageServer) -> None:
    page.set_viewport_size({"width": 320, "height": 568})
    for names in (["Wolfeschlegelsteinha", "Donaudampfschiffkapi"], ["Maximilian", "Alexandra"]):
        show_match(page, server.url, record(**TWO | {"names": names}, round={"moves": [5, 1, 9, 2]}))
        assert page.evaluate("document.documentElement.scrollWidth") == 320
        box = page.locator(".play .board").bounding_box()
        assert box is not None
        assert 0 <= box["x"] <= box["x"] + box["width"] - 200 <= 120
    page.context.new_cdp_session(page).send("Page.setFontSizes", {"fontSizes": {"standard": 32}})
    page.wait_for_function("parseFloat(getComputedStyle(document.body).fontSize) >= 32")
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    page.emulate_media(forced_colors="active")
    show_match(page, server.url, record(round={"moves": [5, 1]}))
    page.keyboard.press("h")
    outlines = "all => all.map((one) => getComputedStyle(one).outlineStyle)"
    assert {*page.locator(".hint-good, .last").evaluate_all(outlines)} <= {"dashed", "dotted"}
    borders = "all => all.map((one) => getComputedStyle(one).borderTopWidth)"
    assert {*page.locator(".square").evaluate_all(borders)} == {"1px"}
    page.locator(".beliefs-fold summary").click()
    expect(page.locator(".beliefs-fold summary")).to_have_text("What the moves tell")
    shown = "all => all.map((one) => getComputedStyle(one)).map((one) => one.backgroundImage + one.backgroundColor)"
    assert len({*page.locator(".belief .bar").first.locator(".part").evaluate_all(shown)}) == 3


SOLUTIONS = {"three-in-a-row": "shipped", "filled": "filled"}
POSITIONS = [
    ("three-in-a-row", "perfect", (0, 0), 0, Goal.WIN, ()),
    ("three-in-a-row", "learner-10", (4, 3), 1, Goal.LOSE, (1, 9, 2)),
    ("three-in-a-row", "careless", (1, 2), 0, Goal.TIE, (5, 1, 9, 3)),
    ("filled", "uniform", (4, 4), 1, Goal.WIN, (5,)),
    ("filled", "perfect", (0, 3), 0, Goal.LOSE, (1, 5, 3, 9)),
]


@pytest.mark.parametrize("positions", [POSITIONS[:2], *slow((POSITIONS[2:],))], ids=["few", "more"])
def test_hints_and_beliefs(page: Page, server: PageServer, positions: list[tuple[Any, ...]]) -> None:
    for rules, opponent, score, first, goal, moves in positions:
        played = {"score": score, "first": first, "goals": [goal, 1], "moves": moves}
        match = record(solution=rules, score=score, first=first, round=played, opponent=opponent)
        show_match(page, server.url, match)
        judge = Judge(open_saved(SOLUTIONS[rules]))
        known = judge.known_opponent(opponent, 5)
        bot = known.responder(Score(*score), Seat(first)) if known else judge.round_bot(Score(*score), 5)
        cursor = Cursor(bot.tree, moves)
        check_hint(page, bot, cursor, goal)
        page.locator(".beliefs-fold summary").click()
        for row, player in ((0, 0), (1, 1)):
            belief = bot.belief(cursor.node, Seat.FIRST if player == first else Seat.SECOND)
            told = page.locator(".belief").nth(row).inner_text().replace("\N{NO-BREAK SPACE}", " ")
            shares = [float(share) for share in re.findall(r"(?:win|lose|tie) (\d+\.\d) %", told)]
            assert shares == pytest.approx([100 * share for share in belief], abs=0.051)
        page.wait_for_function("() => JSON.parse(localStorage.getItem('smbc-tictactoe / match')).round.looked")
        assert kept_match(page)["round"]["hints"] == 1
        free_squares(page).first.click()
        assert page.locator(".note").count() == 0
        expect(page.locator(".hint-panel")).to_be_hidden()


def check_hint(page: Page, bot: RoundBot, cursor: Cursor, goal: Goal) -> None:
    """By the key h: first the good squares, and then what all cost, if any other square does."""
    advice = advise(bot, cursor, goal)
    good = [move for move in advice if move.probability >= LEAST_PLAYED_PROBABILITY or not move.cost]
    squares = sorted(square for move in good for square in move.squares)
    page.keyboard.press("h")
    notes = page.locator(".square:has(.note)")
    assert notes.evaluate_all("all => all.map((one) => Number(one.dataset.square))") == squares
    said, tells = page.locator(".why").inner_text(), [move.tells for move in advice]
    telling = len(good) == len(advice) and max(tells) - min(tells) >= 0.01 and any(move.possible for move in advice)
    if not telling:
        assert {*notes.locator(".note").all_inner_texts()} == {"good"}
    expect(page.locator(".square.hint-good")).to_have_count(len(squares))
    if len(good) < len(advice):
        bad = sorted(square for move in advice if move not in good for square in move.squares)
        named = bad if len(bad) < len(squares) else squares
        assert ("any square but" in said) == (named is bad)
        assert re.findall(r"\d", said) == [*map(str, named)]
        page.keyboard.press("h")
    elif telling:
        hiding = [square for move in advice if move.tells - min(tells) < 0.01 for square in move.squares]
        assert f"All free squares are equally good. {Speaker().either(hiding)} hide" in said
    else:
        assert "All free squares are equally good" in said or re.search(r"Only \d is left\.$", said)
    words = page.locator(".hint-panel").inner_text().replace("\N{NO-BREAK SPACE}", " ")
    for move in advice:
        cost = percentage_points(move.cost)
        for square in move.squares:
            note = page.locator(f"[data-square='{square}'] .note").inner_text()
            if telling:
                assert float(note.removesuffix("\u00a0%")) == pytest.approx(100 * move.tells, abs=0.501)
            elif not move.cost:
                assert note == "good"
            elif cost >= 0.1:
                assert float(note.removeprefix("costs ")) == pytest.approx(cost, abs=0.051)
        if move.cost:
            assert f"costs {cost:.2f} points" in words


def test_a_solution_that_is_not_refined_says_so(page: Page, not_refined: PageServer) -> None:
    bot, seen = MatchBot(load_solution("match_to_1")).round_bot(Score(0, 0)), set()
    badly = "This solution is not refined: after such moves it may play badly."
    as_drawn = "This solution is not refined: after moves that it never makes, every goal is taken to be as likely"
    for moves in itertools.permutations(range(1, 10), 2):
        cursor = Cursor(bot.tree, moves)
        marked = [move for move in advise(bot, cursor, Goal.TIE) if move.probability >= LEAST_PLAYED_PROBABILITY]
        bad = off_equilibrium(bot, cursor, Seat.FIRST, Goal.TIE) and any(move.cost for move in marked)
        case = any(bot.is_lost(cursor.node, seat) for seat in Seat), bad
        if case in seen:
            continue
        seen.add(case)
        played = {"goals": [Goal.TIE, 1], "moves": moves}
        show_match(page, not_refined.url, record(solution="three-in-a-row", winningScore=1, round=played))
        page.locator(".beliefs-fold summary").click()
        check_hint(page, bot, cursor, Goal.TIE)
        panels = page.locator(".panels").inner_text()
        assert (panels.count(as_drawn), panels.count(badly)) == case
    assert seen == {(False, False), (True, False), (True, True)}


WORDS = """async ([rules, rounds]) => {
  const tree = await ours.solutionBy(rules).loadTree();
  return rounds.map(({ first, moves }) => {
    const cursor = new ours.Cursor(tree, moves);
    const table = { names: ["You", "Bot"], first, digit: (square) => square };
    return cursor.forcedOutcome === null ? [ours.standing(cursor, table)] : ours.ending(cursor, table);
  });
}"""


@pytest.mark.parametrize("rules", ["filled", *slow("three-in-a-row")])
def test_endings_are_told_as_in_the_terminal(library: PageLibrary, rules: str) -> None:
    generator, tree = random.Random(5), GameTree.build(rules)
    rounds: list[dict[str, Any]] = []
    expected: list[list[str]] = []
    for index in range(150):
        played = Round(1, Score(0, 0), index % 2, (Goal.WIN, Goal.TIE), new_commitment(1, 1, Goal.TIE), tree)
        while played.mover is not None:
            played.play(generator.choice(played.cursor.board.free_squares))
            rounds.append({"first": played.first, "moves": played.cursor.moves})
            speaker = Speaker()
            expected.append([speaker.standing(played)] if played.outcome is None else speaker.ending(played))
    assert library.call(WORDS, [rules, rounds]) == expected


def test_the_header_switches_sound_and_a_question_mark_lists_keys(page: Page, server: PageServer) -> None:
    page.goto(server.url)
    sound = page.get_by_role("button", name="Sound")
    expect(sound).to_have_attribute("aria-pressed", "false")
    sound.click()
    page.reload()
    expect(sound).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("a hint, then what the other squares cost")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_practice_takes_back_only_what_was_played_there(tab: Page) -> None:
    tab.evaluate("location.hash = 'play/filled/4-3/wx/51'")
    back, marked = tab.get_by_role("button", name="Take back"), tab.locator(".practice .square:is(.x, .o)")
    expect(back).to_be_disabled()  # the moves of the position stay
    tab.keyboard.press("2")
    expect(marked).to_have_count(4)
    back.click()
    expect(marked).to_have_count(2)
    expect(back).to_be_disabled()


def test_the_second_visit_offers_to_install(page: Page, server: PageServer) -> None:
    offer = """() => {
      const event = new Event("beforeinstallprompt");
      event.prompt = async () => { window.asked = true; };
      dispatchEvent(event);
    }"""
    hint = page.locator(".install .offer")
    page.goto(f"{server.url}#play/new")
    page.evaluate(offer)
    page.reload()  # is no second visit
    page.evaluate(offer)
    expect(hint).to_have_count(0)
    page.evaluate("sessionStorage.clear()")
    page.reload()
    expect(hint).to_have_count(0)  # this browser has not offered it yet
    page.evaluate(offer)
    hint.get_by_role("button", name="Install").click()
    expect(hint).to_have_count(0)
    assert page.evaluate("window.asked")
    page.reload()
    page.evaluate(offer)
    expect(hint).to_have_count(0)


def test_taking_back_and_enter_that_is_held_down(page: Page, server: PageServer) -> None:
    """Enter that is held down presses once."""
    begin(page, server.url, first="1", takeback=True, opponent="uniform")
    back = page.get_by_role("button", name="Take back")
    expect(back).to_be_disabled()
    before = kept_match(page)["round"]["moves"]
    free_squares(page).first.click()
    back.click()
    assert (kept_match(page)["round"]["moves"], kept_match(page)["round"]["takenBack"]) == (before, 1)
    expect(back).to_be_disabled()
    page.keyboard.press("u")
    assert kept_match(page)["round"]["takenBack"] == 1
    while not is_over(page):
        page.keyboard.up("Enter")
        free_squares(page).first.focus()
        page.keyboard.down("Enter")
    expect(page.locator(".result-panel")).to_contain_text("Moves taken back: 1.")
    for _ in range(3):
        page.keyboard.down("Enter")
        page.wait_for_timeout(50)
    assert is_over(page)
    page.keyboard.up("Enter")
    page.keyboard.press("Enter")
    expect(page.locator(".table.over")).to_have_count(0)
