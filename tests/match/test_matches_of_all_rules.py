"""Matches by other rules and under other odds of the goals, against the oracle."""

from __future__ import annotations

import pytest
from oracle.lifting import game_tree
from oracle.matches import Turn, adversary_values, playing_values, random_bot
from support.slowness import slow

from tictactoe import best_response_over_match, head_to_head


@pytest.mark.parametrize(
    ("rules", "winning_score"),
    [
        *(("filled-none 2:1:1", 1), ("filled-tie 1:0:2", 1), ("three-in-a-row 0:3:1", 2)),
        *slow(("filled-none 2:1:1", 2), ("filled-tie 1:0:2", 2)),
    ],
)
def test_best_responses_and_head_to_head(rules: str, winning_score: int) -> None:
    """By value iteration, with the payoffs and the prior that the oracle makes of the rules in words."""
    tree = game_tree(rules=rules)
    bot, other = (random_bot(winning_score, seed, 0.2, tree) for seed in (1, 7))
    response = best_response_over_match(tree, bot, winning_score)
    expected = adversary_values(bot, winning_score, tree)
    for score, result in response.scores.items():
        assert result.maximum == pytest.approx(expected[Turn(*score, True)], abs=1e-12)
        assert -result.minimum == pytest.approx(expected[Turn(*score.twin, False)], abs=1e-12)
    played, values = head_to_head(tree, bot, other, winning_score), playing_values(bot, other, winning_score, tree)
    assert 2.0 * played.wins_as_first - 1.0 == pytest.approx(values[Turn(0, 0, True)], abs=1e-12)
    assert 2.0 * played.wins_as_second - 1.0 == pytest.approx(values[Turn(0, 0, False)], abs=1e-12)
