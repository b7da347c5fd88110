"""What the browser keeps of a match: going on after a reload, damaged records, files that cannot be had."""

import json
import re
from functools import partial
from typing import Any

import pytest
from support.browser import BrowserContext, Page, Route, expect
from support.page_library import PageLibrary
from support.playing_page import (
    begin,
    choose,
    free_squares,
    go_on_with,
    kept_match,
    play_match,
    play_round,
    record,
    set_up,
)
from support.slowness import slow

from tictactoe.browser.server import PageServer


def seen(page: Page) -> list[str]:
    labels: list[str] = page.locator(".square").evaluate_all("all => all.map(one => one.ariaLabel)")
    return [*labels, *(page.locator(part).inner_text() for part in (".head", ".beliefs"))]


def reload(page: Page) -> None:
    page.reload()
    expect(page.locator(".table")).to_be_visible()


def test_reload_in_the_middle_goes_on(page: Page, server: PageServer) -> None:
    begin(page, server.url, opponent="learner-1", first="0", takeback=True)
    free_squares(page).first.click()
    page.get_by_role("button", name="Hint").click()
    for step in ("What do the others cost?", "Hide the hint"):  # the first one only where something costs
        if (button := page.get_by_role("button", name=step)).is_visible():
            button.click()
    before, shown = kept_match(page), seen(page)
    assert len(before["round"]["moves"]) == 2
    reload(page)
    assert (kept_match(page), seen(page)) == (before, shown)
    page.get_by_role("button", name="Hint").click()  # the same one again
    play_round(page)
    finished, shown = kept_match(page), seen(page)
    assert finished["rounds"][0]["moves"][:2] == before["round"]["moves"]
    assert finished["rounds"][0]["hints"] == 1
    reload(page)
    assert kept_match(page) == finished
    assert seen(page)[:10] == shown[:10]
    page.get_by_role("button", name="Next round").click()
    expect(page.locator(".table.over")).to_have_count(0)
    assert kept_match(page)["round"]["number"] == 2


def test_finished_match_stays_until_a_new_one_begins(page: Page, server: PageServer) -> None:
    begin(page, server.url, length="1", opponent="uniform")
    play_match(page)
    finished = kept_match(page)
    reload(page)
    expect(page.get_by_role("link", name="Review the match")).to_be_visible()
    page.get_by_role("button", name="New match").click()
    assert kept_match(page) == finished
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".table")).to_be_visible()
    assert kept_match(page)["winner"] is None
    page.get_by_role("button", name="New match").click()
    page.get_by_role("button", name="Keep playing").click()
    expect(page.locator(".table")).to_be_visible()
    page.get_by_role("button", name="New match").click()
    page.get_by_role("button", name="Leave it").click()
    expect(page.locator(".play-button")).to_be_visible()
    page.reload()
    expect(page.locator(".play-button")).to_be_visible()


def test_rounds_of_a_match_that_is_left_stay_in_review(page: Page, server: PageServer) -> None:
    go_on_with(page, f"{server.url}#play", BETWEEN | {"opponent": "uniform"})
    page.get_by_role("button", name="New match").click()
    page.get_by_role("button", name="Leave it").click()
    expect(page.locator("dialog")).to_have_count(0)
    page.get_by_role("link", name="Review", exact=True).click()
    expect(page.locator(".summary h2")).to_have_text("You left the match against Random at 1 : 0.")
    expect(page.locator(".rounds .card")).to_have_count(1)
    page.evaluate("localStorage.clear()")
    go_on_with(page, f"{server.url}#play/new", BETWEEN | {"opponent": "uniform"})
    expect(page.locator(".offer")).to_have_text("This match is unfinished: You 1 : 0 Bot.Continue it")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("dialog")).not_to_contain_text("tab")
    page.get_by_role("button", name="Begin a new one").click()
    expect(page.locator(".table")).to_be_visible()
    page.evaluate("location.hash = 'review/matches'")
    expect(page.locator(".past .card strong")).to_have_text("Left at 1 : 0")
    expect(page.locator(".tallies")).to_have_count(0)


