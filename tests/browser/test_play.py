"""Matches on the screen Play, from the first click to the last: how one begins, and rounds from a position on."""

import hashlib
import itertools
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from support.browser import Browser, BrowserContext, Page, expect
from support.explore_page import expect_position, go_to
from support.playing_page import (
    KEPT,
    begin,
    choose,
    free_squares,
    is_over,
    kept_match,
    play_match,
    play_round,
    record,
    replayed,
    round_record,
    set_up,
    show_match,
)
from support.slowness import slow

from tictactoe import OPPONENTS, GameTree, Goal
from tictactoe.browser.server import PageServer
from tictactoe.play.opponents import LADDER, offered_next
from tictactoe.play.referee import is_commitment


@pytest.mark.parametrize("rules", ["three-in-a-row", *slow("filled")])
def test_match_by_mouse(page: Page, server: PageServer, rules: str) -> None:
    begin(page, server.url, rules=rules, length="2", opponent="uniform")
    expect(page.locator(".seal")).to_be_hidden()
    page.locator(".rules-fold summary").click()
    seal = page.locator(".seal").inner_text()
    assert re.fullmatch("[0-9a-f]{64}", seal)
    play_round(page)
    goal = Goal(kept_match(page)["rounds"][0]["goals"][1])
    expect(page.locator(".goal-card")).to_contain_text(f"The bot wanted to {goal.name.lower()}:")
    play_match(page)
    kept = kept_match(page)
    match = replayed(kept, GameTree.build(rules))
    assert match.winner is not None
    assert (match.winner, [*match.score]) == (kept["winner"], kept["score"])
    assert all(is_commitment(one["commitment"], one["number"], Goal(one["goals"][1])) for one in kept["rounds"])
    nonces = [one["commitment"].rpartition(" ")[2] for one in kept["rounds"]]
    assert {*map(len, nonces)} == {32}
    assert len({*nonces}) == len(nonces)
    mine, theirs = match.points
    expect(page.locator(".score strong")).to_have_text(f"You {mine} : {theirs} Bot")
    expect(page.locator(".turn")).to_have_text("You win the match." if match.winner == 0 else "The bot wins the match.")
    last = match.rounds[-1]
    for name, goal, scored in zip(("You", "The bot"), last.goals, last.scored, strict=True):
        told = f"{name} wanted to {goal.name.lower()}: {'a point' if scored else 'no point'}."
        expect(page.locator(".goal-card")).to_contain_text(told)
    page.evaluate("location.hash = 'review/1'")
    page.locator(".commitment summary").click()
    expect(page.locator(".checked")).to_contain_text("matches")
    text = page.locator(".opened").inner_text()
    assert hashlib.sha256(text.encode()).hexdigest() == seal == page.locator(".seal").inner_text()
    assert is_commitment(text, 1, Goal(kept["rounds"][0]["goals"][1]))


def tab_to(page: Page, selector: str) -> None:
    for _ in range(40):
        if not page.evaluate("selector => document.activeElement.matches(selector)", selector):
            page.keyboard.press("Tab")
    expect(page.locator(selector)).to_be_focused()


@pytest.mark.slow
def test_match_by_keyboard_alone(page: Page, server: PageServer) -> None:
    page.add_init_script("localStorage.setItem('smbc-tictactoe / keypad', 'numpad');")
    page.goto(server.url)
    tab_to(page, "#opponent-rookie")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".summary")).to_have_text("A match to 3 against Perfect")
    tab_to(page, "#length-3")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    tab_to(page, ".more > summary")
    page.keyboard.press("Enter")
    tab_to(page, "#takeback")
    page.keyboard.press("Space")
    tab_to(page, ".play-button")
    page.keyboard.press("Enter")
    expect(page.locator(".table")).to_be_visible()
    focused = page.locator(":focus")
    expect(focused).to_have_attribute("data-square", "5")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowLeft")
    expect(focused).to_have_accessible_name(re.compile("^Square 7"))  # as on a numpad
    page.keyboard.press("h")
    expect(page.locator(".why")).to_have_text(re.compile("^All free squares|^To (win|lose|tie), mark "))
    if kept_match(page)["round"]["moves"] == [1]:
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    assert len(kept_match(page)["round"]["moves"]) in (2, 3)
    page.keyboard.press("u")
    assert len(kept_match(page)["round"]["moves"]) in (0, 1)
    for _ in range(400):
        if page.get_by_role("button", name="Play again").is_visible():
            break
        if is_over(page):
            expect(focused).to_have_text(re.compile("^Next round"))
            page.keyboard.press("Enter")
            expect(page.locator(".table.over")).to_have_count(0)
            expect(focused).to_have_attribute("data-square", "5")
        digit = re.search(r"Square (\d)", free_squares(page).first.get_attribute("aria-label") or "")
        assert digit
        page.keyboard.press(digit[1])
    expect(focused).to_have_text(re.compile("^Play again"))
    kept = kept_match(page)
    assert replayed(kept, GameTree.build()).winner == kept["winner"]
    assert kept["rounds"][0]["hints"] == kept["rounds"][0]["takenBack"] == 1


