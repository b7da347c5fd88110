"""The costs of moves, against values by another evaluator."""

import json
import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from oracle.lifting import LevelEvaluator
from support.playing import played_match, values_at

from tictactoe import Cursor, Goal, MatchBot, Position, RoundBot, Score, Seat, Solution, load_solution
from tictactoe.play.review import review


@pytest.mark.parametrize("moves", [(5, 1, 9, 6, 3, 7, 2), (1, 5, 2, 4, 3), (2, 3, 6, 9, 5, 7, 4)])
def test_costs_by_hand(bot: RoundBot, evaluator: LevelEvaluator, moves: tuple[int, ...]) -> None:
    for goal, seat in product(Goal, Seat):
        reviewed = review(bot, moves, seat, goal)
        assert [move.number for move in reviewed] == list(range(1 + seat, 2 + len(moves), 2))[: len(reviewed)]
        assert min(move.cost for move in reviewed) >= 0.0
        for move in reviewed:
            assert move.square == moves[move.number - 1]
            if move.number < 4:
                continue
            cursor = Cursor(bot.tree, moves[: move.number - 1])
            weights = np.array(bot.belief(cursor.node, Seat(1 - seat)) or (1 / 3,) * 3)
            worth = {}
            for child, squares in cursor.squares_by_child().items():
                values = values_at(evaluator, bot.strategy, bot.values, child)
                mine = values[goal] if seat is Seat.FIRST else -values[:, goal]
                worth |= dict.fromkeys(squares, weights @ mine)
            assert move.cost == pytest.approx(max(worth.values()) - worth[move.square], abs=1e-12)
            assert max(worth.values()) == pytest.approx(worth[move.best[0]])


def test_the_equilibrium_costs_nearly_nothing(solution: Solution) -> None:
    bot = MatchBot(solution)
    total = []
    for seed in range(20):
        for one in played_match(bot, seed).rounds:
            costs = review(bot.round_bot(one.score), one.cursor.moves, one.seat(0), one.goals[0])
            total += [move.cost for move in costs]
            given = review(bot.round_bot(one.score), one.cursor.moves, one.seat(0), one.goals[0], given=2)
            assert given == [move for move in costs if move.number > 2]
    assert len(total) > 100
    assert 0.0 <= np.mean(total) < 0.02


def test_the_review_that_the_page_of_transcripts_shows() -> None:
    text = (Path(__file__).parents[2] / "docs" / "transcripts.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    (played,) = (json.loads(block) for block in blocks if block.startswith('{"round"'))
    (shown,) = (json.loads(f"{{{block}}}") for block in blocks if block.startswith('"review"'))
    moves, goal, score = tuple(played["moves"]), Goal[played["goals"][1].upper()], Score(*played["score"])
    (told,) = shown["review"]["moves"]
    costs = review(MatchBot(load_solution("shipped")).round_bot(score), moves, Seat.SECOND, goal)
    (found,) = (move for move in costs if move.number == told["move"])
    assert (found.square, list(found.best)) == (told["square"], told["best"])
    assert round(50 * found.cost, 2) == told["cost"] > 0.0
    assert Position(score, (None, goal), moves[: found.number - 1]).text() == told["position"]
