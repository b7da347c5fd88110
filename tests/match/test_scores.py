"""Points, continuation values and the order in which scores are solved."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.matches import Turn, scores_of, turn_after, worth

from tictactoe.games.rules import RESULTS
from tictactoe.match import scores
from tictactoe.match.scores import Score, pairs_in_solve_order, part_for_shorter_match, score_in_longer_match

WINNING_SCORES = (*range(1, 8), 20)


@pytest.mark.parametrize("winning_score", WINNING_SCORES)
def test_outcome_values_and_continuation_follow_the_rules_of_the_match(winning_score: int) -> None:
    # a different value for every score, none of them +-1, not symmetric in any way
    values = {score: ((37 * score.first + 11 * score.second) % 997 + 1) / 1000 for score in scores_of(winning_score)}
    turns = {Turn(*score, True): value for score, value in values.items()}
    turns |= {Turn(*score.twin, False): -value for score, value in values.items()}
    for score in values:
        assert scores.outcome_values(score, values, winning_score) == worth(Turn(*score, True), turns, winning_score), (
            score
        )
    for score, result in product(scores_of(winning_score), RESULTS):
        one = scores.continuation(score, *result, winning_score)
        other = scores.continuation(score.twin, *reversed(result), winning_score)
        if one.score is None:
            assert (one.sign, other) == (-other.sign, (other.sign, None))
        else:
            assert (one.sign, other) == (-1, (-1, one.score.twin))
            assert max(one.score) < winning_score
        assert any(result) or one == (-1, score.twin)


@pytest.mark.parametrize("winning_score", WINNING_SCORES)
def test_pairs_in_solve_order(winning_score: int) -> None:
    pairs = pairs_in_solve_order(winning_score)
    flat = [score for pair in pairs for score in pair]
    assert sorted(flat) == scores_of(winning_score)
    assert scores.all_scores(winning_score) == flat
    assert (pairs[0], len(pairs[-1])) == ((Score(winning_score - 1, winning_score - 1),), 1)
    solved: set[Score] = set()
    for pair in pairs:
        assert all(pair == scores.pair_of(score) for score in pair)
        following = scores.following_scores(pair, winning_score)
        ways = product(pair, RESULTS)
        after = {turn_after(Turn(*score, True), *map(int, result), winning_score) for score, result in ways}
        reached = {turn.score for turn in after if isinstance(turn, Turn)}
        assert following == sorted(reached - set(pair))
        assert reached & set(pair), "a round can always come back to its own pair"
        assert set(following) <= solved, pair
        assert all(sum(score) > sum(pair[0]) for score in following), "pairs of one total do not need each other"
        solved.update(pair)
    totals = [sum(pair[0]) for pair in pairs]
    assert totals == sorted(totals, reverse=True)


def needs(score: Score, winning_score: int) -> set[Score]:
    seen: set[Turn] = set()
    waiting = [Turn(*score, True)]
    while waiting:
        turn = waiting.pop()
        if turn not in seen:
            seen.add(turn)
            following = (turn_after(turn, first, second, winning_score) for first, second in product((0, 1), repeat=2))
            waiting.extend(after for after in following if isinstance(after, Turn))
    return {turn.score for turn in seen}


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 5), st.data())
def test_missing_scores_and_pairs_without_gaps(winning_score: int, data: st.DataObject) -> None:
    absent = data.draw(st.sets(st.sampled_from(scores_of(winning_score)), max_size=5))
    available = {score: None for score in scores_of(winning_score) if score not in absent}
    for score in scores_of(winning_score):
        missing = sorted(needs(score, winning_score) & absent, reverse=True)
        assert scores.missing_scores(score, available, winning_score) == missing
    whole = [pair for pair in pairs_in_solve_order(winning_score) if needs(pair[0], winning_score) <= available.keys()]
    assert scores.pairs_without_gaps(available, winning_score) == whole
    assert scores.pairs_without_gaps({Score(7, 7), Score(-1, 0)}, winning_score) == []


def test_the_part_for_a_shorter_match() -> None:
    for score, result in product(scores.all_scores(2), RESULTS):
        here = scores.continuation(score, *result, 2)
        there = scores.continuation(score_in_longer_match(score, 2, 5), *result, 5)
        assert there.sign == here.sign
        assert there.score == (None if here.score is None else score_in_longer_match(here.score, 2, 5))
    part = part_for_shorter_match({score: score for score in scores.all_scores(5)}, 5, 3)
    assert list(part) == scores.all_scores(3)
    assert all(there == score_in_longer_match(here, 3, 5) for here, there in part.items())
    lacking = {Score(1, 2): 0.5, Score(0, 0): 0.25}
    assert part_for_shorter_match(lacking, 3, 2) == {Score(0, 1): 0.5}
    assert part_for_shorter_match({}, 3, 2) == {}

    class Unreadable(dict[Score, float]):
        def __getitem__(self, score: Score) -> float:
            raise AssertionError(score)

    unread = part_for_shorter_match(Unreadable(lacking), 3, 2)
    assert [score in unread for score in (Score(0, 1), Score(1, 1), Score(-1, 0))] == [True, False, False]
