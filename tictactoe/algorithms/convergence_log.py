"""The record of how a run converges: a row for every check, of a long run fewer and fewer."""

from __future__ import annotations

import numpy as np

from .arrays import FloatArray
from .cfr import LONGEST_STRETCH

MOST_CHECKS = 2**16
"""At most so many rows are kept, and those of the last stretch: 2 MB a file, and no more."""


class ConvergenceLog:
    """Rows of a run that is checked every so many iterations. What is kept does not depend on how often it was stopped.

    every: iterations from one check to the next. Of more than MOST_CHECKS checks every second row is kept, of more than
    twice as many every fourth, and so on; and always the last row, and those after the last multiple of
    LONGEST_STRETCH, from which a run that was stopped may have to go on.

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
        """Take over the rows of an earlier run up to an iteration, after which they are going to come again."""
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
