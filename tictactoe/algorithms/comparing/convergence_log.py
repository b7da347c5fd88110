"""The record of how a run converges: a row for every check, thinned out in a long run."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray
from ..cfr.solver import LONGEST_STRETCH

MOST_CHECKS = 2**16
"""Rows that are kept at most, apart from those of the last stretch: 2 MB in a file."""


class ConvergenceLog:
    """The rows of a run. Stopping the run does not change which rows are kept.

    every: iterations from one check to the next.

    Of more than MOST_CHECKS checks every second row is kept, of more than twice as many every fourth, and so on. The
    last row is always kept, and so are the rows after the last multiple of LONGEST_STRETCH iterations: a run that was
    stopped may have to go on from there.

    >>> log = ConvergenceLog(every=10)
    >>> log.add(10, 0.5, -1.0, 0.1)
    >>> log.add(20, 0.25, -1.0, 0.1)
    >>> log.rows.tolist()
    [[10.0, 0.5, -1.0, 0.1], [20.0, 0.25, -1.0, 0.1]]
    """

    def __init__(self, every: int) -> None:
        self._every = every
        self._rows: list[tuple[float, ...]] = []

    def add(self, iteration: int, average: float, current: float, value: float) -> None:
        """The exploitabilities of the average and the current strategy, and the value, after a check's iteration."""
        self._rows.append((float(iteration), average, current, value))
        if len(self._rows) > 3 * MOST_CHECKS:
            self._set(self.rows)

    @property
    def rows(self) -> FloatArray:
        """float64 (num_checks, 4): iteration, exploitability of the average and of the current strategy, value."""
        return self._thinned(np.array(self._rows, np.float64).reshape(-1, 4))

    def go_on_from(self, rows: FloatArray, iteration: int) -> None:
        """Take over the rows of an earlier run up to `iteration`. The run will add the later ones again."""
        self._set(self._thinned(rows[rows[:, 0] <= iteration]))

    def _set(self, rows: FloatArray) -> None:
        self._rows = [tuple(row) for row in rows.tolist()]

    def _thinned(self, rows: FloatArray) -> FloatArray:
        if len(rows) == 0:
            return rows
        iterations = rows[:, 0].astype(np.int64)
        settled = iterations[-1] // LONGEST_STRETCH * LONGEST_STRETCH
        stride = 1
        while settled // self._every > stride * MOST_CHECKS:
            stride *= 2
        kept = (iterations > settled) | (iterations // self._every % stride == 0)
        kept[-1] = True
        thinned: FloatArray = rows[kept]
        return thinned
