"""Matches that are over: how the page keeps and counts them, opens files of them, and sends a result."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.browser import Page, expect
from support.page_matches import careless_match, match_record
from support.playing_page import KEPT, keep, record

from tictactoe import MatchBot, load_solution
from tictactoe.browser.server import PageServer
from tictactoe.match.percentages import percentage_points
from tictactoe.play.known_opponent import KnownOpponent
from tictactoe.play.referee import Match
from tictactoe.play.review import mistakes
from tictactoe.play.transcript import Setup, match_lines

HISTORY = KEPT.replace("match", "history")
RULES = "three-in-a-row"


@pytest.fixture(scope="module")
def bot() -> MatchBot:
    return MatchBot(load_solution("shipped"), 2)


@pytest.fixture(scope="module")
def matches(bot: MatchBot) -> list[Match]:
    return [careless_match(bot, seed) for seed in range(4)]


def past(match: Match, time: int, **other: Any) -> dict[str, Any]:
    return {"time": time, "match": match_record(match, RULES, **other), "cost": None}


def look(page: Page, address: str, history: object = None) -> None:
    if history is not None:
        text = history if isinstance(history, str) else json.dumps(history)
        page.evaluate("([name, text]) => localStorage.setItem(name, text)", [HISTORY, text])
    page.evaluate("address => { location.hash = 'learn'; location.hash = address; }", address)
    expect(page.locator("main h1")).to_contain_text("Review")


def cost(bot: MatchBot, match: Match, opponent: str | None = "perfect") -> float:
    judged = [(played, bot.round_bot(played.score)) for played in match.rounds]
    if opponent == "careless":
        known = KnownOpponent(opponent, bot.round_bot, bot.winning_score, ships=True)
        judged = [(played, known.responder(played.score, played.seat(0))) for played in match.rounds]
    return sum(percentage_points(mistake.move.cost) for mistake in mistakes(judged, 0, bot.solved_score))


def test_matches_by_opponent_and_each_of_them(tab: Page, bot: MatchBot, matches: list[Match]) -> None:
    who = ["careless", "careless", "perfect", None]
    kept = [past(match, 9000 - n, opponent=who[n]) for n, match in enumerate(matches)]
    hostile = [
        {"time": 8, "match": {"rounds": "<b>"}},
        past(matches[0], 7) | {"cost": -1},
        None,
        past(matches[0], 9999),
    ]
    unplayable = past(matches[1], 6)
    unplayable["match"]["rounds"][0]["moves"] = [1, 1]
    look(tab, "review/matches", [*kept, *hostile, unplayable])
    expect(tab.locator(".match-list .notice")).to_have_text(
        "5 matches of the list are damaged, or of another page. They are left out."
    )
    expect(tab.locator(".past .card")).to_have_count(4)
    costs = [cost(bot, match, met) for match, met in zip(matches, who, strict=True)]
    won = sum(match.winner == 0 for match in matches[:2])
    points = [sum(match.points[player] for match in matches[:2]) for player in (0, 1)]
    card = tab.locator(".tallies .card").first
    expect(card.locator("dd").nth(3)).to_have_text(f"{sum(costs[:2]) / 2:.1f} points")
    assert card.locator("dd").all_inner_texts()[:3] == [
        "2",
        f"{won} ({50 * won} %)".replace(" %", "\u00a0%"),
        "{} : {}".format(*points),
    ]
    now = json.loads(tab.evaluate("name => localStorage.getItem(name)", HISTORY))
    assert len(now) == 9, "what is damaged stays, and is counted again"
    assert [percentage_points(one["cost"]) for one in now[:3]] == pytest.approx(costs[:3])
    best = min(range(2), key=costs.__getitem__)
    card.get_by_role("link").click()
    expect(tab).to_have_url(tab.url.partition("#")[0] + f"#review/match-{9000 - best}")
    expect(tab.locator(".summary h2")).to_contain_text("{} : {}".format(*matches[best].points))
    tab.locator(".rounds .card").first.click()
    expect(tab.locator("main h1")).to_have_text("Review of round 1")
    look(tab, "review/match-77")
    expect(tab.locator("main")).to_contain_text("This match is not kept any more")


@pytest.mark.parametrize("history", ["{", '{"a": 1}', "[" * 999, '"<img src=x onerror=alert(1)>"'])
def test_a_damaged_list_is_one_line(tab: Page, history: str) -> None:
    look(tab, "review/matches", history)
    expect(tab.locator(".match-list .notice")).to_contain_text("is damaged, or of another page. It is left out.")
    expect(tab.locator(".past")).to_have_count(0)


def test_a_match_is_kept_once_and_the_oldest_go(tab: Page, matches: list[Match]) -> None:
    records = [match_record(match, RULES) for match in matches[:2]]
    script = """async ([name, one, other]) => {
      const { rememberMatch } = await import("/parts/kept_history.js");
      const many = Array.from({ length: 150 }, (_, n) => ({ time: 999 - n, match: one }));
      localStorage.setItem(name, JSON.stringify(many));
      for (const match of [other, other, one]) rememberMatch(match);
      const times = () => JSON.parse(localStorage.getItem(name)).map(({ time }) => time);
      const full = times();
      const most = JSON.stringify(localStorage).length;
      const set = Storage.prototype.setItem;
      Storage.prototype.setItem = function (key, value) {
        if (value.length > most / 2) throw new DOMException("full", "QuotaExceededError");
        set.call(this, key, value);
      };
      rememberMatch(other);
      Storage.prototype.setItem = set;
      return [full, times()];
    }"""
    full, left = tab.evaluate(script, [HISTORY, *records])
    assert len(full) == 100
    assert full[0] > full[1] > full[2] == 999
    assert 10 < len(left) < 60
    assert left[1:] == full[: len(left) - 1]


def test_a_match_that_is_played_comes_into_the_list(tab: Page) -> None:
    keep(tab, record(winningScore=1, round={"goals": [0, 0], "moves": [1, 4, 2, 5]}))
    tab.evaluate("location.hash = 'play'")
    tab.locator(".play [data-square='3']").click()
    expect(tab.get_by_role("link", name="Review the match")).to_be_visible()
    look(tab, "review/matches")
    expect(tab.locator(".past .card")).to_have_count(1)


def test_files_are_opened_or_refused_in_a_line(tab: Page, bot: MatchBot, matches: list[Match], tmp_path: Path) -> None:
    setup = Setup(names=("You", "Bot"), seed=None, winning_score=2, solved_winning_score=5, opponent="<b>other</b>")
    text = "".join(f"{json.dumps(line)}\n" for line in match_lines(setup, matches[0]))
    wrong = {
        "not one": "line 1: it is not JSON",
        text.replace('"moves": [', '"moves": [0, '): "line 2: 0 is not a square",
        text.replace(RULES, "filled-none"): "this page does not have the rules \u201cfilled-none\u201d",
        text.splitlines()[0]: "no round in it is over",
    }
    path = tmp_path / "match.jsonl"
    look(tab, "review/matches")
    for content, why in wrong.items():
        path.write_text(content, "utf-8")
        tab.locator("input[type=file]").set_input_files(path)
        expect(tab.locator(".open-file [role=alert]")).to_have_text(f"This file cannot be opened: {why}.")
    path.write_text(text, "utf-8")
    tab.locator("input[type=file]").set_input_files(path)
    expect(tab.locator(".summary h2")).to_contain_text("{} : {} against <b>other</b>.".format(*matches[0].points))
    expect(tab.locator(".rounds .card")).to_have_count(len(matches[0].rounds))
    tab.locator(".rounds .card").last.click()
    assert tab.url.endswith(f"#review/file/{len(matches[0].rounds)}")


def test_a_result_is_sent_or_copied(tab: Page, bot: MatchBot, matches: list[Match]) -> None:
    keep(tab, match_record(matches[0], RULES))
    tab.evaluate("() => { navigator.share = undefined; globalThis.sent = []; }")
    tab.evaluate("() => { navigator.clipboard.writeText = async (text) => { sent.push(text); }; }")
    look(tab, "review")
    share = tab.get_by_role("button", name="Share the result")
    share.click()
    expect(tab.locator("#announcer")).to_have_text("Copied: paste it where you like.")
    leave = "async ({ text }) => { sent.push(text); throw new DOMException('', 'AbortError'); }"
    tab.evaluate(f"() => {{ navigator.share = {leave}; }}")
    share.click()
    tab.evaluate("() => { navigator.share = async () => { throw new TypeError(); }; }")
    tab.evaluate("() => { navigator.clipboard.writeText = navigator.share; }")
    share.click()
    expect(tab.locator(".share textarea")).to_be_visible()
    sent = tab.evaluate("sent")
    assert sent[0] == sent[1] == tab.locator(".share textarea").input_value()
    line, signs = sent[0].split("\n")
    beaten = "beat" if matches[0].winner == 0 else "lost to"
    start = f"Tic-Tac-Tell: I {beaten} "
    assert line.startswith(start)
    gave = cost(bot, matches[0])
    end = f"giving away {gave:.1f}\u00a0points of winning chance" if gave else "without a mistake"
    assert line.endswith(" {} : {}, ".format(*matches[0].points) + end)
    shapes = {
        (True, False): "\U0001f7e2",
        (False, True): "\U0001f7e5",
        (True, True): "\u2b50",
        (False, False): "\u2b1c",
    }
    assert signs == "".join(shapes[played.scored] for played in matches[0].rounds)


def test_a_result_names_the_address_that_the_page_was_built_for(
    page: Page, server: PageServer, matches: list[Match]
) -> None:
    manifest = json.loads(server.data.file("data/manifest.json")) | {"address": "https://example.org/game/"}
    page.route(f"{server.url}data/manifest.json", lambda route: route.fulfill(json=manifest))
    page.add_init_script("navigator.share = async ({ text }) => { window.shared = text; };")
    page.goto(f"{server.url}#learn")
    keep(page, match_record(matches[0], RULES))
    look(page, "review")
    page.get_by_role("button", name="Share the result").click()
    page.wait_for_function("() => window.shared?.split('\\n')[2] === 'https://example.org/game/'")
