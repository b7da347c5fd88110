"""Safe re-solving: what a player plays below mistakes of its opponent, by one linear program for many of them.

An entry is a move by which the opponent Q errs, whatever its type. The player P moves there; its types come with
weights w[g]. P picks a realization plan x below the entry, as in `sequence_form`, with the flow w[g] at the entry:

    minimise   odds[h] * B[h] summed over Q's types h, where B[h] is Q's best-response value below the entry
    subject to B[h] <= V[h], what Q's type h gets without the mistake

The odds are Q's weights before the mistake. With the bounds the mistake stays a mistake, so that nobody gains by it
(Burch, Johanson and Bowling 2014; Moravcik et al. 2016). The optimum is a best response to Q's types with the weights
odds[h] + multiplier of the bound, and the dual values of the answers are Q's realization plan with these weights. Of
all optima, a second program picks the plan that gets most from a trembling player.

Entries have no subtree in common, so that the programs of many are one. One by one they would take five times as long.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import NUM_TYPES, FloatArray
from ..game import Game
from ..public_tree import PublicTree
from .linear_program import Program, solve_in_turn
from .sequence_form import Kept, Matrix, SequenceForm

DUAL_NOISE = 1e-10
"""Smaller dual values are within the solver's tolerance of 0, and count as 0."""

Nodes = NDArray[np.intp]


class Precision(NamedTuple):
    """How exactly programs are solved."""

    unit: float
    """The programs have payoffs in this part of the unit, so that the solver's tolerances matter that much less."""
    noise: float
    """Smaller probabilities of P's plan count as 0."""


class Resolved(NamedTuple):
    """The play below some entries. Plans are float64 (num_nodes, 3), and 0 elsewhere."""

    plan: FloatArray
    """The realization plan of P, who moves at the entries."""
    opponent_plan: FloatArray
    """That of Q, who erred."""
    multipliers: FloatArray
    """float64 (num_entries, 3): of the bounds of Q's types."""


