"""The review of rounds and matches; matches that are kept and counted; transcripts, files, results that are sent."""

import itertools
import json
import re
from functools import partial
from itertools import count, pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from support.browser import Page, expect
from support.page_matches import careless_match, match_record, mistakes_of
from support.playing_page import KEPT, go_on_with, keep, record
from support.programs import json_of

from tictactoe import MatchBot, Position, Score, load_solution
from tictactoe.browser.server import PageServer
from tictactoe.match.percentages import percentage_points
from tictactoe.play.known_opponent import KnownOpponent
from tictactoe.play.match_review import mark_of
from tictactoe.play.move_costs import review
from tictactoe.play.referee import Match
from tictactoe.play.review_text import better, in_words, kinds
from tictactoe.play.round_text import Speaker
from tictactoe.play.transcript import Setup, match_lines, read_transcript

RULES = "three-in-a-row"
SMALL = {"width": 320, "height": 568}
HISTORY = KEPT.replace("match", "history")


@pytest.fixture(scope="module")
def usual() -> MatchBot:
    return MatchBot(load_solution("shipped"), 3)


@pytest.fixture(scope="module")
def match(usual: MatchBot) -> Match:
    return next(one for one in map(partial(careless_match, usual), count(14)) if fewest_mistakes(usual, one) > 3)


def fewest_mistakes(bot: MatchBot, match: Match) -> int:
    return min(len(mistakes_of(bot, match, player)) for player in (0, 1))


def accuracies(bot: MatchBot, match: Match, opponent: str | None = "perfect") -> dict[int, list[float]]:
    """Of the person's moves that made a difference, by 3 * seat + goal."""
    found: dict[int, list[float]] = {at: [] for at in range(6)}
    known = KnownOpponent("careless", bot.round_bot, bot.winning_score, ships=True)
    for played in match.rounds:
        seat, goal = played.seat(0), played.goals[0]
        judge = known.responder(played.score, seat) if opponent == "careless" else bot.round_bot(played.score)
        moves = review(judge, played.cursor.moves, seat, goal)
        found[3 * seat + goal] += [move.accuracy for move in moves if move.accuracy is not None]
    return found


def accuracy(bot: MatchBot, match: Match) -> float:
    return fmean(itertools.chain(*accuracies(bot, match).values()))


def value_around(bot: MatchBot, match: Match) -> tuple[float, float]:
    """To the person, before and after the only round of the match."""
    (played,) = match.rounds
    before = bot.round_bot(played.score).value * (1 if played.first == 0 else -1)
    return before, bot.round_bot(match.score).value * (1 if match.first == 0 else -1)


def show(page: Page, match: object = None, address: str = "review", history: object = None) -> None:
    """An address of Review. match, history: what the browser has kept, as text or to be written as JSON; None for what
    is there."""
    for name, kept in ((KEPT, match), (HISTORY, history)):
        if kept is not None:
            text = kept if isinstance(kept, str) else json.dumps(kept)
            page.evaluate("([name, text]) => localStorage.setItem(name, text)", [name, text])
    page.evaluate("address => { location.hash = 'learn'; location.hash = address; }", address)
    expect(page.locator("main h1")).to_contain_text("Review")
    expect(page.get_by_text("Looking at every move")).to_have_count(0)


