"""The linear program of a small game in whole numbers of any size: optimal without rounding, whatever the payoffs.

Solvers with floats have tolerances, which hide a payoff of 1 beside one of 1e12. Here the simplex method works on a
tableau of whole numbers over a common denominator, in which every division comes out even (Edmonds 1967, Bareiss 1968).
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import FloatArray
from ..game import Game
from .linear_program import Program
from .sequence_form import SequenceForm

LARGEST_TABLEAU = 25_000
"""Entries of a tableau, at most: up to 20 seconds."""


class ExactPlans(NamedTuple):
    """An optimum of a game."""

    value: float
    """To player 0."""
    plans: tuple[FloatArray, FloatArray]
    """The players' realization plans, float64 (num_nodes, k)."""


def exact_plans(form: SequenceForm, game: Game) -> ExactPlans | None:
    """The value of a game, and plans of both players that are optimal but for their rounding to floats.

    None for a game that is too large. form: of player 0.
    """
    kept = form.kept(np.ones((form.num_nodes, form.num_types), np.bool_))
    if (kept.rows.sum() + 1) * (kept.columns.sum() + 1) > LARGEST_TABLEAU:
        return None
    program = form.program(game, kept, form.worst_case(game))
    tableau = _Tableau(program)
    tableau.begin()
    tableau.minimise()
    columns, duals = np.zeros(form.size), np.zeros(form.size)
    columns[kept.columns], duals[kept.rows] = tableau.columns(), tableau.duals()
    shape = form.num_nodes, form.num_types
    loss = tableau.objective() + Fraction(form.constant(game))
    return ExactPlans(float(-loss), (columns[: form.size // 2].reshape(shape), duals[form.size // 2 :].reshape(shape)))


class _Tableau:
    """Every basic variable, and the objective in the last row, as a sum over the variables that are 0, and a constant
    in the last column: whole numbers, all over one denominator.

    The variable j < num_columns is a column of the program; num_columns + i is what row i exceeds its bound by.
    """

    def __init__(self, program: Program) -> None:
        num_rows, self._num_columns = len(program.row_lower), len(program.costs)
        self._free, self._is_flow = np.isinf(program.column_lower), program.row_lower == program.row_upper
        self._is_bound = np.r_[~self._free, ~self._is_flow]  # by variable: whether it must not be negative
        rows, columns = np.repeat(np.arange(num_rows), np.diff(program.starts)), program.columns
        # payoffs in a unit in which they are whole numbers; so are, then, the values in the free columns
        is_payoff = np.r_[~self._is_flow[rows] & ~self._free[columns], ~self._is_flow, ~self._free].tolist()
        numbers = [*map(Fraction, np.r_[program.entries, -program.row_lower, program.costs].tolist())]
        payoffs = [number for number, named in zip(numbers, is_payoff, strict=True) if named]
        most = max((payoff.denominator for payoff in payoffs), default=1)  # all are powers of two
        self._unit = Fraction(most, gcd(*(int(payoff * most) for payoff in payoffs)) or 1)
        whole = [int(number * (self._unit if named else 1)) for number, named in zip(numbers, is_payoff, strict=True)]
        self._table: NDArray[Any] = np.zeros((num_rows + 1, self._num_columns + 1), object)
        self._table[rows, columns] = whole[: len(rows)]
        self._table[:-1, -1], self._table[-1, :-1] = (
            whole[len(rows) : len(rows) + num_rows],
            whole[len(rows) + num_rows :],
        )
        self._denominator = 1
        self._basic = np.arange(self._num_columns, self._num_columns + num_rows)
        self._zero = np.arange(self._num_columns)

    def begin(self) -> None:
        """Take the first move of every flow, and the best answers to that: a vertex that meets all bounds."""
        entries = self._table.copy()
        for row in np.flatnonzero(self._is_flow).tolist():
            self._pivot(row, int(np.flatnonzero(entries[row, :-1] > 0)[0]))
        for column in np.flatnonzero(self._free)[::-1].tolist():
            answers = np.flatnonzero((entries[:-1, column] > 0) & ~self._is_flow)
            self._pivot(min(answers.tolist(), key=lambda row: self._table[row, -1]), column)

    def minimise(self) -> None:
        """Pivot until nothing makes the objective smaller. By Bland's rule wherever it has stayed as it was."""
        stayed = False
        while True:
            gains = np.where(self._is_bound[self._zero], self._table[-1, :-1], 0)
            useful = np.flatnonzero(gains < 0)
            if not len(useful):
                return
            column = int(useful[np.argmin(self._zero[useful] if stayed else gains[useful])])
            falling = np.flatnonzero((self._table[:-1, column] < 0) & self._is_bound[self._basic])
            limits = {row: Fraction(self._table[row, -1], -self._table[row, column]) for row in falling.tolist()}
            row = min(limits, key=lambda row: (limits[row], self._basic[row]))
            stayed = limits[row] == 0
            self._pivot(row, column)

    def _pivot(self, row: int, column: int) -> None:
        """Let the variable of a row and that of a column change places."""
        table, pivot = self._table, self._table[row, column]
        across, down = table[row].copy(), table[:, column].copy()
        table *= pivot
        table -= np.multiply.outer(down, across)
        table //= self._denominator
        table[row], table[:, column] = -across, down
        table[row, column] = self._denominator
        if pivot < 0:
            table *= -1
        self._denominator = abs(pivot)
        self._basic[row], self._zero[column] = self._zero[column], self._basic[row]

    def columns(self) -> FloatArray:
        """float64 (num_columns,): the values of the program's columns; free ones are in the tableau's own unit."""
        result = np.zeros(self._num_columns + len(self._basic))
        result[self._basic] = [float(Fraction(each, self._denominator)) for each in self._table[:-1, -1]]
        return result[: self._num_columns]

    def duals(self) -> FloatArray:
        """float64 (num_rows,): the dual values of the rows."""
        result = np.zeros(self._num_columns + len(self._basic))
        result[self._zero] = [float(Fraction(each, self._denominator)) for each in self._table[-1, :-1]]
        return result[self._num_columns :]

    def objective(self) -> Fraction:
        """The least that the costs add up to."""
        return Fraction(self._table[-1, -1], self._denominator) / self._unit
