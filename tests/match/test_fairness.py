"""Values with bounds: against best responses and exact values, and the choice of the fairest rules."""

import pytest
from oracle import naive, small_games
from oracle.matches import SHORT_RULE

from tictactoe import SINGLE_ROUND, GameTree, Rules
from tictactoe.games.payoffs import goal_prior, payoffs_by_outcome
from tictactoe.match.fairness import Bounded, fairest, match_facts, single_round

A, B, C = Rules(), Rules("filled"), Rules("filled-tie")


@pytest.mark.parametrize("odds", [(1, 1, 1), (1, 0, 3)], ids=["even", "1:0:3"])
def test_a_round_on_its_own_against_the_plain_one(odds: tuple[int, int, int], short_tree: GameTree) -> None:
    tree = GameTree.build(Rules(SHORT_RULE, odds))
    game = payoffs_by_outcome(tree.rules, SINGLE_ROUND), goal_prior(tree.rules)
    for seed in range(3):
        strategy = small_games.random_strategy(tree, seed)
        bounded = single_round(tree, strategy).value
        assert bounded.value == pytest.approx(naive.expected_value(tree, strategy, *game), abs=1e-12)
        assert bounded.least == pytest.approx(-naive.best_response_value(tree, strategy, *game, 1), abs=1e-12)
        assert bounded.most == pytest.approx(naive.best_response_value(tree, strategy, *game, 0), abs=1e-12)
        assert bounded.least < bounded.value < bounded.most
    with pytest.raises(KeyError, match="first=0, second=0"):
        match_facts(tree, {}, 1)


def test_the_favoured_seat_and_the_fairest_rules() -> None:
    for bounds, favoured, advantage in (
        ((0.1, 0.05, 0.2), "first", (0.05, 0.2)),
        ((-0.1, -0.2, -0.05), "second", (0.05, 0.2)),
        ((0.1, -0.05, 0.2), None, (0.0, 0.2)),
        ((-0.1, -0.3, 0.2), None, (0.0, 0.3)),
        ((0.0, 0.0, 0.0), None, (0.0, 0.0)),
        ((1e-15, 1e-15, 1e-15), None, (1e-15, 1e-15)),
    ):
        assert (Bounded(*bounds).favoured, Bounded(*bounds).advantage) == (favoured, advantage)
    first, second = Bounded(0.2, 0.19, 0.21), Bounded(-0.1, -0.11, -0.09)
    assert fairest([(A, first), (B, second)]) == [B]
    assert fairest([(A, first), (B, second), (C, Bounded(0.0, -0.001, 0.001))]) == [C]
    assert fairest([(A, first), (B, second), (C, Bounded(0.0, -0.001, 0.1))]) == [B, C]
    assert fairest([(A, Bounded(1 / 9, 1 / 9, 1 / 9)), (B, Bounded(-1 / 9, -1 / 9 - 1e-16, -1 / 9))]) == [A, B]
    assert fairest([(A, first)]) == [A]