def test_mistakes_rounds_and_luck_of_the_match(tab: Page, usual: MatchBot, match: Match) -> None:
    show(tab, match_record(match, RULES))
    right = mistakes_of(usual, match, 0)
    links = tab.locator(".match-review .mistake")
    expect(links).to_have_count(len(right))
    tab.evaluate("() => document.querySelectorAll('details:has(.mistake)').forEach((fold) => { fold.open = true; })")
    for number, (link, mistake) in enumerate(zip(links.all(), right, strict=True)):
        mark = mark_of(mistake.move.cost, in_points=False)
        expect(link.locator("strong")).to_have_text(mark + "*" * mistake.move.off_equilibrium)
        goal = mistake.goal.name.lower()
        said = in_words(Speaker(), mistake, f"Round {mistake.played.number}", short=number > 0, answers=False)
        said = said.removeprefix(mark).replace(mistake.goal.name, goal)
        expect(link).to_contain_text(f"{said} You wanted to {goal}.")
        answer = link.get_by_text(better(Speaker(), mistake))
        expect(answer).to_be_hidden()
        link.get_by_text("What was better?").press("Enter")
        expect(answer).to_be_visible()
        for name, start in (("Look at it", "#"), ("Try again from here", "#play/")):
            address = link.get_by_role("link", name=name).get_attribute("href") or ""
            assert Position.parse(address.removeprefix(start).replace("/", " ").replace("x", "?")) == mistake.position
    facts = tab.locator(".summary .facts dd")
    assert facts.all_inner_texts() == [f"{accuracy(usual, match):.0f} of 100", kinds(right, in_points=False)]
    assert "%" not in tab.locator(".match-review").inner_text()
    tab.locator(".summary .measures summary").click()
    expect(tab.get_by_text("Mistakes are marked: ")).to_be_visible()
    cards = tab.locator(".rounds .card")
    expect(cards).to_have_count(len(match.rounds))
    points = "{} : {}".format(*match.points)
    expect(tab.locator(".summary")).to_contain_text(f"You {'won' if match.winner == 0 else 'lost'} {points} against")
    for card, played in zip(cards.all(), match.rounds, strict=True):
        text = card.inner_text()
        for who, player in (("You", 0), ("The bot", 1)):
            point = "a point" if played.scored[player] else "no point"
            assert f"{who} wanted to {played.goals[player].name.lower()}: {point}." in text
        own = [mistake for mistake in right if mistake.played is played]
        scorers = [name for name, scored in zip(("You", "the bot"), played.scored, strict=True) if scored]
        who = " and ".join(scorers) or "Nobody"
        verdict = card.locator(".verdict").inner_text()
        assert verdict.startswith(f"{who[0].upper()}{who[1:]} scored. ")
        if own:
            best = Speaker().either(own[0].move.best)
            assert re.search(rf"scored\. {best} would have been (better|safer) than {own[0].move.square}\b", verdict)
        else:
            assert verdict.endswith("You made no mistakes.")
    texts = tab.locator(".luck .figure").all_text_contents()
    figures = [float(text.replace("\N{MINUS SIGN}", "-").removesuffix("\N{NO-BREAK SPACE}%")) for text in texts]
    sign = 1.0 if match.rounds[0].first == 0 else -1.0
    value = load_solution("shipped").value[usual.solved_score(Score(0, 0))]
    before, after = sign * value, 1.0 if match.winner == 0 else -1.0
    assert figures[-1] == pytest.approx(percentage_points(after - before), abs=0.006)
    assert sum(figures[:-1]) == pytest.approx(figures[-1], abs=1e-9)


def test_on_a_small_phone(tab: Page, match: Match) -> None:
    tab.set_viewport_size(SMALL)
    show(tab, match_record(match, RULES))
    link, card = tab.get_by_role("link", name="Look at it").nth(2), tab.locator(".rounds .card").last
    link.scroll_into_view_if_needed()
    assert tab.evaluate("scrollY") > 0
    address = link.get_attribute("href") or ""
    link.click()
    assert tab.url.endswith(address)
    expect(tab.locator("nav [aria-current=page]")).to_have_text("Explore")
    tab.go_back()
    expect(link).to_be_in_viewport()
    expect(tab.locator("nav [aria-current=page]")).to_have_text("Review")
    card.click()
    expect(tab.locator("main h1")).to_have_text(f"Review of round {len(match.rounds)}")
    expect(tab.locator("main h1")).to_be_in_viewport()
    expect(tab.locator("main")).to_be_focused()
    tab.go_back()
    expect(card).to_be_in_viewport()


