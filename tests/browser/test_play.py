"""Matches on the screen Play, from the first click to the last."""

import hashlib
import re

import pytest
from support.browser import Page, expect
from support.playing_page import begin, free_squares, is_over, kept_match, play_match, play_round, replayed
from support.slowness import slow

from tictactoe import GameTree, Goal
from tictactoe.browser.server import PageServer
from tictactoe.play.referee import is_commitment


@pytest.mark.parametrize("rules", ["three-in-a-row", *slow("filled")])
def test_match_by_mouse(page: Page, server: PageServer, rules: str) -> None:
    begin(page, server.url, rules=rules, length="2", opponent="uniform")
    page.locator(".commitment summary").click()
    seal = page.locator(".seal").inner_text()
    assert re.fullmatch("[0-9a-f]{64}", seal)
    assert page.locator(".opened").count() == 0
    play_round(page)
    expect(page.locator(".checked")).to_contain_text("matches")
    text, goal = page.locator(".opened").inner_text(), Goal(kept_match(page)["rounds"][0]["goals"][1])
    assert hashlib.sha256(text.encode()).hexdigest() == seal == page.locator(".seal").inner_text()
    assert is_commitment(text, 1, goal)
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


def tab_to(page: Page, selector: str) -> None:
    for _ in range(40):
        if not page.evaluate("selector => document.activeElement.matches(selector)", selector):
            page.keyboard.press("Tab")
    expect(page.locator(selector)).to_be_focused()


def test_match_by_keyboard_alone(page: Page, server: PageServer) -> None:
    page.add_init_script("localStorage.setItem('smbc-tictactoe / keypad', 'numpad');")
    page.goto(server.url)
    tab_to(page, "#opponent-careless")
    for _ in range(3):
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
    expect(page.locator(".why")).to_have_text(re.compile("^Every free square is as good|^To (win|lose|tie), mark "))
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
