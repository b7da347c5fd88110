"""Refining an equilibrium: best play after every mistake, too.

An equilibrium binds nobody where its players never come. `refine` changes the strategies there, and only there, until
every move that is played is a best one, given the strategies from there on and a belief about the opponent's type. The
belief follows Bayes' rule where the opponent's strategy leads. Where it does not, because none of the opponent's types
plays its last move, the belief stays as it was: a mistake tells nothing. If the mistake would pay with this belief, the
refinement chooses another one. From there on the belief follows Bayes' rule. (For the idea see sequential equilibrium,
Kreps and Wilson 1982; for refinements of extensive games Selten 1975, van Damme 1984.)

The nodes fall into regions. The first one is where the equilibrium leads. Mistakes are the entries into further
regions: moves that none of the mover's types plays. Below an entry `resolving` finds a plan of the player who has not
erred, with which the mistake stays a mistake, and a plan of the other one. Both plans may leave moves out: these are
the entries of the next generation. Terminates: each generation begins further down the tree.

In the end types that never come to a node play a best response there, by Bayes' rule. Of several best moves they make
the one that gets most from a trembling opponent (`Trembling`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...errors import ProgramError
from ..arrays import NUM_TYPES, FloatArray
from ..game import Game
from ..strategy import by_both_types, expected_values, weights_by_belief
from .punishing_double_oracle import Trembling, trembling_player
from .resolving import Nodes, Precision, Resolving
from .sequence_form import PLAN_NOISE, behaviour

PRECISIONS = (
    Precision(32.0, 1e-10),
    Precision(1024.0, 1e-10),
    Precision(2.0**15, 1e-13),
    Precision(2.0**18, 1e-13),
    Precision(2.0**20, 1e-13),
)
"""Programs are solved with the first precision, and those that fail the next two limits again with the next one. HiGHS
fails more often in a finer unit."""

LARGEST_EXCESS = 1e-14
"""A type may get so much more by its mistake than without it, by rounding, in the payoffs' unit."""

LARGEST_COST = 1e-9
"""A move that is played may be so much worse than the best one, in the payoffs' unit."""

MOST_NODES = 1300
"""Programs are solved together, as one, below entries with so many nodes below them."""

ABSENT = 1e-12
"""A type that is so much less likely than another one counts as absent: the programs' tolerances are not finer."""

TIE = 1e-9
"""Moves of a best response whose values differ by less, in the payoffs' unit, are equally good."""


class Refined(NamedTuple):
    """A refined equilibrium."""

    strategy: FloatArray
    """float64 (num_nodes, 3): both players' strategies."""
    beliefs: FloatArray
    """float64 (num_nodes, 3), with the digits of float32: after a mistake that would pay otherwise, how likely the
    mover's types are, up to a factor and before the prior counts; 0 elsewhere."""
    num_programs: int
    """Mistakes below which a linear program was solved."""


def refine(game: Game, strategy: FloatArray, reference: FloatArray | None = None) -> Refined:
    """Refine an equilibrium.

    game: its payoffs should span about 2 (`magnified`).
    strategy: float64 (num_nodes, 3), both players' strategies, an equilibrium that is exact to rounding.
    reference: float64 (num_nodes, 3), how players play while they do not tremble; the equilibrium by default. One that
        plays well after mistakes tells better which types err.

    Raises ValueError for a tree in which a player moves twice in a row, MissingSolverError without highspy, and
    ProgramError when a program is not solved.

    >>> from tictactoe import DoubleOracle, kuhn_poker, uniform_strategy
    >>> kuhn = kuhn_poker()
    >>> found = DoubleOracle(kuhn.tree, uniform_strategy(kuhn.tree)).solve(kuhn)
    >>> refine(kuhn, found.strategy).strategy.shape == found.strategy.shape
    True
    """
    return _Refinement(game, strategy, strategy if reference is None else reference).run()


