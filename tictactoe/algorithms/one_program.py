"""An equilibrium of any described game by one linear program, in floats, or exactly in fractions.

The sequence form (Koller, Megiddo and von Stengel 1996) has sequences: a move with all own moves before it, or the
empty sequence, 0. Player 0 picks a realization plan x, by sequence, against the best answers of player 1, whose values
are v, by its information sets:

    minimise   what player 1 gets: v summed over its first information sets, minus what x is paid where it never moves
    flow       x summed over the moves of an information set  =  x of the sequence before it, or 1 for the empty one
    answers    v of the set of s  >=  v summed over the sets after s, minus what x is paid at the ends after s
    x >= 0

The dual values of the answers are player 1's plan. To get fractions, the equations of HiGHS's basis are solved digit by
digit (Wan 2006); an optimum that is not exact is refined (Gleixner, Steffy and Wolter 2016).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import ProgramError
from .arrays import FloatArray
from .best_response import Exploitability, exploitability
from .game import Game
from .hidden_moves import HiddenMovesGame
from .linear_program import Program, first_optimum, optimum, require_solver
from .public_tree import PublicTree
from .sequence_form import PLAN_NOISE, behaviour
from .strategy import both_seats, uniform_strategy

Indices = NDArray[np.intp]
Numbers = NDArray[Any]
"""An array of float64 or of Python's whole numbers."""

LARGEST_PROGRAM = 5_000_000
"""The largest number of pairs of a leaf and of types that can occur there."""
PART_OF_SMALLEST = 1e-3
"""The largest gain, in parts of the smallest number of the program, that is accepted without using fractions."""
MAXIMUM_BITS = 2**16
"""The largest number of bits in a fraction's numbers."""
MOST_WORK = 2**31
"""The largest product of bits and entries of the equations, which takes minutes."""
MAXIMUM_REPAIRS = 20
"""The largest number of HiGHS's optima that turn out not to be exact."""
_BITS_A_STEP = 40


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """An equilibrium of a game."""

    value: float
    """The value to player 0, in payoff."""
    strategy: FloatArray
    """float64 (num_nodes, k): both players' strategies."""
    exploitability: Exploitability
    """The exploitability of the strategies in the full game."""
    num_programs: int
    """The number of linear programs solved."""

    @property
    def largest_gain(self) -> float:
        """The larger gain of both players from a best response."""
        return max(self.exploitability.first_gain, self.exploitability.second_gain)


class Sequences(NamedTuple):
    """A player's information sets. Each comes after the set of the sequence before it."""

    before: Indices
    """(num_sets,): the sequence that leads to a set."""
    starts: Indices
    """(num_sets + 1,): the first sequence of each set, whose others follow it, and the number of all sequences."""

    @property
    def set_of(self) -> Indices:
        """The set of each sequence from 1 on."""
        return np.repeat(np.arange(len(self.before)), np.diff(self.starts))


class SequenceGame(NamedTuple):
    """A game for the linear program, by pairs of sequences, in the order of player 0's sequences."""

    players: tuple[Sequences, Sequences]
    first: Indices
    """(num_pairs,): the sequence of player 0. The game may end after it and `second`."""
    second: Indices
    paid: Numbers
    """The payoffs to player 0 at all ends after the pair, times their probabilities."""


class ExactEquilibrium(NamedTuple):
    """An equilibrium in fractions."""

    value: Fraction
    plans: tuple[list[Fraction], list[Fraction]]
    """The probability of each player's own moves in each sequence; 1 for the empty sequence."""


def equilibrium(game: Game) -> Equilibrium:
    """An equilibrium by one linear program, up to rounding.

    The game may have hidden moves, any number of types, and players who do not know their types. Raises ValueError for
    a game whose matrix is too large, ProgramError and MissingSolverError.

    >>> from tictactoe import named_game
    >>> found = equilibrium(named_game("kuhn").build())
    >>> round(18 * found.value, 9), found.exploitability.total < 1e-12
    (-1.0, True)
    """
    form = _Form(game)
    try:
        found = form.equilibrium(*_by_floats(form.sequences))
    except ProgramError:
        return form.exact()
    if found.largest_gain > PART_OF_SMALLEST * form.smallest:
        with contextlib.suppress(ProgramError):
            exact = form.exact()
            return exact if exact.largest_gain <= found.largest_gain else found
    return found


