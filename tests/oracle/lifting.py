"""From strategies of a reduced tree to strategies of the unreduced one, and a level-by-level evaluator of any tree."""

from functools import cache

import numpy as np
from numpy.typing import NDArray
from oracle import naive, small_games
from oracle.naive import Floats

from tictactoe import GameTree, OutcomeValues, PublicTree
from tictactoe.games.board import SYMMETRIES, Board
from tictactoe.games.rules import DEFAULT_RULES, Outcome, Rules

GENERIC_VALUES = OutcomeValues(both=0.3141592653, first=0.8717297, second=-0.9424777, neither=-0.1234567891)
"""Outcome values with which no two moves of the round are worth the same by accident."""


def game_tree(merge_symmetric: bool = True, cut_forced: bool = True, rules: str = DEFAULT_RULES) -> GameTree:
    return GameTree.build(rules, merge_symmetric=merge_symmetric, cut_forced=cut_forced)


BOTH_LINES: dict[str, list[tuple[int, ...]]] = {
    "three-in-a-row": [],
    "filled": [(0,)],
    "filled-none": [()],
    "filled-tie": [],
}
"""By rules, for small_games.round_payoffs: the goals that three in a row of both make true, where it is an outcome."""


def payoffs_of(tree: GameTree, values: tuple[float, float, float, float]) -> naive.Floats:
    """small_games.round_payoffs by the rules of the tree, by their name alone."""
    return small_games.round_payoffs(values, *BOTH_LINES.get(tree.rules.name, []))


def prior_of(tree: GameTree) -> naive.Floats:
    """small_games.prior_of_odds of the tree, by the text of its rules."""
    _, _, odds = str(tree.rules).partition(" ")
    return small_games.prior_of_odds(*map(int, odds.split(":"))) if odds else small_games.uniform_prior()


def naive_round(values: tuple[float, float, float, float] = GENERIC_VALUES) -> naive.NaiveGame:
    return naive.NaiveGame(game_tree(), small_games.round_payoffs(values), small_games.uniform_prior())


def boards(tree: GameTree) -> list[Board]:
    result = [Board()]
    for parent, square in zip(tree.parent[1:].tolist(), tree.square[1:].tolist(), strict=True):
        result.append(result[parent].play(square))
    return result


# COMPOSED[s][t]: the index of the symmetry that does s first, then t.
COMPOSED = [[SYMMETRIES.index(tuple(t[s[x] - 1] for x in range(9))) for t in SYMMETRIES] for s in SYMMETRIES]


@cache
def possible_outcomes(rules: Rules, board: Board) -> frozenset[Outcome]:
    ended = rules.outcome(board)
    if ended is not None:
        return frozenset({ended})
    return frozenset().union(*(possible_outcomes(rules, board.play(square)) for square in board.free_squares))


class Lifting:
    """The map from every history of the unreduced tree to a node of a reduced one. A move that was merged into a
    sibling turns the board from then on; what follows a leaf of the reduced tree maps to that leaf."""

    def __init__(self, unreduced: GameTree, reduced: GameTree) -> None:
        self.unreduced, self.reduced = unreduced, reduced
        self._boards = boards(reduced)
        self._merged: dict[tuple[int, int], tuple[int, int]] = {}
        self.node_map = self._follow()

    def _follow(self) -> NDArray[np.int64]:
        square = self.reduced.square.tolist()
        moves = [{square[child]: child for child in self.reduced.children(n)} for n in range(self.reduced.num_nodes)]
        node_map, symmetry = [0], [0]
        edges = zip(self.unreduced.parent[1:].tolist(), self.unreduced.square[1:].tolist(), strict=True)
        for parent, played in edges:
            node, turned = node_map[parent], symmetry[parent]
            if moves[node]:
                move = SYMMETRIES[turned][played - 1]
                child = moves[node].get(move)
                if child is None:
                    child, turn = self._kept_twin(node, move)
                    turned = COMPOSED[turned][turn]
                node = child
            node_map.append(node)
            symmetry.append(turned)
        return np.array(node_map)

    def _kept_twin(self, node: int, move: int) -> tuple[int, int]:
        """The child that a merged move became, and the symmetry that turns the move's board into the child's."""
        if (node, move) not in self._merged:
            board = self._boards[node].play(move)
            self._merged[node, move] = next(
                (child, turn)
                for child in self.reduced.children(node)
                for turn, symmetry in enumerate(SYMMETRIES)
                if board.image(symmetry) == self._boards[child]
            )
        return self._merged[node, move]

    def lift(self, strategy: Floats, seed: int) -> Floats:
        """A move's probability is split at random among those that were merged into it, the same for all goals."""
        random = np.random.default_rng(seed)
        parent = self.unreduced.parent
        weights = random.random((self.unreduced.num_nodes, 3))
        anything = _normalised(weights, parent)
        weights[:, 1:] = weights[:, :1]
        key = parent.astype(np.int64) * self.reduced.num_nodes + self.node_map
        _, group = np.unique(key, return_inverse=True)
        lifted = _normalised(weights, group) * strategy[self.node_map]
        decided = self.reduced.leaf_class[self.node_map[parent]] >= 0
        lifted[1:][decided[1:]] = anything[1:][decided[1:]]
        lifted[0] = 1.0
        return lifted


