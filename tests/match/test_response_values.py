"""Values of best play against a strategy, in plain numpy, against those that the compiled kernels find."""

from unittest.mock import Mock

import pytest
from oracle.matches import SHORT_RULE
from oracle.small_games import pure_strategy, random_strategy
from support.slowness import slow

from tictactoe import GameTree, Rules, Score, Seat, UniformStrategy
from tictactoe.match.best_response_over_match import ResponseValues, best_response_over_match
from tictactoe.match.head_to_head import MatchState
from tictactoe.match.scores import all_scores

RULES = [Rules.parse(text) for text in ("three-in-a-row", "filled", "filled-tie 2:1:0")]


@pytest.mark.parametrize("rules", [None, *slow(*RULES)], ids=str)
def test_they_are_those_of_the_best_response(rules: Rules | None, short_tree: GameTree) -> None:
    """At every score, whichever is asked for first. rules: None for short rounds with uneven odds."""
    tree, points = GameTree.build(rules or Rules(SHORT_RULE, (2, 1, 0))), 2
    strategies = {score: random_strategy(tree, number, 0.3) for number, score in enumerate(all_scores(points))}
    strategies[Score(0, 1)] = pure_strategy(tree, 2)
    scores = best_response_over_match(tree, strategies, points).scores
    for order in (all_scores(points), all_scores(points)[::-1]):
        values = ResponseValues(tree, strategies.__getitem__, points)
        for score in order:
            assert values.value(MatchState(Seat.FIRST, score)) == pytest.approx(scores[score].maximum, abs=1e-12)
            assert values.value(MatchState(Seat.SECOND, score)) == pytest.approx(-scores[score].minimum, abs=1e-12)


def test_only_what_may_follow_is_read() -> None:
    """A strategy that is read from a file is not read for a score that is over."""
    tree = GameTree.build()
    strategy_at = Mock(side_effect=UniformStrategy(tree, 3).__getitem__)
    values = ResponseValues(tree, strategy_at, 3)
    worth = values.outcome_values(MatchState(Seat.SECOND, Score(1, 2)))
    assert {asked.args[0] for asked in strategy_at.call_args_list} == {Score(1, 2), Score(2, 1), Score(2, 2)}
    assert worth.second == -1.0  # whoever moves second wins the match
    assert worth.both == worth.second  # at 2-3 the match is over, too
    assert worth.first == -values.value(MatchState(Seat.FIRST, Score(2, 2)))
    assert worth.neither == -values.value(MatchState(Seat.FIRST, Score(2, 1)))