def exact_equilibrium(game: Game, elsewhere: FloatArray) -> Equilibrium:
    """An equilibrium in fractions, rounded to floats. Raises the errors of `equilibrium`.

    elsewhere: float64 (num_nodes, k), the strategy at nodes to which the players' plans do not lead.
    """
    return _Form(game, elsewhere).exact()


class _Form:
    def __init__(self, game: Game, elsewhere: FloatArray | None = None) -> None:
        self._game, tree = game, game.tree
        self._elsewhere = uniform_strategy(tree) if elsewhere is None else elsewhere
        first, second = (_Numbered(tree, player, game.prior.sum(axis=1 - player) > 0.0) for player in (0, 1))
        self._numbered = first, second
        if isinstance(game, HiddenMovesGame):
            pairs = first.before[game.ends.first, 0], second.before[game.ends.second, 0], game.ends.paid
        else:
            leaves, (one, other) = np.flatnonzero(tree.leaf_class >= 0), np.nonzero(game.prior > 0.0)
            if len(leaves) * len(one) > LARGEST_PROGRAM:
                what = f"{len(leaves):,} leaves with {len(one):,} pairs of types; a linear program takes"
                raise ValueError(f"game: {what} at most {LARGEST_PROGRAM:,} of both together")
            classes = tree.leaf_class[leaves]
            matrix, factor = game.shared or (np.arange(len(game.payoffs)), np.ones(len(game.payoffs)))
            paid = (game.payoffs * game.prior)[:, one, other][matrix[classes]] * factor[classes, None]
            pairs = first.before[leaves][:, one].ravel(), second.before[leaves][:, other].ravel(), paid.ravel()
        self.smallest = float(np.abs(pairs[2])[pairs[2] != 0.0].min(initial=np.inf))
        self.sequences = SequenceGame((first.sequences, second.sequences), *merged(*pairs))

    def equilibrium(self, *plans: FloatArray) -> Equilibrium:
        game = self._game
        by_node = [np.r_[0.0, plan[1:]][each.of_move] for each, plan in zip(self._numbered, plans, strict=True)]
        strategy = both_seats(
            game.tree, *(behaviour(game.tree, player, by_node[player], self._elsewhere) for player in (0, 1))
        )
        measured = exploitability(game, strategy)
        return Equilibrium(measured.value, strategy, measured, 1)

    def exact(self) -> Equilibrium:
        sequences = self.sequences
        solved = solve_in_fractions(
            sequences._replace(paid=np.array([*map(Fraction, sequences.paid.tolist())], object))
        )
        found, value = self.equilibrium(*(np.array(plan, np.float64) for plan in solved.plans)), float(solved.value)
        return Equilibrium(value, found.strategy, found.exploitability._replace(value=value), 1)


class _Numbered:
    """A player's sequences in a tree, shared by types that it cannot tell apart."""

    def __init__(self, tree: PublicTree, player: int, drawn: NDArray[np.bool_]) -> None:
        last = np.where(tree.mover == player, np.arange(tree.num_nodes), 0)
        for nodes in tree.nodes_by_depth[1:]:
            last[nodes] = np.where(last[nodes] > 0, last[nodes], last[tree.parent[nodes]])
        decisions, types = np.flatnonzero(tree.owner == player), np.arange(tree.num_types)
        group = np.tile(types, (tree.num_nodes, 1))
        if tree.knowledge is not None:
            unsure = decisions[tree.knowledge.partition[decisions] >= 0]
            group[unsure] = np.argmax(tree.knowledge.together[tree.knowledge.partition[unsure]] & drawn, axis=2)
        place, own_type = np.nonzero((group[decisions] == types) & drawn)
        nodes = decisions[place]
        counts = tree.num_children[nodes].astype(np.intp)
        starts = 1 + np.r_[0, np.cumsum(counts)]
        self.of_move: Indices = np.zeros((tree.num_nodes, tree.num_types), np.intp)
        """(num_nodes, k): the sequence of the player's move with each type; 0 elsewhere and for types that are not
        drawn."""
        numbers = np.arange(1, starts[-1])
        moves = numbers - np.repeat(starts[:-1] - tree.first_child[nodes], counts)
        self.of_move[moves, np.repeat(own_type, counts)] = numbers
        own = np.flatnonzero(tree.mover == player)
        self.of_move[own] = np.take_along_axis(self.of_move[own], group[tree.parent[own]], axis=1) * drawn
        self.before: Indices = self.of_move[last]
        """(num_nodes, k): the sequence that leads to a node."""
        self.sequences = Sequences(self.before[nodes, own_type], starts)


