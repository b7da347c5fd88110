"""Sparse linear equations, solved in fractions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction
from heapq import heapify, heappop, heappush

Row = dict[int, Fraction]


class Equations:
    """Rows, sum of coefficient * unknown = right side, brought to the form: one unknown of a row by the others.

    rank: of the rows. free: the unknowns that no row determines. Raises ValueError when nothing satisfies the rows.
    """

    def __init__(self, num_unknowns: int, rows: Iterable[tuple[Mapping[int, Fraction], Fraction]]) -> None:
        self._rows: list[Row] = []
        self._right: list[Fraction] = []
        self._where: defaultdict[int, set[int]] = defaultdict(set)  # by unknown: the rows that it still stands in
        for coefficients, right in rows:
            for unknown in coefficients:
                self._where[unknown].add(len(self._rows))
            self._rows.append(dict(coefficients))
            self._right.append(right)
        self._solved: list[tuple[int, int]] = []  # unknown and its row, in the order of elimination
        self._eliminate()
        determined = {unknown for unknown, _ in self._solved}
        self.rank = len(self._solved)
        self.free = [unknown for unknown in range(num_unknowns) if unknown not in determined]

    def _eliminate(self) -> None:
        """Always the shortest row next, and in it the unknown that stands in the fewest others."""
        queue = [(len(row), index) for index, row in enumerate(self._rows)]
        heapify(queue)
        done = [False] * len(self._rows)
        while queue:
            length, index = heappop(queue)
            row = self._rows[index]
            if done[index] or length != len(row):
                continue
            done[index] = True
            if not row:
                if self._right[index]:
                    raise ValueError("equations that contradict each other")
                continue
            pivot = min(row, key=lambda unknown: (len(self._where[unknown]), abs(row[unknown]) != 1, unknown))
            for unknown in row:
                self._where[unknown].discard(index)
            for other in self._where.pop(pivot):
                self._subtract(index, other, self._rows[other][pivot] / row[pivot])
                heappush(queue, (len(self._rows[other]), other))
            self._solved.append((pivot, index))

    def _subtract(self, index: int, other: int, factor: Fraction) -> None:
        target = self._rows[other]
        for unknown, coefficient in self._rows[index].items():
            left = target.get(unknown, 0) - factor * coefficient
            if left:
                if unknown not in target:
                    self._where[unknown].add(other)
                target[unknown] = left
            elif unknown in target:
                del target[unknown]
                if unknown in self._where:
                    self._where[unknown].discard(other)
        self._right[other] -= factor * self._right[index]

    def solve(self, free: Mapping[int, Fraction]) -> dict[int, Fraction]:
        """The values of all unknowns, given the values of the free ones."""
        values = dict(free)
        for pivot, index in reversed(self._solved):
            row = self._rows[index]
            known = sum((number * values[unknown] for unknown, number in row.items() if unknown != pivot), Fraction(0))
            values[pivot] = (self._right[index] - known) / row[pivot]
        return values
