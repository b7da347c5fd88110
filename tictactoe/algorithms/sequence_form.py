"""The linear program of one player of a game, in sequence form (Koller, Megiddo and von Stengel 1996).

The player P picks a realization plan x: x[n, g] is the probability that P's own moves, with type g, lead to the node n.
v[d, h] is the best counterfactual value of the opponent Q at Q's decision node d with type h.

    minimise   what Q gets: v summed over Q's first decision nodes and types
    flow       sum of x[c, g] over the children c of P's decision node d  =  x[before d, g], or 1 at P's first move
    answers    v[d, h]  >=  what follows Q's move from d to c: values v of Q's next decision nodes below c, and
               payoffs times x at the leaves where Q does not move again
    x >= 0

The dual values of the answers are Q's realization plan.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import LARGEST_NUM_TYPES, FloatArray
from .game import Game
from .linear_program import AT_LOWER, BASIC, Basis, Program, ProgramSolution
from .public_tree import PublicTree
from .strategy import best_response_from_leaves

Indices = NDArray[np.intp]
Mask = NDArray[np.bool_]

PLAN_NOISE = 1e-12
"""Probabilities of a solution below this are rounding errors and count as 0."""


def behaviour(tree: PublicTree, player: int, plan: FloatArray, elsewhere: FloatArray) -> FloatArray:
    """float64 (num_nodes, k): the player's strategy with the realization plan `plan`, float64 (num_nodes, k).

    The strategy is `elsewhere` where the plan does not lead, and in the other player's rows.
    """
    own = np.where((tree.mover == player)[:, None], plan, 0.0)
    totals = tree.at_children(tree.sums_over_children(own))
    result = elsewhere.copy()
    np.divide(plan, totals, out=result, where=totals > 0.0)
    return result


class Kept(NamedTuple):
    """Masks of the rows and columns of the full program that a restricted program has."""

    rows: Mask
    columns: Mask


class Matrix(NamedTuple):
    """The entries of a matrix that are not 0, by rows."""

    rows: Indices
    columns: Indices
    entries: FloatArray


class SequenceForm:
    """The full program of one player, and programs restricted to some moves.

    With N nodes and k types, column n * k + g is x[n, g], column (N + d) * k + h is v[d, h], row d * k + g is the flow
    at d, and row (N + c) * k + h is the answer that moves to c. Programs do not have the other rows and columns.

    Raises ValueError for a tree in which a player does not know its own type, or has more than 64.
    """

    def __init__(self, tree: PublicTree, player: int) -> None:
        if tree.knowledge is not None:
            raise ValueError("tree: a player does not know its own type, but linear programs need players who do")
        if tree.num_types > LARGEST_NUM_TYPES:
            what = f"{tree.num_types} private types; linear programs take at most {LARGEST_NUM_TYPES}"
            raise ValueError(f"tree: {what}")
        self.tree = tree
        self.player = player
        self.num_nodes = tree.num_nodes
        self.num_types = tree.num_types
        self.size = 2 * self.num_nodes * self.num_types
        self._last = _last_moves(tree, player)
        self._collect()

    def _collect(self) -> None:
        tree, mover, player = self.tree, self.tree.mover, self.player
        parent, leaf_class = tree.parent.astype(np.intp), tree.leaf_class
        nodes, num_types = np.arange(self.num_nodes), self.num_types
        self._leaves = np.flatnonzero(leaf_class >= 0)
        types = np.arange(num_types)
        rows, columns, numbers, classes, pairs = [], [], [], [], []

        def add(row: Indices, column: Indices, number: float, leaf: Indices | None = None) -> None:
            for own, other in product(types, types):
                if leaf is not None or own == other:
                    rows.append(row * num_types + other)
                    columns.append(column * num_types + own)
                    numbers.append(np.full(len(row), number))
                    classes.append(np.full(len(row), -1) if leaf is None else leaf_class[leaf].astype(np.intp))
                    pairs.append(np.full(len(row), own * num_types + other))

        value, answer = self.num_nodes, self.num_nodes
        own_last, other_last = self._last, _last_moves(tree, 1 - player)
        own_moves, answers = nodes[mover == player], nodes[mover == 1 - player]
        add(parent[own_moves], own_moves, 1.0)
        decisions = nodes[tree.owner == player]
        later = decisions[own_last[decisions] > 0]
        add(later, own_last[later], -1.0)
        add(answer + answers, value + parent[answers], 1.0)
        leaves = self._leaves[other_last[self._leaves] > 0]
        self._ends_before_own_move = leaves[own_last[leaves] == 0]
        self._answered = other_last[self._ends_before_own_move]
        leaves = leaves[own_last[leaves] > 0]
        ends = leaves[other_last[leaves] == leaves]
        add(answer + ends, own_last[ends], 0.0, ends)
        asked = nodes[tree.owner == 1 - player]
        following = asked[other_last[asked] > 0]
        add(answer + other_last[following], value + following, -1.0)
        ends = leaves[other_last[leaves] < leaves]
        add(answer + other_last[ends], own_last[ends], 0.0, ends)

        row = np.concatenate(rows)
        order = np.argsort(row, kind="stable")
        self._rows, self._columns = row[order], np.concatenate(columns)[order]
        self._numbers = np.concatenate(numbers)[order]
        self._classes, self._pairs = np.concatenate(classes)[order], np.concatenate(pairs)[order]
        places = np.sort(self._rows.astype(np.int64) * self.size + self._columns)
        self._repeats = not np.all(np.diff(places))  # chance moves lead from the same moves to several leaves
        self._row_lower = np.zeros(self.size)
        self._row_lower[self._places(decisions[own_last[decisions] == 0]).ravel()] = 1.0
        self._is_answer = np.arange(self.size) >= answer * num_types
        self._opponent_starts = np.zeros(self.size)
        self._opponent_starts[self._places(value + asked[other_last[asked] == 0]).ravel()] = 1.0
        self._unanswered = self._leaves[other_last[self._leaves] == 0]

    def _places(self, nodes: Indices) -> Indices:
        return nodes[:, None] * self.num_types + np.arange(self.num_types)

    def losses(self, game: Game, unit: float = 1.0) -> FloatArray:
        """Q's payoffs times the prior and `unit`: float64 (num_classes, k, k), by leaf class, P's type and Q's type."""
        weighted = game.payoffs * game.prior * unit
        return -weighted if self.player == 0 else weighted.transpose(0, 2, 1)

    def worst_case(self, game: Game, unit: float = 1.0) -> FloatArray:
        """float64 (size,): the costs of the columns, which add up to Q's best response value times `unit`."""
        costs = self._opponent_starts.copy()
        leaves = self._unanswered[self._last[self._unanswered] > 0]
        by_type = self.losses(game, unit)[self.tree.leaf_class[leaves]].sum(axis=2)
        np.add.at(costs, self._places(self._last[leaves]), by_type)
        return costs

    def constant(self, game: Game) -> float:
        """Q's value at the leaves to which chance moves alone lead."""
        leaves = self._unanswered[self._last[self._unanswered] == 0]
        return float(self.losses(game)[self.tree.leaf_class[leaves]].sum())

    def values_below(self, game: Game, answering: int, reach: FloatArray) -> FloatArray:
        """Q's value below each node: float64 (num_nodes, k), by type of the player `answering`.

        `answering` plays a best response to `reach`, float64 (num_nodes, k), the other player's realization plan.
        """
        sign, terms = (-1.0, "lgh,lh->lg") if answering == self.player else (1.0, "lgh,lg->lh")
        values = np.zeros((self.num_nodes, self.num_types))
        leaves = self._leaves
        values[leaves] = sign * np.einsum(terms, self.losses(game)[self.tree.leaf_class[leaves]], reach[leaves])
        return sign * best_response_from_leaves(self.tree, answering, values)

    def costs_beyond(self, kept: Kept, values: FloatArray) -> FloatArray:
        """float64 (size,): the costs of the columns, which add up to Q's value where a restricted program ends.

        It ends at leaves and, after P's first move, at decision nodes of P that it omits.

        values: float64 (num_nodes, k), Q's values by P's type, from `values_below`.
        """
        tree, half = self.tree, self.size // 2
        followed = np.any(kept.rows[:half].reshape(-1, self.num_types), axis=1)
        ends = np.flatnonzero((tree.leaf_class >= 0) | (tree.owner == self.player) & ~followed)
        result = np.zeros((self.num_nodes, self.num_types))
        np.add.at(result, self._last[ends], values[ends])
        result[0] = 0.0
        return np.concatenate([result.ravel(), np.zeros(half)])

    def kept(self, moves: Mask) -> Kept:
        """The program in which players make only `moves`, bool (num_nodes, k) by the mover's type."""
        tree, player = self.tree, self.player
        reached = tree.reached(moves)
        own, other = reached[player], reached[1 - player]
        any_own: Mask = np.any(own, axis=1, keepdims=True)
        any_other: Mask = np.any(other, axis=1, keepdims=True)
        before = np.maximum(tree.parent, 0)
        own_moves, answers = (tree.mover == player)[:, None], (tree.mover == 1 - player)[:, None]
        plans = own_moves & own & any_other[before]
        flows = (tree.owner == player)[:, None] & own & any_other
        values = (tree.owner == 1 - player)[:, None] & other & any_own
        answered = answers & other & any_own[before]
        return Kept(np.concatenate([flows, answered]).ravel(), np.concatenate([plans, values]).ravel())

    def program(self, game: Game, kept: Kept, costs: FloatArray, unit: float = 1.0) -> Program:
        """The program with the rows and columns of `kept` and these costs, float64 (size,).

        unit: a factor of v in the program, which makes the solver's tolerances matter that much less.
        """
        matrix = self.matrix(kept, self.losses(game, unit))
        counts = np.bincount(matrix.rows, minlength=int(kept.rows.sum()))
        lower = self._row_lower.copy()
        ends = self._ends_before_own_move
        known = self.losses(game, unit)[self.tree.leaf_class[ends]].sum(axis=1)
        np.add.at(lower, self._places(self.num_nodes + self._answered), known)
        is_plan = np.arange(self.size) < self.num_nodes * self.num_types
        return Program(
            costs=costs[kept.columns],
            column_lower=np.where(is_plan, 0.0, -np.inf)[kept.columns],
            row_lower=lower[kept.rows],
            row_upper=np.where(self._is_answer, np.inf, lower)[kept.rows],
            starts=np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
            columns=matrix.columns.astype(np.int32),
            entries=matrix.entries,
        )

    def matrix(self, kept: Kept, losses: FloatArray) -> Matrix:
        """The entries of the rows and columns of `kept`, numbered in its order. losses: from `losses`."""
        row_index, column_index = np.cumsum(kept.rows) - 1, np.cumsum(kept.columns) - 1
        flat = losses.reshape(-1, self.num_types**2)
        used = np.flatnonzero(kept.rows[self._rows] & kept.columns[self._columns])
        classes = self._classes[used]
        entries = np.where(classes < 0, self._numbers[used], -flat[classes, self._pairs[used]])
        rows, columns = row_index[self._rows[used]], column_index[self._columns[used]]
        if self._repeats:
            order = np.lexsort((columns, rows))
            rows, columns = rows[order], columns[order]
            starts = np.flatnonzero(np.r_[True, (np.diff(rows) > 0) | (np.diff(columns) > 0)][: len(rows)])
            rows, columns, entries = rows[starts], columns[starts], np.add.reduceat(entries[order], starts)
        present = entries != 0.0
        return Matrix(rows[present], columns[present], entries[present])

    def plan(self, solution: ProgramSolution, kept: Kept) -> FloatArray:
        """float64 (num_nodes, k): x in a solution; 0 without a column, or below PLAN_NOISE."""
        return self._plan(solution.columns, kept.columns, slice(self.size // 2))

    def answers(self, solution: ProgramSolution, kept: Kept) -> FloatArray:
        """float64 (num_nodes, k): Q's realization plan, from the dual values of the answers; 0 as in `plan`."""
        return self._plan(solution.duals, kept.rows, slice(self.size // 2, None))

    def values(self, solution: ProgramSolution, kept: Kept) -> FloatArray:
        """float64 (num_nodes, k): v at Q's decision nodes in a solution; 0 elsewhere."""
        result = np.zeros(self.size)
        result[kept.columns] = solution.columns
        return result[self.size // 2 :].reshape(self.num_nodes, self.num_types)

    def _plan(self, values: FloatArray, kept: Mask, half: slice) -> FloatArray:
        result = np.zeros(self.size)
        result[kept] = np.where(values < PLAN_NOISE, 0.0, values)
        return result[half].reshape(self.num_nodes, self.num_types)


@lru_cache(maxsize=2)
def sequence_form(tree: PublicTree, player: int) -> SequenceForm:
    """The full program of a player; both players' of the last tree are kept."""
    return SequenceForm(tree, player)


def _last_moves(tree: PublicTree, player: int) -> Indices:
    """intp (num_nodes,): the last move of a player on the way to a node or into it; 0 for none."""
    result = np.where(tree.mover == player, np.arange(tree.num_nodes), 0)
    for nodes in tree.nodes_by_depth[1:]:
        later = nodes[tree.mover[nodes] != player]
        result[later] = result[tree.parent[later]]
    return result


UNKNOWN_STATUS = -1
"""The status of a new column or row."""


class StartingBasis:
    """The last status of every column and row in one player's programs on one tree, from which the next program
    starts."""

    def __init__(self, form: SequenceForm) -> None:
        self._form = form
        self._columns = np.full(form.size, UNKNOWN_STATUS, np.int8)
        self._rows = np.full(form.size, UNKNOWN_STATUS, np.int8)

    def of(self, kept: Kept, preferred: FloatArray) -> Basis:
        """A basis of the program of `kept`.

        preferred: float64 (num_nodes, k). At a new information set, the move with the largest entry is chosen.
        """
        form, tree = self._form, self._form.tree
        half = form.size // 2
        is_value = np.arange(form.size) >= half
        columns = np.where(self._columns == UNKNOWN_STATUS, np.where(is_value, BASIC, AT_LOWER), self._columns)
        rows = np.where(self._rows == UNKNOWN_STATUS, np.where(is_value, BASIC, AT_LOWER), self._rows)
        new_flows = (kept.rows & (self._rows == UNKNOWN_STATUS))[:half].reshape(-1, tree.num_types)
        new_values = (kept.columns & (self._columns == UNKNOWN_STATUS))[half:].reshape(-1, tree.num_types)
        plans, answers = (mask.reshape(-1, tree.num_types) for mask in (kept.columns[:half], kept.rows[half:]))
        columns[:half][_chosen(tree, new_flows, plans, preferred)] = BASIC
        rows[half:][_chosen(tree, new_values, answers, preferred)] = AT_LOWER
        return Basis(columns[kept.columns], rows[kept.rows])

    def learn(self, kept: Kept, solution: ProgramSolution) -> None:
        """Remember the basis with which the program of `kept` ended."""
        self._columns[kept.columns] = solution.basis.columns
        self._rows[kept.rows] = solution.basis.rows


def _chosen(tree: PublicTree, sets: Mask, moves: Mask, preferred: FloatArray) -> Mask:
    """bool (num_nodes * k,): of `moves`, the first with the largest `preferred` at each information set of `sets`."""
    result = np.zeros(moves.shape, np.bool_)
    nodes, types = np.nonzero(moves & sets[np.maximum(tree.parent, 0)])
    order = np.lexsort((nodes, -preferred[nodes, types], types, tree.parent[nodes]))
    nodes, types = nodes[order], types[order]
    parents = tree.parent[nodes]
    first = np.ones(len(nodes), np.bool_)
    first[1:] = (parents[1:] != parents[:-1]) | (types[1:] != types[:-1])
    result[nodes[first], types[first]] = True
    return result.ravel()
