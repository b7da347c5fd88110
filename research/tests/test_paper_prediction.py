"""Predictive CFR+ with the prediction of its paper, written plainly: what the shortcut of pcfr+ changes.

Farina, Kroer & Sandholm 2021 predict counterfactual values from the leaves upwards, with the next strategies below.
Here every information set expects the regret that it has just seen once more. docs/research-notes.md has the figures.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
from oracle import naive, small_games

from tictactoe.algorithms.cfr import CFRSolver
from tictactoe.algorithms.game import Game
from tictactoe.algorithms.update_rules import update_rule

NOTES = (Path(__file__).parents[2] / "docs" / "research-notes.md").read_text(encoding="utf-8")


class PredictiveSolver:
    """pcfr+ with alternating updates. from_below: the paper's prediction, in place of the last regret."""

    def __init__(self, game: naive.NaiveGame, *, from_below: bool) -> None:
        self.game, self.from_below = game, from_below
        self.regrets = np.zeros((game.tree.num_nodes, naive.NUM_TYPES))
        self.strategy_sums = np.zeros_like(self.regrets)
        self.strategy = naive.uniform_strategy(game.tree)
        self.iteration = 0

    def iterate(self) -> None:
        self.iteration += 1
        for player in (0, 1):
            following = self.strategy.copy()
            self._update(0, player, np.ones(naive.NUM_TYPES), np.ones(naive.NUM_TYPES), following)
            self.strategy = following

    def _update(
        self, node: int, player: int, own: naive.Floats, opponent: naive.Floats, following: naive.Floats
    ) -> tuple[naive.Floats, naive.Floats]:
        """Counterfactual values under the present strategies, and those predicted under the next ones."""
        tree, payoffs, prior = self.game
        if tree.leaf_class[node] >= 0:
            value = naive.leaf_values(payoffs[tree.leaf_class[node]], prior, opponent, player)
            return value, value
        children = list(tree.children(node))
        present = self.strategy[children]
        mine = tree.owner[node] == player
        reaches = [(own * row, opponent) if mine else (own, opponent * row) for row in present]
        below = [self._update(child, player, *reach, following) for child, reach in zip(children, reaches, strict=True)]
        values, predicted = (np.array(each) for each in zip(*below, strict=True))
        if not mine:
            return values.sum(axis=0), predicted.sum(axis=0)
        value = (present * values).sum(axis=0)
        foreseen = predicted if self.from_below else values
        self.strategy_sums[children] += self.iteration**2 * own * present
        self.regrets[children] = np.maximum(self.regrets[children] + values - value, 0.0)
        guess = foreseen - (present * foreseen).sum(axis=0)
        following[children] = naive.normalised(np.maximum(self.regrets[children] + guess, 0.0))
        return value, (following[children] * foreseen).sum(axis=0)

    def exploitability(self) -> float:
        average = naive.average_strategy(self.game.tree, self.strategy_sums)
        return naive.exploitability(self.game.tree, average, self.game.payoffs, self.game.prior)


def test_with_the_last_regret_it_is_ours() -> None:
    game = small_games.without_ties(small_games.kuhn_game())
    plain, solver = PredictiveSolver(game, from_below=False), CFRSolver(Game(*game), update_rule("pcfr+"))
    for _ in range(30):
        plain.iterate()
        solver.run(1)
        np.testing.assert_allclose(solver.state().regrets, plain.regrets, rtol=0, atol=1e-12)
        np.testing.assert_allclose(solver.current_strategy(), plain.strategy, rtol=0, atol=1e-9)


def test_with_a_decision_per_player_it_is_the_papers() -> None:
    """Both decisions stand above leaves only, or above the opponent's: nothing of the player's own is below."""
    tree = small_games.make_tree([-1, 0, 0, 2, 2], [0, -1, 1, -1, -1], [-1, 0, -1, 1, 2])
    payoffs = np.multiply.outer([0.3, -0.4, 0.5], np.ones((3, 3)))
    game = naive.NaiveGame(tree, payoffs, small_games.uniform_prior())
    one, other = (PredictiveSolver(game, from_below=from_below) for from_below in (False, True))
    for _ in range(30):
        one.iterate()
        other.iterate()
        assert np.array_equal(one.strategy, other.strategy)


@pytest.mark.parametrize(("row", "from_below"), [("`pcfr+`", False), ("prediction of the paper", True)])
def test_the_figures_of_the_notes(row: str, from_below: bool) -> None:
    (line,) = re.findall(rf"^\| {re.escape(row)} \|(.*)\|$", NOTES, re.MULTILINE)
    solver = PredictiveSolver(small_games.kuhn_game(), from_below=from_below)
    for iterations, said in zip((100, 400, 1600), line.split("|"), strict=True):
        while solver.iteration < iterations:
            solver.iterate()
        assert math.isclose(solver.exploitability(), float(said), rel_tol=0.05)
