"""The review of rounds and matches: costs as Python has them, luck and skill, the screen, transcripts."""

from __future__ import annotations

import itertools
import random
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from support.browser import Page, expect
from support.page_matches import careless_match, keep, match_record, round_record
from support.programs import json_of

from tictactoe import Goal, Score, load_solution
from tictactoe.browser.page_data import SHIPPED_ON_PAGE
from tictactoe.browser.server import PageServer
from tictactoe.games.cursor import Cursor
from tictactoe.match.percentages import percentage_points
from tictactoe.match.scores import all_scores, continuation
from tictactoe.play.advice import LEAST_PLAYED_PROBABILITY, WORTH_MENTIONING
from tictactoe.play.bot import MatchBot
from tictactoe.play.notation import Position
from tictactoe.play.referee import Match, Round
from tictactoe.play.review import mistakes, review
from tictactoe.play.transcript import read_transcript, replay

REVIEW = "review"

# All rounds, each for both players: what the moves cost, and the parts of luck.
REVIEWED = """async ([name, rounds]) => {
  const { loadCatalogue } = await import("/loading/catalogue.js");
  const { review } = await import("/play/review.js");
  const { roundLuck } = await import("/play/luck.js");
  const { seatOf } = await import("/play/referee.js");
  const solution = (await loadCatalogue()).find(name);
  const result = [];
  for (const round of rounds) {
    const bot = await solution.loadRound(round.score);
    for (const player of [0, 1]) {
      result.push({
        costs: review(bot, round.moves, seatOf(round, player), round.goals[player]),
        luck: roundLuck(bot, round, player, solution.value(round.score)),
      });
    }
  }
  return result;
}"""


@pytest.fixture(scope="module", params=SHIPPED_ON_PAGE)
def bot(request: pytest.FixtureRequest) -> MatchBot:
    """The perfect player by each of the page's rules."""
    return MatchBot(load_solution(request.param))


@pytest.fixture(scope="module")
def usual() -> MatchBot:
    """By the rules that the page begins with, in matches to 3."""
    return MatchBot(load_solution("shipped"), 3)


@pytest.fixture(scope="module")
def match(usual: MatchBot) -> Match:
    """With several mistakes of both players, to its end."""
    return next(match for match in map(partial(careless_match, usual), count()) if fewest_mistakes(usual, match) > 3)


def fewest_mistakes(bot: MatchBot, match: Match) -> int:
    """Of the player who made fewer."""
    judged = [(played, bot.round_bot(played.score)) for played in match.rounds]
    return min(len(mistakes(judged, player, bot.solved_score)) for player in (0, 1))


@pytest.fixture
def opened(page: Page, server: PageServer) -> Page:
    """The page, ready to be given a match that it has kept."""
    page.goto(server.url)
    return page


def show(page: Page, record: str | dict[str, Any], address: str = "review") -> None:
    """The review of a kept match."""
    keep(page, record)
    page.evaluate("address => { location.hash = address; }", address)
    expect(page.locator("main h1")).to_contain_text("Review")
    expect(page.get_by_text("Looking at every move")).to_have_count(0)


def random_rounds(bot: MatchBot, number: int) -> list[Round]:
    """At random scores, with random goals and moves that are at random as often as not."""
    generator = random.Random(5)
    scores = generator.sample(list(all_scores(bot.winning_score)), number)
    matches = [careless_match(bot, seed, start=score, most_rounds=1) for seed, score in enumerate(scores)]
    return [match.rounds[0] for match in matches]


