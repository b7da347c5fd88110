"""Refinement of an equilibrium, which plays best even after every mistake.

`refine` changes strategies at nodes that the equilibrium does not reach. Every move that is played there becomes
optimal, given the later strategies and a belief about the opponent's type. The belief follows Bayes' rule where the
opponent's strategy leads. After a mistake, it stays as it was, or becomes one with which the mistake does not pay. The
result is a perfect Bayesian equilibrium (Fudenberg and Tirole 1991). Beliefs after different mistakes agree, as in a
sequential equilibrium (Kreps and Wilson 1982). Types that never reach a node play a best response there; among equal
ones, the one that gains most from a trembling opponent.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import ProgramError
from .arrays import NUM_TYPES, FloatArray
from .game import Game
from .linear_program import BASIC, FREE, Basis, Program, solve_in_turn
from .public_tree import PublicTree
from .punishing_double_oracle import Trembling, trembling_player
from .sequence_form import PLAN_NOISE, Kept, Matrix, StartingBasis, behaviour, sequence_form
from .strategy import by_both_types, expected_values, weights_by_belief, with_root

DUAL_NOISE = 1e-10
"""Dual values below this are within the solver's tolerance and count as 0."""

Nodes = NDArray[np.intp]
Mask = NDArray[np.bool_]


class Precision(NamedTuple):
    """The precision with which programs are solved."""

    unit: float
    """The factor of the payoffs in the programs. The solver's tolerances matter that much less."""
    noise: float
    """Probabilities of P's plan below this count as 0."""


class Part(NamedTuple):
    """The payoff of a tied type after a move, or without its error: a sum that includes shares of B of entries."""

    constant: float
    later: list[int]
    """The places of the decisions whose values are added."""
    entries: list[tuple[int, float]]
    """The nodes, and the factors of their B."""


@dataclass(eq=False)
class Tie:
    """A type of Q that erred where other types of Q still play, and that never comes to some entries.

    The type must not gain by its error.
    """

    error: int
    """The node of the error."""
    type: int
    most: float
    """The payoff of the type without the error."""
    gets: Part = field(default_factory=lambda: Part(0.0, [], []))
    """The payoff of the type with the error."""
    moves: list[tuple[int, int, Part]] = field(default_factory=list)
    """The place of Q's decision, the node of the move, and the type's payoff after it."""
    num_decisions: int = 0
    flows: FloatArray = field(default_factory=lambda: np.zeros(0))
    """The weight with which the type makes each move, in the solution."""


class Resolved(NamedTuple):
    """The play below some entries. Plans are float64 (num_nodes, 3), 0 elsewhere."""

    plan: FloatArray
    """The realization plan of P, who moves at the entries."""
    opponent_plan: FloatArray
    """The realization plan of Q, who erred."""
    multipliers: FloatArray
    """float64 (num_entries, 3): the multipliers of the bounds of Q's types; for tied types, their weights at the
    entries."""


