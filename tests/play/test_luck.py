"""The parts of a result: they add up, luck is fair on average, and the means agree with exact probabilities. The review
of a match: luck, marks, and the line that is drawn."""

from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np
import pytest
from oracle.matches import SHORT_RULE, short_rounds
from oracle.small_games import random_strategy
from support.playing import NAMES, Plays, played_match, transcript
from support.slowness import slow

from tictactoe import Analyst, Cursor, GameTree, Judge, RoundBot, Rules, Score, head_to_head, open_saved, opponent_of
from tictactoe.algorithms.arrays import FloatArray
from tictactoe.algorithms.best_response import best_response_value, expected_value, leaf_distribution
from tictactoe.algorithms.strategy import both_seats
from tictactoe.games.payoffs import goal_prior, payoffs_by_outcome, tic_tac_toe_round
from tictactoe.games.rules import Goal, OutcomeValues, Seat
from tictactoe.play import bot as bots
from tictactoe.play.luck_and_mistakes import Terms, expected_change, round_terms
from tictactoe.play.match_review import luck_of, mark_of
from tictactoe.play.referee import Match, Round, commitment_text
from tictactoe.play.review_text import columns_of, labels_below, line_chart, thresholds
from tictactoe.play.round_text import Speaker
from tictactoe.play.tally import Tally
from tictactoe.play.transcript import Replayed, replay

VALUES = OutcomeValues(both=-0.1, first=0.8, second=-0.7, neither=0.05)


@pytest.fixture(scope="module", params=[(3, 1, 2), *slow(((1, 1, 1),))])
def tree(request: pytest.FixtureRequest) -> Iterator[GameTree]:
    with short_rounds():
        yield GameTree.build(Rules(SHORT_RULE, request.param))


def bot_of(tree: GameTree, seed: int, zeros: float = 0.0) -> RoundBot:
    return RoundBot(tree, random_strategy(tree, seed, zeros), VALUES)


def all_rounds(tree: GameTree, strategy: FloatArray) -> Iterator[tuple[float, Round]]:
    """Every way that a round can go when both play by the strategy, and how likely it is; player 1 moves first."""
    first, second = tree.own_reach(strategy)
    prior = goal_prior(tree.rules)
    for leaf in np.flatnonzero(tree.leaf_class >= 0).tolist():
        for goals in product(Goal, Goal):
            chance = float(prior[goals] * first[leaf, goals[0]] * second[leaf, goals[1]])
            if chance > 0.0:
                text = commitment_text(1, goals[0], "00")
                yield chance, Round(1, Score(0, 0), 1, (goals[1], goals[0]), text, tree, tree.history(leaf))


def worth(tree: GameTree, strategy: FloatArray) -> float:
    return expected_value(tic_tac_toe_round(tree, VALUES), leaf_distribution(tree, strategy))


def test_the_parts_add_up_in_every_round(tree: GameTree) -> None:
    bot = bot_of(tree, 1, 0.4)
    payoffs = payoffs_by_outcome(tree.rules, VALUES)
    for _, played in all_rounds(tree, random_strategy(tree, 2, 0.3)):
        terms = round_terms(bot, played)
        changes = [(1 if one.seat is Seat.FIRST else -1) * (one.hidden - one.cost) for one in terms.moves]
        assert terms.start + terms.goals + sum(changes) == pytest.approx(terms.end, abs=1e-14)
        assert terms.end == payoffs[played.outcome][played.goals_by_seat]
        assert all(move.cost >= 0.0 for move in terms.moves)
        later = round_terms(bot, played, given=2)
        assert (later.goals, later.moves) == (0.0, terms.moves[2:])
        changes = changes[2:]
        assert later.start + sum(changes) == pytest.approx(later.end, abs=1e-14)


