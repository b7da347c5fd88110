"""What the page says of a position while a round is played is what Python says of it: hints, beliefs, endings."""

import itertools
import random
import re
from typing import Any

import pytest
from support.browser import Page, expect
from support.page_library import PageLibrary
from support.playing_page import free_squares, kept_match, record, show_match

from tictactoe import Cursor, GameTree, Goal, MatchBot, RoundBot, Score, Seat, load_solution, open_saved
from tictactoe.browser.server import PageServer
from tictactoe.match.percentages import percentage_points
from tictactoe.play.bots_by_score import Judge
from tictactoe.play.move_costs import LEAST_PLAYED_PROBABILITY, advise, off_equilibrium
from tictactoe.play.referee import Round, new_commitment
from tictactoe.play.round_text import ending, standing

SOLUTIONS = {"three-in-a-row": "shipped", "filled": "filled"}
POSITIONS = [
    ("three-in-a-row", "perfect", (0, 0), 0, Goal.WIN, ()),
    ("three-in-a-row", "learner-10", (4, 3), 1, Goal.LOSE, (1, 9, 2)),
    ("three-in-a-row", "careless", (1, 2), 0, Goal.TIE, (5, 1, 9, 3)),
    ("filled", "uniform", (4, 4), 1, Goal.WIN, (5,)),
    ("filled", "perfect", (0, 3), 0, Goal.LOSE, (1, 5, 3, 9)),
]


def test_hints_and_beliefs(page: Page, server: PageServer) -> None:
    for rules, opponent, score, first, goal, moves in POSITIONS:
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
    assert {*notes.locator(".note").all_inner_texts()} == {"good"}
    said = page.locator(".why").inner_text()
    if len(good) < len(advice):
        bad = sorted(square for move in advice if move not in good for square in move.squares)
        named = bad if len(bad) < len(squares) else squares
        assert ("any square but" in said) == (named is bad)
        assert re.findall(r"\d", said) == [*map(str, named)]
        page.keyboard.press("h")
    else:
        assert "Every free square is as good as the others." in said
    words = page.locator(".hint-panel").inner_text().replace("\N{NO-BREAK SPACE}", " ")
    for move in advice:
        cost = percentage_points(move.cost)
        for square in move.squares:
            note = page.locator(f"[data-square='{square}'] .note").inner_text()
            if not move.cost:
                assert note == "good"
            elif cost >= 0.1:
                assert float(note.removeprefix("costs ")) == pytest.approx(cost, abs=0.051)
        if move.cost:
            assert f"costs {cost:.2f} points" in words


def test_a_solution_that_is_not_refined_says_so(page: Page, not_refined: PageServer) -> None:
    bot, seen = MatchBot(load_solution("match_to_1")).round_bot(Score(0, 0)), set()
    badly = "This solution is not refined: after such moves it may play badly."
    as_drawn = "This solution is not refined: after moves that it never makes, goals are as likely as drawn."
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


@pytest.mark.parametrize("rules", list(SOLUTIONS))
def test_endings_are_told_as_in_the_terminal(library: PageLibrary, rules: str) -> None:
    generator, tree = random.Random(5), GameTree.build(rules)
    rounds: list[dict[str, Any]] = []
    expected: list[list[str]] = []
    for index in range(150):
        played = Round(1, Score(0, 0), index % 2, (Goal.WIN, Goal.TIE), new_commitment(1, 1, Goal.TIE), tree)
        while played.mover is not None:
            played.play(generator.choice(played.cursor.board.free_squares))
            rounds.append({"first": played.first, "moves": played.cursor.moves})
            told = standing if played.outcome is None else ending
            words = told(played, "Bot", lambda squares: " ".join(map(str, squares)))
            expected.append([words] if isinstance(words, str) else words)
    assert library.call(WORDS, [rules, rounds]) == expected
