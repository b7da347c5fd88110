"""Points, continuation values and the order in which scores are solved."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tictactoe.board import Outcome
from tictactoe.match import (
    GOAL_PROBABILITY,
    RESULTS,
    SINGLE_ROUND,
    Goal,
    OutcomeValues,
    Score,
    Seat,
    all_scores,
    continuation,
    following_scores,
    outcome_values,
    pair_of,
    pairs_in_solve_order,
    scores,
)

WINNING_SCORES = range(1, 21)


def positions(winning_score: int) -> list[Score]:
    return [Score(a, b) for a in range(winning_score) for b in range(winning_score)]


def made_up_values(winning_score: int) -> dict[Score, float]:
    """A different value for every score, none of them +-1, not symmetric in any way."""
    return {score: ((37 * score.first + 11 * score.second) % 997 + 1) / 1000 for score in positions(winning_score)}


def value_after(
    points: dict[str, int], mover: str, other: str, winning_score: int, values: dict[Score, float]
) -> float:
    """What the match is worth to the person `mover` when that person has just moved first: design.md, in words."""
    if points[mover] >= winning_score and points[other] >= winning_score:
        points = {mover: winning_score - 1, other: winning_score - 1}
    elif points[mover] >= winning_score:
        return 1.0
    elif points[other] >= winning_score:
        return -1.0
    next_first, next_second = other, mover
    return -values[Score(points[next_first], points[next_second])]


def test_enumerations_keep_the_order_that_files_and_arrays_use() -> None:
    assert [(goal.name, goal.value) for goal in Goal] == [("WIN", 0), ("LOSE", 1), ("TIE", 2)]
    assert [(seat.name, seat.value) for seat in Seat] == [("FIRST", 0), ("SECOND", 1)]
    assert pytest.approx(1.0) == GOAL_PROBABILITY * len(Goal)


def test_who_scores_by_brute_force() -> None:
    wanted_by_first = {(Goal.WIN, Outcome.WIN), (Goal.LOSE, Outcome.LOSE), (Goal.TIE, Outcome.TIE)}
    wanted_by_second = {(Goal.WIN, Outcome.LOSE), (Goal.LOSE, Outcome.WIN), (Goal.TIE, Outcome.TIE)}
    for outcome, first_goal, second_goal in product(Outcome, Goal, Goal):
        expected = ((first_goal, outcome) in wanted_by_first, (second_goal, outcome) in wanted_by_second)
        assert scores(outcome, first_goal, second_goal) == expected
    assert scores(Outcome.WIN, Goal.WIN, Goal.LOSE) == (True, True)
    assert scores(Outcome.LOSE, Goal.WIN, Goal.WIN) == (False, True)


@pytest.mark.parametrize("outcome", list(Outcome))
def test_every_outcome_suits_both_one_or_neither_equally_often(outcome: Outcome) -> None:
    results = [scores(outcome, first, second) for first, second in product(Goal, Goal)]
    assert [results.count(result) for result in RESULTS] == [1, 2, 2, 4]


def test_results_stand_in_the_order_of_outcome_values() -> None:
    assert OutcomeValues._fields == ("both", "first", "second", "neither")
    assert RESULTS == ((True, True), (True, False), (False, True), (False, False))
    assert OutcomeValues(both=0.0, first=1.0, second=-1.0, neither=0.0) == SINGLE_ROUND


@pytest.mark.parametrize("winning_score", WINNING_SCORES)
def test_outcome_values_follow_the_rules_of_the_match(winning_score: int) -> None:
    values = made_up_values(winning_score)
    for score in positions(winning_score):
        found = outcome_values(score, values, winning_score)
        for result, value in zip(RESULTS, found, strict=True):
            points = {"Ann": score.first + result[0], "Bob": score.second + result[1]}
            assert value == value_after(points, "Ann", "Bob", winning_score, values), (score, result)


def test_outcome_values_of_a_few_scores() -> None:
    values = made_up_values(5)
    both_won = -values[Score(4, 4)]
    assert outcome_values(Score(4, 4), values, 5) == (both_won, 1.0, -1.0, both_won)
    assert outcome_values(Score(4, 1), values, 5) == (1.0, 1.0, -values[Score(2, 4)], -values[Score(1, 4)])
    assert outcome_values(Score(1, 4), values, 5) == (-1.0, -values[Score(4, 2)], -1.0, -values[Score(4, 1)])
    assert outcome_values(Score(0, 0), values, 1) == (-values[Score(0, 0)], 1.0, -1.0, -values[Score(0, 0)])


def test_outcome_values_miss_a_score() -> None:
    with pytest.raises(KeyError):
        outcome_values(Score(3, 3), {Score(4, 4): 0.0, Score(3, 3): 0.0}, 5)


@settings(deadline=None)
@given(st.integers(1, 20).flatmap(lambda w: st.tuples(st.just(w), st.integers(0, w - 1), st.integers(0, w - 1))))
def test_continuation_treats_the_players_alike(case: tuple[int, int, int]) -> None:
    winning_score, a, b = case
    for first_scores, second_scores in RESULTS:
        one = continuation(Score(a, b), first_scores, second_scores, winning_score)
        other = continuation(Score(b, a), second_scores, first_scores, winning_score)
        if one.score is None:
            assert other.score is None
            assert one.sign == -other.sign
        else:
            assert one.sign == other.sign == -1
            assert other.score == one.score.twin
            assert max(one.score) < winning_score


def test_scores_as_text_and_twins() -> None:
    assert str(Score(4, 3)) == "4-3"
    assert Score(4, 3).twin == Score(3, 4)
    assert pair_of(Score(4, 3)) == pair_of(Score(3, 4)) == (Score(4, 3), Score(3, 4))
    assert pair_of(Score(2, 2)) == (Score(2, 2),)


@pytest.mark.parametrize("winning_score", WINNING_SCORES)
def test_neither_scores_leads_to_the_twin(winning_score: int) -> None:
    for score in positions(winning_score):
        assert continuation(score, False, False, winning_score) == (-1, score.twin)


@pytest.mark.parametrize("winning_score", WINNING_SCORES)
def test_pairs_in_solve_order(winning_score: int) -> None:
    pairs = pairs_in_solve_order(winning_score)
    flat = [score for pair in pairs for score in pair]
    assert sorted(flat) == positions(winning_score)
    assert all_scores(winning_score) == flat
    assert pairs[0] == (Score(winning_score - 1, winning_score - 1),)
    assert len(pairs[-1]) == 1
    solved: set[Score] = set()
    for pair in pairs:
        assert all(pair == pair_of(score) for score in pair)
        following = following_scores(pair, winning_score)
        assert set(following) <= solved, pair
        # Pairs of one point total do not need each other.
        assert all(sum(score) > sum(pair[0]) for score in following)
        solved.update(pair)
    totals = [sum(pair[0]) for pair in pairs]
    assert totals == sorted(totals, reverse=True)


@pytest.mark.parametrize("winning_score", WINNING_SCORES)
def test_following_scores_are_exactly_what_the_outcome_values_look_up(winning_score: int) -> None:
    class Recorder(dict[Score, float]):
        def __missing__(self, score: Score) -> float:
            looked_up.add(score)
            return 0.5

    for pair in pairs_in_solve_order(winning_score):
        looked_up: set[Score] = set()
        for score in pair:
            outcome_values(score, Recorder(), winning_score)
        following = following_scores(pair, winning_score)
        assert following == sorted(looked_up - set(pair))
        # A round can always come back to its own pair.
        assert looked_up & set(pair)


def test_following_scores_of_a_few_pairs() -> None:
    assert following_scores((Score(4, 4),), 5) == []
    assert following_scores((Score(4, 3), Score(3, 4)), 5) == [Score(4, 4)]
    assert following_scores((Score(0, 0),), 5) == [Score(0, 1), Score(1, 0), Score(1, 1)]
