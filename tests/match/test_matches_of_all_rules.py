"""Matches by other rules and under other odds of the goals: what is computed of them, against the oracle."""

from __future__ import annotations

import pytest
from oracle import small_games
from oracle.lifting import game_tree, payoffs_of
from oracle.matches import (
    SHORT_RULE,
    Bot,
    RoundOracle,
    Turn,
    adversary_values,
    playing_values,
    scores_of,
    short_rounds,
    turns,
    worth,
)

from tictactoe.algorithms.strategy import uniform_strategy
from tictactoe.games.tic_tac_toe_tree import GameTree
from tictactoe.match.best_response_over_match import best_response_over_match
from tictactoe.match.head_to_head import head_to_head
from tictactoe.match.pair_exact import PairEquilibrium, PairPolisher
from tictactoe.match.scores import Score, following_scores, pair_of, pairs_in_solve_order

RULES = ["filled-none 2:1:1", "filled-tie 1:0:2", "three-in-a-row 0:3:1"]


def bot_of(tree: GameTree, seed: int) -> Bot:
    """A match to 2, every score played at random in its own way."""
    return {score: small_games.random_strategy(tree, seed + index, 0.2) for index, score in enumerate(scores_of(2))}


@pytest.mark.parametrize("rules", RULES)
def test_best_responses_and_head_to_head(rules: str) -> None:
    """By value iteration, with the payoffs and the prior that the oracle makes of the rules in words."""
    tree = game_tree(rules=rules)
    bot, other = bot_of(tree, 1), bot_of(tree, 7)
    response = best_response_over_match(tree, bot, 2)
    expected = adversary_values(bot, 2, tree)
    for score, found in response.scores.items():
        assert found.maximum == pytest.approx(expected[Turn(*score, True)], abs=1e-12)
        assert -found.minimum == pytest.approx(expected[Turn(*score.twin, False)], abs=1e-12)
    result, values = head_to_head(tree, bot, other, 2), playing_values(bot, other, 2, tree)
    assert 2.0 * result.wins_as_first - 1.0 == pytest.approx(values[Turn(0, 0, True)], abs=1e-12)
    assert 2.0 * result.wins_as_second - 1.0 == pytest.approx(values[Turn(0, 0, False)], abs=1e-12)


def exact(tree: GameTree, winning_score: int) -> dict[Score, PairEquilibrium]:
    """By score, the exact solution of its pair."""
    result: dict[Score, PairEquilibrium] = {}
    for pair in pairs_in_solve_order(winning_score):
        following = {score: result[score].values[score] for score in following_scores(pair, winning_score)}
        references, zeros = dict.fromkeys(pair, uniform_strategy(tree)), dict.fromkeys(pair, 0.0)
        polisher = PairPolisher(
            tree, pair, following, winning_score=winning_score, references=references, values=zeros, finish=lambda s: s
        )
        work, found = polisher.solve(), None
        while True:
            try:
                programs = work.send(found)
            except StopIteration as end:
                result |= dict.fromkeys(pair, end.value)
                break
            found = [program() for program in programs]
    return result


def assert_nobody_gains(tree: GameTree, solved: dict[Score, PairEquilibrium], winning_score: int) -> None:
    """Best responses hold both players to the values, given these values after the round."""
    values = {Turn(*score, True): found.values[score] for score, found in solved.items()}
    values |= {Turn(*score.twin, False): -found.values[score] for score, found in solved.items()}
    for turn in turns(winning_score):
        oracle = RoundOracle(solved[turn.score].strategies[turn.score], tree)
        payoffs = payoffs_of(tree, worth(turn, values, winning_score))
        best = oracle.best_response_value(payoffs, 0 if turn.first else 1)
        assert best == pytest.approx(values[turn], abs=1e-12)


@pytest.mark.parametrize(
    "rules", ["filled", *(pytest.param(rules, marks=pytest.mark.slow) for rules in ("filled-none", "filled-tie"))]
)
def test_matches_to_1_are_solved_exactly(rules: str) -> None:
    tree = game_tree(rules=rules)
    assert_nobody_gains(tree, exact(tree, 1), 1)


@pytest.mark.parametrize("odds", ["2:1:1", "1:0:2", "0:1:1"])
def test_matches_to_2_of_short_rounds_are_solved_exactly(odds: str) -> None:
    with short_rounds():
        tree = GameTree.build(f"{SHORT_RULE} {odds}")
        solved = exact(tree, 2)
        assert len(solved) == 4
        assert pair_of(Score(1, 0)) == solved[Score(0, 1)].pair
        assert_nobody_gains(tree, solved, 2)
