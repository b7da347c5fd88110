"""The best response over the match: against value iteration that shares no code with it, and invariants."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from itertools import product
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from oracle import matches, small_games
from oracle.lifting import game_tree, payoffs_of
from oracle.matches import Bot, Floats, RoundOracle, Turn, endless_bot, random_bot, scores_of, uniform_bot, worth
from support.slowness import slow

from tictactoe import GameTree, Score, Seat, UniformStrategy, head_to_head
from tictactoe.errors import NoConvergenceError
from tictactoe.match import best_response_over_match as adversary
from tictactoe.match.best_response_over_match import MatchResponse, ResponseValues, best_response_over_match
from tictactoe.match.head_to_head import MatchState
from tictactoe.match.scores import all_scores, missing_scores, part_for_shorter_match

BOTS = st.tuples(st.integers(1, 6), st.integers(0, 10**6), st.sampled_from([0.0, 0.3, 0.8, 0.98]))
"""Winning score, seed, share of moves without any probability."""
QUICK = settings(max_examples=12, deadline=None, derandomize=True, database=None, phases=[Phase.generate])
START = Score(0, 0)
KINDS: dict[str, Callable[[GameTree, int], Floats]] = {
    "dense": small_games.random_strategy,
    "sparse": partial(small_games.random_strategy, share_of_zeros=0.7),
    "almost pure": partial(small_games.random_strategy, share_of_zeros=0.98),
    "uniform": partial(small_games.random_strategy, share_of_zeros=1.0),
    "pure": small_games.pure_strategy,
    "one move for all goals": partial(small_games.pure_strategy, by_type=False),
}
REAL_RULES = ("three-in-a-row", "filled-none 2:1:1", "filled-tie 1:0:2")


def seats(score: Score) -> tuple[Turn, Turn]:
    return Turn(*score, True), Turn(*score.twin, False)


def judged(bot: Mapping[Score, Floats], winning_score: int) -> MatchResponse:
    return best_response_over_match(game_tree(), bot, winning_score)


def adversary_in(response: MatchResponse) -> dict[Turn, float]:
    values = {}
    for score, result in response.scores.items():
        values |= zip(seats(score), (result.maximum, -result.minimum), strict=True)
    return values


@pytest.mark.parametrize(
    ("kind", "winning_score", "rules"),
    [
        *product(KINDS, (1, 3), ("short",)),
        ("sparse", 1, "filled-none 2:1:1"),
        *slow(*product(["sparse"], [1], REAL_RULES[::2]), *product(KINDS, [2], [*REAL_RULES, "three-in-a-row 0:3:1"])),
    ],
)
def test_value_iteration_agrees(kind: str, winning_score: int, rules: str, short_tree: GameTree) -> None:
    tree = short_tree if rules == "short" else game_tree(rules=rules)
    bot = {s: KINDS[kind](tree, 100 * winning_score + index) for index, s in enumerate(scores_of(winning_score))}
    response = best_response_over_match(tree, bot, winning_score)
    ours, values = matches.moves_of(response, tree), adversary_in(response)
    assert values == pytest.approx(matches.adversary_values(bot, winning_score, tree), abs=1e-12)
    assert values == pytest.approx(matches.playing_values(ours, bot, winning_score, tree), abs=1e-12)
    selfplay = matches.playing_values(bot, bot, winning_score, tree)
    for score, result in response.scores.items():
        assert result.score == score
        assert result.value == pytest.approx(selfplay[Turn(*score, True)], abs=1e-12)
        assert result.exploitability == result.maximum - result.minimum <= result.bound + 1e-12
        for seat, turn in enumerate(seats(score)):
            payoffs = payoffs_of(tree, worth(turn, selfplay, winning_score))
            gain = RoundOracle(bot[score], tree).best_response_value(payoffs, seat) - selfplay[turn]
            assert result.stage_gains[seat] == pytest.approx(gain, abs=1e-12)
    played = head_to_head(tree, ours, bot, winning_score)
    assert (played.rounds_as_first, played.rounds_as_second) == pytest.approx(response.scores[START].rounds, rel=1e-9)
    wins = played.wins_as_first, played.wins_as_second
    assert wins == pytest.approx([(1.0 + values[turn]) / 2.0 for turn in seats(START)], abs=1e-12)
    for (seat, score), strategy in response.strategies.items():
        own = tree.owner[tree.parent[1:]] == int(seat)
        assert np.isin(strategy[1:][own], (0.0, 1.0)).all()
        np.testing.assert_array_equal(strategy[1:][~own], bot[score][1:][~own])


def assert_fixed_point(tree: GameTree, response: MatchResponse, bot: Bot, winning_score: int) -> None:
    """A best response to the bot's round, given the values that follow, gets the value: only the right ones do."""
    values = adversary_in(response)
    assert values.keys() == set(matches.turns(winning_score))
    for score, strategy in bot.items():
        oracle = RoundOracle(strategy, tree)
        for seat, turn in enumerate(seats(score)):
            best = oracle.best_response_value(small_games.round_payoffs(worth(turn, values, winning_score)), seat)
            assert values[turn] == pytest.approx(best, abs=1e-12), turn


