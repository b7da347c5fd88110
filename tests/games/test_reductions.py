"""Both reductions of the public tree lose nothing, and the figures of uniform play.

A strategy of a reduced tree is played on the unreduced tree (lifting.py). Whatever the payoffs and the prior, it is
worth the same there, and so are the best answers to it of either player: an answer that uses everything that the
unreduced tree can tell apart gains nothing by it. Hence an equilibrium of the reduced tree is one of the whole game, by
all rules.
"""

from functools import cache, reduce

import numpy as np
import pytest
from oracle import naive, small_games
from oracle.lifting import BOTH_LINES, LevelEvaluator, Lifting, game_tree
from support.slowness import slow

from tictactoe import RULES, SINGLE_ROUND, Board, Goal, Outcome, Rules
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


def random_game(seed: int, num_outcomes: int = 3) -> tuple[naive.Floats, naive.Floats]:
    random = np.random.default_rng(seed)
    prior = random.random((3, 3))
    return random.uniform(-1.0, 1.0, (num_outcomes, 3, 3)), prior / prior.sum()


def summary(
    evaluated: LevelEvaluator, strategy: naive.Floats, payoffs: naive.Floats, prior: naive.Floats
) -> list[float]:
    best = [evaluated.best_response_value(strategy, payoffs, prior, player) for player in (0, 1)]
    return [evaluated.expected_value(strategy, payoffs, prior), *best]


@each_reduction
def test_every_history_maps_to_a_node_with_an_image_of_its_board(
    merge_symmetric: bool, cut_forced: bool, rules: str
) -> None:
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
    for payoffs, prior in (random_game(seed, len(of_rules)), (of_rules, small_games.uniform_prior())):
        expected = summary(reduced, strategy, payoffs, prior)
        np.testing.assert_allclose(summary(unreduced, lifted, payoffs, prior), expected, rtol=0, atol=1e-12)
    distribution = reduced.leaf_distribution(strategy, prior)  # under a uniform prior; others are factors
    np.testing.assert_allclose(unreduced.leaf_distribution(lifted, prior), distribution, rtol=0, atol=1e-12)


def test_one_tree_for_both_rules_by_which_lines_of_both_are_an_outcome() -> None:
    """By what ends a round, on every board, and the reduced trees by every array."""
    assert RULES["filled"].outcome is RULES["filled-none"].outcome
    one, other = game_tree(rules="filled"), game_tree(rules="filled-none")
    for name in ("parent", "owner", "leaf_class", "square"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.fingerprint != other.fingerprint


def test_a_split_that_depends_on_the_goal_gives_it_away() -> None:
    """The proof needs twins that are split alike for all goals. This also shows that the comparison can fail."""
    strategy = small_games.random_strategy(evaluator().tree, 1, 0.2)
    leaky = lifting(True, True).lift(strategy, seed=1, leaky=True)
    payoffs, prior = small_games.round_payoffs(SINGLE_ROUND), small_games.uniform_prior()
    value, first, second = summary(evaluator(), strategy, payoffs, prior)
    leaky_value, leaky_first, leaky_second = summary(evaluator(False, False), leaky, payoffs, prior)
    assert leaky_value == pytest.approx(value, abs=1e-12)
    assert leaky_first > first + 1e-4
    assert leaky_second > second + 1e-4


UNIFORM_PLAY = {True: (0.463194, 0.571517, 1.034711), False: (0.465278, 0.594356, 1.059634)}
"""By whether symmetric moves are merged: the best of the first and of the second mover against it, and NashConv.

Over all free squares the strategy is another one, which plays the centre first with probability 1/9, not 1/3.
"""


@pytest.mark.parametrize("merge_symmetric", [True, False])
def test_uniform_play(merge_symmetric: bool) -> None:
    """Known figures; who scores is 4/9, 2/9, 2/9, 1/9 for neither, second, first, both, as play ignores the goals."""
    game = small_games.round_payoffs(SINGLE_ROUND), small_games.uniform_prior()
    for forced in (True, False):
        levels = evaluator(merge_symmetric, forced)
        value, first, second = summary(levels, naive.uniform_strategy(levels.tree), *game)
        assert value == pytest.approx(0.0, abs=1e-14)
        assert (first, second, first + second) == pytest.approx(UNIFORM_PLAY[merge_symmetric], abs=1e-6)
    distribution = levels.leaf_distribution(naive.uniform_strategy(levels.tree), small_games.uniform_prior())
    known, tolerance = ([0.593483, 0.274378, 0.132140], 1e-6)
    if not merge_symmetric:
        known, tolerance = [737 / 1260, 121 / 420, 8 / 63], 1e-14
    np.testing.assert_allclose(distribution.sum(axis=(1, 2)), known, atol=tolerance)
    scores = np.array([[[Rules().scores(end, g, h) for h in Goal] for g in Goal] for end in list(Outcome)[:3]])
    first, second = scores[..., 0], scores[..., 1]
    results = [~first & ~second, ~first & second, first & ~second, first & second]
    probabilities = [distribution[result].sum() for result in results]
    np.testing.assert_allclose(probabilities, [4 / 9, 2 / 9, 2 / 9, 1 / 9], atol=1e-14)
