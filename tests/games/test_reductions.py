"""Both reductions of the public tree lose nothing, and the figures of uniform play.

A strategy of a reduced tree is played on the unreduced tree (lifting.py). Whatever the payoffs and the prior, it is
worth the same there, and so are the best answers to it of either player: an answer that uses everything that the
unreduced tree can tell apart gains nothing by it. Hence an equilibrium of the reduced tree is one of the whole game.
"""

from __future__ import annotations

from functools import cache, reduce

import numpy as np
import pytest
from oracle import naive
from oracle.lifting import LevelEvaluator, Lifting, game_tree

from tictactoe.games.board import Board
from tictactoe.games.goals import SINGLE_ROUND, Goal
from tictactoe.games.rules import Outcome, Rules

REDUCTIONS = [(True, True), (True, False), (False, True)]
each_reduction = pytest.mark.parametrize(("merge_symmetric", "cut_forced"), REDUCTIONS)


@cache
def evaluator(merge_symmetric: bool = True, cut_forced: bool = True) -> LevelEvaluator:
    return LevelEvaluator(game_tree(merge_symmetric, cut_forced))


@cache
def lifting(merge_symmetric: bool, cut_forced: bool) -> Lifting:
    return Lifting(game_tree(False, False), game_tree(merge_symmetric, cut_forced))


def random_game(seed: int) -> tuple[naive.Floats, naive.Floats]:
    """Payoffs and a joint prior in which the players' goals are not independent."""
    random = np.random.default_rng(seed)
    prior = random.random((3, 3))
    return random.uniform(-1.0, 1.0, (3, 3, 3)), prior / prior.sum()


def summary(
    evaluated: LevelEvaluator, strategy: naive.Floats, payoffs: naive.Floats, prior: naive.Floats
) -> list[float]:
    """The expected value to the first mover, and the best-response value of either player."""
    best = [evaluated.best_response_value(strategy, payoffs, prior, player) for player in (0, 1)]
    return [evaluated.expected_value(strategy, payoffs, prior), *best]


@each_reduction
def test_every_history_maps_to_a_node_with_an_image_of_its_board(merge_symmetric: bool, cut_forced: bool) -> None:
    lifted = lifting(merge_symmetric, cut_forced)
    unreduced, reduced = lifted.unreduced, lifted.reduced
    assert len(lifted.node_map) == unreduced.num_nodes
    assert len(np.unique(lifted.node_map)) == reduced.num_nodes  # every reduced node stands for some history
    leaves = unreduced.leaf_class >= 0
    np.testing.assert_array_equal(reduced.leaf_class[lifted.node_map[leaves]], unreduced.leaf_class[leaves])
    decision = reduced.leaf_class[lifted.node_map] < 0
    np.testing.assert_array_equal(unreduced.owner[decision], reduced.owner[lifted.node_map[decision]])
    np.testing.assert_array_equal(unreduced.depth[decision], reduced.depth[lifted.node_map[decision]])
    # Where the reduced play goes on, it goes on from the image of the parent.
    parent = lifted.node_map[unreduced.parent[1:]]
    goes_on = reduced.leaf_class[parent] < 0
    np.testing.assert_array_equal(reduced.parent[lifted.node_map[1:]][goes_on], parent[goes_on])
    np.testing.assert_array_equal(lifted.node_map[1:][~goes_on], parent[~goes_on])
    for node in np.random.default_rng(6).choice(np.flatnonzero(decision), 1000).tolist():
        histories = unreduced.history(node), reduced.history(lifted.node_map[node])
        board, image = (reduce(Board.play, history, Board()) for history in histories)
        assert board.canonical() == image.canonical()


@each_reduction
def test_reduced_histories_map_to_themselves(merge_symmetric: bool, cut_forced: bool) -> None:
    lifted = lifting(merge_symmetric, cut_forced)
    for node in np.random.default_rng(5).integers(0, lifted.reduced.num_nodes, 200).tolist():
        assert lifted.node_map[lifted.unreduced.find(lifted.reduced.history(node))] == node


def test_lifted_strategies_are_strategies() -> None:
    lifted = lifting(True, True)
    strategy = lifted.lift(naive.random_strategy(evaluator().tree, 3, 0.2), seed=4)
    parent = lifted.unreduced.parent[1:]
    assert strategy.min() >= 0.0
    for column in strategy[1:].T:
        sums = np.bincount(parent, column)
        np.testing.assert_allclose(sums[lifted.unreduced.leaf_class[: len(sums)] < 0], 1.0, atol=1e-13)


