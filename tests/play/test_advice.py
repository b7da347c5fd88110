"""Advice, against play by hand: what can still happen, who scores, where a row can be answered."""

from __future__ import annotations

import random

import pytest
from support.playing import random_moves

from tictactoe.games.board import LINES
from tictactoe.games.cursor import Cursor
from tictactoe.games.goals import Goal, Seat
from tictactoe.games.rules import Outcome, Rules
from tictactoe.play.advice import advise
from tictactoe.play.bot import RoundBot


def endings(cursor: Cursor) -> set[Outcome]:
    """In which the round can end, by playing on."""
    if cursor.outcome is not None:
        return {cursor.outcome}
    moves = cursor.moves
    return set().union(*(endings(Cursor(cursor.tree, (*moves, square))) for square in cursor.board.free_squares))


def test_what_can_happen_after_a_move(bot: RoundBot) -> None:
    generator = random.Random(4)
    seen = set()
    for _ in range(60):
        cursor = Cursor(bot.tree, random_moves(generator, bot.tree, generator.randrange(4, 8)))
        goal = generator.choice(list(Goal))
        for move in advise(bot, cursor, goal):
            seat = Seat(len(cursor.moves) % 2)
            belief = bot.belief(cursor.node, Seat(1 - seat)) or Rules().goal_probabilities
            for square in move.squares:
                after = Cursor(bot.tree, (*cursor.moves, square))
                ends = endings(after)
                mine = {end for end in ends if Rules().scores(end, goal, goal)[seat]}
                assert move.possible is bool(mine)
                assert (move.outcome is not None) is (len(ends) == 1)
                assert move.completes_row is (after.outcome is not None and after.outcome is not Outcome.TIE)
                if move.outcome is None:
                    assert move.opponent_scores is None
                    marks = {s for number, s in enumerate(after.moves) if number % 2 != seat}
                    thirds = {next(iter(set(line) - marks)) for line in LINES if len(set(line) & marks) == 2}
                    wanted = thirds & set(after.board.free_squares) if belief[Goal.WIN] > 0.2 else set()
                    assert set(move.answers) - {square} == wanted
                else:
                    true = Rules().goals_true(move.outcome)[1 - seat]
                    chances = (p for p, g in zip(belief, Goal, strict=True) if g in true)
                    assert move.opponent_scores == pytest.approx(sum(chances))
            seen.add((move.possible, move.completes_row, bool(move.answers), move.outcome))
    assert len(seen) >= 8


def test_probabilities_and_costs(bot: RoundBot) -> None:
    """The moves are those that the bot chooses from, the best costs nothing, and nothing is advised at the end."""
    cursor = Cursor(bot.tree, (5, 1))
    for goal in Goal:
        advice = advise(bot, cursor, goal)
        assert [(move.squares, move.probability) for move in advice] == bot.choices(cursor, goal)
        assert min(move.cost for move in advice) == 0.0
        best = max(move.value for move in advice)
        assert [move.value + move.cost for move in advice] == pytest.approx([best] * len(advice))
    assert advise(bot, Cursor(bot.tree, (1, 4, 2, 5, 3)), Goal.WIN) == []


def test_what_good_moves_do_is_no_fault(bot: RoundBot) -> None:
    """A move is blamed for what no move does that is played or costs nothing."""
    generator = random.Random(5)
    seen = set()
    for _ in range(200):
        cursor = Cursor(bot.tree, random_moves(generator, bot.tree, generator.randrange(3, 8)))
        advice = advise(bot, cursor, generator.choice(list(Goal)))
        good = [move for move in advice if move.probability >= 5e-4 or move.cost < 1e-9]
        for move in advice:
            assert not (move in good and (move.avoidable or move.forfeits))
            assert move.forfeits is (not move.possible and all(one.possible for one in good))
            anyway = {square for one in good for square in one.answers}
            assert move.avoidable == tuple(square for square in move.answers if square not in anyway)
            seen.add((move.forfeits, move.possible, bool(move.avoidable), bool(move.answers)))
    assert len(seen) >= 5
