"""Both reductions of the public tree lose nothing: a strategy of a reduced tree, played on the unreduced one
(lifting.py), is worth the same there, and so are the best answers to it, whatever the payoffs and the prior.
"""

from functools import cache, reduce

import numpy as np
import pytest
from oracle import naive, small_games
from oracle.lifting import BOTH_LINES, LevelEvaluator, Lifting, game_tree
from support.slowness import slow

from tictactoe import RULES, SINGLE_ROUND, Board
from tictactoe.algorithms.strategy import strategy_problem

THREE = "three-in-a-row"
REDUCTIONS = [(True, True), (True, False), (False, True)]
each_reduction = pytest.mark.parametrize(
    ("merge_symmetric", "cut_forced", "rules"),
    # The trees of filled-none are those of filled, and every payoff is tried on them: a test below.
    [
        (True, True, THREE),
        *slow(*((*flags, THREE) for flags in REDUCTIONS[1:]), *((*flags, "filled") for flags in REDUCTIONS)),
        *slow((True, True, "filled-tie")),
    ],
)


@cache
def evaluator(merge_symmetric: bool = True, cut_forced: bool = True, rules: str = THREE) -> LevelEvaluator:
    return LevelEvaluator(game_tree(merge_symmetric, cut_forced, rules))


@cache
def lifting(merge_symmetric: bool, cut_forced: bool, rules: str = THREE) -> Lifting:
    return Lifting(game_tree(False, False, rules), game_tree(merge_symmetric, cut_forced, rules))


def sums(evaluated: LevelEvaluator, strategy: naive.Floats, payoffs: naive.Floats, prior: naive.Floats) -> list[float]:
    best = [evaluated.best_response_value(strategy, payoffs, prior, player) for player in (0, 1)]
    return [evaluated.expected_value(strategy, payoffs, prior), *best]


@each_reduction
def test_every_history_maps_to_an_image_of_its_board(merge_symmetric: bool, cut_forced: bool, rules: str) -> None:
    lifted = lifting(merge_symmetric, cut_forced, rules)
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
    for node in np.random.default_rng(5).integers(0, reduced.num_nodes, 200).tolist():
        assert lifted.node_map[unreduced.find(reduced.history(node))] == node


@each_reduction
def test_reduction_loses_nothing(merge_symmetric: bool, cut_forced: bool, rules: str) -> None:
    seed = 1
    reduced, unreduced = evaluator(merge_symmetric, cut_forced, rules), evaluator(False, False, rules)
    strategy = small_games.random_strategy(reduced.tree, seed, 0.2)
    lifted = lifting(merge_symmetric, cut_forced, rules).lift(strategy, seed)
    assert strategy_problem(unreduced.tree, lifted, tolerance=1e-12) is None
    of_rules = small_games.round_payoffs(SINGLE_ROUND, *BOTH_LINES[rules])
    random = np.random.default_rng(seed)
    any_payoffs, any_prior = random.uniform(-1.0, 1.0, of_rules.shape), random.random((3, 3))
    for payoffs, prior in ((any_payoffs, any_prior / any_prior.sum()), (of_rules, small_games.uniform_prior())):
        expected = sums(reduced, strategy, payoffs, prior)
        np.testing.assert_allclose(sums(unreduced, lifted, payoffs, prior), expected, rtol=0, atol=1e-12)
    distribution = reduced.leaf_distribution(strategy, prior)  # under a uniform prior; others are factors
    np.testing.assert_allclose(unreduced.leaf_distribution(lifted, prior), distribution, rtol=0, atol=1e-12)


def test_one_tree_for_both_rules_by_which_lines_of_both_are_an_outcome() -> None:
    assert RULES["filled"].outcome is RULES["filled-none"].outcome
    one, other = game_tree(rules="filled"), game_tree(rules="filled-none")
    for name in ("parent", "owner", "leaf_class", "square"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.fingerprint != other.fingerprint