def test_costs_and_luck_equal_pythons(opened: Page, bot: MatchBot) -> None:
    rounds = random_rounds(bot, 8)
    name = str(bot.tree.rules).replace(" ", "_")
    found = iter(opened.evaluate(REVIEWED, [name, [round_record(played) for played in rounds]]))
    for played, player in itertools.product(rounds, (0, 1)):
        told = next(found)
        solved = bot.round_bot(played.score)
        costs = {
            who: review(solved, played.cursor.moves, played.seat(who), played.goals[who])
            for who in (player, 1 - player)
        }
        assert [(move["number"], move["square"]) for move in told["costs"]] == [
            (move.number, move.square) for move in costs[player]
        ]
        for move, right in zip(told["costs"], costs[player], strict=True):
            assert move["cost"] == pytest.approx(right.cost, abs=1e-6)
            assert tuple(move["best"]) == right.best
            assert move["offEquilibrium"] is right.off_equilibrium
            assert move["missedRow"] is right.missed_row
        gifts = [move.cost for move in costs[1 - player] if move.advice.probability < LEAST_PLAYED_PROBABILITY]
        check_luck(bot, played, player, told["luck"], [sum(move.cost for move in costs[player]), sum(gifts)])


def check_luck(bot: MatchBot, played: Round, player: int, luck: dict[str, Any], lost: list[float]) -> None:
    """The parts sum to the change of the value of the score, and are what they are called."""
    sign = 1.0 if played.first == player else -1.0
    solved = bot.round_bot(played.score)
    before, after = sign * value(bot, played.score), sign * value_after(bot, played)
    parts = luck["parts"]
    assert luck["before"] == pytest.approx(before, abs=1e-12)
    assert luck["after"] == pytest.approx(after, abs=1e-9)
    assert sum(parts.values()) == pytest.approx(after - before, abs=1e-9)
    dealt = sign * float(solved.expected[(0, *played.goals_by_seat)])
    assert parts["goals"] == pytest.approx(dealt - before, abs=1e-6)
    assert [-parts["mistakes"], parts["gifts"]] == pytest.approx(lost, abs=1e-6)
    nodes = [Cursor(bot.tree, played.cursor.moves[:number]).node for number in range(1, len(played.cursor.moves) + 1)]
    values = [sign * float(solved.expected[(node, *played.goals_by_seat)]) for node in nodes]
    assert [move["value"] for move in luck["moves"]] == pytest.approx(values, abs=1e-6)
    assert sum(move["dice"] for move in luck["moves"]) == pytest.approx(parts["dice"], abs=1e-12)


def value(bot: MatchBot, score: Score) -> float:
    """Match value to the first mover."""
    return bot._solution.value[bot.solved_score(score)]


def value_after(bot: MatchBot, played: Round) -> float:
    """The match value of what follows a round, to its first mover."""
    scored = played.scored if played.first == 0 else played.scored[::-1]
    after = continuation(played.score, *scored, bot.winning_score)
    return float(after.sign if after.score is None else after.sign * value(bot, after.score))


def test_luck_is_even_on_average(opened: Page, usual: MatchBot) -> None:
    """Over all goals and all moves of perfect players, who make no mistakes; here at one score, by full enumeration of
    the goals and of the first move."""
    solved = usual.round_bot(Score(1, 2))
    pairs = list(itertools.product(Goal, Goal))
    rounds, weights = [], []
    for first, second in pairs:
        for choice in solved.choices(Cursor(usual.tree), first):
            rounds.append(
                {"number": 1, "score": [3, 4], "first": 0, "goals": [first, second], "moves": [choice.squares[0]]}
            )
            weights.append(choice.probability / len(pairs))
    told = opened.evaluate(REVIEWED, ["three-in-a-row", rounds])[::2]
    for part in ("goals", "dice"):
        mean = sum(weight * one["luck"]["parts"][part] for weight, one in zip(weights, told, strict=True))
        assert mean == pytest.approx(0.0, abs=1e-6)
    assert max(abs(one["luck"]["parts"]["dice"]) for one in told) > 1e-3


def test_mistakes_of_the_match_worst_first(opened: Page, usual: MatchBot, match: Match) -> None:
    show(opened, match_record(match, "three-in-a-row"))
    right = mistakes([(played, usual.round_bot(played.score)) for played in match.rounds], 0, usual.solved_score)
    links = opened.locator(".match-review .mistake")
    expect(links).to_have_count(len(right))
    for link, mistake in zip(links.all(), right, strict=True):
        cost = f"{percentage_points(mistake.move.cost):.2f}\N{NO-BREAK SPACE}% of matches"
        expect(link.locator("strong")).to_have_text(cost + "*" * mistake.move.off_equilibrium)
        text = link.inner_text()
        goal = mistake.goal.name.lower()
        assert f"Round {mistake.played.number}, you wanted to {goal}. Move {mistake.move.number}: you marked" in text
        address = link.get_attribute("href") or ""
        assert Position.parse(address.removeprefix("#").replace("/", " ").replace("x", "?")) == mistake.position
    total = sum(percentage_points(mistake.move.cost) for mistake in right) / 100
    expect(opened.get_by_text(f"gave away what {total:.2f} won matches are worth")).to_be_visible()


