"""Against an opponent whose strategy is known: the hints are the best responder's, and beliefs are by Bayes."""

import random
from collections.abc import Mapping
from itertools import product

import numpy as np
import pytest
from support.playing import random_moves
from support.slowness import slow

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
from tictactoe.match.scores import all_scores
from tictactoe.play.bots_by_score import Judge
from tictactoe.play.known_opponent import MOST_POINTS_TO_GO, KnownOpponent
from tictactoe.play.move_costs import advise
from tictactoe.play.notation import Position
from tictactoe.play.opponent_bot import opponent_of
from tictactoe.play.opponents import DEFAULT_OPPONENT, MEASURED_RULES, OPPONENTS
from tictactoe.play.practice import Practice
from tictactoe.storage.open_saved import SavedRounds, open_saved
from tictactoe.storage.shipped import shipped_for, shipped_solution

START = Score(0, 0)
KNOWN = [name for name in OPPONENTS if name != DEFAULT_OPPONENT]
FEW = [(DEFAULT_RULES, "learner-10", 1)]
OTHERS = list(product(MEASURED_RULES, KNOWN, [5]))


def shipped_bot(rules: str, winning_score: int | None = None) -> MatchBot:
    return MatchBot(load_solution(shipped_solution(shipped_for(Rules.parse(rules)) or "")), winning_score)


def hinted(known: KnownOpponent, bot: RoundBot, score: Score) -> FloatArray:
    """float64 (num_nodes, 3): a player in both seats who marks any of the squares that hints name, at every position
    that the opponent lets come about."""
    tree = bot.tree
    blocks, counts = tree.first_child[tree.decision_nodes], tree.num_children[tree.decision_nodes]
    result = np.ones((tree.num_nodes, 3))
    for seat in Seat:
        best = known.best_play(score, seat)
        values = np.array([[best.value(node, seat, goal) for goal in Goal] for node in range(tree.num_nodes)])
        most = np.repeat(np.maximum.reduceat(values, blocks), counts, axis=0)
        named = (most - values[1:] <= 1e-9).astype(float)
        named /= np.repeat(np.add.reduceat(named, blocks - 1), counts, axis=0)
        own = tree.mover[1:] == seat
        result[1:][own] = named[own]
    return result


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


@pytest.mark.parametrize("name", KNOWN)
def test_what_a_hint_names_and_what_it_gains(bot: RoundBot, name: str) -> None:
    """The numbers of a move are those of best play; the gain is over a draw of the perfect player's good moves."""
    known, generator, score = KnownOpponent(name, lambda score: bot, None), random.Random(3), Score(1, 0)
    for _ in range(60):
        cursor = Cursor(bot.tree, random_moves(generator, bot.tree, generator.randrange(8)))
        seat, goal = cursor.mover, generator.choice(list(Goal))
        if seat is None or cursor.forced_outcome is not None:
            continue
        moves, best = known.moves(cursor, goal, score), known.best_play(score, seat)
        assert tuple(sorted(moves.gains)) == cursor.board.free_squares
        good = [move for move in advise(bot, cursor, goal) if not move.cost]
        shares = [move.probability for move in good]
        usual = np.average([moves.gains[move.squares[0]] for move in good], weights=shares)
        assert usual == pytest.approx(0.0, abs=1e-12)
        likely = [move for move, share in zip(good, shares, strict=True) if share / sum(shares) >= 5e-4]
        assert moves.perfect == tuple(sorted(square for move in likely for square in move.squares))
        assert [moves.gains[square] for square in moves.best] == pytest.approx([moves.most] * len(moves.best), abs=1e-9)
        assert moves.most >= 0.0
        for child, squares in cursor.squares_by_child().items():
            loss = best.value(cursor.node, seat, goal) - best.value(child, seat, goal)
            for square in squares:
                assert moves.most - moves.gains[square] == pytest.approx(loss, abs=1e-12)
                assert (square in moves.best) == (loss <= 1e-9)
                told = known.move(cursor, square, goal, score)
                assert told == (name, moves.gains[square], moves.best)
    with pytest.raises(ValueError, match="decided"):
        known.moves(Cursor(bot.tree, (1, 4, 2, 5, 3)), Goal.WIN, score)


def test_what_a_strategy_plays_that_is_not_refined_is_no_measure(bot: RoundBot) -> None:
    """If it marks a bad square alone, a perfect player marks any of the good ones."""
    cursor, strategy = Cursor(bot.tree, (4, 7)), bot.strategy.copy()
    costs = bot.best_play.costs(cursor.node, Goal.TIE)
    squares = cursor.squares_by_child()
    bad = list(bot.tree.children(cursor.node))[int(costs.argmax())]
    good = sorted(square for child, cost in zip(squares, costs, strict=True) if not cost for square in squares[child])
    assert costs.max() > 0.1
    for child in squares:
        strategy[child, Goal.TIE] = float(child == bad)
    astray = RoundBot(bot.tree, strategy, bot.values)
    moves = KnownOpponent("uniform", lambda score: astray, None).moves(cursor, Goal.TIE, Score(1, 0))
    assert list(moves.perfect) == good
    assert np.mean([moves.gains[square] for square in good]) == pytest.approx(0.0, abs=1e-12)


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
    learner = KnownOpponent("learner-1", lambda score: bot, None)
    assert learner.belief(Cursor(bot.tree, (5,)), Seat.FIRST, START) == (1.0, 0.0, 0.0)


def test_later_rounds_are_worth_what_the_best_possible_player_makes_of_them() -> None:
    """In a match, not in a round on its own. A match that needs too many points has no hint."""
    bot = shipped_bot(DEFAULT_RULES)
    long = KnownOpponent("learner-10", bot.round_bot, MOST_POINTS_TO_GO + 1)
    assert not long.can_answer(START)
    assert long.move(Cursor(bot.tree), 1, Goal.WIN, START) is None
    assert long.can_answer(Score(1, 1))
    assert not long.can_answer(Score(1, 0))
    match, alone = (KnownOpponent("learner-10", bot.round_bot, points) for points in (5, None))
    assert alone.can_answer(START)
    worth = {
        known: sum(known.best_play(Score(3, 4), Seat.FIRST).value(0, Seat.FIRST, goal) for goal in Goal) / 3
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
    values = {careless.best_play(score, Seat.FIRST).value(0, Seat.FIRST, Goal.WIN) for score in (START, Score(4, 3))}
    assert len(values) == 1  # in points, whatever score a position names
    assert min(values) > 0.0
    part = Judge(open_saved("shipped/subgame_4_3"))
    for name in ("learner-10", "careless"):  # of the other scores, only the learner's play is known
        known, whole = (one.known_opponent(name, None) for one in (part, Judge(open_saved())))
        assert known is not None
        assert whole is not None
        plays = (one.best_play(Score(4, 3), Seat.FIRST) for one in (known, whole))
        in_part, in_whole = (play.value(0, Seat.FIRST, Goal.TIE) for play in plays)
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