def _normalised(weights: Floats, group: NDArray[np.integer]) -> Floats:
    """Weights divided by the sum over their group (group[0], the root's, may be -1)."""
    shifted = group - group.min()
    result = np.empty(weights.shape)
    for column in range(weights.shape[1]):
        result[:, column] = weights[:, column] / np.bincount(shifted, weights[:, column])[shifted]
    return result


class LevelEvaluator:
    """Expected value and best responses one depth at a time, from nothing but parents, owners and leaf classes."""

    def __init__(self, tree: PublicTree) -> None:
        self.tree = tree
        self.levels = []  # siblings side by side
        above = np.zeros(1, int)
        while len(above):
            above = np.flatnonzero(np.isin(tree.parent, above))
            self.levels.append(above)
        self.levels.pop()
        self.siblings = [np.unique(tree.parent[level], return_index=True) for level in self.levels]
        self.leaves = np.flatnonzero(tree.leaf_class >= 0)
        classes = tree.leaf_class[self.leaves]
        self.leaves_of_class = [self.leaves[classes == c] for c in range(classes.max() + 1)]

    def reach(self, strategy: Floats, player: int) -> Floats:
        result = np.ones((self.tree.num_nodes, 3))
        for level in self.levels:
            parent = self.tree.parent[level]
            own = self.tree.owner[parent] == player
            result[level] = result[parent]
            result[level[own]] *= strategy[level[own]]
        return result

    def leaf_distribution(self, strategy: Floats, prior: Floats) -> Floats:
        """(num_classes, 3, 3): the probability of each leaf class together with the types of both players."""
        first, second = (self.reach(strategy, player) for player in (0, 1))
        return np.array([prior * (first[leaves].T @ second[leaves]) for leaves in self.leaves_of_class])

    def expected_value(self, strategy: Floats, payoffs: Floats, prior: Floats) -> float:
        return float((self.leaf_distribution(strategy, prior) * payoffs).sum())

    def values_by_types(self, strategy: Floats, payoffs: Floats) -> Floats:
        """(num_nodes, 3, 3): what player 0 gets on average from a node on, by the types of both players."""
        values = np.zeros((self.tree.num_nodes, 3, 3))
        values[self.leaves] = payoffs[self.tree.leaf_class[self.leaves]]
        for level, (parents, starts) in zip(self.levels[::-1], self.siblings[::-1], strict=True):
            first = self.tree.owner[self.tree.parent[level]][:, None, None] == 0
            shares = np.where(first, strategy[level][:, :, None], strategy[level][:, None, :])
            values[parents] = np.add.reduceat(shares * values[level], starts, axis=0)
        return values

    def best_response_value(self, strategy: Floats, payoffs: Floats, prior: Floats, player: int) -> float:
        return self.best_value_at(self.reach(strategy, 1 - player), payoffs, prior, player)

    def best_value_at(self, reach: Floats, payoffs: Floats, prior: Floats, player: int) -> float:
        tree = self.tree
        values = np.zeros((3, tree.num_nodes))  # by the player's type
        for leaf_class, leaves in enumerate(self.leaves_of_class):
            weights = prior * payoffs[leaf_class]
            values[:, leaves] = (weights if player == 0 else -weights.T) @ reach[leaves].T
        for level, (parents, starts) in zip(self.levels[::-1], self.siblings[::-1], strict=True):
            owned, below = tree.owner[parents] == player, values[:, level]
            if owned.any():
                values[:, parents[owned]] = np.maximum.reduceat(below, starts, axis=1)[:, owned]
            if not owned.all():
                values[:, parents[~owned]] = np.add.reduceat(below, starts, axis=1)[:, ~owned]
        return float(values[:, 0].sum())
