"""A round from a position on: whose goals, against whom, and that nothing of it is kept."""

import json

from support.browser import Page, expect
from support.explore_page import expect_position, go_to
from support.playing_page import KEPT, is_over, kept_match, record

from tictactoe.browser.server import PageServer

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
    wish = json.dumps({"opponent": "careless"})
    tab.evaluate("wish => localStorage.setItem('smbc-tictactoe / wish', wish)", wish)
    named, for_second, told, new = tab.evaluate(DEAL, ["4-3/wl/51", "filled/4-3/wl/5", "4-3/wx/1248", "1-0"])
    assert (named["solution"], named["opponent"], named["score"]) == ("three-in-a-row", "careless", [4, 3])
    assert (named["first"], named["goals"], named["moves"]) == (0, [0, 1], "51")
    assert (for_second["solution"], for_second["first"], for_second["goals"]) == ("filled", 1, [1, 0])
    assert told["goals"] == [0, 1]  # a perfect O that makes these moves wants to lose
    assert "as likely as its moves" in told["said"]
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
