"""Linear programs, solved by the simplex method of HiGHS (https://highs.dev), in the package highspy (extra
"exact")."""

from __future__ import annotations

import contextlib
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import MissingSolverError, ProgramError
from .arrays import FloatArray

SIMPLEX_TOLERANCE = 1e-10
"""The tolerance for feasibility and optimality, the smallest that HiGHS accepts."""

SMALLEST_ENTRY = 1e-12
"""Matrix entries below this count as 0."""

DUAL_SIMPLEX, PRIMAL_SIMPLEX = 1, 4
"""HiGHS's numbers for two strategies."""

FACE_TOLERANCE = 1e-9
"""The dual value above which a row or column is at its bound in all optima."""


class Program(NamedTuple):
    """Minimise costs @ z subject to row_lower <= A z <= row_upper and column_lower <= z; A is in compressed rows."""

    costs: FloatArray
    column_lower: FloatArray
    row_lower: FloatArray
    row_upper: FloatArray
    starts: NDArray[np.int32]
    columns: NDArray[np.int32]
    entries: FloatArray


class Basis(NamedTuple):
    """A vertex of the simplex method, as HiGHS's statuses, int8.

    Nonbasic variables are at their lower bound, if they have one.
    """

    columns: NDArray[np.int8]
    """(num_columns,): the status of each column."""
    rows: NDArray[np.int8]
    """(num_rows,): the status of each row."""


class ProgramSolution(NamedTuple):
    """An optimal vertex: objective, values of the columns, dual values of the rows, basis."""

    objective: float
    columns: FloatArray
    duals: FloatArray
    basis: Basis


AT_LOWER, BASIC, FREE = 0, 1, 3
"""Three of HiGHS's statuses. FREE is a nonbasic column without bounds."""

_OPTIONS: dict[str, Any] = {
    "output_flag": False,
    "threads": 1,
    "parallel": "off",
    "solver": "simplex",
    "primal_feasibility_tolerance": SIMPLEX_TOLERANCE,
    "dual_feasibility_tolerance": SIMPLEX_TOLERANCE,
    "small_matrix_value": SMALLEST_ENTRY,
}

_WITHOUT_BASIS: dict[str, Any] = {
    "simplex_scale_strategy": 0  # with scaling, HiGHS gave up on a program of 50,000 rows
}

_WITH_BASIS: dict[str, Any] = {
    "dual_simplex_cost_perturbation_multiplier": 0.0,
    "simplex_iteration_limit": 100_000,  # it might cycle without the perturbation
}


def require_solver() -> None:
    """Raise MissingSolverError if highspy is missing or too old."""
    try:
        import highspy
    except ImportError as error:
        raise MissingSolverError(
            "this needs the package highspy, which is not installed: pip install highspy"
        ) from error
    if not hasattr(highspy.Highs, "getBasicVariables"):
        raise MissingSolverError("this needs highspy 1.10 or later: pip install --upgrade highspy")


def solve_program(program: Program, basis: Basis | None = None) -> ProgramSolution:
    """Solve a program, from a basis if there is one. The result is deterministic: one thread, no time limit.

    If the simplex method fails from the basis, it starts again without one. Raises MissingSolverError, and ProgramError
    if no optimum was found.
    """
    require_solver()
    if basis is not None:
        try:
            return _solve(program, basis)
        except ProgramError:
            pass
    return _solve(program, None)


def _solver(program: Program, options: dict[str, Any]) -> Any:
    import highspy

    num_columns, num_rows = len(program.costs), len(program.row_lower)

    class Silent(highspy.Highs):  # type: ignore[misc]
        def enableCallbacks(self) -> None:
            pass  # since 1.16, HiGHS prints a banner here before an option can prevent it

    solver = Silent()
    for name, value in {**_OPTIONS, **options}.items():
        _require(solver.setOptionValue(name, value), name)
    shape = num_columns, num_rows, len(program.entries)
    kinds = int(highspy.MatrixFormat.kRowwise), int(highspy.ObjSense.kMinimize)
    columns = program.costs, program.column_lower, np.full(num_columns, np.inf)
    matrix = program.starts, program.columns, program.entries
    is_integer = np.zeros(num_columns, np.int32)
    passed = solver.passModel(*shape, *kinds, 0.0, *columns, program.row_lower, program.row_upper, *matrix, is_integer)
    _require(passed, "the model")
    return solver


