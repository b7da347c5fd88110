"""Against an opponent whose strategy is known: the hints are the best responder's, and beliefs are by Bayes."""

import random
from collections.abc import Mapping
from itertools import product

import numpy as np
import pytest
from support.playing import random_moves
from support.slowness import by_default, slow

from tictactoe import (
    Cursor,
    Goal,
    MatchBot,
    RoundBot,
    Score,
    Seat,
    best_response_over_match,
    head_to_head,
    load_solution,
)
from tictactoe.algorithms.arrays import FloatArray
from tictactoe.games.rules import DEFAULT_RULES, Rules
from tictactoe.match.best_response_over_match import ResponseValues
from tictactoe.match.scores import all_scores
from tictactoe.play.bot import NEGLIGIBLE_COST, opponent_of
from tictactoe.play.judge import Judge
from tictactoe.play.known_opponent import MOST_POINTS_TO_GO, WINNING_SCORE, KnownOpponent, tabled_values
from tictactoe.play.move_costs import advise, off_equilibrium
from tictactoe.play.notation import Position
from tictactoe.play.opponents import DEFAULT_OPPONENT, MEASURED_RULES, OPPONENTS
from tictactoe.play.recorded_play import Practice
from tictactoe.play.round_text import Speaker
from tictactoe.storage.open_saved import SavedRounds, open_saved
from tictactoe.storage.shipped import shipped_for, shipped_solution

START = Score(0, 0)
KNOWN = [name for name in OPPONENTS if name != DEFAULT_OPPONENT]
FEW = [(DEFAULT_RULES, "learner-10", 1)]
OTHERS = list(product(MEASURED_RULES, KNOWN, [5]))


def shipped_bot(rules: str, winning_score: int | None = None) -> MatchBot:
    return MatchBot(load_solution(shipped_solution(shipped_for(Rules.parse(rules)) or "")), winning_score)


def hinted(known: KnownOpponent, bot: RoundBot, score: Score) -> FloatArray:
    """float64 (num_nodes, 3): a player in both seats who marks the squares that hints name."""
    first, second = (known.responder(score, seat).strategy for seat in Seat)
    return np.where((bot.tree.mover == Seat.FIRST)[:, None], first, second)


@pytest.mark.parametrize(("rules", "name", "points"), [*FEW, *slow((DEFAULT_RULES, "learner-10", 2), *OTHERS)])
def test_the_hints_win_what_the_best_possible_player_wins(rules: str, name: str, points: int) -> None:
    """Digit by digit, judged exactly over a match, as are the figures of docs/opponents.md, of a match to 5."""
    bot = shipped_bot(rules, points)
    known = KnownOpponent(name, bot.round_bot, points)
    perfect = {score: bot.round_bot(score) for score in all_scores(points)}
    theirs: Mapping[Score, FloatArray] = {score: opponent_of(name, one).strategy for score, one in perfect.items()}
    ours = {score: hinted(known, one, score) for score, one in perfect.items()}
    wins = 100.0 * head_to_head(bot.tree, ours, theirs, points).wins
    best = 50.0 + 25.0 * best_response_over_match(bot.tree, theirs, points).scores[START].exploitability
    assert wins == pytest.approx(best, abs=1e-6)
    assert points < 5 or round(wins) == OPPONENTS[name].wins[rules].expert


@pytest.mark.parametrize("name", by_default(KNOWN, "learner-1", "careless", "uniform"))
def test_one_price(bot: RoundBot, name: str) -> None:
    """A move costs the best responder's value before it less the value after it, so that a best move costs nothing.
    These values are averages over the goals that the opponent may have: what its real goal changes is luck. The
    opponent's own moves cost nothing."""
    known, generator, score = KnownOpponent(name, lambda score: bot, None), random.Random(3), Score(1, 0)
    for _ in range(60):
        cursor = Cursor(bot.tree, random_moves(generator, bot.tree, generator.randrange(8)))
        seat, goal = cursor.mover, generator.choice(list(Goal))
        if seat is None or cursor.forced_outcome is not None:
            continue
        responder, node = known.responder(score, seat), cursor.node
        advice = advise(responder, cursor, goal)
        best = responder.worth(node, seat, goal)
        assert min(move.cost for move in advice if move.probability) == 0.0
        for move in advice:
            assert move.cost == pytest.approx(best - move.value, abs=NEGLIGIBLE_COST)
            assert (move.probability > 0.0) == (best - move.value <= 1e-9)
        expected = responder.expected[node] if seat is Seat.FIRST else -responder.expected[node].T
        belief = known.belief(cursor, Seat(1 - seat), score)
        if not known.never_moves_so(cursor, Seat(1 - seat), score):
            assert expected[goal] @ belief == pytest.approx(best, abs=1e-9)
        assert responder.belief(node, Seat(1 - seat)) == belief
        assert responder.belief(node, seat) == bot.belief(node, seat)
        other = known.responder(score, Seat(1 - seat))
        assert {move.cost for move in advise(other, cursor, goal)} == {0.0}
        assert not off_equilibrium(responder, cursor, seat, goal)


