"""How a match begins: the round that teaches, the set-up on a small screen, names, two tabs, a browser without room."""

from collections.abc import Iterator

import pytest
from support.browser import Browser, BrowserContext, Page, expect
from support.playing_page import begin, choose, free_squares, kept_match, set_up

from tictactoe import OPPONENTS
from tictactoe.browser.server import PageServer

NAMES = {
    "Ca$$ie": "",
    "Zo\u00eb \u2764\ufe0f": "",
    20 * "m": "",
    21 * "m": "A name has at most 20 letters.",
    "": "Both players need a name.",
    "Ann ": "single spaces",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467": "joined from several",
    "\U0001f44d\U0001f3fd" * 11: "count as several",
    "A\u202enn": "nobody can see",
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
    head = newcomer.locator(".lesson-head")
    expect(head).to_contain_text("Your secret goal: tie")
    mark(newcomer, 1)
    expect(head).to_contain_text("The bot has three in a row, so the round is over.")
    expect(newcomer.locator(".lesson .in-line")).to_have_count(3)
    newcomer.get_by_role("button", name="Try again").click()
    expect(newcomer.locator(":focus")).to_have_attribute("data-square", "3")
    mark(newcomer, 3)
    expect(head).to_contain_text("The bot thinks")
    expect(head).to_contain_text("another row")
    mark(newcomer, 8)
    expect(head).to_contain_text("Nobody can get three in a row any more, so the round stops: a tie, as you wanted.")
    expect(newcomer.locator("#announcer")).to_contain_text("The bot wanted to win: no point.")
    play = newcomer.get_by_role("button", name="Play a match to 3")
    expect(play).to_be_focused()
    assert play.evaluate("one => one.getBoundingClientRect().bottom") <= 640
    play.click()
    expect(newcomer.locator(".table")).to_be_visible()
    kept = kept_match(newcomer)
    assert (kept["opponent"], kept["winningScore"]) == ("careless", 3)
    newcomer.evaluate("location.hash = 'play/lesson'")
    newcomer.get_by_role("button", name="Skip", exact=True).click()
    expect(newcomer.locator(".table")).to_be_visible()  # the match that goes on
    assert newcomer.evaluate("location.hash") == "#play"
    newcomer.evaluate("localStorage.clear()")
    newcomer.reload()
    newcomer.get_by_role("button", name="Skip", exact=True).click()
    expect(newcomer.locator(".play-button")).to_be_visible()
    newcomer.reload()
    expect(newcomer.locator(".summary")).to_have_text("A match to 3 against Careless")


def test_the_first_round_is_decided_when_it_stops(tab: Page) -> None:
    """However it is played, and whether or not a row ends a round; two marks that stop the bot make it a tie."""
    ends = tab.evaluate(
        """async () => {
          const { LessonRound } = await import("/screens/lesson/lesson_round.js");
          const { finalLines } = await import("/games/board.js");
          const ends = {};
          for (const first of new LessonRound().free) {
            for (const second of new LessonRound().free) {
              const round = new LessonRound();
              for (const square of [first, second]) {
                if (!round.isPersons || !round.free.includes(square)) continue;
                round.mark(square);
                if (round.state === "going on") round.answer();
              }
              ends[`${first}${second}`] = [round.state, ...new Set(finalLines(round.board).map(String))];
            }
          }
          return ends;
        }"""
    )
    assert {marks for marks, end in ends.items() if end == ["tie", "false,false"]} == {"38"}
    assert {marks for marks, (state, *_) in ends.items() if state == "going on"} == {"32", "33"}  # one mark is missing
    assert all(end == ["bot's row", "true,false"] for marks, end in ends.items() if marks not in ("38", "32", "33"))


SIZES = "() => [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]"


def test_the_set_up_on_a_phone(page: Page, server: PageServer) -> None:
    page.set_viewport_size({"width": 360, "height": 640})
    page.goto(server.url)
    assert page.evaluate(SIZES) == [0, 0]  # all of it, and Play
    choose(page, opponent="perfect", rules="filled")
    expect(page.locator(".chosen-text")).to_contain_text("half of the matches")
    page.emulate_media(forced_colors="active")
    edge = "one => getComputedStyle(one.closest('label')).borderTopWidth"
    for chosen, other in (("opponent-perfect", "opponent-uniform"), ("rules-filled", "rules-three-in-a-row")):
        assert [page.locator(f"#{one}").evaluate(edge) for one in (chosen, other)] == ["3px", "1px"]
    page.set_viewport_size({"width": 320, "height": 568})
    page.context.new_cdp_session(page).send("Page.setFontSizes", {"fontSizes": {"standard": 32}})
    page.locator(".more > summary").click()
    page.locator("#players-people").check()
    page.locator("#name-0").fill(20 * "M")
    expect(page.locator(".summary")).to_contain_text(20 * "M")
    for address in ("play", "play/lesson"):
        page.evaluate("address => { location.hash = address; }", address)
        assert page.evaluate(SIZES)[0] == 0, address


def test_strengths_are_those_of_the_match_that_is_chosen(page: Page, server: PageServer) -> None:
    page.goto(server.url)
    told = page.locator(".chosen-text")
    for rules, name, length in (
        ("three-in-a-row", "careless", 1),
        ("three-in-a-row", "careless", 3),
        ("filled", "learner-1", 5),
        ("filled", "learner-1", 2),
    ):
        choose(page, rules=rules, opponent=name, length=str(length))
        expect(told).to_have_text(OPPONENTS[name].text(rules, length))
    choose(page, opponent="perfect")
    expect(told).to_have_text(OPPONENTS["perfect"].description)
    page.goto(f"{server.url}#learn/filled")
    expect(page.locator(".opponents")).to_contain_text(OPPONENTS["learner-10"].text("filled", 5))


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
    page.locator("dialog").get_by_role("button", name="Go on with it").click()
    expect(page.locator(".table")).to_be_visible()
    assert kept_match(page)["round"]["moves"][: len(moves)] == moves
    page.evaluate("location.hash = 'play/lesson'")
    mark(page, 3)
    mark(page, 8)
    page.get_by_role("button", name="Play a match to 3").click()
    page.get_by_role("button", name="Begin a new one").click()
    expect(page.locator(".score")).to_contain_text("to 3")
    assert kept_match(page)["opponent"] == "careless"


REFUSES = "Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); };"


def test_a_browser_that_keeps_nothing_is_told(page: Page, server: PageServer) -> None:
    begin(page, server.url, opponent="uniform", first="0")
    warning = page.locator(".not-kept")
    expect(warning).to_have_text("")
    page.evaluate(f"() => {{ window.kept = Storage.prototype.setItem; {REFUSES} }}")
    free_squares(page).first.click()
    expect(warning).to_contain_text("is full: a reload loses your last moves")
    page.evaluate("() => { Storage.prototype.setItem = window.kept; }")
    page.get_by_role("button", name="Hint").click()
    expect(warning).to_have_text("")
    page.add_init_script(REFUSES)
    page.evaluate("localStorage.removeItem('smbc-tictactoe / match')")
    set_up(page, f"{server.url}#play/new", opponent="uniform")
    page.reload()
    for _ in ("set-up", "match"):
        expect(warning).to_have_text("This browser keeps nothing for this page: a reload loses the match.")
        if page.locator(".play-button").is_visible():
            page.locator(".play-button").click()
            expect(page.locator(".table")).to_be_visible()