def _begin(solver: Any, basis: Basis) -> None:
    import highspy

    start, status = highspy.HighsBasis(), np.array([highspy.HighsBasisStatus(code) for code in range(5)], object)
    start.col_status = status[basis.columns].tolist()
    start.row_status = status[basis.rows].tolist()
    start.valid, start.alien = True, False  # the number of basic variables is num_rows
    _require(solver.setBasis(start), "the basis")


def _solve(program: Program, basis: Basis | None) -> ProgramSolution:
    num_rows = len(program.row_lower)
    solver = _solver(program, _WITHOUT_BASIS if basis is None else _WITH_BASIS)
    if basis is not None:
        _begin(solver, basis)
    optimum(solver)
    solution, (_, basic) = solver.getSolution(), solver.getBasicVariables()
    columns, duals = np.array(solution.col_value, np.float64), np.array(solution.row_dual, np.float64)
    found = Basis(np.where(np.isinf(program.column_lower), FREE, AT_LOWER).astype(np.int8), np.zeros(num_rows, np.int8))
    found.columns[basic[basic >= 0]] = BASIC
    found.rows[-1 - basic[basic < 0]] = BASIC
    return ProgramSolution(solver.getInfo().objective_function_value, columns, duals, found)


def solve_in_turn(program: Program, costs: FloatArray, basis: Basis | None = None) -> tuple[FloatArray, FloatArray]:
    """Solve a program, from a basis if there is one, and choose among its optima by a second objective.

    Returns the columns of the chosen optimum, and the dual values of the program itself. Raises the errors of
    `solve_program`.

    costs: float64 (num_columns,), the second objective.
    """
    require_solver()
    solver = first_optimum(program, basis)
    solution, first = solver.getSolution(), solver.getBasis()
    columns, duals = np.array(solution.col_value, np.float64), np.array(solution.row_dual, np.float64)
    # A column with a reduced cost and a row with a dual value are at their bounds in all optima.
    fixed = np.flatnonzero(np.abs(np.array(solution.col_dual)) > FACE_TOLERANCE).astype(np.int32)
    bounds = program.column_lower[fixed]
    solver.changeColsBounds(len(fixed), fixed, bounds, bounds)
    for row in np.flatnonzero(np.abs(duals) > FACE_TOLERANCE).tolist():
        bound = float(program.row_lower[row] if duals[row] > 0.0 else program.row_upper[row])
        solver.changeRowBounds(row, bound, bound)
    solver.changeColsCost(len(costs), np.arange(len(costs), dtype=np.int32), costs)
    for strategy in (DUAL_SIMPLEX, PRIMAL_SIMPLEX) if basis else (PRIMAL_SIMPLEX,):
        _require(solver.setOptionValue("simplex_strategy", strategy), "simplex_strategy")
        _require(solver.setBasis(first), "the basis")
        with contextlib.suppress(ProgramError):  # the first optimum is one, too
            return np.array(optimum(solver).getSolution().col_value, np.float64), duals
    return columns, duals


def first_optimum(program: Program, basis: Basis | None = None) -> Any:
    """The solver at an optimum of the program, by the first of several ways that succeeds."""
    if basis is not None:
        with contextlib.suppress(ProgramError):
            solver = _solver(program, _WITHOUT_BASIS | _WITH_BASIS)
            _begin(solver, basis)
            return optimum(solver)
    ways: list[dict[str, Any]] = [_WITHOUT_BASIS, {}, {"presolve": "off"}]
    for options in ways[:-1]:
        with contextlib.suppress(ProgramError):
            return optimum(_solver(program, options))
    return optimum(_solver(program, ways[-1]))


def optimum(solver: Any) -> Any:
    """Run the solver and return it. Raises ProgramError if there is no optimum."""
    import highspy

    solver.run()
    if solver.getModelStatus() == highspy.HighsModelStatus.kNotset:
        # the caller has used HiGHS with its own number of threads, which a process keeps until it is reset
        highspy.Highs.resetGlobalScheduler(True)
        solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        raise ProgramError(f"the linear program was not solved: {solver.modelStatusToString(solver.getModelStatus())}")
    return solver


def _require(status: Any, what: str) -> None:
    import highspy

    if status == highspy.HighsStatus.kError:
        raise ProgramError(f"HiGHS does not accept {what}; try another version of highspy")