class Resolving:
    """The programs of P below any entries in a game.

    trembling: float64 (num_nodes, 3), the reach of Q's types if Q is the trembling player.
    """

    def __init__(self, game: Game, player: int, trembling: FloatArray) -> None:
        self._game, self._tree, self._trembling = game, game.tree, trembling
        decisions = game.tree.decision_nodes[1:]
        if game.tree.num_types != NUM_TYPES or np.any(game.tree.owner[decisions] != 1 - game.tree.mover[decisions]):
            raise ValueError("tree: refining is for players of 3 types who move in turn")
        self._form = SequenceForm(game.tree, player)
        self._ends = _ends(game.tree)

    def answers_to(self, weights: FloatArray) -> FloatArray:
        """float64 (num_nodes, 3): Q's counterfactual values of a best response to P, whose types have these weights at
        every node, float64 (num_nodes, 3)."""
        return self._form.values_below(self._game, 1 - self._form.player, weights)

    def sizes(self, entries: Nodes) -> Nodes:
        """The number of nodes below each entry."""
        sizes: Nodes = self._ends[entries] - self._tree.first_child[entries]
        return sizes

    def solve(
        self, entries: Nodes, weights: FloatArray, odds: FloatArray, bounds: FloatArray, precision: Precision
    ) -> Resolved:
        """Solve the programs below the entries. Raises MissingSolverError, and ProgramError if HiGHS fails.

        weights: float64 (num_entries, 3), of P's types at the entries, the largest 1.
        odds: float64 (num_entries, 3), of Q's types.
        bounds: float64 (num_entries, 3), V by Q's types, with these weights.
        """
        tree, form, half = self._tree, self._form, self._form.size // 2
        below = self._below(entries)
        kept = self._kept(entries, below, weights)
        losses = form.losses(self._game, precision.unit)
        scales = self._trembling[entries].max(axis=1, keepdims=True)
        program = self._program(entries, kept, losses, weights, precision.unit * bounds, odds)
        trembling = self._trembling[below] / np.repeat(scales, self.sizes(entries), axis=0)
        columns, duals = solve_in_turn(program, self._from_trembling(below, losses, trembling)[kept.columns])
        num_rows = int(kept.rows.sum())
        multipliers = np.maximum(-duals[num_rows:], 0.0).reshape(-1, NUM_TYPES)
        plans = np.zeros(2 * form.size)
        plans[: form.size][kept.columns] = np.where(columns < precision.noise, 0.0, columns)
        plans[form.size :][kept.rows] = np.where(duals[:num_rows] < DUAL_NOISE, 0.0, duals[:num_rows])
        shape = (tree.num_nodes, NUM_TYPES)
        return Resolved(
            plans[:half].reshape(shape),
            plans[form.size + half :].reshape(shape),
            np.where(multipliers < DUAL_NOISE, 0.0, multipliers),
        )

    def _below(self, entries: Nodes) -> Nodes:
        """All nodes below the entries, those of the first entry first."""
        sizes = self.sizes(entries)
        starts = self._tree.first_child[entries] - np.r_[0, np.cumsum(sizes)[:-1]]
        return np.repeat(starts, sizes) + np.arange(sizes.sum())

    def _kept(self, entries: Nodes, below: Nodes, weights: FloatArray) -> Kept:
        """The rows and columns of the programs; none for types of P that do not come."""
        tree, player = self._tree, self._form.player
        here, coming = np.zeros((2, tree.num_nodes, NUM_TYPES), bool)
        here[below] = True
        coming[below] = np.repeat(weights > 0.0, self.sizes(entries), axis=0)
        flows = coming & (tree.owner == player)[:, None]
        flows[entries] = weights > 0.0
        answers = here & (tree.mover == 1 - player)[:, None]
        plans = coming & (tree.mover == player)[:, None]
        values = here & (tree.owner == 1 - player)[:, None]
        return Kept(np.concatenate([flows, answers]).ravel(), np.concatenate([plans, values]).ravel())

    def _program(
        self, entries: Nodes, kept: Kept, losses: FloatArray, weights: FloatArray, bounds: FloatArray, odds: FloatArray
    ) -> Program:
        """The rows of the sequence form, and a row for B[h] of each entry and type below them."""
        form, half, num_rows = self._form, self._form.size // 2, int(kept.rows.sum())
        inside, gets = form.matrix(kept, losses), self._gets(entries, losses)
        known, numbers = kept.columns[gets.columns], np.cumsum(kept.columns) - 1
        gets = Matrix(gets.rows[known], numbers[gets.columns[known]], gets.entries[known])
        order = np.lexsort((gets.columns, gets.rows))
        flow = np.zeros(form.size)
        flow[(entries[:, None] * NUM_TYPES + np.arange(NUM_TYPES)).ravel()] = weights.ravel()
        is_second_half = np.arange(form.size) >= half
        costs = np.zeros(int(kept.columns.sum()))
        np.add.at(costs, gets.columns, gets.entries * odds.ravel()[gets.rows])
        counts = np.bincount(np.r_[inside.rows, num_rows + gets.rows], minlength=num_rows + bounds.size)
        return Program(
            costs=costs,
            column_lower=np.where(is_second_half, -np.inf, 0.0)[kept.columns],
            row_lower=np.r_[flow[kept.rows], np.full(bounds.size, -np.inf)],
            row_upper=np.r_[np.where(is_second_half, np.inf, flow)[kept.rows], bounds.ravel()],
            starts=np.r_[0, np.cumsum(counts)].astype(np.int32),
            columns=np.r_[inside.columns, gets.columns[order]].astype(np.int32),
            entries=np.r_[inside.entries, gets.entries[order]],
        )

    def _gets(self, entries: Nodes, losses: FloatArray) -> Matrix:
        """What Q gets below the entries, from P's first moves on: in the row entry * 3 + Q's type, by columns of the
        full form."""
        tree, half = self._tree, self._form.size // 2
        counts = tree.num_children[entries]
        nodes = np.repeat(tree.first_child[entries] - np.r_[0, np.cumsum(counts)[:-1]], counts) + np.arange(
            counts.sum()
        )
        block = np.repeat(np.arange(len(entries)), counts)
        is_leaf = tree.leaf_class[nodes] >= 0
        leaves, others, types = nodes[is_leaf], nodes[~is_leaf], np.arange(NUM_TYPES)
        values = half + others[:, None] * NUM_TYPES + types
        plans = np.broadcast_to(leaves[:, None, None] * NUM_TYPES + types[:, None], (len(leaves), NUM_TYPES, NUM_TYPES))
        rows = block[:, None] * NUM_TYPES + types
        at_leaves = np.broadcast_to(rows[is_leaf][:, None, :], plans.shape)
        return Matrix(
            np.r_[rows[~is_leaf].ravel(), at_leaves.ravel()],
            np.r_[values.ravel(), plans.ravel()],
            np.r_[np.ones(values.size), losses[tree.leaf_class[leaves]].ravel()],
        )

    def _from_trembling(self, below: Nodes, losses: FloatArray, trembling: FloatArray) -> FloatArray:
        """float64 (size,): what a trembling Q gets, by the columns of P's plan.

        trembling: float64 (len(below), 3), Q's reach.
        """
        tree = self._tree
        ends = tree.leaf_class[below] >= 0
        leaves = below[ends]
        last = np.where(tree.mover[leaves] == self._form.player, leaves, tree.parent[leaves])
        result = np.zeros((tree.num_nodes, NUM_TYPES))
        np.add.at(result, last, (losses[tree.leaf_class[leaves]] * trembling[ends][:, None, :]).sum(axis=2))
        return np.concatenate([result.ravel(), np.zeros(self._form.size // 2)])


def _ends(tree: PublicTree) -> Nodes:
    """intp (num_nodes,): one more than the last node below a node, whose nodes below begin with its first child."""
    ends = np.arange(1, tree.num_nodes + 1, dtype=np.intp)
    for nodes in tree.nodes_by_depth[:0:-1]:
        np.maximum.at(ends, tree.parent[nodes], ends[nodes])
    return ends