EDGES = """() => [".score", ".goal-card", ".said", ".play .board", ".foot .actions"].map((part) => {
  const { top, bottom } = document.querySelector(part).getBoundingClientRect();
  return [Math.round(top), Math.round(bottom)];
})"""


@pytest.mark.slow
def test_match_on_a_small_phone(phone: Page, server: PageServer) -> None:
    phone.goto(server.url)
    for label in ("#rules-filled", "#opponent-learner-10", "#length-1"):
        phone.locator(label).tap()
    phone.get_by_role("button", name="Play", exact=True).tap()
    expect(phone.locator(".play .board")).to_be_visible()
    before = phone.evaluate(EDGES)
    assert all(0 <= top < bottom <= 568 for top, bottom in before), before
    while not phone.get_by_role("button", name="Play again").is_visible():
        if is_over(phone):
            phone.get_by_role("button", name="Next round").tap()
            expect(phone.locator(".table.over")).to_have_count(0)
        free_squares(phone).first.tap()
        assert phone.evaluate(EDGES) == before
        assert phone.evaluate("[scrollY, document.documentElement.scrollWidth]") == [0, 320]


NAMES = {
    "Ca$$ie": "",
    "Zo\u00eb \u2764\ufe0f": "",
    20 * "m": "",
    21 * "m": "A name has at most 20 characters.",
    "": "Both players need a name.",
    "Ann ": "single spaces",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467": "made of several",
    "\U0001f44d\U0001f3fd" * 11: "count as several",
    "A\u202enn": "invisible",
}


@pytest.fixture
def newcomer(browser: Browser) -> Iterator[Page]:
    """Somebody who has never been on the page, with a phone."""
    phone = {"width": 360, "height": 640}
    context = browser.new_context(viewport=phone, has_touch=True, reduced_motion="no-preference")
    yield context.new_page()
    context.close()


def mark(page: Page, square: int) -> None:
    page.locator(f".lesson [data-square='{square}']").click()


def test_a_newcomer_is_taught_by_playing(newcomer: Page, server: PageServer) -> None:
    newcomer.goto(server.url)
    head = newcomer.locator(".lesson .head")
    expect(head).to_contain_text("Your secret goal: tie")
    mark(newcomer, 1)
    expect(head).to_contain_text("The bot has three in a row, so the round is over.")
    expect(newcomer.locator(".lesson .in-line")).to_have_count(3)
    newcomer.get_by_role("button", name="Try again").click()
    expect(newcomer.locator(":focus")).to_have_attribute("data-square", "3")
    mark(newcomer, 3)
    expect(head).to_contain_text("The bot is thinking")
    expect(head).to_contain_text("another row")
    mark(newcomer, 8)
    expect(head).to_contain_text("Nobody can get three in a row any more, so the round stops: a tie, as you wanted.")
    expect(newcomer.locator("#announcer")).to_contain_text("The bot wanted to win: no point.")
    newcomer.get_by_role("button", name="Now lose on purpose").click()
    expect(head).to_contain_text("Your secret goal: lose")
    mark(newcomer, 9)
    expect(head).to_contain_text("You stopped the row that you needed.")
    mark(newcomer, 3)
    expect(head).to_contain_text("A point for both of you!")
    expect(head).to_contain_text("Hence the name, Tic-Tac-Tell")
    play = newcomer.get_by_role("button", name="Play a match to 3")
    expect(play).to_be_focused()
    assert play.evaluate("one => one.getBoundingClientRect().bottom") <= 640
    play.click()
    expect(newcomer.locator(".table")).to_be_visible()
    kept = kept_match(newcomer)
    assert (kept["opponent"], kept["winningScore"]) == ("rookie", 3)
    newcomer.evaluate("location.hash = 'play/lesson'")
    newcomer.get_by_role("button", name="Skip", exact=True).click()
    expect(newcomer.locator(".table")).to_be_visible()  # the match that goes on
    assert newcomer.evaluate("location.hash") == "#play"
    newcomer.evaluate("localStorage.clear()")
    newcomer.reload()
    newcomer.get_by_role("button", name="Skip", exact=True).click()
    expect(newcomer.locator(".play-button")).to_be_visible()
    newcomer.reload()
    expect(newcomer.locator(".summary")).to_have_text("A match to 3 against Rookie")


