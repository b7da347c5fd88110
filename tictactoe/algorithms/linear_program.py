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

PRIMAL_SIMPLEX = 4
"""HiGHS's number for the primal simplex strategy."""

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

    model = highspy.HighsLp()
    num_columns, num_rows = len(program.costs), len(program.row_lower)
    model.num_col_, model.num_row_ = num_columns, num_rows
    model.col_cost_ = program.costs
    model.col_lower_ = program.column_lower
    model.col_upper_ = np.full(num_columns, np.inf)
    model.row_lower_, model.row_upper_ = program.row_lower, program.row_upper
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = program.starts
    model.a_matrix_.index_ = program.columns
    model.a_matrix_.value_ = program.entries

    class Silent(highspy.Highs):  # type: ignore[misc]
        def enableCallbacks(self) -> None:
            pass  # since 1.16, HiGHS prints a banner here before an option can prevent it

    solver = Silent()
    for name, value in {**_OPTIONS, **options}.items():
        _require(solver.setOptionValue(name, value), name)
    _require(solver.passModel(model), "the model")
    return solver


def _solve(program: Program, basis: Basis | None) -> ProgramSolution:
    import highspy

    num_rows = len(program.row_lower)
    solver = _solver(program, _WITHOUT_BASIS if basis is None else _WITH_BASIS)
    if basis is not None:
        start, status = highspy.HighsBasis(), np.array([highspy.HighsBasisStatus(code) for code in range(5)], object)
        start.col_status = status[basis.columns].tolist()
        start.row_status = status[basis.rows].tolist()
        start.valid, start.alien = True, False  # the number of basic variables is num_rows
        _require(solver.setBasis(start), "the basis")
    optimum(solver)
    solution, (_, basic) = solver.getSolution(), solver.getBasicVariables()
    columns, duals = np.array(solution.col_value, np.float64), np.array(solution.row_dual, np.float64)
    found = Basis(np.where(np.isinf(program.column_lower), FREE, AT_LOWER).astype(np.int8), np.zeros(num_rows, np.int8))
    found.columns[basic[basic >= 0]] = BASIC
    found.rows[-1 - basic[basic < 0]] = BASIC
    return ProgramSolution(solver.getInfo().objective_function_value, columns, duals, found)


def solve_in_turn(program: Program, costs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Solve a program and choose among its optima by a second objective. Raises the errors of `solve_program`.

    Returns the columns of the chosen optimum, and the dual values of the program itself.

    costs: float64 (num_columns,), the second objective.
    """
    require_solver()
    solver = first_optimum(program)
    solution = solver.getSolution()
    columns, duals = np.array(solution.col_value, np.float64), np.array(solution.row_dual, np.float64)
    # A column with a reduced cost and a row with a dual value are at their bounds in all optima.
    fixed = np.flatnonzero(np.abs(np.array(solution.col_dual)) > FACE_TOLERANCE).astype(np.int32)
    bounds = program.column_lower[fixed]
    solver.changeColsBounds(len(fixed), fixed, bounds, bounds)
    for row in np.flatnonzero(np.abs(duals) > FACE_TOLERANCE).tolist():
        bound = float(program.row_lower[row] if duals[row] > 0.0 else program.row_upper[row])
        solver.changeRowBounds(row, bound, bound)
    solver.changeColsCost(len(costs), np.arange(len(costs), dtype=np.int32), costs)
    _require(solver.setOptionValue("simplex_strategy", PRIMAL_SIMPLEX), "simplex_strategy")  # starts from an optimum
    with contextlib.suppress(ProgramError):  # the first optimum would do
        columns = np.array(optimum(solver).getSolution().col_value, np.float64)
    return columns, duals


def first_optimum(program: Program) -> Any:
    """The solver at an optimum of the program, by the first of several ways that succeeds."""
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