@QUICK
@given(BOTS)
def test_the_values_of_any_bot_are_the_fixed_point(short_tree: GameTree, drawn: tuple[int, int, float]) -> None:
    winning_score, seed, zeros = drawn
    bot = random_bot(winning_score, seed, zeros, short_tree)
    response = best_response_over_match(short_tree, bot, winning_score)
    assert_fixed_point(short_tree, response, bot, winning_score)
    assert all(result.exploitability <= result.bound + 1e-12 for result in response.scores.values())


def test_rounds_and_the_bound_by_an_independent_chain() -> None:
    response = judged(random_bot(2, 29), 2)
    place = {turn: index for index, turn in enumerate(matches.turns(2))}
    gains, steps = np.zeros(len(place)), np.zeros((len(place), len(place)))
    for score, result in response.scores.items():
        for seat, turn in enumerate(seats(score)):
            gains[place[turn]] = result.stage_gains[seat]
            oracle = RoundOracle(response.strategies[MatchState(Seat(seat), score)])
            for points, probability in zip(matches.RESULTS, oracle.result_probabilities, strict=True):
                after = matches.turn_after(turn, *points, 2)
                if isinstance(after, Turn):
                    steps[place[turn], place[after]] += probability
    visits = np.linalg.inv(np.eye(len(place)) - steps)
    for score, result in response.scores.items():
        rows = visits[[place[turn] for turn in seats(score)]]
        assert result.rounds == pytest.approx(rows.sum(axis=1), abs=1e-10)
        assert result.bound == pytest.approx(np.sum(rows @ gains), abs=1e-10)


def test_what_is_missing_is_not_judged_and_only_the_points_that_are_missing_count(short_tree: GameTree) -> None:
    long = random_bot(4, 41, 0.2, short_tree)
    of_long = best_response_over_match(short_tree, long, 4).scores
    of_short = best_response_over_match(short_tree, part_for_shorter_match(long, 4, 2), 2).scores
    for score, same in part_for_shorter_match(of_long, 4, 2).items():
        assert of_short[score] == replace(same, score=score)
    bot = random_bot(3, 47, tree=short_tree)
    whole = best_response_over_match(short_tree, bot, 3)
    for absent in (Score(2, 2), Score(2, 1), Score(1, 1), Score(0, 1), START):
        left = {score: strategy for score, strategy in bot.items() if score != absent}
        part = best_response_over_match(short_tree, left, 3)
        expected = {score for score in scores_of(3) if absent not in missing_scores(score, [], 3)}
        assert part.scores == {score: whole.scores[score] for score in expected}
        assert {state.score for state in part.strategies} == expected


