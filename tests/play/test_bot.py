"""The bot plays its strategy, in matches as long as its solution's and in shorter ones; its beliefs of goals."""

import random
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from tictactoe import Cursor, Goal, MatchBot, RoundBot, Score, Seat, Solution
from tictactoe.play.move_costs import advise


def test_the_bot_plays_its_strategy(bot: RoundBot) -> None:
    """Squares as often as the strategy says, symmetric ones alike: within 5 standard deviations, and 3 draws."""
    generator, num = random.Random(1), 500
    for moves, goal in product(((), (5,), (5, 2), (9, 5), (5, 1, 9), (3, 5, 7, 2)), Goal):
        cursor = Cursor(bot.tree, moves)
        choices = bot.choices(cursor, goal)
        assert sum(choice.probability for choice in choices) == pytest.approx(1.0)
        assert sorted(square for choice in choices for square in choice.squares) == list(cursor.board.free_squares)
        counts = Counter(bot.choose(cursor, goal, generator) for _ in range(num))
        for choice in choices:
            expected = choice.probability / len(choice.squares)
            spread = 5.0 * np.sqrt(expected * (1.0 - expected) / num)
            for square in choice.squares:
                assert abs(counts[square] / num - expected) <= spread + 3.0 / num


def test_a_decided_round_has_no_choice(bot: RoundBot) -> None:
    cursor = Cursor(bot.tree, (1, 4, 2, 5, 3))
    assert bot.choices(cursor, Goal.WIN) == advise(bot, cursor, Goal.WIN) == []
    with pytest.raises(ValueError, match="decided"):
        bot.choose(cursor, Goal.WIN, random.Random(1))


def test_a_shorter_match_is_the_end_of_a_longer_one(solution: Solution, tmp_path: Path) -> None:
    short = MatchBot(solution, 1)
    assert short.solved_score(Score(0, 0)) == Score(1, 1)
    assert np.array_equal(short.round_bot(Score(0, 0)).strategy, solution.average_strategy[Score(1, 1)])
    assert short.round_bot(Score(0, 0)).values == solution.outcome_values(Score(1, 1))
    current = MatchBot(solution, average=False).round_bot(Score(1, 1)).strategy
    assert np.array_equal(current, solution.snapshot(Score(1, 1)).current_strategy)
    for bad in (0, 3, -1):
        with pytest.raises(ValueError, match="winning_score"):
            MatchBot(solution, bad)
    results = {score: result for score, result in solution.results.items() if score != (0, 0)}
    part = Solution(tmp_path, 2, solution.options, solution.rules, solution.tree_fingerprint, results)
    with pytest.raises(ValueError, match=r"not every score is solved yet \(missing: 1, such as 0-0"):
        MatchBot(part)
    assert MatchBot(part, 1).winning_score == 1


def test_moves_that_are_made_with_no_goal(bot: RoundBot) -> None:
    """After such moves a bot that is not refined believes each goal to be as likely as in the draw."""
    child = bot.tree.children(0)[0]
    never = bot.strategy.copy()
    never[child] = 0.0
    lost = RoundBot(bot.tree, never, bot.values)
    assert lost.belief(child, Seat.FIRST) == pytest.approx((1 / 3,) * 3)
    assert [lost.is_lost(child, seat) for seat in Seat] == [True, False]
    assert not RoundBot(bot.tree, never, bot.values, np.zeros_like(never)).is_lost(child, Seat.FIRST), "it is refined"