def test_a_tap_leads_to_the_position_and_back(opened: Page, match: Match) -> None:
    opened.set_viewport_size({"width": 320, "height": 568})
    show(opened, match_record(match, "three-in-a-row"))
    link = opened.locator(".mistake").nth(2)
    link.scroll_into_view_if_needed()
    scrolled = opened.evaluate("scrollY")
    assert scrolled > 0
    address = link.get_attribute("href") or ""
    link.click()
    assert opened.url.endswith(address)
    expect(opened.locator("nav [aria-current=page]")).to_have_text("Explore")
    opened.go_back()
    expect(link).to_be_in_viewport()
    expect(opened.locator("nav [aria-current=page]")).to_have_text("Review")


def test_round_begins_at_its_top_and_back_leads_to_the_same_place(opened: Page, match: Match) -> None:
    opened.set_viewport_size({"width": 320, "height": 568})
    show(opened, match_record(match, "three-in-a-row"))
    card = opened.locator(".rounds .card").last
    card.click()
    expect(opened.locator("main h1")).to_have_text(f"Review of round {len(match.rounds)}")
    expect(opened.locator("main h1")).to_be_in_viewport()
    expect(opened.locator("main")).to_be_focused()
    opened.go_back()
    expect(card).to_be_in_viewport()


def test_score_board_and_luck_of_the_match(opened: Page, usual: MatchBot, match: Match) -> None:
    show(opened, match_record(match, "three-in-a-row"))
    cards = opened.locator(".rounds .card")
    expect(cards).to_have_count(len(match.rounds))
    expect(opened.locator(".review > p").first).to_contain_text("you against the bot \N{LEFT DOUBLE QUOTATION MARK}")
    for card, played in zip(cards.all(), match.rounds, strict=True):
        text = card.inner_text()
        for who, player in (("You", 0), ("The bot", 1)):
            point = "a point" if played.scored[player] else "no point"
            assert f"{who} wanted to {played.goals[player].name.lower()}: {point}." in text
        assert f"{len(played.cursor.moves)} moves" in text
    figures = [float(text.replace("\N{MINUS SIGN}", "-")) for text in opened.locator(".luck .figure").all_inner_texts()]
    sign = 1.0 if match.rounds[0].first == 0 else -1.0
    before, after = sign * value(usual, Score(0, 0)), 1.0 if match.winner == 0 else -1.0
    assert figures[-1] == pytest.approx(percentage_points(after - before), abs=0.006)
    assert sum(figures[:-1]) == pytest.approx(figures[-1], abs=0.03)