class _Refinement:
    """The strategies and weights while they are refined."""

    def __init__(self, game: Game, strategy: FloatArray, reference: FloatArray) -> None:
        self._game, self._tree = game, game.tree
        self._strategy = np.where(strategy < PLAN_NOISE, 0.0, strategy)
        self._weights = np.zeros((2, self._tree.num_nodes, NUM_TYPES))
        self._beliefs = np.zeros_like(self._strategy)
        self._trembling = tuple(trembling_player(game.tree, player, reference) for player in (0, 1))
        self._resolving = tuple(Resolving(game, player, self._trembling[1 - player].reach) for player in (0, 1))

    def run(self) -> Refined:
        for player in (0, 1):
            self._weights[player, 0] = self._game.prior.sum(axis=1 - player) > 0.0
        roots: Nodes = np.zeros(1, np.intp)
        num_programs = 0
        while len(roots):
            self._follow(roots)
            entries = self._entries(roots)
            gets = [self._resolving[player].answers_to(self._weights[player]) for player in (0, 1)]
            for player in (0, 1):
                self._resolve(player, entries[self._tree.mover[entries] == 1 - player], gets[player])
            roots, num_programs = entries, num_programs + len(entries)
        beliefs = self._beliefs.astype(np.float32).astype(np.float64)
        weights = weights_by_belief(self._tree, self._strategy, beliefs, self._game.prior)
        strategy = _with_absent_types(self._game, self._strategy, weights, self._trembling)
        return Refined(strategy, beliefs, num_programs)

    def _follow(self, roots: Nodes) -> None:
        """Fill in the weights below the roots, by Bayes' rule."""
        tree, weights = self._tree, self._weights
        below = np.zeros(tree.num_nodes, bool)
        below[roots] = True
        for level in tree.nodes_by_depth[1:]:
            nodes = level[below[tree.parent[level]]]
            below[nodes] = True
            for player in (0, 1):
                own = (tree.mover[nodes] == player)[:, None]
                weights[player, nodes] = weights[player, tree.parent[nodes]] * np.where(own, self._strategy[nodes], 1.0)

    def _entries(self, roots: Nodes) -> Nodes:
        """The moves that lead out of the regions of these roots. Leaves are none: nothing is played there."""
        tree = self._tree
        inside = np.zeros(tree.num_nodes, bool)
        inside[roots] = True
        entries = []
        for level in tree.nodes_by_depth[1:]:
            nodes = level[inside[tree.parent[level]]]
            played = self._weights[tree.mover[nodes], nodes].any(axis=1)
            inside[nodes[played]] = True
            entries.append(nodes[~played & (tree.leaf_class[nodes] < 0)])
        return np.concatenate(entries)

    def _resolve(self, player: int, entries: Nodes, gets: FloatArray) -> None:
        """Replace both players' strategies below entries at which the player moves, and set the weights there.

        gets: float64 (num_nodes, 3), what the other player gets by best responses.
        """
        weights, left = self._weights[player], entries
        scales = weights[entries].max(axis=1, keepdims=True)
        weights[entries] /= scales
        bounds = np.zeros_like(weights)
        bounds[entries] = gets[self._tree.parent[entries]] / scales
        for precision in PRECISIONS:
            if not len(left):
                return
            self._solve(player, left, bounds, precision)
            self._follow(left)
            excess = (self._resolving[player].answers_to(weights) - bounds)[left].max(axis=1)
            left = left[(excess > LARGEST_EXCESS) | (self._costs(left) > LARGEST_COST)]

    def _solve(self, player: int, entries: Nodes, bounds: FloatArray, precision: Precision) -> None:
        tree, resolving = self._tree, self._resolving[player]
        plans = np.zeros((2, tree.num_nodes, NUM_TYPES))
        odds, before = np.zeros_like(bounds), self._weights[1 - player, tree.parent[entries]]
        odds[entries] = before / before.max(axis=1, keepdims=True)
        ends = np.cumsum(resolving.sizes(entries)) // MOST_NODES
        batches = np.split(entries, np.flatnonzero(np.diff(ends)) + 1)
        while batches:
            some = batches.pop()
            try:
                found = resolving.solve(some, self._weights[player, some], odds[some], bounds[some], precision)
            except ProgramError:
                if len(some) == 1:
                    if precision == PRECISIONS[0]:
                        raise
                    continue
                batches += np.array_split(some, 2)  # smaller programs are easier
                continue
            plans[player] += found.plan
            plans[1 - player] += found.opponent_plan
            weights = odds[some] + found.multipliers
            self._weights[1 - player, some] = weights
            scaled = weights / weights.max(axis=1, keepdims=True)
            self._beliefs[some] = np.where(found.multipliers.any(axis=1, keepdims=True), scaled, 0.0)
        for each in (0, 1):
            self._strategy = behaviour(tree, each, plans[each], self._strategy)

    def _costs(self, roots: Nodes) -> FloatArray:
        """float64 (num_roots,): the most that a move costs that is played in a root's region."""
        tree = self._tree
        values = _Values(self._game, expected_values(tree, self._strategy, self._game.payoffs), self._weights)
        region = np.full(tree.num_nodes, -1, np.intp)
        region[roots] = np.arange(len(roots))
        result = np.zeros(len(roots))
        for level in tree.nodes_by_depth[1:]:
            nodes = level[region[tree.parent[level]] >= 0]
            if not len(nodes):
                continue
            gets = values.to_mover(nodes)
            played = self._weights[tree.mover[nodes], nodes] > 0.0
            family = tree.families(nodes)
            costs = np.where(played, family.at_nodes(family.largest(gets)) - gets, 0.0).max(axis=1)
            at = region[tree.parent[nodes]]
            np.maximum.at(result, at, costs)
            region[nodes] = np.where(played.any(axis=1), at, -1)
        return result


