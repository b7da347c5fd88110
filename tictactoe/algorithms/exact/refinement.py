"""Refining an equilibrium: best play after every mistake, too.

An equilibrium binds nobody where its players never come. Here strategies of an equilibrium are changed there, and only
there, until every move that is played is a best one, given the strategies from there on and a belief about the
opponent's type. The belief follows Bayes' rule where the opponent's strategy leads. Where it does not, because the
opponent has just made a move that none of its types plays, the belief is chosen at that node, and follows Bayes' rule
from there on (for the idea, sequential equilibrium: Kreps and Wilson 1982).

The nodes fall into regions. The first one is where the equilibrium leads. An entry into a further region is a move of a
player Q that none of its types plays in the region before. Below an entry the other player P, who has not erred there,
picks a plan by a linear program, with the odds of its types as they came in:

    minimise   what Q gets: B[h] summed over Q's types h
    subject to B[h] <= V[h], what Q's type h was sure to get before its mistake

B[h] is Q's best-response value below the entry. The bounds keep the mistake a mistake, so that the whole stays an
equilibrium (safe re-solving: Burch, Johanson and Bowling 2014; Moravcik et al. 2016). The program is always feasible: the
strategies so far are such a plan. Its solution is a best response to the belief "odds times (1 + multiplier of the
bound)", and the dual solution is Q's plan. Both may make mistakes again, in the eyes of the new plans: these are the
entries of the next generation. Terminates: each generation begins further down the tree.

Among the optima, P takes one that gets most from an opponent who goes on at random: such play has a small weight,
RANDOM_WEIGHT, in the program. In the end types that never come to a node play a best response by Bayes' rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import ProgramError
from ..arrays import NUM_TYPES, FloatArray
from ..expected_values import expected_values
from ..game import Game
from ..public_tree import PublicTree
from .linear_program import Program, solve_in_turn
from .sequence_form import PLAN_NOISE, SequenceForm, behaviour

DUAL_NOISE = 1e-10
"""Smaller dual values are within the solver's tolerance of 0, and count as 0."""

DEBUG = False
COST = 1e-9
RUNGS = ((32.0, 1e-10), (1024.0, 1e-10), (2.0**15, 1e-13), (2.0**18, 1e-13),(2.0**20, 1e-13))
"""The programs have payoffs in this part of the unit, so that the solver's tolerances matter that much less."""

EXCESS = 1e-14

MOST_ROWS = 4000
"""Programs are solved together, as one, until they have so many rows. One by one they would take twice as long."""

TIE = 1e-9
"""Values of a best response that differ by less are equal, in the unit of the payoffs' spread."""

Nodes = NDArray[np.intp]


class Refined(NamedTuple):
    """A refined equilibrium."""

    strategy: FloatArray
    """float64 (num_nodes, 3): both players' strategies."""
    weights: FloatArray
    """float64 (2, num_nodes, 3), by player, node and type: how likely the player's types are at a node, before the odds
    of the types count, up to a factor. 0 for a type that does not come."""
    num_programs: int
    """Linear programs, one for each entry."""


def refine(game: Game, strategy: FloatArray) -> Refined:
    """Refine an equilibrium. Raises MissingSolverError without highspy, ProgramError when a program is not solved.

    strategy: float64 (num_nodes, 3), an equilibrium of the game that is exact to rounding.
    """
    return _Refinement(game, strategy).run()