def test_replay_move_by_move(opened: Page, match: Match) -> None:
    number, played = next(
        (number, played) for number, played in enumerate(match.rounds, 1) if len(played.cursor.moves) > 5
    )
    show(opened, match_record(match, "three-in-a-row"), f"review/{number}")
    scorers = [name for name, scored in zip(("You", "The bot"), played.scored, strict=True) if scored]
    who = {0: "Nobody", 2: "Both of you"}.get(len(scorers)) or scorers[0]
    expect(opened.locator("main")).to_contain_text(f"{who} scored. After the round it stood")
    marked = opened.locator(".replay .square:is(.x, .o)")
    moves = opened.locator(".move")
    expect(moves).to_have_count(len(played.cursor.moves) + 1)
    expect(marked).to_have_count(0)
    opened.get_by_role("button", name="Next").click()
    expect(marked).to_have_count(1)
    expect(opened.locator(f".replay .square[data-square='{played.cursor.moves[0]}']")).to_have_class("square x last")
    moves.nth(4).click()
    expect(marked).to_have_count(4)
    expect(moves.nth(4)).to_have_attribute("aria-current", "step")
    opened.keyboard.press("ArrowLeft")
    expect(marked).to_have_count(3)
    opened.keyboard.press("End")
    expect(marked).to_have_count(len(played.cursor.moves))
    opened.keyboard.press("ArrowRight")
    expect(marked).to_have_count(len(played.cursor.moves))
    chart = opened.locator(".value-chart svg")
    box = chart.bounding_box()
    assert box is not None
    chart.click(position={"x": 0.99 * box["width"], "y": box["height"] / 2})
    expect(marked).to_have_count(len(played.cursor.moves))
    chart.click(position={"x": 0.1 * box["width"], "y": box["height"] / 2})
    expect(marked).to_have_count(0)
    assert f"after move {len(played.cursor.moves)} " in (chart.get_attribute("aria-label") or "")
    opened.get_by_role("link", name="Explore this position").click()
    expect(opened.locator("nav [aria-current=page]")).to_have_text("Explore")


def test_nobody_sees_the_goals_of_a_round_that_goes_on(opened: Page, match: Match) -> None:
    record = match_record(match, "three-in-a-row")
    last = record["rounds"].pop()
    record |= {
        "round": last | {"moves": last["moves"][:2]},
        "score": last["score"],
        "first": last["first"],
        "winner": None,
    }
    show(opened, record)
    expect(opened.locator(".rounds .card")).to_have_count(len(match.rounds) - 1)
    expect(opened.locator("main")).to_contain_text("goes on; only rounds that are over are told of")
    show(opened, record, f"review/{len(match.rounds)}")
    expect(opened.locator("main")).to_contain_text(f"No round {len(match.rounds)} of this match is over")
    first = record["rounds"][0]
    about = {"score": first["score"], "first": first["first"], "rounds": []}
    show(opened, record | about | {"round": first | {"moves": []}})
    expect(opened.locator("main")).to_contain_text("No round of your match is over yet")


def test_two_people_each_have_a_review(opened: Page, usual: MatchBot, match: Match) -> None:
    show(opened, match_record(match, "three-in-a-row", names=["Ann", "Bob"], opponent=None))
    for player, (name, other) in enumerate((("Ann", "Bob"), ("Bob", "Ann"))):
        opened.get_by_role("button", name=name, exact=True).click()
        expect(opened.get_by_role("button", name=name, exact=True)).to_be_focused()
        expect(opened.locator(".rounds .card").first).to_contain_text(f"{other} wanted to")
        judged = [(played, usual.round_bot(played.score)) for played in match.rounds]
        worst = mistakes(judged, player, usual.solved_score)[0]
        expect(opened.locator(".mistake strong").first).to_contain_text(f"{percentage_points(worst.move.cost):.2f}")
    expect(opened.get_by_role("button", name="Download transcript")).to_have_count(0)


DAMAGED: list[dict[str, Any]] = [
    {"solution": "chess"},
    {"winningScore": 9},
    {"names": ["You"]},
    {"rounds": "all"},
    {"rounds": []},
    {"score": [0, 0]},
    {"winner": None},
]


def test_damaged_match_is_said_to_be_so(opened: Page, match: Match) -> None:
    record = match_record(match, "three-in-a-row")
    unplayable = {"rounds": [record["rounds"][0] | {"moves": [1, 1, 2]}, *record["rounds"][1:]]}
    for damage in (*DAMAGED, unplayable):
        show(opened, record | damage)
        expect(opened.locator("main")).to_contain_text("The match that this browser has kept is damaged")
        opened.locator("main").get_by_role("link", name="Play").click()
        expect(opened.locator("nav [aria-current=page]")).to_have_text("Play")


def test_without_a_match_it_says_how_to_get_one(opened: Page) -> None:
    for text in ("", "{", "null"):
        show(opened, text)
        expect(opened.locator("main")).to_contain_text("No match has been played here yet")
        opened.locator("main").get_by_role("link", name="Play").click()


