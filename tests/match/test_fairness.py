"""Values with bounds: against best responses and exact values, and which rules are found to be the fairest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from oracle import naive, small_games
from oracle.matches import SHORT_RULE, random_bot, short_rounds, solve

from tictactoe.games.goals import SINGLE_ROUND
from tictactoe.games.rules import Rules
from tictactoe.games.tic_tac_toe import goal_prior, payoffs_by_outcome
from tictactoe.games.tic_tac_toe_tree import GameTree
from tictactoe.match.best_response_over_match import best_response_over_match
from tictactoe.match.fairness import Bounded, fairest, match_facts, single_round
from tictactoe.match.scores import Score
from tictactoe.solving.polish import polish_solution

A, B, C = Rules(), Rules("filled"), Rules("filled-tie")


@pytest.fixture(autouse=True)
def _short_rounds() -> Iterator[None]:
    with short_rounds():
        yield


@pytest.mark.parametrize("odds", [(1, 1, 1), (1, 0, 3)], ids=["even", "1:0:3"])
def test_a_round_on_its_own_against_the_plain_one(odds: tuple[int, int, int]) -> None:
    """The bounds are what each player makes sure of, by its moves in the strategy."""
    tree = GameTree.build(Rules(SHORT_RULE, odds))
    game = payoffs_by_outcome(tree.rules, SINGLE_ROUND), goal_prior(tree.rules)
    for seed in range(3):
        strategy = small_games.random_strategy(tree, seed)
        found = single_round(tree, strategy).value
        assert found.value == pytest.approx(naive.expected_value(tree, strategy, *game), abs=1e-12)
        assert found.least == pytest.approx(-naive.best_response_value(tree, strategy, *game, 1), abs=1e-12)
        assert found.most == pytest.approx(naive.best_response_value(tree, strategy, *game, 0), abs=1e-12)
        assert found.least < found.value < found.most


def test_a_match_has_the_bounds_of_best_responses() -> None:
    bot, tree = random_bot(2, 5), GameTree.build()
    found, response = match_facts(tree, bot, 2), best_response_over_match(tree, bot, 2)
    assert sorted(found.values) == sorted(bot)
    for score, value in found.values.items():
        expected = response.scores[score]
        assert value == Bounded(expected.value, expected.minimum, expected.maximum)
    assert found.start == found.values[Score(0, 0)]
    assert found.exploitability == response.scores[Score(0, 0)].exploitability
    del bot[Score(1, 0)]
    with pytest.raises(KeyError):
        match_facts(tree, bot, 2)


def test_exact_values_are_within_the_bounds_of_rough_ones(tmp_path: Path) -> None:
    """At every score; and those of the exact solution are hardly apart."""
    tree = GameTree.build(SHORT_RULE)
    rough = solve(tree, tmp_path / "rough", 2, 0.01)
    exact = polish_solution(rough, tmp_path / "exact")
    bounds = match_facts(tree, rough.average_strategy, 2).values
    values = match_facts(tree, exact.average_strategy, 2).values
    for score, value in values.items():
        assert value.most - value.least < 1e-10
        assert bounds[score].least - 1e-12 <= value.value <= bounds[score].most + 1e-12
    assert max(bound.most - bound.least for bound in bounds.values()) > 1e-4


@pytest.mark.parametrize(
    ("value", "favoured", "advantage"),
    [
        (Bounded(0.1, 0.05, 0.2), "first", (0.05, 0.2)),
        (Bounded(-0.1, -0.2, -0.05), "second", (0.05, 0.2)),
        (Bounded(0.1, -0.05, 0.2), None, (0.0, 0.2)),
        (Bounded(-0.1, -0.3, 0.2), None, (0.0, 0.3)),
        (Bounded(0.0, 0.0, 0.0), None, (0.0, 0.0)),
        (Bounded(1e-15, 1e-15, 1e-15), None, (1e-15, 1e-15)),
    ],
)
def test_who_is_favoured(value: Bounded, favoured: str | None, advantage: tuple[float, float]) -> None:
    assert (value.favoured, value.advantage) == (favoured, advantage)


def test_the_fairest_rules() -> None:
    """Those that favour a seat least, whichever seat that is; several where the bounds do not tell."""
    first, second = Bounded(0.2, 0.19, 0.21), Bounded(-0.1, -0.11, -0.09)
    assert fairest([(A, first), (B, second)]) == [B]
    assert fairest([(A, first), (B, second), (C, Bounded(0.0, -0.001, 0.001))]) == [C]
    assert fairest([(A, first), (B, second), (C, Bounded(0.0, -0.001, 0.1))]) == [B, C]
    assert fairest([(A, Bounded(1 / 9, 1 / 9, 1 / 9)), (B, Bounded(-1 / 9, -1 / 9 - 1e-16, -1 / 9))]) == [A, B]
    assert fairest([(A, first)]) == [A]