def test_replay_move_by_move(tab: Page, usual: MatchBot, match: Match) -> None:
    """Of a round with a mistake; the line is what the player could know, and nothing under it touches."""
    tab.set_viewport_size(SMALL)
    worst = next(one for one in mistakes_of(usual, match, 0) if len(one.played.cursor.moves) > 5)
    number, played, moves = worst.played.number, worst.played, worst.played.cursor.moves
    show(tab, match_record(match, RULES), f"review/{number}")
    scorers = [name for name, scored in zip(("You", "The bot"), played.scored, strict=True) if scored]
    who = {0: "Nobody", 2: "Both of you"}.get(len(scorers)) or scorers[0]
    expect(tab.locator("main")).to_contain_text(f"{who} scored. After the round the score was")
    marked, steps, chart = (
        tab.locator(".replay .square:is(.x, .o)"),
        tab.locator(".move"),
        tab.locator(".value-chart svg"),
    )
    expect(steps).to_have_count(len(moves) + 1)
    best, seat = usual.round_bot(played.score), played.seat(0)
    values = [best.worth(node, seat, played.goals[0]) for node in played.cursor.nodes]
    shown = [f"{50 * (1 + value):.2f}\N{NO-BREAK SPACE}%" for value in values]
    assert tab.locator(".move .figure").all_inner_texts() == shown
    own = [one for one in mistakes_of(usual, match, 0) if one.played is played]
    expect(tab.locator(".value-chart .fall")).to_have_count(len(own))
    for texts in (".value-chart .label", ".value-chart .price"):
        boxes = [box for one in tab.locator(texts).all() if (box := one.bounding_box())]
        assert all(one["x"] + one["width"] < other["x"] for one, other in pairwise(boxes))
        assert boxes[-1]["x"] + boxes[-1]["width"] <= 320
    expect(marked).to_have_count(0)
    tab.get_by_role("button", name="Next").click()
    expect(marked).to_have_count(1)
    expect(tab.locator(f".replay .square[data-square='{moves[0]}']")).to_have_class("square x last")
    steps.nth(4).click()
    expect(marked).to_have_count(4)
    expect(steps.nth(4)).to_have_attribute("aria-current", "step")
    for key, number in (("ArrowLeft", 3), ("End", len(moves)), ("ArrowRight", len(moves))):
        tab.keyboard.press(key)
        expect(marked).to_have_count(number)
    box = chart.bounding_box()
    assert box is not None
    for place, number in ((0.99, len(moves)), (0.14, 0)):
        chart.click(position={"x": place * box["width"], "y": box["height"] / 2})
        expect(marked).to_have_count(number)
    assert f"after move {len(moves)} " in (chart.get_attribute("aria-label") or "")
    step = steps.nth(worst.move.number)
    cost = f"{mark_of(worst.move.cost, in_points=False)} \N{MINUS SIGN}{percentage_points(worst.move.cost):.2f}"
    expect(step).to_contain_text(f"you marked {worst.move.square}{cost}")
    step.click()
    expect(tab.locator(".replay .steps .button").nth(2)).to_have_text("Try again from here")
    expect(tab.locator(".step")).to_have_text(
        in_words(Speaker(), worst).replace(worst.goal.name, worst.goal.name.lower())
    )
    tab.locator(".replay").get_by_role("link", name="Explore").click()
    expect(tab.locator("nav [aria-current=page]")).to_have_text("Explore")


def test_nobody_sees_the_goals_of_a_round_that_goes_on(tab: Page, match: Match) -> None:
    record = match_record(match, RULES)
    last = record["rounds"].pop()
    record |= {
        "round": last | {"moves": last["moves"][:2]},
        "score": last["score"],
        "first": last["first"],
        "winner": None,
    }
    show(tab, record)
    expect(tab.locator(".rounds .card")).to_have_count(len(match.rounds) - 1)
    expect(tab.locator("main")).to_contain_text(" is not over: ")
    show(tab, record, f"review/{len(match.rounds)}")
    expect(tab.locator("main")).to_contain_text(f"This match has no finished round {len(match.rounds)}")
    first = record["rounds"][0]
    about = {"score": first["score"], "first": first["first"], "rounds": []}
    show(tab, record | about | {"round": first | {"moves": []}})
    expect(tab.locator("main")).to_contain_text("No round of your match is over yet")
    whole = match_record(match, RULES)
    show(tab, history=[{"time": 1, "match": whole}])
    expect(tab.locator(".rounds .card")).to_have_count(len(match.rounds))


def test_what_lost_the_goal_is_said_of_the_mistake(tab: Page) -> None:
    script = """async () => {
      const { advice } = await import("/screens/review/review_words.js");
      const move = { square: 5, best: [6], advice: { outcome: null, forfeits: true, completesRow: false } };
      return advice([{ move, goal: 2 }], { opponent: "the bot", digit: String });
    }"""
    assert tab.evaluate(script) == "6 would have been better than 5, after which you could no longer tie."


def test_two_people_each_have_a_review(tab: Page, usual: MatchBot, match: Match) -> None:
    show(tab, match_record(match, RULES, names=["Ann", "Bob"], opponent=None))
    for player, (name, other) in enumerate((("Ann", "Bob"), ("Bob", "Ann"))):
        tab.get_by_role("button", name=name, exact=True).click()
        expect(tab.get_by_role("button", name=name, exact=True)).to_be_focused()
        expect(tab.locator(".rounds .card").first).to_contain_text(f"{other} wanted to")
        worst = mistakes_of(usual, match, player)[0]
        cost = f"This cost you {percentage_points(worst.move.cost):.2f} points of winning chance."
        expect(tab.locator(".mistake").first).to_contain_text(cost)
    expect(tab.get_by_role("button", name="Download transcript")).to_have_count(0)