def test_file_that_cannot_be_had(opened: Page, match: Match) -> None:
    """It says so, and tries again."""
    opened.route("**/*.data", lambda route: route.fulfill(body=b"nothing"))
    show(opened, match_record(match, "three-in-a-row"))
    expect(opened.locator("main [role=alert]")).to_contain_text(".data")
    opened.unroute("**/*.data")
    opened.get_by_role("button", name="Try again").click()
    expect(opened.locator(".rounds .card")).to_have_count(len(match.rounds))


def test_fits_a_small_phone(opened: Page, match: Match) -> None:
    opened.set_viewport_size({"width": 320, "height": 568})
    for address in ("review", "review/1"):
        show(opened, match_record(match, "three-in-a-row"), address)
        opened.locator("details").last.evaluate("element => { element.open = true; }")
        assert opened.evaluate("document.documentElement.scrollWidth") <= 320


def test_review_of_a_round_for_the_play_screen(opened: Page, usual: MatchBot) -> None:
    """At a score of a match to 3, for the player who moves second; links are to the score of the solution."""
    found = (careless_match(usual, seed, start=(2, 1), most_rounds=1) for seed in range(1, 100, 2))
    played = next(match.rounds[0] for match in found if fewest_mistakes(usual, match) > 0)
    assert played.first == 1
    script = """async (record) => {
      const { loadCatalogue } = await import("/loading/catalogue.js");
      const { roundReview } = await import("/screens/review/round_review.js");
      const catalogue = await loadCatalogue();
      const perfect = await catalogue.first.loadRoundOfShorter(record.score, 3);
      const app = { catalogue, go() {}, replace() {}, announce() {} };
      document.querySelector("main").replaceChildren(roundReview(app, catalogue.first, perfect, record, 0, "the bot"));
    }"""
    opened.evaluate(script, round_record(played))
    right = mistakes([(played, usual.round_bot(played.score))], 0, usual.solved_score)
    links = opened.locator(".mistake")
    expect(links).to_have_count(len(right))
    for link, mistake in zip(links.all(), right, strict=True):
        expect(link).to_have_attribute("href", f"#{str(mistake.position).replace('?', 'x').replace(' ', '/')}")
    expect(opened.locator(".luck")).to_contain_text("The bot\N{RIGHT SINGLE QUOTATION MARK}s mistakes")


def test_no_mistakes_are_said_to_be_none(opened: Page, usual: MatchBot) -> None:
    match = careless_match(usual, 7, mistakes=0.0)
    judged = [(played, usual.round_bot(played.score)) for played in match.rounds]
    assert mistakes(judged, 0, usual.solved_score, least=WORTH_MENTIONING) == []
    show(opened, match_record(match, "three-in-a-row"))
    expect(opened.locator("main")).to_contain_text("No mistakes: your moves cost nothing worth mentioning.")


@pytest.mark.parametrize(("start", "rounds"), [(Score(0, 0), None), (Score(0, 0), 2), (Score(1, 2), None)])
def test_program_reads_the_transcript(
    opened: Page, usual: MatchBot, tmp_path: Path, start: Score, rounds: int | None
) -> None:
    """A whole match, one that goes on, and one that began at another score, which is told as practice."""
    match = careless_match(usual, 4, start=start, most_rounds=rounds)
    show(opened, match_record(match, "three-in-a-row"))
    with opened.expect_download() as download:
        opened.get_by_role("button", name="Download transcript").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    setup, lines = read_transcript(path)
    replayed = replay(lines, usual.tree)
    assert [played.cursor.moves for played in replayed.rounds] == [played.cursor.moves for played in match.rounds]
    assert [played.scored for played in replayed.rounds] == [played.scored for played in match.rounds]
    if start == Score(0, 0):
        assert replayed.match is not None
        assert (replayed.match.winner, replayed.match.points) == (match.winner, match.points)
    else:
        assert setup.winning_score is None
    reviewed = json_of(REVIEW, path)
    costs = [move["cost"] for line in reviewed["transcript"] for move in line.get("review", {}).get("moves", [])]
    worst = opened.locator(".mistake strong").first.inner_text()
    assert worst.startswith(f"{max(costs):.2f}")
