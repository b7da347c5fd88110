"""A shorter match inside a longer one."""

import pytest

from tictactoe.match.scores import Score, all_scores, continuation
from tictactoe.match.shorter_match import part_for_shorter_match, score_in_longer_match


@pytest.mark.parametrize("first_scores", [False, True])
@pytest.mark.parametrize("second_scores", [False, True])
def test_the_same_follows_in_both_matches(first_scores: bool, second_scores: bool) -> None:
    for score in all_scores(2):
        here = continuation(score, first_scores, second_scores, 2)
        there = continuation(score_in_longer_match(score, 2, 5), first_scores, second_scores, 5)
        assert there.sign == here.sign
        assert there.score == (None if here.score is None else score_in_longer_match(here.score, 2, 5))


def test_the_part_for_a_shorter_match_is_in_the_order_in_which_it_is_solved() -> None:
    part = part_for_shorter_match({score: score for score in all_scores(5)}, 5, 3)
    assert list(part) == all_scores(3)
    assert all(there == score_in_longer_match(here, 3, 5) for here, there in part.items())


def test_the_part_of_a_mapping_that_lacks_scores_lacks_them_too() -> None:
    assert part_for_shorter_match({Score(1, 2): 0.5, Score(0, 0): 0.25}, 3, 2) == {Score(0, 1): 0.5}
    assert part_for_shorter_match({}, 3, 2) == {}


def test_whether_a_score_is_there_is_known_without_looking_it_up() -> None:
    class Unreadable(dict[Score, float]):
        def __getitem__(self, score: Score) -> float:
            raise AssertionError(score)

    part = part_for_shorter_match(Unreadable({Score(1, 2): 0.5, Score(0, 0): 0.25}), 3, 2)
    assert Score(0, 1) in part
    assert Score(1, 1) not in part
    assert Score(-1, 0) not in part
