"""Linear programs about the optimal strategies of a player: an inner point of their polytope, and its extremes."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import highspy
import numpy as np
from optimal_sets import Move, OptimalSet, Plan

from tictactoe.algorithms.arrays import FloatArray
from tictactoe.algorithms.game import Game
from tictactoe.algorithms.linear_program import Program
from tictactoe.algorithms.sequence_form import Kept, SequenceForm

LARGEST_DENOMINATOR = 200_000  # of rounded numbers, which are never trusted
EVERYWHERE: dict[str, Any] = {
    "output_flag": False,
    "threads": 1,
    "primal_feasibility_tolerance": 1e-10,
    "dual_feasibility_tolerance": 1e-10,
}
AS_INTERIOR_POINT: dict[str, Any] = {
    "solver": "ipm",
    "run_crossover": "off",  # it would end in a vertex
    "presolve": "off",  # it would put on the boundary what it removes
    "ipm_optimality_tolerance": 1e-10,
}


def _pass(program: Program, highs: Any) -> None:
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = len(program.costs), len(program.row_lower)
    model.col_cost_, model.col_lower_ = program.costs, program.column_lower
    model.col_upper_ = np.full(len(program.costs), np.inf)
    model.row_lower_, model.row_upper_ = program.row_lower, program.row_upper
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_, model.a_matrix_.index_ = program.starts, program.columns
    model.a_matrix_.value_ = program.entries
    for name, value in EVERYWHERE.items():
        highs.setOptionValue(name, value)
    highs.passModel(model)


def _run(highs: Any) -> Any:
    highs.run()
    if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        raise SystemExit(f"a linear program was not solved: {highs.modelStatusToString(highs.getModelStatus())}")
    return highs.getSolution()


def inner_point(game: Game, player: int, unit: float) -> tuple[FloatArray, FloatArray]:
    """A plan of the player near an inner point of the optimal ones, and the adversary's values, both (num_nodes, 3).

    unit: payoffs times it, and times the chances of the types, are whole numbers.
    """
    form = SequenceForm(game.tree, player)
    kept = form.kept(np.ones((game.tree.num_nodes, 3), bool))
    program = form.program(game, kept, form.worst_case(game, unit), unit)
    highs = highspy.Highs()
    _pass(program._replace(entries=np.round(program.entries)), highs)
    for name, value in AS_INTERIOR_POINT.items():
        highs.setOptionValue(name, value)
    columns = np.zeros(form.size)
    columns[kept.columns] = _run(highs).col_value
    plan, values = columns.reshape(2, -1, 3)
    return plan, values


class Extremes:
    """The largest values of sums of coefficients times probabilities over the optimal strategies of a player."""

    def __init__(self, game: Game, unit: float, found: OptimalSet, value: Fraction) -> None:
        """value: of the game to the first mover, times unit."""
        self._form = form = SequenceForm(game.tree, found.player)
        full = form.kept(np.ones((game.tree.num_nodes, 3), bool))
        half = form.size // 2
        made, tight = np.zeros(form.size, bool), np.zeros(form.size, bool)
        made[[node * 3 + goal for node, goal in found.moves]] = True
        tight[[half + node * 3 + goal for node, goal in found.others]] = True
        made[half:] = True
        self._kept = kept = Kept(full.rows, full.columns & made)
        costs = form.worst_case(game, unit)
        program = form.program(game, kept, costs, unit)
        spent = np.flatnonzero(program.costs)  # the adversary gets the value, no more
        gets = -float(value) if found.player == 0 else float(value)
        self._column = np.cumsum(kept.columns) - 1
        upper = np.where(tight[kept.rows], program.row_lower, program.row_upper)
        self._highs = highspy.Highs()
        _pass(
            Program(
                np.zeros_like(program.costs),
                program.column_lower,
                np.append(program.row_lower, gets),
                np.append(upper, gets),
                np.append(program.starts, len(program.entries) + len(spent)).astype(np.int32),
                np.concatenate([program.columns, spent]).astype(np.int32),
                np.concatenate([np.round(program.entries), program.costs[spent]]),
            ),
            self._highs,
        )
        self._asked: list[int] = []
        self._found, self._lower = found, program.row_lower

    def largest(
        self, coefficients: Mapping[Move, Fraction]
    ) -> tuple[Fraction, dict[Move, Fraction], dict[Move, Fraction]]:
        """The largest value, rounded; a plan that has it, and a sum of the adversary's plans that shows that no other
        has more, both rounded. The sum may have negative parts where the adversary's optimal strategies move."""
        for column in self._asked:
            self._highs.changeColCost(column, 0.0)
        self._asked = []
        for (node, goal), number in coefficients.items():
            if self._kept.columns[node * 3 + goal]:
                self._asked.append(int(self._column[node * 3 + goal]))
                self._highs.changeColCost(self._asked[-1], -float(number))
        solution = _run(self._highs)
        columns, rows, above = (np.zeros(self._form.size) for _ in range(3))
        columns[self._kept.columns] = solution.col_value
        rows[self._kept.rows] = solution.row_dual[:-1]
        above[self._kept.rows] = np.array(solution.row_value[:-1]) - self._lower
        half = self._form.size // 2
        tight = (above[half:] < 1e-8) & self._kept.rows[half:]
        self._last = columns[:half], columns[half:], tight.astype(float)
        largest = _rounded(-self._highs.getInfo().objective_function_value)
        self._duals = rows[half:]
        return largest, _moves(columns[:half]), self.shadow(LARGEST_DENOMINATOR)

    def shadow(self, largest_denominator: int) -> dict[Move, Fraction]:
        """The sum of the adversary's plans of the last answer, rounded so."""
        return _moves(self._duals, largest_denominator)

    def mended(self) -> Plan:
        """The exact plan of the last answer if rounding has failed: the solution of the equations that hold there."""
        plan, values, tight = (array.reshape(-1, 3) for array in self._last)
        return OptimalSet(self._found.duel, self._found.player, plan, tight, values).plan


def _moves(numbers: FloatArray, most: int = LARGEST_DENOMINATOR) -> dict[Move, Fraction]:
    return {(int(at) // 3, int(at) % 3): _rounded(numbers[at], most) for at in np.flatnonzero(np.abs(numbers) > 1e-9)}


def _rounded(number: float, most: int = LARGEST_DENOMINATOR) -> Fraction:
    return Fraction(float(number)).limit_denominator(most)