def test_the_reason_knows_what_this_opponent_wants() -> None:
    """learner-1 surely wants a tie here; a perfect player might want anything else."""
    position = Position.parse("2-2 t? 1256")
    bot = shipped_bot(DEFAULT_RULES)
    cursor, perfect = Cursor(bot.tree, position.moves), bot.round_bot(position.score)
    known = KnownOpponent("learner-1", bot.round_bot, 5)
    assert known.belief(cursor, Seat.SECOND, position.score) == (0.0, 0.0, 1.0)
    reasons = [
        {
            square: Speaker().reason(move, Goal.TIE)
            for move in advise(judge, cursor, Goal.TIE)
            for square in move.squares
        }
        for judge in (perfect, known.responder(position.score, Seat.FIRST))
    ]
    assert "surely scores" in reasons[0][9]
    assert not any("scores" in reason for reason in reasons[1].values())


def test_what_its_moves_tell_by_hand(bot: RoundBot) -> None:
    """Bayes' rule, multiplied along the way; the odds of the draw after what it never does."""
    for name in KNOWN:
        known, strategy = KnownOpponent(name, lambda score: bot, None), opponent_of(name, bot).strategy
        for moves, seat in product(((), (5,), (5, 1), (2, 1, 5), (1, 5, 9, 2, 3)), Seat):
            cursor = Cursor(bot.tree)
            likely = np.ones(3)
            for number, square in enumerate(moves):
                cursor.play(square)
                if number % 2 == seat:
                    likely *= strategy[cursor.node]
            never = not likely.any()
            assert known.never_moves_so(cursor, seat, START) == never
            if not never:
                assert known.belief(cursor, seat, START) == pytest.approx(likely / likely.sum(), abs=1e-12)


@pytest.mark.parametrize(("rules", "name"), by_default([*product(MEASURED_RULES, KNOWN)], (DEFAULT_RULES, "uniform")))
def test_the_table_of_best_responders(rules: str, name: str) -> None:
    bot, points = shipped_bot(rules), WINNING_SCORE
    values = ResponseValues(bot.tree, lambda score: opponent_of(name, bot.round_bot(score)).strategy, points)
    tabled = tabled_values(rules, name, points)
    assert [*tabled.values()] == pytest.approx([values.value(state) for state in tabled], abs=1e-12)
    assert tabled_values("filled-none", name, points) == tabled_values(rules, name, points + 1) == {}


def test_later_rounds_are_worth_what_the_best_possible_player_makes_of_them() -> None:
    """In a match, not in a round on its own. A match that needs too many points has no hint."""
    bot = shipped_bot(DEFAULT_RULES)
    long = KnownOpponent("learner-10", bot.round_bot, MOST_POINTS_TO_GO + 1)
    assert not long.can_answer
    match, alone = (KnownOpponent("learner-10", bot.round_bot, points) for points in (5, None))
    assert alone.can_answer
    assert match.can_answer
    worth = {
        known: sum(known.responder(Score(3, 4), Seat.FIRST).worth(0, Seat.FIRST, goal) for goal in Goal) / 3
        for known in (match, alone)
    }
    theirs = {score: opponent_of("learner-10", bot.round_bot(score)).strategy for score in all_scores(5)}
    best = best_response_over_match(bot.tree, theirs, 5).scores[3, 4].maximum
    assert worth[match] == pytest.approx(best, abs=1e-12)
    assert worth[alone] < best - 1e-3
    assert match.is_ready(Score(3, 4), Seat.FIRST)
    assert not match.is_ready(Score(3, 4), Seat.SECOND)


def test_whose_strategy_a_saved_solution_knows(rounds: SavedRounds) -> None:
    judge = Judge(rounds)
    assert judge.known_opponent("perfect", None) is None
    assert judge.known_opponent("somebody", 1) is None
    tie = Judge(open_saved("single_round"))
    careless = tie.known_opponent("careless", None)
    assert careless is not None
    values = {careless.responder(score, Seat.FIRST).worth(0, Seat.FIRST, Goal.WIN) for score in (START, Score(4, 3))}
    assert len(values) == 1  # in points, whatever score a position names
    assert min(values) > 0.0
    part = Judge(open_saved("shipped/subgame_4_3"))
    for name in ("learner-10", "careless"):  # of the other scores, only the learner's play is known
        known, whole = (one.known_opponent(name, None) for one in (part, Judge(open_saved())))
        assert known is not None
        assert whole is not None
        plays = (one.responder(Score(4, 3), Seat.FIRST) for one in (known, whole))
        in_part, in_whole = (play.worth(0, Seat.FIRST, Goal.TIE) for play in plays)
        assert (in_part == in_whole) == (name == "learner-10")


def test_practice_draws_a_goal_by_what_the_opponents_moves_tell(bot: RoundBot) -> None:
    """After the centre learner-1 surely wants to win."""
    known = KnownOpponent("learner-1", lambda score: bot, None)
    for seed in range(10):
        start = Position.parse("1-0 ?l 5")
        assert Practice(bot, Score(1, 0), Seat.SECOND, seed, start=start, known=known).deal(1).goals == (
            Goal.LOSE,
            Goal.WIN,
        )
    dealt = {Practice(bot, Score(1, 0), Seat.SECOND, seed, start=start).deal(1).goals[1] for seed in range(40)}
    assert len(dealt) > 1