def test_a_best_response_that_does_not_settle_is_not_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Against uniform play the first improvement gains a lot: a limit of one must not pass it off as the best."""
    monkeypatch.setattr(adversary, "MAXIMUM_IMPROVEMENTS", 1)
    message = r"^score 0-0: after 1 improvements the best response still gains \d\.?\d*(e-\d\d)?; please report this"
    with pytest.raises(NoConvergenceError, match=message):
        judged(uniform_bot(1), 1)


def test_bad_strategies_and_winning_scores_are_refused(short_tree: GameTree) -> None:
    bot, at = random_bot(2, 53, tree=short_tree), Score(0, 1)
    for change in (-1e-3, np.nan, np.inf, 1e-6, None):
        strategy = bot[at].copy()
        strategy[17, 1] = strategy[17, 1] + change if change == 1e-6 else change
        with pytest.raises(ValueError, match="strategy"):
            best_response_over_match(short_tree, bot | {at: strategy[:-1] if change is None else strategy}, 2)
    for winning_score in (0, -1):
        with pytest.raises(ValueError, match="winning_score"):
            judged({}, winning_score)


@pytest.mark.parametrize("winning_score", [1, *slow(2)])
def test_a_bot_that_hardly_ever_scores_against_itself(winning_score: int) -> None:
    """A round ends it with a probability of the size of the noise: no rounding may be divided by that."""
    endless = endless_bot()[START]
    assert RoundOracle(endless).result_probabilities == pytest.approx((0, 0, 0, 1), abs=1e-15)
    for noise in (0.0, 1e-3, 1e-6, 1e-9):
        strategy = (1.0 - noise) * endless + noise * matches.uniform_strategy()
        bot = dict.fromkeys(scores_of(winning_score), strategy)
        response = judged(bot, winning_score)
        start = response.scores[START]
        if noise == 0.0:  # the match never ends, and an adversary wins it
            assert start.value == 0.0
            expected = tuple(matches.adversary_values(endless_bot(), 1).values())
            assert winning_score > 1 or (start.maximum, -start.minimum) == pytest.approx(expected, abs=1e-9)
            continue
        for score, result in response.scores.items():
            assert -1.0 - 1e-12 <= result.minimum <= result.maximum <= 1.0 + 1e-12, score
            assert result.exploitability <= result.bound + 1e-12, score
        assert_fixed_point(game_tree(), response, bot, winning_score)
        played = head_to_head(game_tree(), matches.moves_of(response), bot, winning_score)
        assert 2.0 * played.wins_as_first - 1.0 == pytest.approx(start.maximum, abs=1e-12)
        assert 2.0 * played.wins_as_second - 1.0 == pytest.approx(-start.minimum, abs=1e-12)


@pytest.mark.parametrize(
    "rules", [f"{matches.SHORT_RULE} 2:1:0", *slow("three-in-a-row", "filled", "filled-tie 2:1:0")]
)
@pytest.mark.usefixtures("short_tree")
def test_values_in_plain_numpy_are_those_of_the_best_response(rules: str) -> None:
    tree, points = GameTree.build(rules), 2
    strategies = {s: small_games.random_strategy(tree, number, 0.3) for number, s in enumerate(all_scores(points))}
    strategies[Score(0, 1)] = small_games.pure_strategy(tree, 2)
    scores = best_response_over_match(tree, strategies, points).scores
    for order in (all_scores(points), all_scores(points)[::-1]):
        values = ResponseValues(tree, strategies.__getitem__, points)
        for score in order:
            assert values.value(MatchState(Seat.FIRST, score)) == pytest.approx(scores[score].maximum, abs=1e-12)
            assert values.value(MatchState(Seat.SECOND, score)) == pytest.approx(-scores[score].minimum, abs=1e-12)


def test_only_what_may_follow_is_read() -> None:
    tree = GameTree.build()
    strategy_at = Mock(side_effect=UniformStrategy(tree, 3).__getitem__)
    values = ResponseValues(tree, strategy_at, 3)
    worth = values.outcome_values(MatchState(Seat.SECOND, Score(1, 2)))
    assert {asked.args[0] for asked in strategy_at.call_args_list} == {Score(1, 2), Score(2, 1), Score(2, 2)}
    assert worth.second == -1.0  # whoever moves second wins the match
    assert worth.both == worth.second  # at 2-3 the match is over, too
    assert worth.first == -values.value(MatchState(Seat.FIRST, Score(2, 2)))
    assert worth.neither == -values.value(MatchState(Seat.FIRST, Score(2, 1)))