@pytest.mark.parametrize("start", ["", *slow("#play/new", "#play/lesson")])
def test_the_way_back_leads_to_the_set_up(page: Page, server: PageServer, start: str) -> None:
    """And not away from the page; the match stays, and forward leads to it."""
    page.goto(f"{server.url}{start}")
    if start == "#play/lesson":
        page.locator("[data-square='1']").click()
        page.get_by_role("button", name="Play a match to 3").click()
    else:
        page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".table")).to_be_visible()
    free_squares(page).first.click()
    kept = kept_match(page)
    page.go_back()
    if start == "#play/lesson":
        expect(page.locator(".lesson")).to_be_visible()
    else:
        expect(page.locator(".offer")).to_contain_text("This match is unfinished: You 0 : 0 Bot.")
        page.reload()
        expect(page.locator(".play-button")).to_be_visible()
    page.go_forward()
    expect(page.locator(".table")).to_be_visible()
    assert kept_match(page) == kept
    page.get_by_role("button", name="New match").click()
    page.go_back()
    expect(page.locator("dialog")).to_have_count(0)


def test_another_tab_and_another_screen(page: Page, context: BrowserContext, server: PageServer) -> None:
    begin(page, server.url, opponent="uniform", first="0")
    other = context.new_page()
    other.goto(server.url)
    expect(other.locator(".table")).to_be_visible()
    free_squares(page).first.click()
    moves = kept_match(page)["round"]["moves"]
    for square in moves:
        expect(other.locator(f"[data-square='{square}']")).to_have_attribute("aria-label", re.compile("[XO], move"))
    page.get_by_role("link", name="Learn", exact=True).click()
    expect(page.locator(".table")).to_have_count(0)
    page.go_back()
    expect(page.locator(".table")).to_be_visible()
    free_squares(page).first.click()
    assert kept_match(page)["round"]["moves"][:2] == moves


def test_a_double_click_begins_one_match(page: Page, server: PageServer) -> None:
    page.add_init_script("""
      const digest = crypto.subtle.digest.bind(crypto.subtle);
      let calls = 0;
      crypto.subtle.digest = async (...args) => {
        const slow = calls++ === 0;
        if (slow) await new Promise((done) => setTimeout(done, 400));
        return digest(...args);
      };
    """)
    set_up(page, server.url, opponent="uniform", first="0")
    page.locator(".play-button").evaluate("button => { button.click(); button.click(); }")
    expect(page.locator(".table")).to_be_visible()
    page.wait_for_timeout(600)
    assert page.locator(".seal").text_content() == kept_match(page)["round"]["seal"]


def test_choices_are_remembered(page: Page, server: PageServer) -> None:
    page.goto(server.url)
    expect(page.locator(".summary")).to_have_text("A match to 3 against Rookie")
    choose(page, rules="filled", opponent="learner-10", length="4", points_0="2", first="1")
    page.reload()
    expect(page.locator(".summary")).to_have_text("A match to 4 against Student")
    expect(page.locator(".more > summary")).to_have_text("More \u00b7 from You 2 : 0 Bot, Bot first")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".score strong")).to_have_text("You 2 : 0 Bot")
    kept = kept_match(page)
    assert (kept["solution"], kept["score"], kept["first"]) == ("filled", [0, 2], 1)
    assert len(kept["round"]["moves"]) == 1