class _Refinement:
    def __init__(self, game: Game, strategy: FloatArray) -> None:
        self._game, self._tree = game, game.tree
        self._strategy = np.where(strategy < PLAN_NOISE, 0.0, strategy)
        self._weights = np.zeros((2, self._tree.num_nodes, NUM_TYPES))
        self._forms = tuple(SequenceForm(self._tree, player) for player in (0, 1))
        self._ends = _ends(self._tree)
        self._num_programs = 0

    def run(self) -> Refined:
        tree = self._tree
        self._weights[:, 0] = 1.0
        roots: Nodes = np.zeros(1, np.intp)
        while len(roots):
            values = self._follow(roots)
            entries = self._entries(roots)
            for player in (0, 1):
                self._solve(player, entries[tree.mover[entries] == 1 - player], values[1 - player])
            roots = entries
        return Refined(self._with_absent_types(), self._weights, self._num_programs)

    def _follow(self, roots: Nodes) -> tuple[FloatArray, FloatArray]:
        """Fill in the weights below the roots. Returns both players' counterfactual values of best responses,
        float64 (num_nodes, 3)."""
        tree, weights = self._tree, self._weights
        below = np.zeros(tree.num_nodes, bool)
        below[roots] = True
        for nodes in tree.nodes_by_depth[1:]:
            nodes = nodes[below[tree.parent[nodes]]]
            below[nodes] = True
            for player in (0, 1):
                own = (tree.mover[nodes] == player)[:, None]
                weights[player, nodes] = weights[player, tree.parent[nodes]] * np.where(own, self._strategy[nodes], 1.0)
        return tuple(self._forms[1 - q].values_below(self._game, q, weights[1 - q]) for q in (0, 1))  # type: ignore

    def _entries(self, roots: Nodes) -> Nodes:
        """The moves out of the regions of these roots. Leaves are none: nothing is played there."""
        tree = self._tree
        inside = np.zeros(tree.num_nodes, bool)
        inside[roots] = True
        entries = []
        for nodes in tree.nodes_by_depth[1:]:
            nodes = nodes[inside[tree.parent[nodes]]]
            mover = tree.mover[nodes]
            played = self._weights[mover, nodes].any(axis=1)
            inside[nodes[played]] = True
            entries.append(nodes[~played & (tree.leaf_class[nodes] < 0)])
        return np.concatenate(entries)

    def _solve(self, player: int, entries: Nodes, values: FloatArray) -> None:
        """Replace both players' strategies below entries at which the player P moves, and set the weights there.

        values: float64 (num_nodes, 3), Q's counterfactual values before its mistakes.
        """
        tree, weights = self._tree, self._weights
        if not len(entries):
            return
        scales = weights[player, entries].max(axis=1, keepdims=True)
        weights[player, entries] /= scales
        bounds = values[tree.parent[entries]] / scales
        self._num_programs += len(entries)
        left = np.arange(len(entries))
        for unit, noise in RUNGS:
            self._solve_some(player, entries[left], bounds[left], unit, noise)
            gets = self._follow(entries[left])[1 - player][entries[left]]
            excess = (gets - bounds[left]).max(axis=1)
            costs = self._costs(entries[left])
            bad = (excess > EXCESS) | (costs > COST)
            if DEBUG and bad.any(): print("   rung", unit, noise, "of", len(left), "bad", bad.sum(), "excess", excess.max(), "cost", costs.max())
            left = left[bad]
            if not len(left):
                return

    def _costs(self, entries: Nodes) -> FloatArray:
        """float64 (num_entries,): the most that a move costs that is played in the region of an entry."""
        tree, game, strategy = self._tree, self._game, self._strategy
        values = expected_values(tree, strategy, game.payoffs)
        region = np.full(tree.num_nodes, -1, np.intp)
        region[entries] = np.arange(len(entries))
        result = np.zeros(len(entries))
        for nodes in tree.nodes_by_depth[1:]:
            nodes = nodes[region[tree.parent[nodes]] >= 0]
            if not len(nodes):
                continue
            mover, parents = tree.mover[nodes], tree.parent[nodes]
            gets = np.zeros((len(nodes), NUM_TYPES))
            for player in (0, 1):
                own = mover == player
                odds, turned, sign = (game.prior, (0, 1, 2), 1.0) if player == 0 else (game.prior.T, (0, 2, 1), -1.0)
                belief = odds * self._weights[1 - player, parents[own]][:, None, :]
                belief = belief / np.maximum(belief.sum(axis=2, keepdims=True), 1e-300)
                gets[own] = sign * np.einsum("ngh,ngh->ng", belief, values[nodes[own]].transpose(turned))
            starts = np.flatnonzero(np.r_[True, parents[1:] != parents[:-1]])
            counts = np.diff(np.r_[starts, len(nodes)])
            best = np.repeat(np.maximum.reduceat(gets, starts, axis=0), counts, axis=0)
            played = self._weights[mover, nodes] > 0.0
            cost = np.where(played, best - gets, 0.0).max(axis=1)
            np.maximum.at(result, region[parents], cost)
            inside = played.any(axis=1)
            region[nodes[inside]] = region[parents[inside]]
        return result

    def _solve_some(self, player: int, entries: Nodes, bounds: FloatArray, unit: float, noise: float) -> None:
        tree, weights = self._tree, self._weights
        plans = np.zeros((2, tree.num_nodes, NUM_TYPES))
        batches = list(self._batches(entries))
        while batches:
            some = batches.pop()
            form, below = self._forms[player], entries[some]
            program = _Program(self._game, form, below, self._ends, weights[player, below], unit)
            try:
                columns, duals = solve_in_turn(program.program(bounds[some]), program.at_random())
            except ProgramError:
                if len(below) == 1:
                    continue
                middle = (some.start + some.stop) // 2  # smaller programs are easier
                batches += [slice(some.start, middle), slice(middle, some.stop)]
                continue
            program.read(columns, duals, plans[player], plans[1 - player], noise)
            weights[1 - player, below] = 1.0 + program.multipliers(duals)
        for each in (0, 1):
            self._strategy = behaviour(tree, each, plans[each], self._strategy)

    def _batches(self, entries: Nodes) -> Iterator[slice]:
        sizes = NUM_TYPES * (self._ends[entries] - self._tree.first_child[entries])
        start, rows = 0, 0
        for at, size in enumerate(sizes):
            if rows + size > MOST_ROWS and at > start:
                yield slice(start, at)
                start, rows = at, 0
            rows += size
        yield slice(start, len(entries))

    def _with_absent_types(self) -> FloatArray:
        """The strategy, in which types that never come to a node play a best response there, from the leaves up."""
        tree, prior, weights, strategy = self._tree, self._game.prior, self._weights, self._strategy.copy()
        values = np.zeros((tree.num_nodes, NUM_TYPES, NUM_TYPES))
        leaves = np.flatnonzero(tree.leaf_class >= 0)
        values[leaves] = self._game.payoffs[tree.leaf_class[leaves]]
        at_random = np.stack([values, values])  # by the player whose opponent goes on at random
        for nodes in tree.nodes_by_depth[:0:-1]:
            starts = np.flatnonzero(np.r_[True, tree.parent[nodes[1:]] != tree.parent[nodes[:-1]]])
            parents = tree.parent[nodes[starts]]
            counts = np.diff(np.r_[starts, len(nodes)])
            for player in (0, 1):
                sign, odds = (1.0, prior) if player == 0 else (-1.0, prior.T)
                own = np.repeat(tree.owner[parents] == player, counts)
                mine = nodes[own]
                if not len(mine):
                    continue
                family = np.repeat(np.arange(len(parents)), counts)[own]
                first = np.flatnonzero(np.r_[True, family[1:] != family[:-1]])
                sizes = np.diff(np.r_[first, len(mine)])
                belief = odds * weights[1 - player, tree.parent[mine]][:, None, :]  # [node, own type, other's]
                belief = belief / np.maximum(belief.sum(axis=2, keepdims=True), 1e-300)
                turned = (0, 1, 2) if player == 0 else (0, 2, 1)
                gets = sign * np.einsum("ngh,ngh->ng", belief, values[mine].transpose(turned))
                lucky = sign * np.einsum("ngh,ngh->ng", belief, at_random[player][mine].transpose(turned))
                best = np.repeat(np.maximum.reduceat(gets, first, axis=0), sizes, axis=0)
                lucky = np.where(gets >= best - TIE, lucky, -np.inf)
                chosen = lucky == np.repeat(np.maximum.reduceat(lucky, first, axis=0), sizes, axis=0)
                earlier = np.cumsum(chosen, axis=0) - chosen
                chosen &= earlier == np.repeat(earlier[first], sizes, axis=0)
                absent = weights[player, tree.parent[mine]] == 0.0
                strategy[mine] = np.where(absent, chosen, strategy[mine])
            mover = tree.mover[nodes]
            moves = np.where((mover == 0)[:, None, None], strategy[nodes][:, :, None], strategy[nodes][:, None, :])
            values[parents] = np.add.reduceat(moves * values[nodes], starts, axis=0)
            for player in (0, 1):
                random = np.repeat((1.0 / counts), counts)[:, None, None]
                how = np.where((mover == player)[:, None, None], moves, random)
                at_random[player][parents] = np.add.reduceat(how * at_random[player][nodes], starts, axis=0)
        return strategy