class Resolving:
    """Safe re-solving of the play below the opponent's mistakes, by one linear program for many mistakes.

    An entry is a move by which the opponent Q errs, whatever its type. The player P then moves; its types have weights
    w[g]. P picks a realization plan x below the entry, as in `sequence_form`, with the flow w[g] at the entry:

        minimise   odds[h] * B[h] summed over Q's types h, where B[h] is Q's best response value below the entry
        subject to B[h] <= V[h], the value of Q's type h without the mistake

    The odds are Q's weights before the mistake. The bounds ensure that no type gains by it (Burch, Johanson and Bowling
    2014; Moravcik et al. 2016). The dual values of the answers are Q's plan, with the weights odds[h] + multiplier of
    the bound. A second program then picks the plan that gains most from a trembling player. Types that never come to an
    entry have no bound there, but may have one where they erred (`Tie`).

    trembling: float64 (num_nodes, 3), the reach of a trembling Q's types.
    likely: float64 (num_nodes, 3), strategies of both players. Programs begin at the moves with the largest entries.
    """

    def __init__(self, game: Game, player: int, trembling: FloatArray, likely: FloatArray) -> None:
        self._game, self._tree, self._trembling = game, game.tree, trembling
        decisions = game.tree.decision_nodes[1:]
        if game.tree.num_types != NUM_TYPES or np.any(game.tree.owner[decisions] != 1 - game.tree.mover[decisions]):
            raise ValueError("tree: only a tree whose players have 3 types and move in turn can be refined")
        self._form = form = sequence_form(game.tree, player)
        every = form.kept(np.ones(trembling.shape, bool))
        likely_basis = StartingBasis(form).of(every, likely)
        self._columns, self._rows = np.zeros((2, form.size), np.int8)
        self._columns[every.columns], self._rows[every.rows] = likely_basis
        self._ends = _ends(game.tree)

    def answers_to(self, weights: FloatArray) -> FloatArray:
        """float64 (num_nodes, 3): Q's counterfactual values of a best response to P.

        weights: float64 (num_nodes, 3), the weights of P's types at every node.
        """
        return self._form.values_below(self._game, 1 - self._form.player, weights)

    def sizes(self, entries: Nodes) -> Nodes:
        """The number of nodes below each entry."""
        sizes: Nodes = self._ends[entries] - self._tree.first_child[entries]
        return sizes

    def solve(
        self,
        entries: Nodes,
        weights: FloatArray,
        odds: FloatArray,
        bounds: FloatArray,
        precision: Precision,
        ties: Sequence[Tie] = (),
    ) -> Resolved:
        """Solve the programs below the entries. Raises MissingSolverError, and ProgramError if HiGHS fails.

        weights: float64 (num_entries, 3), the weights of P's types, of which the largest is 1.
        odds: float64 (num_entries, 3), the odds of Q's types.
        bounds: float64 (num_entries, 3), V with these weights; infinite for types that never come to the entry.
        ties: the ties of types that never come to an entry, if all their entries are given.
        """
        tree, form, half = self._tree, self._form, self._form.size // 2
        below = _ranges(tree.first_child[entries], self.sizes(entries))  # in the order of the entries
        place, asked = {node: number for number, node in enumerate(entries.tolist())}, np.isfinite(bounds)
        for tie in ties:
            asked[[place[node] for _, _, part in tie.moves for node, _ in part.entries], tie.type] = True
        kept = self._kept(entries, below, weights, asked)
        losses = form.losses(self._game, precision.unit)
        scales = self._trembling[entries].max(axis=1, keepdims=True)
        program = self._program(entries, kept, losses, weights, precision.unit * bounds, odds)
        num_rows, num_columns = int(kept.rows.sum()), int(kept.columns.sum())
        program = _with_ties(program, ties, place, num_rows, num_columns, precision.unit)
        trembling = self._trembling[below] / np.repeat(scales, self.sizes(entries), axis=0)
        second = np.zeros(len(program.costs))
        second[:num_columns] = self._from_trembling(below, losses, trembling)[kept.columns]
        columns, duals = solve_in_turn(program, second, self._basis(kept, program))
        columns, after = columns[:num_columns], num_rows + bounds.size
        multipliers = np.maximum(-duals[num_rows:after], 0.0).reshape(-1, NUM_TYPES)
        for tie in ties:
            flows = duals[after : after + len(tie.moves)]
            tie.flows, after = np.where(-flows < DUAL_NOISE, 0.0, -flows), after + len(tie.moves) + 1
            for flow, (_, _, part) in zip(tie.flows, tie.moves, strict=True):
                for node, factor in part.entries:
                    multipliers[place[node], tie.type] += flow * factor
        plans = np.zeros(2 * form.size)
        plans[: form.size][kept.columns] = np.where(columns < precision.noise, 0.0, columns)
        plans[form.size :][kept.rows] = np.where(duals[:num_rows] < DUAL_NOISE, 0.0, duals[:num_rows])
        shape = (tree.num_nodes, NUM_TYPES)
        return Resolved(
            plans[:half].reshape(shape),
            plans[form.size + half :].reshape(shape),
            np.where(multipliers < DUAL_NOISE, 0.0, multipliers),
        )

    def _basis(self, kept: Kept, program: Program) -> Basis:
        columns, rows = self._columns[kept.columns], self._rows[kept.rows]
        more = len(program.costs) - len(columns), len(program.row_lower) - len(rows)
        return Basis(np.r_[columns, np.full(more[0], FREE, np.int8)], np.r_[rows, np.full(more[1], BASIC, np.int8)])

    def _kept(self, entries: Nodes, below: Nodes, weights: FloatArray, asked: Mask) -> Kept:
        tree, player = self._tree, self._form.player
        here, coming = np.zeros((2, tree.num_nodes, NUM_TYPES), bool)
        here[below] = np.repeat(asked, self.sizes(entries), axis=0)
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
        tree, half = self._tree, self._form.size // 2
        counts = tree.num_children[entries]
        nodes = _ranges(tree.first_child[entries], counts)
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
        tree = self._tree
        ends = tree.leaf_class[below] >= 0
        leaves = below[ends]
        last = np.where(tree.mover[leaves] == self._form.player, leaves, tree.parent[leaves])
        result = np.zeros((tree.num_nodes, NUM_TYPES))
        np.add.at(result, last, (losses[tree.leaf_class[leaves]] * trembling[ends][:, None, :]).sum(axis=2))
        return np.concatenate([result.ravel(), np.zeros(self._form.size // 2)])


def _with_ties(
    program: Program, ties: Sequence[Tie], place: dict[int, int], num_rows: int, num_columns: int, unit: float
) -> Program:
    starts, columns, entries = program.starts.tolist(), [program.columns], [program.entries]
    lower, upper, first = list[float](), list[float](), num_columns
    for tie in ties:
        for decision, _, part in [*tie.moves, (-1, tie.error, tie.gets)]:
            numbers = [first + np.array(part.later, np.int32)]
            factors = [np.ones(len(part.later))]
            for node, factor in part.entries:
                row = num_rows + place[node] * NUM_TYPES + tie.type
                numbers.append(program.columns[starts[row] : starts[row + 1]])
                factors.append(factor * program.entries[starts[row] : starts[row + 1]])
            if decision >= 0:
                numbers.append(np.array([first + decision]))
                factors.append(-np.ones(1))
            found = np.concatenate(numbers)
            order = np.argsort(found)
            columns.append(found[order])
            entries.append(np.concatenate(factors)[order])
            starts.append(starts[-1] + len(order))
            lower.append(-np.inf)
            upper.append(unit * ((tie.most if decision < 0 else 0.0) - part.constant))
        first += tie.num_decisions
    more = first - num_columns
    return Program(
        costs=np.r_[program.costs, np.zeros(more)],
        column_lower=np.r_[program.column_lower, np.full(more, -np.inf)],
        row_lower=np.r_[program.row_lower, lower],
        row_upper=np.r_[program.row_upper, upper],
        starts=np.array(starts, np.int32),
        columns=np.concatenate(columns).astype(np.int32),
        entries=np.concatenate(entries),
    )


def _ranges(starts: NDArray[Any], counts: NDArray[Any]) -> Nodes:
    return np.repeat(starts - np.r_[0, np.cumsum(counts)[:-1]], counts) + np.arange(counts.sum())


def _ends(tree: PublicTree) -> Nodes:
    """intp (num_nodes,): the node after the last one below each node."""
    ends = np.arange(1, tree.num_nodes + 1, dtype=np.intp)
    for nodes in tree.nodes_by_depth[:0:-1]:
        np.maximum.at(ends, tree.parent[nodes], ends[nodes])
    return ends


PRECISIONS = (
    Precision(32.0, 1e-9),
    Precision(1024.0, 1e-9),
    Precision(2.0**15, 1e-13),
    Precision(2.0**18, 1e-13),
    Precision(2.0**20, 1e-13),
)
"""Programs that fail the next two limits are solved again with the next precision. In a finer unit, HiGHS fails more
often."""

LARGEST_EXCESS = 1e-14
"""The most that a type may gain by its mistake through rounding where the equilibrium leads, in payoff. Elsewhere, the
limit is LARGEST_COST."""

LARGEST_COST = 1e-9
"""The largest cost of a move that is played, in payoff."""

NOISE = 1e-9
"""Moves that cost more than LARGEST_COST and are less likely than this count as the solver's noise."""

MOST_NODES = 1300
"""The approximate number of nodes below the entries that share one program."""

ABSENT = 1e-12
"""A type counts as absent if its probability is below this part of another's."""

TIE = 1e-9
"""Best responses whose values differ by less than this, in payoff, are equally good."""


class Refined(NamedTuple):
    strategy: FloatArray
    """float64 (num_nodes, 3): both players' strategies."""
    beliefs: FloatArray
    """float64 (num_nodes, 3), with the digits of float32: the weights of the mover's types after a mistake that would
    otherwise pay, up to a factor and without the prior; 0 elsewhere."""
    num_programs: int
    """The number of mistakes below which a linear program was solved."""


class Errant(NamedTuple):
    """The values of Q's best responses to P, who does not err any more."""

    values: FloatArray
    """float64 (num_nodes, 3): the values, by Q's types."""
    reach: FloatArray
    """float64 (num_nodes, 3): the reach of P's types since P's last mistake."""
    errs: Mask
    """bool (num_nodes,): P's mistakes."""

    def excess(self, tie: Tie) -> float:
        """The gain of a type by its error."""
        return float(self.values[tie.error, tie.type] / self.reach[tie.error].max() - tie.most)


def _tied(entries: Nodes, ties: Sequence[Tie]) -> list[tuple[Nodes, list[Tie]]]:
    group = {node: [node] for node in entries.tolist()}
    for tie in ties:
        for node in (ends := [node for _, _, part in tie.moves for node, _ in part.entries])[1:]:
            joined = group[ends[0]]
            if group[node] is not joined:
                joined += group[node]
                group |= dict.fromkeys(group[node], joined)
    of_group: dict[int, list[Tie]] = {id(nodes): [] for nodes in group.values()}
    for tie in ties:
        of_group[id(group[next(node for _, _, part in tie.moves for node, _ in part.entries)])].append(tie)
    return [(np.array(nodes), of_group[id(nodes)]) for nodes in {id(nodes): nodes for nodes in group.values()}.values()]


def refine(
    game: Game, strategy: FloatArray, models: Sequence[Trembling] | None = None, likely: FloatArray | None = None
) -> Refined:
    """Refine an equilibrium.

    game: a game whose payoffs span about 2 (`magnified`).
    strategy: float64 (num_nodes, 3), both players' strategies, an equilibrium up to rounding.
    models: for each player, a model of its mistakes, which makes every move now and then; by default, the trembling
        player of the equilibrium. Among equally good plans, the one that gains most from the model is taken.
    likely: float64 (num_nodes, 3), strategies of both players; by default, the equilibrium. The search is fast if they
        play well after mistakes.

    The equilibrium is sequential, unless programs for many mistakes are not solved exactly. It is then only perfect
    Bayesian.

    Raises ValueError for a tree in which a player moves twice in a row, MissingSolverError, and ProgramError if a
    program is not solved.

    >>> from tictactoe import DoubleOracle, kuhn_poker, uniform_strategy
    >>> kuhn = kuhn_poker()
    >>> found = DoubleOracle(kuhn.tree, uniform_strategy(kuhn.tree)).solve(kuhn)
    >>> refine(kuhn, found.strategy).strategy.shape == found.strategy.shape
    True
    """
    if models is None:
        models = [trembling_player(game.tree, player, strategy) for player in (0, 1)]
    likely = strategy if likely is None else likely
    with contextlib.suppress(ProgramError):
        return _Refinement(game, strategy, models, likely, is_tied=True).run()
    return _Refinement(game, strategy, models, likely, is_tied=False).run()


class _Refinement:
    """Types that never come to a node may be *led*, by a plan that beliefs rely on, or *released*, which needs no
    plan."""

    def __init__(
        self, game: Game, strategy: FloatArray, models: Sequence[Trembling], likely: FloatArray, *, is_tied: bool
    ) -> None:
        self._game, self._tree, self._is_tied = game, game.tree, is_tied
        self._strategy = np.where(strategy < PLAN_NOISE, 0.0, strategy)
        self._weights = np.zeros((2, self._tree.num_nodes, NUM_TYPES))
        self._beliefs = np.zeros_like(self._strategy)
        self._released, self._led = np.zeros((2, *self._weights.shape), bool)
        self._on_path = np.ones(self._tree.num_nodes, bool)
        self._trembling = models
        self._resolving = tuple(Resolving(game, player, models[1 - player].reach, likely) for player in (0, 1))

    def run(self) -> Refined:
        for player in (0, 1):
            self._weights[player, 0] = self._game.prior.sum(axis=1 - player) > 0.0
            self._release(player, np.zeros(1, np.intp))
        self._drop_noise()  # of the equilibrium, which makes its moves entries
        self._beliefs[:] = 0.0
        roots: Nodes = np.zeros(1, np.intp)
        num_programs = 0
        self._follow(roots)
        self._on_path[:] = self._weights.any(axis=2).all(axis=0)
        while len(roots):
            entries = self._entries(roots)
            gets = [self._resolving[player].answers_to(self._weights[player]) for player in (0, 1)]
            for player in (0, 1):
                self._resolve(player, entries[self._tree.mover[entries] == 1 - player], gets[player])
            roots, num_programs = entries, num_programs + len(entries)
            self._follow(roots)
        self._beliefs = self._beliefs.astype(np.float32).astype(np.float64)
        self._drop_noise()
        beliefs = self._beliefs
        weights = weights_by_belief(self._tree, self._strategy, beliefs, self._game.prior)
        strategy = _with_absent_types(self._game, self._strategy, weights, self._trembling, self._led)
        return Refined(strategy, beliefs, num_programs)

    def _drop_noise(self) -> None:
        tree, family = self._tree, self._tree.all_families
        weights = weights_by_belief(tree, self._strategy, self._beliefs, self._game.prior)
        values = expected_values(tree, self._strategy, self._game.payoffs)
        gets = _to_mover(self._game, values, weights, np.arange(1, tree.num_nodes))
        costs = with_root(family.at_nodes(family.largest(gets)) - gets)
        noise = (self._strategy > 0.0) & (self._strategy < NOISE) & (costs > LARGEST_COST)
        kept = np.where(noise, 0.0, self._strategy)
        totals = tree.at_children(tree.sums_over_children(kept))
        loses = tree.at_children(tree.sums_over_children(noise.astype(np.float64))) > 0.0
        self._strategy = np.divide(kept, totals, out=kept, where=loses)
        nodes = np.flatnonzero(noise.any(axis=1))
        before = weights[tree.mover[nodes], tree.parent[nodes]]
        left = nodes[~((before > 0.0) & (self._strategy[nodes] > 0.0)).any(axis=1)]
        own = weights[tree.mover[left], left]
        self._beliefs[left] = (own / own.max(axis=1, keepdims=True)).astype(np.float32)

    def _follow(self, roots: Nodes) -> None:
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
        tree, weights = self._tree, self._weights[player]
        parents, other = tree.parent[entries], self._weights[1 - player]
        self._release(player, entries)
        ties = self._ties(player, entries) if self._is_tied else []
        scales = weights[entries].max(axis=1, keepdims=True)
        weights[entries] /= scales
        bounds = np.zeros_like(weights)
        is_bound = (other[parents] > 0.0) | (not self._is_tied)
        bounds[entries] = np.where(is_bound, gets[parents] / scales, np.inf)
        left = _tied(entries, ties)
        for precision in PRECISIONS:
            if not left:
                break
            self._solve(player, left, bounds, precision)
            every = np.concatenate([group for group, _ in left])
            self._follow(every)
            excess = (self._resolving[player].answers_to(weights) - bounds)[every].max(axis=1)
            wrong = set(every[(excess > self._most_excess(every)) | (self._costs(every) > LARGEST_COST)].tolist())
            values = self._to_errant(player)
            left = [
                (group, tied)
                for group, tied in left
                if not wrong.isdisjoint(group.tolist())
                or any(values.excess(tie) > self._most_excess(tie.error) for tie in tied)
            ]
        if left and self._is_tied:
            raise ProgramError("tied programs are not exact enough")
        for tie in ties:
            self._lead(player, tie)

    def _most_excess(self, mistakes: Nodes | int) -> FloatArray:
        return np.where(self._on_path[self._tree.parent[mistakes]], LARGEST_EXCESS, LARGEST_COST)

    def _to_errant(self, player: int) -> Errant:
        tree, strategy, weights = self._tree, self._strategy, self._weights[player]
        reach, errs = np.ones_like(weights), np.zeros(tree.num_nodes, bool)
        reach[0] = weights[0]
        for nodes in tree.nodes_by_depth[1:]:
            own = tree.mover[nodes] == player
            reach[nodes] = reach[tree.parent[nodes]] * np.where(own[:, None], strategy[nodes], 1.0)
            errs[nodes] = ~reach[nodes].any(axis=1)
            after = nodes[errs[nodes]]
            reach[after] = np.where(weights[after].any(axis=1, keepdims=True), weights[after], 1.0)
        values = np.where((tree.leaf_class >= 0)[:, None], self._resolving[player].answers_to(reach), 0.0)
        values[(tree.leaf_class < 0) & (tree.owner != player)] = -np.inf
        for nodes in tree.nodes_by_depth[:0:-1]:
            to_player = tree.owner[tree.parent[nodes]] == player
            some = nodes[to_player & ~errs[nodes]]
            np.add.at(values, tree.parent[some], values[some])
            np.maximum.at(values, tree.parent[nodes[~to_player]], values[nodes[~to_player]])
        return Errant(values, reach, errs)

    def _release(self, player: int, entries: Nodes) -> None:
        tree, released = self._tree, self._released[player]
        below = np.zeros(tree.num_nodes, bool)
        below[entries] = True
        released[entries] |= self._weights[player, entries] == 0.0
        for level in tree.nodes_by_depth[1:]:
            nodes = level[below[tree.parent[level]]]
            below[nodes] = True
            released[nodes] |= released[tree.parent[nodes]]

    def _ties(self, player: int, entries: Nodes) -> list[Tie]:
        tree, errant = self._tree, 1 - player
        comes = (self._weights[errant] > 0.0) | self._led[errant]
        found: dict[tuple[int, int], list[int]] = {}
        for entry in entries.tolist():
            for own in np.flatnonzero(~comes[tree.parent[entry]] & ~self._released[errant, entry]).tolist():
                node = int(tree.parent[entry])
                while not comes[tree.parent[node], own]:
                    node = int(tree.parent[node])
                found.setdefault((node, own), []).append(entry)
        values = self._to_errant(player) if found else None
        return [self._tie(player, *error, ends, values) for error, ends in found.items() if values is not None]

    def _tie(self, player: int, error: int, own: int, entries: list[int], to_errant: Errant) -> Tie:
        tree, (values, reach, errs) = self._tree, to_errant
        scale, above, ends = float(reach[error].max()), set[int](), set(entries)
        for node in entries:
            while node != error:
                node = int(tree.parent[node])
                above.add(node)
        tie = Tie(error, own, float(values[tree.parent[error], own]) / scale)

        def gets(node: int) -> Part:
            if node in ends:
                return Part(0.0, [], [(node, float(reach[node].max()) / scale)])
            if node not in above:
                return Part(float(values[node, own]) / scale, [], [])
            if tree.owner[node] == player:
                parts = [gets(child) for child in tree.children(node) if not errs[child]]
                constant = sum(part.constant for part in parts)
                later = list(chain.from_iterable(part.later for part in parts))
                return Part(constant, later, list(chain.from_iterable(part.entries for part in parts)))
            place, tie.num_decisions = tie.num_decisions, tie.num_decisions + 1
            for child in tree.children(node):
                part = gets(child)
                tie.moves.append((place, child, part))
            return Part(0.0, [place], [])

        tie.gets = gets(error)
        return tie

    def _lead(self, player: int, tie: Tie) -> None:
        tree, led = self._tree, self._led[1 - player]
        flows = dict(zip((node for _, node, _ in tie.moves), tie.flows.tolist(), strict=True))
        nodes = [tie.error] if any(flows.values()) else []
        while nodes:
            node = nodes.pop()
            children = tree.children(node) if tree.leaf_class[node] < 0 else ()
            if tree.owner[node] == player:
                led[node, tie.type] = True
                nodes += [child for child in children if tree.first_child[child] in flows]
                continue
            total = sum(flows[child] for child in children)
            led[node, tie.type] = not children or total > 0.0  # otherwise it comes less often than noise
            if total == 0.0:
                continue
            for child in children:
                self._strategy[child, tie.type] = flows[child] / total
                if flows[child] > 0.0 and self._weights[1 - player, child, tie.type] == 0.0:
                    nodes.append(child)

    def _solve(
        self, player: int, groups: Sequence[tuple[Nodes, list[Tie]]], bounds: FloatArray, precision: Precision
    ) -> None:
        tree, resolving = self._tree, self._resolving[player]
        plans = np.zeros((2, tree.num_nodes, NUM_TYPES))
        entries = np.concatenate([group for group, _ in groups])
        odds, before = np.zeros_like(bounds), self._weights[1 - player, tree.parent[entries]]
        odds[entries] = before / before.max(axis=1, keepdims=True)
        ends = np.cumsum([resolving.sizes(group).sum() for group, _ in groups]) // MOST_NODES
        starts = [0, *(np.flatnonzero(np.diff(ends)) + 1).tolist(), len(groups)]
        batches = [groups[start:end] for start, end in pairwise(starts)]
        while batches:
            batch = batches.pop()
            some, ties = np.concatenate([group for group, _ in batch]), [tie for _, tied in batch for tie in tied]
            try:
                found = resolving.solve(some, self._weights[player, some], odds[some], bounds[some], precision, ties)
            except ProgramError:
                if len(batch) == 1:
                    if precision == PRECISIONS[0]:
                        raise
                    continue
                batches += [batch[: len(batch) // 2], batch[len(batch) // 2 :]]  # smaller programs are easier
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
        tree = self._tree
        values = expected_values(tree, self._strategy, self._game.payoffs)
        region = np.full(tree.num_nodes, -1, np.intp)
        region[roots] = np.arange(len(roots))
        result = np.zeros(len(roots))
        for level in tree.nodes_by_depth[1:]:
            nodes = level[region[tree.parent[level]] >= 0]
            if not len(nodes):
                continue
            gets = _to_mover(self._game, values, self._weights, nodes)
            played = self._weights[tree.mover[nodes], nodes] > 0.0
            family = tree.families(nodes)
            costs = np.where(played, family.at_nodes(family.largest(gets)) - gets, 0.0).max(axis=1)
            at = region[tree.parent[nodes]]
            np.maximum.at(result, at, costs)
            region[nodes] = np.where(played.any(axis=1), at, -1)
        return result


def _to_mover(game: Game, values: FloatArray, weights: FloatArray, nodes: Nodes) -> FloatArray:
    """float64 (len(nodes), 3): the value of the moves into `nodes` to the mover's types, by its belief."""
    tree, prior = game.tree, game.prior
    result = np.zeros((len(nodes), NUM_TYPES))
    for player, odds, axes, sign in ((0, prior, (0, 1, 2), 1.0), (1, prior.T, (0, 2, 1), -1.0)):
        own = tree.mover[nodes] == player
        moves = nodes[own]
        belief = odds * weights[1 - player, tree.parent[moves]][:, None, :]
        totals = belief.sum(axis=2, keepdims=True)
        belief = np.divide(belief, totals, out=np.zeros_like(belief), where=totals > 0.0)
        result[own] = sign * (belief * values[moves].transpose(axes)).sum(axis=2)
    return result


def _with_absent_types(
    game: Game, strategy: FloatArray, weights: FloatArray, trembling: Sequence[Trembling], led: Mask
) -> FloatArray:
    tree, result = game.tree, strategy.copy()
    against_strategy = np.zeros((tree.num_nodes, NUM_TYPES, NUM_TYPES))
    leaves = tree.leaf_class >= 0
    against_strategy[leaves] = game.payoffs[tree.leaf_class[leaves]]
    against_trembling = np.stack([against_strategy, against_strategy])  # indexed by the player whose opponent trembles
    trembling_reach = np.stack([player.reach for player in trembling])
    for level in reversed(tree.levels):
        nodes, mover = level.nodes, tree.mover[level.nodes]
        gets = _to_mover(game, against_strategy, weights, nodes)
        if_trembling = (_to_mover(game, values, trembling_reach, nodes) for values in against_trembling)
        gets_if_trembling = np.where((mover == 0)[:, None], *if_trembling)
        best = level.first_largest(
            np.where(gets >= level.at_nodes(level.largest(gets)) - TIE, gets_if_trembling, -np.inf)
        )
        present = weights[mover, tree.parent[nodes]]
        absent = (present <= ABSENT * present.max(axis=1, keepdims=True)) & ~led[mover, tree.parent[nodes]]
        result[nodes] = np.where(absent, best, result[nodes])
        moves = by_both_types(tree, nodes, result[nodes])
        against_strategy[level.parents] = level.sums(moves * against_strategy[nodes])
        for player in (0, 1):
            others = by_both_types(tree, nodes, trembling[1 - player].strategy[nodes])
            met = np.where((mover == player)[:, None, None], moves, others)
            against_trembling[player][level.parents] = level.sums(met * against_trembling[player][nodes])
    return result