def merged(rows: Indices, columns: Indices, entries: Numbers) -> tuple[Indices, Indices, Numbers]:
    """The entries of a sparse matrix by rows, without zeros with the entries at the same place added up."""
    order = np.lexsort((columns, rows))
    rows, columns, entries = rows[order], columns[order], entries[order]
    starts = np.flatnonzero(np.r_[True, (np.diff(rows) != 0) | (np.diff(columns) != 0)][: len(rows)])
    if len(starts) < len(rows):
        entries = np.add.reduceat(entries, starts)
    kept = entries != 0
    return rows[starts][kept], columns[starts][kept], entries[kept]


def program_of(game: SequenceGame) -> Program:
    """The linear program. Columns: x from sequence 1 on, then v. Rows: flows, then answers from sequence 1 on."""
    (own, other), paid = game.players, game.paid
    num_own, num_flows = int(own.starts[-1]) - 1, len(own.before)
    later, following = np.flatnonzero(own.before), np.flatnonzero(other.before)
    both = (game.first > 0) & (game.second > 0)
    answers = np.arange(int(other.starts[-1]) - 1)
    rows = [own.set_of, later, num_flows + answers, num_flows + other.before[following] - 1]
    columns = [np.arange(num_own), own.before[later] - 1, num_own + other.set_of, num_own + following]
    ones = [np.full(len(row), sign).astype(paid.dtype) for row, sign in zip(rows, (1, -1, 1, -1), strict=True)]
    row, column, entry = merged(
        np.concatenate([*rows, num_flows + game.second[both] - 1]),
        np.concatenate([*columns, game.first[both] - 1]),
        np.concatenate([*ones, paid[both]]),
    )
    costs = np.zeros(num_own + len(other.before), paid.dtype)
    costs[num_own + np.flatnonzero(other.before == 0)] += 1
    unanswered, unplanned = (game.first > 0) & (game.second == 0), (game.first == 0) & (game.second > 0)
    np.subtract.at(costs, game.first[unanswered] - 1, paid[unanswered])
    lower = np.zeros(num_flows + len(answers), paid.dtype)
    lower[np.flatnonzero(own.before == 0)] += 1
    np.subtract.at(lower, num_flows + game.second[unplanned] - 1, paid[unplanned])
    return Program(
        costs,
        np.where(np.arange(len(costs)) < num_own, 0.0, -np.inf),
        lower,
        np.where(np.arange(len(lower)) < num_flows, lower, np.inf),
        np.searchsorted(row, np.arange(len(lower) + 1)).astype(np.int32),
        column.astype(np.int32),
        entry,
    )


def _by_floats(game: SequenceGame) -> tuple[FloatArray, FloatArray]:
    num_own, num_flows = int(game.players[0].starts[-1]) - 1, len(game.players[0].before)
    unit = np.abs(game.paid).max(initial=0.0) or 1.0  # the largest becomes 1, and tolerances matter least
    program = program_of(game._replace(paid=game.paid / 2.0 ** np.frexp(unit)[1]))
    if not len(program.costs):
        return np.ones(1), np.ones(1)  # only chance moves
    solution = first_optimum(program).getSolution()
    plans = np.array(solution.col_value)[:num_own], np.array(solution.row_dual)[num_flows:]
    first, second = (np.r_[1.0, np.where(plan < PLAN_NOISE, 0.0, plan)] for plan in plans)
    return first, second