def test_matches_that_are_damaged_or_missing(tab: Page, match: Match) -> None:
    record = match_record(match, RULES)
    unplayable = {"rounds": [record["rounds"][0] | {"moves": [1, 1, 2]}, *record["rounds"][1:]]}
    damaged, missing = "The match that this browser has kept is damaged", "No match has been played here yet"
    for kept, said in ((record | {"winner": None}, damaged), (record | unplayable, damaged), ("{", missing)):
        show(tab, kept)
        expect(tab.locator("main")).to_contain_text(said)
        expect(tab.locator("main").get_by_role("link", name="Play")).to_have_attribute("href", "#play")


def test_review_on_the_play_screen(page: Page, server: PageServer, usual: MatchBot) -> None:
    matches = (careless_match(usual, seed, start=(2, 1), most_rounds=1) for seed in range(1, 100, 2))
    match = next(match for match in matches if fewest_mistakes(usual, match) > 0)
    assert match.rounds[0].first == 1
    go_on_with(page, server.url, match_record(match, RULES))
    right = mistakes_of(usual, match, 0)
    expect(page.locator(".why")).to_contain_text(re.compile(r" would have been (better|safer) than \d"))
    before, after = (50 * (1 + one) for one in value_around(usual, match))
    facts = page.locator(".result-panel .facts dd")
    assert facts.all_inner_texts() == [
        f"{accuracy(usual, match):.0f} of 100",
        kinds(right, in_points=False),
        f"{before:.0f} % \u2192 {after:.0f} %".replace(" %", "\u00a0%"),
    ]
    links = page.locator(".result-panel .mistake")
    expect(links.first).to_be_hidden()
    page.get_by_text("More about this round").click()
    expect(links).to_have_count(len(right))
    for link, mistake in zip(links.all(), right, strict=True):
        address = f"#{str(mistake.position).replace('?', 'x').replace(' ', '/')}/to-3"
        expect(link.get_by_role("link", name="Look at it")).to_have_attribute("href", address)
    expect(page.locator(".luck")).to_contain_text("The bot\N{RIGHT SINGLE QUOTATION MARK}s mistakes")


def test_transcript_is_read(tab: Page, usual: MatchBot, tmp_path: Path) -> None:
    matches = (careless_match(usual, seed, most_rounds=2) for seed in count(4))
    match = next(one for one in matches if len(one.rounds) > 1 and mistakes_of(usual, one, 0))
    record = match_record(match, RULES)
    record["rounds"][0] |= {"hints": 2}
    record["rounds"][-1] |= {"looked": True}
    show(tab, record)
    with tab.expect_download() as download:
        tab.get_by_role("button", name="Download transcript").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    helps = [json.loads(line).get("help") for line in path.read_text().splitlines()[1:3]]
    assert helps == [{"hints": 2, "looked": False}, {"hints": 0, "looked": True}]
    replayed = read_transcript(path).replay(usual.tree)
    assert [played.cursor.moves for played in replayed.rounds] == [played.cursor.moves for played in match.rounds]
    reviewed = json_of("review", path)
    costs = [move["cost"] for line in reviewed["transcript"] for move in line.get("review", {}).get("moves", [])]
    expect(tab.locator(".mistake").first).to_contain_text(f"This cost you {max(costs):.2f} points")


@pytest.fixture(scope="module")
def bot() -> MatchBot:
    return MatchBot(load_solution("shipped"), 2)


@pytest.fixture(scope="module")
def matches(bot: MatchBot) -> list[Match]:
    return [careless_match(bot, seed) for seed in range(4)]


def past(match: Match, time: int, **other: Any) -> dict[str, Any]:
    """As earlier versions have kept it: with what its mistakes cost, which nobody reads any more."""
    return {"time": time, "match": match_record(match, RULES, **other), "cost": 0.1}


