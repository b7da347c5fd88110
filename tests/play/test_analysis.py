"""Matches taken apart: sums, signs, and means that agree with the exact probabilities of winning."""

import json
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from support.playing import NAMES

from tictactoe import Analyst, Cursor, Judge, RoundBot, Score, Seat, head_to_head, open_saved, opponent_of
from tictactoe.play.randomness import generator_for
from tictactoe.play.referee import Match
from tictactoe.play.tally import Tally
from tictactoe.play.transcript import Replayed, Setup, match_lines, replay

Plays = Callable[[RoundBot], RoundBot]


def playing(name: str) -> Plays:
    return cache(lambda bot: opponent_of(name, bot))


def played(judge: Judge, winning_score: int, players: tuple[Plays, Plays], seed: int) -> Match:
    match = Match(judge.tree, winning_score, NAMES, seed % 2, seed)
    generator = generator_for(seed, "moves")
    while match.winner is None:
        one = match.deal()
        while one.mover is not None:
            bot = players[one.mover](judge.round_bot(one.score, winning_score))
            one.play(bot.choose(one.cursor, one.goals[one.mover], generator))
        match.finish(one)
    return match


def replayed(match: Match, lines: int | None = None) -> Replayed:
    setup = Setup(names=match.names, seed=match.seed, winning_score=match.winning_score)
    return replay([json.dumps(line) for line in match_lines(setup, match)][:lines], match.tree)


@pytest.fixture(scope="module")
def judge() -> Judge:
    return Judge(open_saved())


def test_the_mean_is_the_exact_probability_and_varies_less(judge: Judge) -> None:
    """Matches of two known players, without the luck of one of them, against head-to-head."""
    us, them = playing("learner-10"), playing("learner-100")
    analyst = Analyst(judge, {NAMES[1]: lambda bot, score, to: them(bot).strategy})
    judged = [analyst.judged(replayed(played(judge, 1, (us, them), seed)))[0] for seed in range(200)]
    bot = judge.round_bot(Score(0, 0), 1)
    strategies = ({Score(0, 0): plays(bot).strategy} for plays in (us, them))
    exact = 2.0 * head_to_head(judge.tree, *strategies, 1).wins - 1.0
    results = np.array([one.result for one in judged])
    fair = results - np.array([one.terms.goals for one in judged])
    adjusted = np.array([one.adjusted for one in judged])
    for numbers in (results, fair, adjusted):
        assert abs(numbers.mean() - exact) < 4.0 * numbers.std() / np.sqrt(len(numbers))
    assert adjusted.var() < results.var() / 3.0
    tally = Tally()
    for one in judged:
        tally.add("here", one, frozenset([NAMES[1]]))
    games = tally.matches[NAMES[0]]
    assert games.adjusted.mean == pytest.approx(adjusted.mean())
    assert games.adjusted.variance == pytest.approx(adjusted.var(ddof=1))
    assert games.terms["without_goals"].mean == pytest.approx(fair.mean())
    assert tally.matches[NAMES[1]].adjusted.count == 0
    assert tally.matches[NAMES[1]].terms["result"].mean == pytest.approx(-results.mean())


@pytest.mark.parametrize("winning_score", [1, 3, 5])
def test_the_terms_add_up_for_both_players(judge: Judge, winning_score: int) -> None:
    analyst, players = Analyst(judge), (playing("uniform"), playing("careless"))
    for seed in range(4):
        match = played(judge, winning_score, players, seed)
        for lines in (None, 1, 2, len(match.rounds)):
            (one,) = analyst.judged(replayed(match, lines))
            assert one.terms.result == pytest.approx(one.result, abs=1e-12)
            assert one.terms.of_the_other().result == pytest.approx(-one.result, abs=1e-12)
            assert one.terms.of_the_other().of_the_other() == one.terms
            assert one.terms.own_mistakes <= 0.0 <= one.terms.other_mistakes
            assert one.is_over == (lines is None or lines > len(match.rounds))
            assert abs(one.terms.inexact) < 1e-12
            if lines is None:
                assert one.result == (1.0 if match.winner == 0 else -1.0)


def test_the_solution_makes_no_mistakes(judge: Judge) -> None:
    analyst, found = Analyst(judge), Tally()
    for seed in range(20):
        players = (playing("uniform"), playing("perfect"))
        found.add("here", *analyst.judged(replayed(played(judge, 2, players, seed))))
    assert found.matches[NAMES[1]].total.mistakes == 0
    assert found.matches[NAMES[1]].total.cost < 1e-9
    assert found.matches[NAMES[0]].total.mistakes > 10
    assert found.matches[NAMES[0]].total.astray == 0


def test_the_worst_moves_are_told_as_review_tells_them(judge: Judge) -> None:
    analyst, tally, prices = Analyst(judge), Tally(5), []
    for seed in range(6):
        (one,) = analyst.judged(replayed(played(judge, 3, (playing("uniform"), playing("learner-10")), seed)))
        tally.add(f"match {seed}", one)
        prices += [move.cost for each in one.rounds for move in each.terms.moves]
    assert [worst.move.cost for worst in tally.worst] == sorted(prices, reverse=True)[:5]
    for worst in tally.worst:
        mistake = worst.mistake
        assert mistake.move.square == worst.move.square
        assert mistake.move.square not in mistake.move.best
        (one,) = (each for each in worst.judged.rounds if each.played is mistake.played)
        before = Cursor(judge.tree, mistake.position.moves)
        costs = one.account.costs(before.node, Seat(len(before.moves) % 2), mistake.goal)
        assert costs is not None
        priced = zip(before.squares_by_child().values(), costs, strict=True)
        free = [square for squares, cost in priced for square in squares if cost < 1e-9]
        assert mistake.move.best == tuple(sorted(free))
        assert mistake.position.score == judge.solved_score(mistake.played.score, 3)