def test_the_rounds_of_the_lesson_are_decided_when_they_stop(tab: Page) -> None:
    """However they are played, and whether or not a row ends a round: two marks that stop the bot make the first one a
    tie, and the bot has a row in the second one, where it wants what the person wants."""
    played = tab.evaluate(
        """async () => {
          const { LessonRound, SCRIPTS } = await import("/screens/lesson/lesson_round.js");
          const { finalLines } = await import("/games/board.js");
          return SCRIPTS.map((script) => {
            const ends = {};
            for (const first of new LessonRound(script).free) {
              for (const second of new LessonRound(script).free) {
                const round = new LessonRound(script);
                for (const square of [first, second]) {
                  if (!round.isPersons || !round.free.includes(square)) continue;
                  round.mark(square);
                  if (round.state === "going on") round.answer();
                }
                const rows = new Set(finalLines(round.board).map(String));
                ends[`${first}${second}`] = [round.state, round.isReached, ...rows];
              }
            }
            return ends;
          });
        }"""
    )
    ends, lost = played
    assert {marks for marks, end in ends.items() if end == ["tie", True, "false,false"]} == {"38"}
    assert {marks for marks, (state, *_) in ends.items() if state == "going on"} == {"32", "33"}  # one mark is missing
    rows = [end for marks, end in ends.items() if marks not in ("38", "32", "33")]
    assert all(end == ["row", False, "true,false"] for end in rows)
    assert {marks for marks, (state, *_) in lost.items() if state == "going on"} == {"97", "99"}
    assert all(reached for marks, (_, reached, *_) in lost.items() if marks not in ("97", "99"))


SIZES = "() => [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]"


def test_the_set_up_on_a_phone(page: Page, server: PageServer) -> None:
    page.set_viewport_size({"width": 360, "height": 640})
    page.goto(server.url)
    assert page.evaluate(SIZES)[0] == 0
    for height in (640, 568):  # without a scroll: what is chosen most, and Play
        for part in (".play-button", ".rung-name >> nth=7", ".tiles", ".lengths", ".below"):
            assert page.locator(part).first.evaluate("one => one.getBoundingClientRect().bottom") <= height, part
        page.set_viewport_size({"width": 320, "height": 568})
    for rules, name, length in (("three-in-a-row", "learner-10", 3), ("filled", "perfect", 2)):
        choose(page, rules=rules, opponent=name, length=str(length))
        expect(page.locator(".chosen-text")).to_have_text(OPPONENTS[name].text(rules, length))
    choose(page, opponent="adaptive")
    expect(page.locator(".chosen-text")).to_contain_text("nobody wins more than 50 of 100 matches to 2.")
    choose(page, opponent="perfect")
    page.emulate_media(forced_colors="active")
    edge = "one => getComputedStyle(one.closest('label')).borderTopWidth"
    for chosen, other in (("opponent-perfect", "opponent-uniform"), ("rules-filled", "rules-three-in-a-row")):
        assert [page.locator(f"#{one}").evaluate(edge) for one in (chosen, other)] == ["3px", "1px"]
    page.set_viewport_size({"width": 320, "height": 568})
    page.context.new_cdp_session(page).send("Page.setFontSizes", {"fontSizes": {"standard": 32}})
    page.locator(".more > summary").click()
    choose(page, length="5", opponent="careless")
    expect(page.locator(".chosen-text")).to_have_text(OPPONENTS["careless"].text("filled", 5))
    page.locator("#players-people").check()
    page.locator("#name-0").fill(20 * "M")
    expect(page.locator(".summary")).to_contain_text(20 * "M")
    for address in ("play", "play/lesson"):
        page.evaluate("address => { location.hash = address; }", address)
        assert page.evaluate(SIZES)[0] == 0, address
    page.evaluate("location.hash = 'learn/filled'")
    expect(page.locator(".opponents")).to_contain_text(OPPONENTS["learner-10"].text("filled", 5))