def solve_in_fractions(game: SequenceGame) -> ExactEquilibrium:
    """An exact equilibrium. Raises ProgramError if none was found, and MissingSolverError.

    game: its `paid` contains `Fraction` or whole numbers.
    """
    unit = lcm(*(Fraction(each).denominator for each in game.paid))
    whole = np.array([int(each * unit) for each in game.paid] or [0], object)[: len(game.paid)]
    constant = sum(whole[(game.first == 0) & (game.second == 0)])
    program = program_of(game._replace(paid=whole))
    num_own, num_flows = int(game.players[0].starts[-1]) - 1, len(game.players[0].before)
    plans: tuple[list[Fraction], list[Fraction]] = [Fraction(1)], [Fraction(1)]
    loss = Fraction(0)
    if len(program.costs):
        columns, duals = _Vertex(program, num_flows).optimum()
        plans[0].extend(columns[:num_own])
        plans[1].extend(duals[num_flows:])
        loss = sum((cost * each for cost, each in zip(program.costs, columns, strict=True) if each), loss)
    return ExactEquilibrium((constant - loss) / unit, plans)


class _Vertex:
    """A basis of a program in whole numbers, whose payoffs HiGHS has divided by `_unit`."""

    def __init__(self, program: Program, num_flows: int) -> None:
        require_solver()
        self._program = program
        self._num_rows, self._num_columns = len(program.row_lower), len(program.costs)
        self._rows = np.repeat(np.arange(self._num_rows), np.diff(program.starts))
        self._is_free = np.isinf(program.column_lower)
        self._is_answer = np.arange(self._num_rows) >= num_flows
        payoffs = [*program.entries[self._is_answer[self._rows] & ~self._is_free[program.columns]]]
        payoffs += [*program.costs[~self._is_free], *program.row_lower[self._is_answer]]
        sizes = [int(payoff).bit_length() for payoff in payoffs if payoff] or [0]
        self._unit = 1 << max((max(sizes) + min(sizes)) // 2, max(sizes) - 40)  # HiGHS accepts neither 1e-13 nor 1e16
        divided = [self._unit if answer else 1 for answer in self._is_answer]
        self._row_units = np.array(divided, object)
        self._column_units = np.array([self._unit if free else 1 for free in self._is_free], object)
        entries = program.entries * self._column_units[program.columns]
        lower = _floats(program.row_lower, self._row_units)
        self._solver = first_optimum(
            program._replace(
                costs=_floats(program.costs * self._column_units, self._unit),
                row_lower=lower,
                row_upper=np.where(self._is_answer, np.inf, lower),
                entries=_floats(entries, self._row_units[self._rows]),
            )
        )

    def optimum(self) -> tuple[list[Fraction], list[Fraction]]:
        program = self._program
        for _ in range(MAXIMUM_REPAIRS):
            (columns, one), (duals, other) = self._solved()
            excess = self._times(columns, self._rows, program.columns, self._num_rows) - program.row_lower * one
            reduced = program.costs * other - self._times(duals, program.columns, self._rows, self._num_columns)
            short = -min(0, *columns[~self._is_free], *excess)
            dear = -min(0, *reduced, *duals[self._is_answer], *-reduced[self._is_free])
            if not (short or dear):
                return [Fraction(each, one) for each in columns], [Fraction(each, other) for each in duals]
            self._go_on(columns, excess, short or one, reduced, dear or other)
        raise ProgramError(f"no exact optimum after {MAXIMUM_REPAIRS} floating-point optima")

    def _times(self, values: Numbers, rows: Numbers, columns: Numbers, size: int) -> Numbers:
        result = np.zeros(size, object)
        used = np.flatnonzero(values[columns] != 0)
        np.add.at(result, rows[used], self._program.entries[used] * values[columns[used]])
        return result

    def _solved(self) -> tuple[tuple[Numbers, int], tuple[Numbers, int]]:
        program, solver = self._program, self._solver
        basic = np.array(solver.getBasicVariables()[1])
        places = np.flatnonzero(basic >= 0)
        columns, tight = basic[places], np.ones(self._num_rows, np.bool_)
        tight[-1 - basic[basic < 0]] = False
        is_basic = np.isin(np.arange(self._num_columns), columns)
        used = np.flatnonzero(tight[self._rows] & is_basic[program.columns])
        row, column, entry = self._rows[used], program.columns[used].astype(np.intp), program.entries[used]

        def primal(left: Numbers, size: int) -> FloatArray:
            right = np.where(tight, _floats(left, self._row_units * size), 0.0)
            found = np.zeros(self._num_columns)
            found[columns] = np.array(solver.getBasisSolve(right)[1])[places]
            return found

        def dual(left: Numbers, size: int) -> FloatArray:
            right = np.zeros(self._num_rows)
            right[places] = _floats(left * self._column_units, self._unit * size)[columns]
            return np.array(solver.getBasisTransposeSolve(right)[1])

        units = self._column_units, self._row_units
        dual_units = self._unit // self._row_units, self._unit // self._column_units
        return (
            _in_fractions(primal, units, row, column, entry, program.row_lower, tight),
            _in_fractions(dual, dual_units, column, row, entry, program.costs, is_basic),
        )

    def _go_on(self, columns: Numbers, excess: Numbers, short: int, reduced: Numbers, dear: int) -> None:
        solver, free = self._solver, self._is_free
        lower = np.where(free, -np.inf, _floats(-columns, short))
        all_columns, all_rows = (np.arange(size, dtype=np.int32) for size in (self._num_columns, self._num_rows))
        solver.changeColsBounds(self._num_columns, all_columns, lower, np.full(self._num_columns, np.inf))
        rows = _floats(-excess, self._row_units * short)
        solver.changeRowsBounds(self._num_rows, all_rows, rows, np.where(self._is_answer, np.inf, rows))
        solver.changeColsCost(self._num_columns, all_columns, _floats(reduced * self._column_units, self._unit * dear))
        optimum(solver)


def _floats(numbers: Numbers, divisor: Numbers | int) -> FloatArray:
    return np.asarray(numbers / divisor, np.float64)


def _in_fractions(
    solve: Callable[[Numbers, int], FloatArray],
    units: tuple[Numbers, Numbers],
    rows: Indices,
    columns: Indices,
    entries: Numbers,
    right: Numbers,
    is_equation: NDArray[np.bool_],
) -> tuple[Numbers, int]:
    """Solve sparse equations in whole numbers: numerators and a common denominator. solve: solves them in floats."""
    own_units, right_units = units
    order = np.argsort(rows, kind="stable")
    rows, columns, entries = rows[order], columns[order], entries[order]
    starts = np.flatnonzero(np.diff(rows, prepend=-1))
    equations = rows[starts]
    right = np.where(is_equation, right, 0)

    def left_of(values: Numbers, scale: int) -> Numbers:
        left = right * scale
        if len(starts):
            left[equations] -= np.add.reduceat(entries * values[columns], starts)
        return left

    found, bits = np.zeros(len(own_units), object), 128
    while bits <= MAXIMUM_BITS and bits * len(rows) <= MOST_WORK:
        before = None
        while True:
            left = left_of(found, 1 << bits)
            size = max(abs(left) // right_units).bit_length()
            if size == 0 or (before is not None and size > before - 4):
                break
            before = size
            with np.errstate(all="ignore"):
                more = solve(left, 1 << size) * 2.0**_BITS_A_STEP
            if not np.all(np.isfinite(more)):
                raise ProgramError("the basis of the optimum cannot be solved in fractions")
            more_whole, shift = np.array([*map(int, more.tolist())], object) * own_units, size - _BITS_A_STEP
            found += more_whole << shift if shift >= 0 else more_whole >> -shift
        fractions = _with_common_denominator(found, bits)
        if fractions is not None and not np.any(left_of(*fractions)):
            return fractions
        found, bits = found << bits, 2 * bits
    raise ProgramError(f"not solved in fractions: the optimum needs more than {bits // 4} bits")


def _with_common_denominator(found: Numbers, bits: int) -> tuple[Numbers, int] | None:
    denominator, near = 1, 1 << (bits // 2)
    half = 1 << (bits - 1)
    for number in found:
        if number:
            times = number * denominator
            if abs(times - ((times + half) >> bits << bits)) >= near:
                denominator *= Fraction(times, 1 << bits).limit_denominator(near >> 24).denominator
                if denominator >= near >> 16:
                    return None
    return (found * denominator + half) >> bits, denominator
