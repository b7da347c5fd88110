"""Rounds for practice: goals and seats as they are wanted, dealt, or told by the moves."""

from __future__ import annotations

from collections import Counter

import pytest

from tictactoe.games.cursor import Cursor
from tictactoe.games.goals import Goal, Seat
from tictactoe.games.rules import Rules
from tictactoe.match.scores import Score
from tictactoe.play.bot import RoundBot
from tictactoe.play.notation import Position
from tictactoe.play.practice import Practice
from tictactoe.play.randomness import deal_goals


def test_goals_that_are_wanted_and_goals_that_are_dealt(bot: RoundBot) -> None:
    practice = Practice(bot, Score(1, 0), Seat.SECOND, 5, (Goal.TIE, None))
    for number in range(1, 20):
        played = practice.deal(number)
        assert played.goals == (Goal.TIE, deal_goals(Rules(), 5, number)[1])
        assert (played.number, played.score, played.first, played.cursor.moves) == (number, Score(1, 0), 1, ())
    firsts = {Practice(bot, Score(1, 0), None, 5).deal(number).first for number in range(1, 20)}
    assert firsts == {0, 1}


@pytest.mark.parametrize("seat", Seat)
def test_goals_that_are_unknown_are_drawn_by_what_the_moves_tell(bot: RoundBot, seat: Seat) -> None:
    """As often as an observer believes: within 5 standard deviations. The goal that is known stays that of its seat."""
    start = Position(Score(1, 0), (None, Goal.LOSE), (2, 1))
    practice = Practice(bot, start.score, seat, 3, start=start)
    num = 600
    rounds = [practice.deal(number) for number in range(1, num + 1)]
    assert {played.goals_by_seat[1] for played in rounds} == {Goal.LOSE}
    assert {played.cursor.moves for played in rounds} == {(2, 1)}
    belief = bot.belief(Cursor(bot.tree, start.moves).node, Seat.FIRST)
    assert belief is not None
    counts = Counter(played.goals_by_seat[0] for played in rounds)
    for goal, probability in zip(Goal, belief, strict=True):
        assert abs(counts[goal] - num * probability) <= 5.0 * (num * probability * (1.0 - probability)) ** 0.5 + 1e-9