@pytest.mark.parametrize("seat", Seat)
def test_mistakes_cost_the_gain_of_a_best_response(tree: GameTree, seat: Seat, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over all rounds against the solution the average of the costs is exactly that gain, if small ones count, too."""
    monkeypatch.setattr(bots, "NEGLIGIBLE_COST", 0.0)
    bot, other = bot_of(tree, 3, 0.4), random_strategy(tree, 4, 0.3)
    seats = (other, bot.strategy) if seat is Seat.FIRST else (bot.strategy, other)
    played_by = both_seats(tree, *seats)
    lost = total = 0.0
    for chance, played in all_rounds(tree, played_by):
        moves = [move for move in round_terms(bot, played).moves if move.seat is seat]
        lost += chance * sum(move.cost for move in moves)
        total += chance
    assert total == pytest.approx(1.0)
    best = best_response_value(tic_tac_toe_round(tree, VALUES), seat, bot.strategy)
    got = worth(tree, played_by) * (1 if seat is Seat.FIRST else -1)
    assert lost == pytest.approx(best - got, abs=1e-13)
    assert lost > 0.01


def test_the_luck_of_the_goals_is_fair_for_everybody(tree: GameTree) -> None:
    bot = bot_of(tree, 5)
    rounds = list(all_rounds(tree, random_strategy(tree, 6)))
    assert sum(chance * round_terms(bot, played).goals for chance, played in rounds) == pytest.approx(0.0, abs=1e-14)
    assert sum(chance * abs(round_terms(bot, played).goals) for chance, played in rounds) > 0.01


@pytest.mark.parametrize("player", [0, 1])
def test_against_a_known_player_the_mean_is_exact(tree: GameTree, player: int) -> None:
    """Whoever plays against whom, and whatever the solution: the luck of the known one is taken away, and nothing else.
    And the numbers vary less than the results."""
    bot, known, other = bot_of(tree, 7, 0.2), random_strategy(tree, 8, 0.2), random_strategy(tree, 9, 0.2)
    played_by = both_seats(tree, *((known, other) if player == 1 else (other, known)))  # player 1 moves first
    rounds = list(all_rounds(tree, played_by))
    sign = 1 if player == 0 else -1
    found = np.array([expected_change(bot, known, played, player) for _, played in rounds])
    ends = np.array([sign * round_terms(bot, played).end for _, played in rounds])
    chances = np.array([chance for chance, _ in rounds])
    mean = sign * worth(tree, played_by)
    assert sign * bot.value + chances @ found == pytest.approx(mean, abs=1e-13)
    assert chances @ ends == pytest.approx(mean, abs=1e-13)
    assert chances @ (found - chances @ found) ** 2 < chances @ (ends - mean) ** 2


def test_who_does_not_play_as_was_said_is_found_out(tree: GameTree) -> None:
    bot, known = bot_of(tree, 10), random_strategy(tree, 11, 0.5)
    never = [
        played
        for chance, played in all_rounds(tree, random_strategy(tree, 12))
        if tree.own_reach(known)[0, played.cursor.node, played.goals[1]] == 0.0
    ]
    assert never
    for played in never[:20]:
        with pytest.raises(ValueError, match=r"it never makes move \d with this goal"):
            expected_change(bot, known, played, 1)


def playing(name: str) -> Plays:
    return cache(lambda bot: opponent_of(name, bot))


def replayed(match: Match, lines: int | None = None) -> Replayed:
    return replay(transcript(match)[:lines], match.tree)


@pytest.fixture(scope="module")
def judge() -> Judge:
    return Judge(open_saved())


def test_the_mean_is_the_exact_probability_and_varies_less(judge: Judge) -> None:
    """Matches of two known players, without the luck of one of them, against head-to-head."""
    us, them = playing("learner-10"), playing("learner-100")
    analyst = Analyst(judge, {NAMES[1]: lambda bot, score, to: them(bot).strategy})
    judged = [analyst.judged(replayed(played_match(judge.match(1), seed, us, them)))[0] for seed in range(200)]
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


@pytest.mark.parametrize("winning_score", [2, *slow(3, 5)])
def test_the_terms_add_up_for_both_players(judge: Judge, winning_score: int) -> None:
    analyst, players = Analyst(judge), (playing("uniform"), playing("careless"))
    for seed in range(4):
        match = played_match(judge.match(winning_score), seed, *players)
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


def test_the_worst_moves_are_told_as_review_tells_them(judge: Judge) -> None:
    analyst, tally, prices = Analyst(judge), Tally(5), []
    for seed in range(6):
        match = played_match(judge.match(3), seed, playing("uniform"), playing("learner-10"))
        (one,) = analyst.judged(replayed(match))
        tally.add(f"match {seed}", one)
        prices += [move.cost for each in one.rounds for move in each.terms.moves]
    assert [worst.move.cost for worst in tally.worst] == sorted(prices, reverse=True)[:5]
    for worst in tally.worst:
        mistake = worst.mistake
        assert mistake.move.square == worst.move.square
        assert mistake.move.square not in mistake.move.best
        (one,) = (each for each in worst.judged.rounds if each.played is mistake.played)
        before = Cursor(judge.tree, mistake.position.moves)
        costs = one.bot.costs(before.node, mistake.goal)
        priced = zip(before.squares_by_child().values(), costs, strict=True)
        free = [square for squares, cost in priced for square in squares if not cost]
        assert mistake.move.best == tuple(sorted(free))
        assert mistake.position.score == judge.solved_score(mistake.played.score, 3)


def test_luck_is_what_nobody_did() -> None:
    terms = Terms(*(float(2**number) for number in range(len(Terms._fields))))
    assert luck_of(terms) == terms.goals + terms.own_hidden + terms.other_hidden + terms.inexact


def test_marks_by_cost() -> None:
    limits = {0.01: "?!", 1.99: "?!", 2.0: "?", 4.99: "?", 5.0: "??", 50.0: "??"}
    assert {percent: mark_of(percent / 50.0, in_points=False) for percent in limits} == limits
    assert [mark_of(points, in_points=True) for points in (0.05, 0.1, 0.25)] == ["?!", "?", "??"]
    said = "?! costs less than 2_points of winning chance, ? 2_points or more, ?? 5_points or more."
    assert thresholds(Speaker()).endswith(said.replace("_", "\N{NO-BREAK SPACE}"))


@pytest.mark.parametrize("count", [1, 2, 13, 51, 52, 53, 300])
def test_a_line_of_any_length(count: int) -> None:
    ends = columns_of(count, 52)
    assert len(ends) == count
    assert sorted(ends) == ends
    assert ends[0] >= 0
    assert ends[-1] < 52
    values = [(-1.0) ** number for number in range(count)]
    drawn = line_chart(values, (-1.0, 1.0), 52, ["+1", "", "-1"])
    assert len(drawn) == 3
    assert max(map(len, drawn)) <= 60
    assert all(any(row[8 + end : 9 + end].strip() for row in drawn) for end in ends)


def test_values_beyond_the_limits_stay_in_the_picture() -> None:
    low, high = line_chart([-5.0], (-1.0, 1.0), 52, ["+", "-"]), line_chart([5.0], (-1.0, 1.0), 52, ["+", "-"])
    assert (low[1], high[0]) == ("      - ----", "      + ----")


def test_labels_do_not_touch() -> None:
    assert labels_below({0: "10", 1: "11", 4: "12"}) == f"{'':7} 10  12"