class _Values(NamedTuple):
    """What moves are worth to those who make them."""

    game: Game
    values: FloatArray
    """float64 (num_nodes, 3, 3), [node, type of player 0, type of player 1], to player 0."""
    weights: FloatArray
    """float64 (2, num_nodes, 3), as `weights_by_belief` returns them."""

    def to_mover(self, nodes: Nodes) -> FloatArray:
        """float64 (len(nodes), 3): what the moves into these nodes are worth to the mover's types, by its belief."""
        tree, prior = self.game.tree, self.game.prior
        result = np.zeros((len(nodes), NUM_TYPES))
        for player, odds, axes, sign in ((0, prior, (0, 1, 2), 1.0), (1, prior.T, (0, 2, 1), -1.0)):
            own = tree.mover[nodes] == player
            moves = nodes[own]
            belief = odds * self.weights[1 - player, tree.parent[moves]][:, None, :]
            totals = belief.sum(axis=2, keepdims=True)
            belief = np.divide(belief, totals, out=np.zeros_like(belief), where=totals > 0.0)
            result[own] = sign * (belief * self.values[moves].transpose(axes)).sum(axis=2)
        return result


def _with_absent_types(
    game: Game, strategy: FloatArray, weights: FloatArray, trembling: Sequence[Trembling]
) -> FloatArray:
    """The strategy with best responses, from the leaves up, for types that never come to a node."""
    tree, result = game.tree, strategy.copy()
    against_strategy = np.zeros((tree.num_nodes, NUM_TYPES, NUM_TYPES))
    leaves = tree.leaf_class >= 0
    against_strategy[leaves] = game.payoffs[tree.leaf_class[leaves]]
    against_trembling = np.stack([against_strategy, against_strategy])  # by the player whose opponent trembles
    trembling_reach = np.stack([player.reach for player in trembling])
    for level in reversed(tree.levels):
        nodes, mover = level.nodes, tree.mover[level.nodes]
        gets = _Values(game, against_strategy, weights).to_mover(nodes)
        gets_if_trembling = np.where(
            (mover == 0)[:, None],
            *(_Values(game, against_trembling[player], trembling_reach).to_mover(nodes) for player in (0, 1)),
        )
        best = level.first_largest(
            np.where(gets >= level.at_nodes(level.largest(gets)) - TIE, gets_if_trembling, -np.inf)
        )
        present = weights[mover, tree.parent[nodes]]
        absent = present <= ABSENT * present.max(axis=1, keepdims=True)
        result[nodes] = np.where(absent, best, result[nodes])
        moves = by_both_types(tree, nodes, result[nodes])
        against_strategy[level.parents] = level.sums(moves * against_strategy[nodes])
        for player in (0, 1):
            others = by_both_types(tree, nodes, trembling[1 - player].strategy[nodes])
            met = np.where((mover == player)[:, None, None], moves, others)
            against_trembling[player][level.parents] = level.sums(met * against_trembling[player][nodes])
    return result