BETWEEN = record(
    score=[0, 1], first=1, rounds=[record()["round"] | {"moves": [1, 4, 2, 5, 3], "goals": [0, 0]}], round=None
)
GOOD = {"begun": record(round={"moves": [5, 1]}), "between rounds": BETWEEN}
DAMAGED: dict[str, Any] = {
    "no JSON": "{",
    "a number": 5,
    "a list": [],
    "an empty object": {},
    "another page's rules": record(solution="chess"),
    "too long a match": record(winningScore=99),
    "a score beyond the end": record(score=[5, 0], round={"score": [5, 0]}),
    "no such opponent": record(opponent="stockfish"),
    "names that are no text": record(names=[1, 2]),
    "a square that is none": record(round={"moves": [10]}),
    "a square twice": record(round={"moves": [5, 5]}),
    "a goal that is none": record(round={"goals": [0, 7]}),
    "a round decided long ago": record(round={"moves": [1, 4, 2, 5, 3]}),
    "a seal of another goal": record(round={"commitment": "smbc-tictactoe round 1 goal tie nonce 00"}),
    "a winner of nothing": record(round=None, winner=0),
    "rounds that do not follow": record(rounds=[record()["round"] | {"moves": [1, 4, 2, 5, 3]}], round={"number": 2}),
    "a round that is not over": record(rounds=[record()["round"]], round=None),
    "one name": record(names=["You"]),
    "rounds that are no list": record(rounds="all"),
    "a score that does not follow": BETWEEN | {"score": [0, 0]},
}


IS_GOOD = """async (texts) => {
  const { loadCatalogue } = await import("/loading/solution_loader.js");
  const { MatchFlow } = await import("/screens/play/match_flow.js");
  const catalogue = await loadCatalogue();
  const results = [];
  for (const text of texts) {
    localStorage.setItem("smbc-tictactoe / match", text);
    const flow = MatchFlow.ofKept(catalogue);
    results.push(flow !== null && (await flow.isGood()));
  }
  return results;
}"""


def test_damaged_records(tab: Page) -> None:
    records = DAMAGED | GOOD
    texts = [data if isinstance(data, str) else json.dumps(data) for data in records.values()]
    judged = zip(records, tab.evaluate(IS_GOOD, texts), strict=True)
    assert [name for name, is_good in judged if is_good] == [*GOOD]


def test_a_damaged_record_or_seal_is_told(page: Page, server: PageServer) -> None:
    go_on_with(page, server.url, DAMAGED["a square twice"])
    expect(page.locator(".set-up .notice")).to_contain_text("can no longer be read")
    assert page.evaluate("localStorage.getItem('smbc-tictactoe / match')") is None
    text = "smbc-tictactoe round 1 goal lose nonce 00"
    go_on_with(page, server.url, record(round={"moves": [1, 4, 2, 5], "commitment": text, "seal": 64 * "0"}))
    page.locator("[data-square='3']").click()
    page.evaluate("location.hash = 'review/1'")
    expect(page.locator(".commitment summary")).to_have_text("The bot\u2019s seal does not match")


def test_without_web_crypto_nothing_is_sealed(page: Page, server: PageServer) -> None:
    page.add_init_script("Object.defineProperty(crypto, 'subtle', { value: undefined })")
    begin(page, server.url)
    expect(page.locator(".commitment")).to_contain_text("The bot cannot seal its goal here")
    assert kept_match(page)["round"]["commitment"] == ""


def answer(content: bytes | None, route: Route) -> None:
    if content is None:
        route.abort()
    else:
        route.fulfill(status=200, body=content)


def test_a_failing_file_is_told_and_tried_again(context: BrowserContext, server: PageServer) -> None:
    """Chromium itself writes of requests that fail to the console, so that this is not for the page fixture."""
    page = context.new_page()
    set_up(page, server.url, opponent="learner-1", length="5")
    notice, button = page.locator(".failure .notice"), page.get_by_role("button", name="Play", exact=True)
    for file, content, said in (
        ("0-0.data", None, "Start tictactoe page again"),
        ("0-0.data", b"this is no data", "0-0.data cannot be used: its checksum is wrong"),
        ("learner-1.data", None, "Start tictactoe page again"),
    ):
        context.route(f"**/{file}", partial(answer, content))
        button.click()
        expect(notice).to_contain_text(said)
        context.unroute(f"**/{file}")
        button = page.get_by_role("button", name="Try again")
    dealt = kept_match(page)["round"]
    button.click()
    expect(page.locator(".table")).to_be_visible()
    assert kept_match(page)["round"]["goals"] == dealt["goals"]


