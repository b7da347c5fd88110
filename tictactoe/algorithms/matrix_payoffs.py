"""The payoffs of a described game with many types: a number for each leaf, times one of a few matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from .arrays import LARGEST_NUM_TYPES, FloatArray, IntArray
from .game import SharedMatrices
from .game_description import finite, shown
from .game_walk import Walk
from .leaf_payoffs import GameSize, game_size


def has_matrices(description: object) -> bool:
    """Whether a description gives its payoffs by `payoff_matrix` and `matrices`."""
    return callable(getattr(description, "payoff_matrix", None))


class MatrixPayoffs:
    """Asks for the number and the matrix of all leaves. Leaves that have both in common form a class.

    A matrix counts times the chance of the chance moves so far, so that it is another one after other chance moves.
    Raises ValueError for matrices of another shape, and for numbers that are not finite.
    """

    def __init__(self, walk: Walk[Any]) -> None:
        self._walk = walk
        self._given = {name: self._checked(name, given) for name, given in self._dictionary().items()}
        self._matrices: dict[tuple[Any, int], int] = {}  # by name and reach
        self._classes: dict[tuple[int, float], int] = {}  # by matrix and number
        self._leaf_class: IntArray = np.full(walk.num_nodes, -1, np.int32)

    def _dictionary(self) -> dict[Any, Any]:
        given = getattr(self._walk.description, "matrices", None)
        if not isinstance(given, dict):
            raise ValueError(f"matrices: {shown(given)} is not a dictionary of names and arrays")
        return given

    def _checked(self, name: Any, given: Any) -> FloatArray:
        """A matrix with room for all types."""
        walk, expected = self._walk, tuple(map(len, self._walk.types))
        try:
            matrix = np.asarray(given, np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"matrices: {name} is not an array of numbers") from error
        if matrix.shape != expected:
            raise ValueError(f"matrices: {name} has the shape {matrix.shape}, expected {expected}")
        if not np.all(np.isfinite(matrix)):
            raise ValueError(f"matrices: {name} is not all finite")
        result = np.zeros((walk.num_types, walk.num_types))
        result[: expected[0], : expected[1]] = matrix
        return result

    def size(self) -> GameSize:
        """What the game takes: one answer for each leaf."""
        return game_size(self._walk, len(self._walk.leaves), 0.0)

    def ask(self) -> None:
        """Ask for the payoffs of all leaves."""
        walk = self._walk
        for node, state in walk.leaves:
            answer = walk.ask("payoff_matrix", node, state)
            if not (isinstance(answer, tuple) and len(answer) == 2):
                raise walk.wrong("payoff_matrix", node, f"{shown(answer)} is not a pair (number, name of a matrix)")
            factor, name = finite(answer[0]), answer[1]
            if factor is None:
                raise walk.wrong("payoff_matrix", node, f"{shown(answer[0])} is not a finite number")
            if name not in self._given:
                raise walk.wrong("payoff_matrix", node, f"no matrix has the name {shown(name)}")
            matrix = self._matrices.setdefault((name, walk.reach_of[node]), len(self._matrices))
            self._leaf_class[node] = self._classes.setdefault((matrix, factor), len(self._classes))

    def leaf_class(self) -> IntArray:
        """int32 (num_nodes,), as `PublicTree` has it."""
        return self._leaf_class

    def shared(self) -> SharedMatrices | None:
        """Which matrix a leaf class has; None if it has one of its own, as compiled code needs it."""
        if self._walk.num_types <= LARGEST_NUM_TYPES:
            return None
        matrix, factor = zip(*self._classes, strict=True)
        return SharedMatrices(np.array(matrix, np.intp), np.array(factor))

    def matrices(self) -> FloatArray:
        """float64 (num_matrices, k, k), or (num_classes, k, k) where `shared` is None, as `Game` has its payoffs."""
        found = np.stack([self._given[name] * self._reach(reach) for name, reach in self._matrices])
        if self._walk.num_types > LARGEST_NUM_TYPES:
            return found
        return np.stack([factor * found[matrix] for matrix, factor in self._classes])

    def _reach(self, number: int) -> FloatArray:
        """float64 (k, k): the chance of the chance moves so far; 0 for types that are never drawn together."""
        walk = self._walk
        result = np.zeros((walk.num_types, walk.num_types))
        result[tuple(np.transpose(walk.pairs))] = walk.reaches[number]
        return result