def _ends(tree: PublicTree) -> Nodes:
    """intp (num_nodes,): one more than the last node below a node; the first one is its first child."""
    ends = np.arange(1, tree.num_nodes + 1, dtype=np.intp)
    for nodes in tree.nodes_by_depth[:0:-1]:
        np.maximum.at(ends, tree.parent[nodes], ends[nodes])
    return ends


class _Program:
    """The programs below some entries at which the player P moves, as one: they have no variable in common."""

    def __init__(self, game: Game, form: SequenceForm, entries: Nodes, ends: Nodes, weights: FloatArray, unit: float) -> None:
        """weights: float64 (num_entries, 3), of P's types at the entries."""
        tree, player = game.tree, form.player
        self._form, self._entries, self._weights, self._num_nodes = form, entries, weights, tree.num_nodes
        self._unit = unit
        starts = tree.first_child[entries]
        counts = ends[entries] - starts
        below = np.repeat(starts - np.r_[0, np.cumsum(counts)[:-1]], counts) + np.arange(counts.sum())
        here = np.zeros((tree.num_nodes, NUM_TYPES), bool)
        coming = np.zeros((tree.num_nodes, NUM_TYPES), bool)
        here[below] = True
        coming[below] = np.repeat(weights > 0.0, counts, axis=0)
        own_moves, own_nodes = (tree.mover == player)[:, None], (tree.owner == player)[:, None]
        flows = coming & own_nodes
        flows[entries] = weights > 0.0
        self._rows = np.concatenate([flows, here & (tree.mover == 1 - player)[:, None]]).ravel()
        self._columns = np.concatenate([coming & own_moves, here & (tree.owner == 1 - player)[:, None]]).ravel()
        self._column_index = np.cumsum(self._columns) - 1
        self._losses = form.losses(game, unit)
        self._tree = tree
        self._below, self._counts = below, counts

    def program(self, bounds: FloatArray) -> Program:
        form, tree, rows, columns = self._form, self._tree, self._rows, self._columns
        row_index = np.cumsum(rows) - 1
        used = np.flatnonzero(rows[form._rows] & columns[form._columns])
        classes = form._classes[used]
        flat = self._losses.reshape(-1, NUM_TYPES * NUM_TYPES)
        entries = np.where(classes < 0, form._numbers[used], -flat[classes, form._pairs[used]])
        row, column = row_index[form._rows[used]], self._column_index[form._columns[used]]
        num_rows = int(rows.sum())
        # what Q gets, by entry and type: from P's first moves on
        first = [np.arange(tree.first_child[c], tree.first_child[c] + tree.num_children[c]) for c in self._entries]
        nodes = np.concatenate(first)
        block = np.repeat(np.arange(len(first)), list(map(len, first)))
        bound_rows, bound_columns, bound_entries = [], [], []
        types = np.arange(NUM_TYPES)
        on = tree.leaf_class[nodes] < 0
        for h in types:
            bound_rows.append(block[on] * NUM_TYPES + h)
            bound_columns.append((self._num_nodes + nodes[on]) * NUM_TYPES + h)
            bound_entries.append(np.ones(on.sum()))
            for g in types:
                bound_rows.append(block[~on] * NUM_TYPES + h)
                bound_columns.append(nodes[~on] * NUM_TYPES + g)
                bound_entries.append(self._losses[tree.leaf_class[nodes[~on]], g, h])
        brow, bcol, bent = map(np.concatenate, (bound_rows, bound_columns, bound_entries))
        kept = columns[bcol]
        brow, bcol, bent = brow[kept] + num_rows, self._column_index[bcol[kept]], bent[kept]
        num_columns, num_bounds = int(columns.sum()), NUM_TYPES * len(self._entries)
        costs = np.bincount(bcol, bent, minlength=num_columns)
        row, column, entries = np.r_[row, brow], np.r_[column, bcol], np.r_[entries, bent]
        order = np.lexsort((column, row))
        row, column, entries = row[order], column[order], entries[order]
        nonzero = entries != 0.0
        row, column, entries = row[nonzero], column[nonzero], entries[nonzero]
        half = self._num_nodes * NUM_TYPES
        lower = np.zeros(2 * half)
        lower[(self._entries[:, None] * NUM_TYPES + types).ravel()] = self._weights.ravel()
        is_answer = np.arange(2 * half) >= half
        counts = np.bincount(row, minlength=num_rows + num_bounds)
        return Program(
            costs=costs,
            column_lower=np.where(is_answer, -np.inf, 0.0)[columns],
            row_lower=np.r_[lower[rows], np.full(num_bounds, -np.inf)],
            row_upper=np.r_[np.where(is_answer, np.inf, lower)[rows], self._unit * bounds.ravel()],
            starts=np.r_[0, np.cumsum(counts)].astype(np.int32),
            columns=column.astype(np.int32),
            entries=entries,
        )

    def at_random(self) -> FloatArray:
        """float64 (size,): what Q gets by moves at random, by the columns of P's plan."""
        tree, player = self._tree, self._form.player
        reach = np.ones(tree.num_nodes)
        inside = np.zeros(tree.num_nodes, bool)
        inside[self._below] = True
        result = np.zeros((tree.num_nodes, NUM_TYPES))
        for nodes in tree.nodes_by_depth[1:]:
            nodes = nodes[inside[nodes]]
            parents = tree.parent[nodes]
            before = np.where(inside[parents], reach[parents], 1.0)
            reach[nodes] = before / np.where(tree.mover[nodes] == player, 1, tree.num_children[parents])
            leaves = nodes[tree.leaf_class[nodes] >= 0]
            at = np.where(tree.mover[leaves] == player, leaves, tree.parent[leaves])
            np.add.at(result, at, self._losses[tree.leaf_class[leaves]].sum(axis=2) * reach[leaves][:, None])
        return np.concatenate([result.ravel(), np.zeros(self._num_nodes * NUM_TYPES)])[self._columns]

    def multipliers(self, duals: FloatArray) -> FloatArray:
        """float64 (num_entries, 3): of the bounds on what Q's types get."""
        found: FloatArray = np.maximum(-duals[int(self._rows.sum()) :], 0.0).reshape(-1, NUM_TYPES)
        return np.where(found < DUAL_NOISE, 0.0, found)

    def read(self, columns: FloatArray, duals: FloatArray, own: FloatArray, other: FloatArray, cut: float) -> None:
        """Add the realization plans of both players below the entries, float64 (num_nodes, 3) each."""
        half = self._num_nodes * NUM_TYPES
        for values, mask, part, plan, noise in (
            (columns, self._columns, slice(half), own, cut),
            (duals[: int(self._rows.sum())], self._rows, slice(half, None), other, DUAL_NOISE),
        ):
            whole = np.zeros(2 * half)
            whole[mask] = np.where(values < noise, 0.0, values)
            plan += whole[part].reshape(-1, NUM_TYPES)
