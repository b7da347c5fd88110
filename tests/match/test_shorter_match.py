"""A shorter match inside a longer one."""

from itertools import product

from tictactoe import Score
from tictactoe.games.goals import RESULTS
from tictactoe.match.scores import all_scores, continuation
from tictactoe.match.shorter_match import part_for_shorter_match, score_in_longer_match


def test_the_part_for_a_shorter_match() -> None:
    for score, result in product(all_scores(2), RESULTS):
        here = continuation(score, *result, 2)
        there = continuation(score_in_longer_match(score, 2, 5), *result, 5)
        assert there.sign == here.sign
        assert there.score == (None if here.score is None else score_in_longer_match(here.score, 2, 5))
    part = part_for_shorter_match({score: score for score in all_scores(5)}, 5, 3)
    assert list(part) == all_scores(3)
    assert all(there == score_in_longer_match(here, 3, 5) for here, there in part.items())
    lacking = {Score(1, 2): 0.5, Score(0, 0): 0.25}
    assert part_for_shorter_match(lacking, 3, 2) == {Score(0, 1): 0.5}
    assert part_for_shorter_match({}, 3, 2) == {}

    class Unreadable(dict[Score, float]):
        def __getitem__(self, score: Score) -> float:
            raise AssertionError(score)

    unread = part_for_shorter_match(Unreadable(lacking), 3, 2)
    assert [score in unread for score in (Score(0, 1), Score(1, 1), Score(-1, 0))] == [True, False, False]
