"""A match between fixed players as a Markov chain: by hand, against value iteration, and an endless one."""

import pytest
from oracle.lifting import game_tree
from oracle.matches import Turn, endless_bot, playing_values, random_bot

from tictactoe import GameTree, Score
from tictactoe.errors import EndlessMatchError
from tictactoe.games.payoffs import ResultProbabilities
from tictactoe.match.head_to_head import match_self_play_values
from tictactoe.match.markov_chain import groups_of, solve_group

(LAST,) = groups_of([(Score(0, 0),)])


@pytest.mark.parametrize("both", [0.0, 0.5])  # that both score does not end it
def test_a_match_that_never_ends_is_worth_nothing_and_has_no_number_of_rounds(both: float) -> None:
    never = dict.fromkeys(LAST, ResultProbabilities(both=both, first=0.0, second=0.0, neither=1.0 - both))
    assert solve_group(LAST, never, {}, 1) == dict.fromkeys(LAST, 0.0)
    with pytest.raises(EndlessMatchError, match=r"^at 0-0 neither player ever scores alone: the match never ends$"):
        solve_group(LAST, never, {}, 1, lambda state: 1.0)
    with pytest.raises(EndlessMatchError, match=r"^score 0-0: with these strategies the match never ends$"):
        match_self_play_values(game_tree(), endless_bot(), 1)


def test_values_against_oneself_as_far_as_no_score_is_missing(short_tree: GameTree) -> None:
    bot = random_bot(2, 7, tree=short_tree)
    expected = playing_values(bot, bot, 2, short_tree)
    values = match_self_play_values(short_tree, bot, 2)
    assert values == pytest.approx({score: expected[Turn(*score, True)] for score in bot}, abs=1e-12)
    del bot[Score(0, 1)]
    assert match_self_play_values(short_tree, bot, 2) == {Score(1, 1): values[Score(1, 1)]}
