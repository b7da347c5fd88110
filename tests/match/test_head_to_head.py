"""Head to head: against value iteration, for any two players; endless matches, and refusals."""

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from oracle.lifting import game_tree
from oracle.matches import Turn, endless_bot, playing_values, random_bot, scores_of

from tictactoe import GameTree, Score, UniformStrategy, head_to_head, uniform_over_squares
from tictactoe.errors import EndlessMatchError
from tictactoe.games.payoffs import ResultProbabilities
from tictactoe.match.head_to_head import groups_of, match_self_play_values, solve_group

BOTS = st.tuples(st.integers(1, 6), st.integers(0, 10**6), st.sampled_from([0.0, 0.3, 0.8, 0.98]))
QUICK = settings(max_examples=8, deadline=None, derandomize=True, database=None, phases=[Phase.generate])
START = Score(0, 0)


@QUICK
@given(BOTS, st.integers(0, 10**6))
def test_value_iteration_agrees(short_tree: GameTree, drawn: tuple[int, int, float], other_seed: int) -> None:
    """Rounds are as many seen by either player; test_best_response_over_match.py holds them to another chain."""
    points, seed, zeros = drawn
    one, other = random_bot(points, seed, zeros, short_tree), random_bot(points, other_seed, 0.5, short_tree)
    for ours, theirs in ((one, one), (one, other)):
        values = playing_values(ours, theirs, points, short_tree)
        result, reverse = (head_to_head(short_tree, *players, points) for players in ((ours, theirs), (theirs, ours)))
        assert 2.0 * result.wins_as_first - 1.0 == pytest.approx(values[Turn(0, 0, True)], abs=1e-12)
        assert 2.0 * result.wins_as_second - 1.0 == pytest.approx(values[Turn(0, 0, False)], abs=1e-12)
        assert result.wins_as_first + reverse.wins_as_second == pytest.approx(1.0, abs=1e-12)
        assert result.wins + reverse.wins == pytest.approx(1.0, abs=1e-12)
        assert result.rounds_as_first == pytest.approx(reverse.rounds_as_second, rel=1e-12)
        assert min(result.rounds_as_first, result.rounds_as_second) >= 1.0


def test_the_uniform_player_and_an_endless_match() -> None:
    uniform = UniformStrategy(game_tree(), 3)
    assert sorted(uniform) == scores_of(3)
    for strategy in uniform.values():
        np.testing.assert_array_equal(strategy, uniform_over_squares(game_tree()))
    for absent in (Score(3, 0), Score(-1, 0), Score(0, 3)):
        with pytest.raises(KeyError):
            uniform[absent]
    with pytest.raises(ValueError, match="read-only"):
        uniform[START][0, 0] = 2.0
    with pytest.raises(EndlessMatchError, match=r"^at 0-0 neither player ever scores alone: the match never ends$"):
        head_to_head(game_tree(), endless_bot(), endless_bot(), 1)


@pytest.mark.parametrize("side", [0, 1])
def test_missing_scores_and_bad_strategies_are_refused(side: int, short_tree: GameTree) -> None:
    whole = random_bot(2, 1, 1.0, short_tree)
    for absent in (START, Score(1, 1), Score(1, 0)):
        bots = [whole, whole]
        bots[side] = {score: strategy for score, strategy in whole.items() if score != absent}
        with pytest.raises(KeyError) as caught:
            head_to_head(short_tree, *bots, 2)
        assert caught.value.args == (absent,)
    for value, node in ((value, node) for value in (-0.25, np.nan, np.inf, 2.0, None) for node in (1, 5)):
        bots, broken = [whole, whole], whole[START].copy()
        broken[node, 2] = value
        bots[side] = whole | {START: broken[:100] if value is None else broken}
        with pytest.raises(ValueError, match=r"strategy|shape"):
            head_to_head(short_tree, *bots, 2)


(LAST,) = groups_of([(START,)])


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