def test_a_step_is_offered_after_two_matches_that_went_alike(page: Page, server: PageServer) -> None:
    page.goto(f"{server.url}icon.svg")
    match = record(winningScore=1, opponent="rookie", round=None)
    for winner, step in ((0, "A step up: Dabbler"), (1, "A step down: Dreamer")):
        over = match | {"first": winner, "score": [1, 0], "winner": winner}
        over["rounds"] = [round_record(moves=[1, 4, 2, 5, 3], goals=[0, 0], first=winner)]
        for last in (1, 2) if winner == 0 else (2,):
            page.evaluate("localStorage.clear()")
            history = [{"time": 9 - at, "match": over, "cost": None} for at in range(last)]
            page.evaluate("kept => localStorage.setItem('smbc-tictactoe / history', kept)", json.dumps(history))
            show_match(page, server.url, over)
            button = page.get_by_role("button", name=step)
            expect(page.get_by_role("button", name="Play again")).to_be_visible()
            expect(button).to_have_count(last - 1)
        button.click()
        expect(page.locator(".table:not(.over)")).to_be_visible()
        assert kept_match(page)["opponent"] == {0: "dabbler", 1: "dreamer"}[winner]


def test_the_step_that_is_offered_is_the_librarys(tab: Page) -> None:
    met = [LADDER[0], LADDER[3], LADDER[-1], "careless"]
    results = [list(zip(names, won, strict=True)) for n in range(4) for names in itertools.product(met, repeat=n)
               for won in itertools.product((True, False), repeat=n)]  # fmt: skip
    theirs = tab.evaluate(
        """async ([results, ladder]) => {
          const { offeredNext } = await import("/play/ladder.js");
          const over = (one) => one.map(([opponent, won]) => ({ opponent, winner: won ? 0 : 1 }));
          return results.map((one) => offeredNext(over(one), ladder)?.name ?? null);
        }""",
        [results, LADDER],
    )
    assert theirs == [offered_next(one) for one in results]
    assert {*theirs} == {None, LADDER[1], LADDER[2], LADDER[4], LADDER[-2]}


def test_names(tab: Page) -> None:
    wrong = tab.evaluate(
        """async (names) => {
          const { wrongNames } = await import("/screens/play/wish.js");
          return names.map((name) => wrongNames([name, "Dan"]));
        }""",
        list(NAMES),
    )
    for text, (name, expected) in zip(wrong, NAMES.items(), strict=True):
        assert (text == "") if expected == "" else (expected in text), name


def test_a_match_of_another_tab_is_not_thrown_away(page: Page, context: BrowserContext, server: PageServer) -> None:
    page.goto(server.url)
    other = context.new_page()
    begin(other, server.url, opponent="uniform", first="0")
    free_squares(other).first.click()
    moves = kept_match(other)["round"]["moves"]
    expect(page.locator(".offer")).to_contain_text("You 0 : 0 Bot")
    page.get_by_role("button", name="Play", exact=True).click()
    page.locator("dialog").get_by_role("button", name="Continue it").click()
    expect(page.locator(".table")).to_be_visible()
    assert kept_match(page)["round"]["moves"][: len(moves)] == moves
    page.evaluate("location.hash = 'play/lesson'")
    mark(page, 3)
    mark(page, 8)
    page.get_by_role("button", name="Play a match to 3").click()
    page.get_by_role("button", name="Begin a new one").click()
    expect(page.locator(".score")).to_contain_text("to 3")
    assert kept_match(page)["opponent"] == "rookie"


REFUSES = "Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); };"


def test_a_browser_that_keeps_nothing_is_told(page: Page, server: PageServer) -> None:
    begin(page, server.url, opponent="uniform", first="0")
    warning = page.locator(".not-kept")
    expect(warning).to_have_text("")
    page.evaluate(f"() => {{ window.kept = Storage.prototype.setItem; {REFUSES} }}")
    free_squares(page).first.click()
    expect(warning).to_contain_text("is full: if you reload, your last moves are lost")
    shown = page.locator(".square").evaluate_all("all => all.map(one => one.ariaLabel)")
    for screen in ("Learn", "Play"):  # the match goes on in this tab
        page.get_by_role("link", name=screen, exact=True).click()
    expect(page.locator(".table")).to_be_visible()
    assert page.locator(".square").evaluate_all("all => all.map(one => one.ariaLabel)") == shown
    page.evaluate("() => { Storage.prototype.setItem = window.kept; }")
    page.get_by_role("button", name="Hint").click()
    expect(warning).to_have_text("")
    page.add_init_script(REFUSES)
    page.evaluate("localStorage.removeItem('smbc-tictactoe / match')")
    set_up(page, f"{server.url}#play/new", opponent="uniform")
    page.reload()
    for _ in ("set-up", "match"):
        expect(warning).to_have_text("This browser keeps nothing for this page: if you reload it, the match is lost.")
        if page.locator(".play-button").is_visible():
            page.locator(".play-button").click()
            expect(page.locator(".table")).to_be_visible()