def test_matches_by_opponent_and_each_of_them(tab: Page, bot: MatchBot, matches: list[Match]) -> None:
    who = ["careless", "careless", "perfect", None]
    kept = [past(match, 9000 - n, opponent=who[n]) for n, match in enumerate(matches)]
    hostile = [
        {"time": 8, "match": {"rounds": "<b>"}},
        past(matches[0], 7) | {"accuracy": [[-1, 1]] * 6},
        None,
        past(matches[0], 9999),
    ]
    unplayable = past(matches[1], 6)
    unplayable["match"]["rounds"][0]["moves"] = [1, 1]
    show(tab, address="review/matches", history=[*kept, *hostile, unplayable])
    expect(tab.locator(".match-list .notice")).to_have_text(
        "5 matches in the list are damaged, or from another page. They are left out."
    )
    expect(tab.locator(".past .card")).to_have_count(4)
    found = [accuracies(bot, match, met) for match, met in zip(matches[:3], who, strict=False)]
    means = [fmean(itertools.chain(*one.values())) for one in found]
    won = sum(match.winner == 0 for match in matches[:2])
    points = [sum(match.points[player] for match in matches[:2]) for player in (0, 1)]
    card = tab.locator(".tallies .card").first
    both = fmean(itertools.chain(*found[0].values(), *found[1].values()))
    expect(card.locator("dd").nth(3)).to_have_text(f"{both:.0f} of 100")
    assert card.locator("dd").all_inner_texts()[:3] == [
        "2",
        f"{won} ({50 * won} %)".replace(" %", "\u00a0%"),
        "{} : {}".format(*points),
    ]
    now = json.loads(tab.evaluate("name => localStorage.getItem(name)", HISTORY))
    assert len(now) == 9, "what is damaged stays, and is counted again"
    for one, mine in zip(now, found, strict=False):
        assert [count for _, count in one["accuracy"]] == [len(mine[at]) for at in range(6)]
        assert [total for total, _ in one["accuracy"]] == pytest.approx([sum(mine[at]) for at in range(6)], abs=1e-4)
    for at in range(6):
        values = [value for one in found for value in one[at]]
        cell = tab.locator(".accuracy tbody tr").nth(at % 3).locator("td").nth(at // 3)
        expect(cell).to_have_text(f"{fmean(values):.0f}" if values else "\u2013")
    told = ", ".join(f"{mean:.0f}" for mean in reversed(means))
    expect(tab.locator(".over-time svg")).to_have_attribute("aria-label", f"Accuracy match by match: {told}")
    best = max(range(2), key=means.__getitem__)
    card.get_by_role("link").click()
    expect(tab).to_have_url(tab.url.partition("#")[0] + f"#review/match-{9000 - best}")
    expect(tab.locator(".summary h2")).to_contain_text("{} : {}".format(*matches[best].points))
    tab.locator(".rounds .card").first.click()
    expect(tab.locator("main h1")).to_have_text("Review of round 1")
    show(tab, address="review/match-77")
    expect(tab.locator("main")).to_contain_text("This match is no longer kept")


def test_a_damaged_list_is_one_line(tab: Page) -> None:
    for history in ("{", '{"a": 1}', "[" * 999, '"<img src=x onerror=alert(1)>"'):
        show(tab, address="review/matches", history=history)
        expect(tab.locator(".match-list .notice")).to_contain_text("is damaged, or from another page. It is left out.")
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
    show(tab, address="review/matches")
    expect(tab.locator(".past .card")).to_have_count(1)


def test_files_are_opened_or_refused_in_a_line(tab: Page, bot: MatchBot, matches: list[Match], tmp_path: Path) -> None:
    setup = Setup(names=("You", "Bot"), seed=None, winning_score=2, solved_winning_score=5, opponent="<b>other</b>")
    text = "".join(f"{json.dumps(line)}\n" for line in match_lines(setup, matches[0]))
    wrong = {
        "not one": "line 1: it is not JSON",
        text.replace('"moves": [', '"moves": [0, '): "line 2: 0 is not a square",
        text.replace(RULES, "filled-none"): "this page does not have the rules \u201cfilled-none\u201d",
        text.splitlines()[0]: "it has no finished round",
    }
    path = tmp_path / "match.jsonl"
    show(tab, address="review/matches")
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
    show(tab, match_record(matches[0], RULES))
    tab.evaluate("() => { navigator.share = undefined; globalThis.sent = []; }")
    tab.evaluate("() => { navigator.clipboard.writeText = async (text) => { sent.push(text); }; }")
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
    assert line.endswith(" {} : {}, ".format(*matches[0].points) + f"accuracy {accuracy(bot, matches[0]):.0f}")
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
    show(page, match_record(matches[0], RULES))
    page.get_by_role("button", name="Share the result").click()
    page.wait_for_function("() => window.shared?.split('\\n')[2] === 'https://example.org/game/'")