GUESSES = "smbc-tictactoe / guesses"


def kept_guesses(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(page.evaluate(f"localStorage.getItem('{GUESSES}')"))
    return found


def test_a_guess_before_the_goal_is_shown(page: Page, server: PageServer) -> None:
    begin(page, server.url, opponent="uniform", length="5")
    play_round(page)
    expect(page.locator(".goal-card")).to_contain_text("The bot wanted to")  # who does not want to guess is not asked
    for text in ("{", '{"seen":5,"list":[null,{"said":0},5]}'):  # damaged: as if there were none
        page.evaluate("([name, text]) => localStorage.setItem(name, text)", [GUESSES, text])
        reload(page)
        expect(page.get_by_role("button", name="Guess the bot\u2019s goal after each round")).to_be_visible()
    page.get_by_role("button", name="Guess the bot\u2019s goal after each round").click()
    assert kept_guesses(page)["list"] == []
    expect(page.locator(".guess")).to_have_count(0)
    reload(page)
    expect(page.locator(".goal-card")).to_contain_text("The bot wanted to")  # it has been shown
    page.get_by_role("button", name="Next round").click()
    expect(page.locator(".table.over")).to_have_count(0)
    before = page.locator(".score strong").inner_text()
    play_round(page)
    for _ in range(2):
        expect(page.locator(".turn")).to_have_text("The round is over. What did the bot want?")
        expect(page.locator(".score strong")).to_have_text(before)
        told = page.locator("main").inner_text() + page.locator("#announcer").inner_text()
        for secret in ("wanted to", "scores", "a point", "goal lose", "goal win", "goal tie"):
            assert secret not in told.replace(" a point for ", "")
        reload(page)
    if kept_match(page)["winner"] is None:
        page.keyboard.press("Enter")  # nothing is skipped by the key for the next round
    goal = kept_match(page)["rounds"][1]["goals"][1]
    page.locator(".guess-row").nth(goal).get_by_role("button", name="90").dblclick()
    expect(page.locator(".guessed")).to_contain_text("90\u00a0% sure: right, 99 points. By the moves,")
    expect(page.locator(".goal-card")).to_contain_text("The bot wanted to")
    (guess,) = kept_guesses(page)["list"]
    assert (guess["said"], guess["percent"], guess["goal"]) == (goal, 90, goal)
    assert abs(sum(guess["moves"]) - 1) < 1e-9
    page.get_by_text("Your guesses: 99 points on average").click()
    expect(page.locator(".guess-note")).to_contain_text("90\u00a0% sure: right 1 of 1 time")
    page.get_by_role("button", name="Stop guessing").click()
    page.get_by_role("button", name="Next round").click()
    expect(page.locator(".table.over")).to_have_count(0)
    play_round(page)
    expect(page.locator(".guess")).to_have_count(0)


def test_the_points_of_guesses_are_proper(library: PageLibrary) -> None:
    """By hand; and whoever believes p gets the most on average by saying p."""
    points = "([odds, goal]) => ours.pointsFor(odds, goal)"
    assert library.call(points, [[1, 0, 0], 0]) == 100
    assert library.call(points, [[1, 0, 0], 1]) == 0
    assert round(library.call(points, [[1 / 3, 1 / 3, 1 / 3], 2]), 6) == round(100 * 2 / 3, 6)
    said = [library.call("([said, percent]) => ours.oddsOf({ said, percent })", [0, level]) for level in (50, 70, 90)]
    assert [[round(one, 9) for one in odds] for odds in said] == [
        [0.5, 0.25, 0.25],
        [0.7, 0.15, 0.15],
        [0.9, 0.05, 0.05],
    ]
    for belief in said:
        means = [sum(p * library.call(points, [odds, goal]) for goal, p in enumerate(belief)) for odds in said]
        assert said[means.index(max(means))] == belief