@each_reduction
def test_reduction_loses_nothing(merge_symmetric: bool, cut_forced: bool) -> None:
    seed = 1
    reduced, unreduced = evaluator(merge_symmetric, cut_forced), evaluator(False, False)
    strategy = naive.random_strategy(reduced.tree, seed, 0.2)
    lifted = lifting(merge_symmetric, cut_forced).lift(strategy, seed)
    for payoffs, prior in (random_game(seed), (naive.round_payoffs(SINGLE_ROUND), naive.uniform_prior())):
        expected = summary(reduced, strategy, payoffs, prior)
        np.testing.assert_allclose(summary(unreduced, lifted, payoffs, prior), expected, rtol=0, atol=1e-12)
    distribution = reduced.leaf_distribution(strategy, prior)  # under a uniform prior; others are factors
    np.testing.assert_allclose(unreduced.leaf_distribution(lifted, prior), distribution, rtol=0, atol=1e-12)


def test_plain_recursion_agrees_on_the_reduced_tree() -> None:
    tree, strategy = game_tree(), naive.random_strategy(evaluator().tree, 1, 0.2)
    payoffs, prior = random_game(1)
    best = [naive.best_response_value(tree, strategy, payoffs, prior, player) for player in (0, 1)]
    found = [naive.expected_value(tree, strategy, payoffs, prior), *best]
    np.testing.assert_allclose(summary(evaluator(), strategy, payoffs, prior), found, rtol=0, atol=1e-12)


def test_a_split_that_depends_on_the_goal_gives_it_away() -> None:
    """What the proof leans on: twins must be split alike for all goals. Also shows that the comparison can fail."""
    strategy = naive.random_strategy(evaluator().tree, 1, 0.2)
    leaky = lifting(True, True).lift(strategy, seed=1, leaky=True)
    payoffs, prior = naive.round_payoffs(SINGLE_ROUND), naive.uniform_prior()
    value, first, second = summary(evaluator(), strategy, payoffs, prior)
    leaky_value, leaky_first, leaky_second = summary(evaluator(False, False), leaky, payoffs, prior)
    assert leaky_value == pytest.approx(value, abs=1e-12)
    assert leaky_first > first + 1e-4
    assert leaky_second > second + 1e-4


@pytest.mark.parametrize("cut_forced", [True, False])
@pytest.mark.parametrize(
    ("merge_symmetric", "best_of_first", "best_of_second", "nash_conv"),
    [(True, 0.463194, 0.571517, 1.034711), (False, 0.465278, 0.594356, 1.059634)],
)
def test_figures_of_uniform_play(
    merge_symmetric: bool, best_of_first: float, best_of_second: float, nash_conv: float, cut_forced: bool
) -> None:
    """With symmetric moves merged, the known figures of design.md, section 7; over all free squares, another strategy.

    That one plays the centre first with probability 1/9, not 1/3, and is easier to beat.
    """
    found = evaluator(merge_symmetric, cut_forced)
    uniform = naive.uniform_strategy(found.tree)
    value, first, second = summary(found, uniform, naive.round_payoffs(SINGLE_ROUND), naive.uniform_prior())
    assert value == pytest.approx(0.0, abs=1e-14)
    assert (first, second, first + second) == pytest.approx((best_of_first, best_of_second, nash_conv), abs=1e-6)


def test_outcomes_of_uniform_play() -> None:
    """Over all free squares the known probabilities of tic-tac-toe at random: 737/1260, 121/420, 8/63."""
    prior = naive.uniform_prior()
    whole = evaluator(False, False)
    probabilities = whole.leaf_distribution(naive.uniform_strategy(whole.tree), prior).sum(axis=(1, 2))
    np.testing.assert_allclose(probabilities, [737 / 1260, 121 / 420, 8 / 63], atol=1e-14)
    reduced = evaluator().leaf_distribution(naive.uniform_strategy(evaluator().tree), prior).sum(axis=(1, 2))
    np.testing.assert_allclose(reduced, [0.593483, 0.274378, 0.132140], atol=1e-6)


@pytest.mark.parametrize("merge_symmetric", [True, False])
def test_who_scores_in_uniform_play(merge_symmetric: bool) -> None:
    """4/9, 2/9, 2/9, 1/9 for neither, second, first, both: play that ignores the goals gives these in either tree."""
    found = evaluator(merge_symmetric, True)
    distribution = found.leaf_distribution(naive.uniform_strategy(found.tree), naive.uniform_prior())
    scores = np.array([[[Rules().scores(end, g, h) for h in Goal] for g in Goal] for end in list(Outcome)[:3]])
    first, second = scores[..., 0], scores[..., 1]
    results = [~first & ~second, ~first & second, first & ~second, first & second]
    probabilities = [distribution[result].sum() for result in results]
    np.testing.assert_allclose(probabilities, [4 / 9, 2 / 9, 2 / 9, 1 / 9], atol=1e-14)