DEAL = """async (addresses) => {
  const { loadCatalogue } = await import("/loading/solution_loader.js");
  const { placeAt } = await import("/parts/place.js");
  const { practiceAt } = await import("/screens/play/practice.js");
  const catalogue = await loadCatalogue();
  const dealt = [];
  for (const address of addresses) {
    const { flow, dealt: said } = await practiceAt(catalogue, placeAt(catalogue, address));
    const { solution, opponent, score, first, round } = flow.match;
    dealt.push({ solution, opponent, score, first, goals: round.goals, moves: round.moves.join(""), said });
  }
  return dealt;
}"""


def test_goals_that_are_dealt(tab: Page, server: PageServer) -> None:
    def dealt(opponent: str, *addresses: str) -> list[dict[str, Any]]:
        wish = json.dumps({"opponent": opponent})
        tab.evaluate("wish => localStorage.setItem('smbc-tictactoe / wish', wish)", wish)
        found: list[dict[str, Any]] = tab.evaluate(DEAL, addresses)
        return found

    named, for_second, new = dealt("careless", "4-3/wl/51", "filled/4-3/wl/5", "1-0")
    (told,) = dealt("perfect", "4-3/wx/1627")
    assert (named["solution"], named["opponent"], named["score"]) == ("three-in-a-row", "careless", [4, 3])
    assert (named["first"], named["goals"], named["moves"]) == (0, [0, 1], "51")
    assert (for_second["solution"], for_second["first"], for_second["goals"]) == ("filled", 1, [1, 0])
    assert told["goals"] == [0, 1]  # a perfect O makes these moves only if it wants to lose
    assert "its moves so far would reveal about a perfect player" in told["said"]
    assert "its moves so far reveal about one who plays like this" in dealt("careless", "4-3/wx/1627")[0]["said"]
    assert (new["moves"], new["said"]) == ("", "The bot\u2019s goal is dealt as in any round.")


def test_a_round_that_nobody_keeps(tab: Page, server: PageServer) -> None:
    match = record(score=[2, 1], round=None)
    tab.evaluate("([name, text]) => localStorage.setItem(name, text)", [KEPT, json.dumps(match)])
    go_to(tab, "", "4-3 w? 51")
    tab.get_by_role("link", name="Play from here").click()
    expect(tab.locator(".practice .table")).to_be_visible()
    assert tab.url.endswith("#play/4-3/wx/51")
    assert tab.locator("nav [aria-current=page]").text_content() == "Play"
    expect(tab.locator(".practice .square.x, .practice .square.o")).to_have_count(2)
    expect(tab.locator(".practice .table")).to_contain_text("You want to win")
    tab.keyboard.press("h")
    while not is_over(tab):
        tab.locator(".play .square[aria-disabled=false]").first.click()
    expect(tab.locator(".practice .table")).to_contain_text("You wanted to win")
    expect(tab.get_by_role("link", name="Review the match")).to_have_count(0)
    expect(tab.get_by_role("link", name="Back to the position")).to_have_attribute("href", "#4-3/wx/51")
    assert kept_match(tab) == match
    assert tab.evaluate("() => Object.keys(localStorage)") == [KEPT]
    tab.get_by_role("button", name="Again").click()
    expect(tab.locator(".practice .table.over")).to_have_count(0)
    expect(tab.locator(".practice .square.x, .practice .square.o")).to_have_count(2)
    tab.get_by_role("link", name="Back to Explore").click()
    expect_position(tab, "4-3 w? 51")


def test_where_nothing_is_left_to_play(tab: Page) -> None:
    told = {
        "play/0-0/xx/14253": "Here the round is over: nothing is left to try.",
        "play/0-0/xx/1425367": "Move 6 of 1425367, on 6, cannot be played: the round is over.",
        "play/7-7/xx/1": "There is no score 7-7 in a match to 5.",
    }
    for address, text in told.items():
        tab.evaluate("(address) => { location.hash = address; }", address)
        expect(tab.locator(".practice [role=alert]")).to_have_text(text)
    expect(tab.get_by_role("link", name="Look at it in Explore")).to_have_attribute("href", "#7-7/xx/1")
