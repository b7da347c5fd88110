"""Where the simplex method starts in a program of the sequence form: at a pair of strategies.

A pair of pure strategies is a basis. At every information set of the planning player the chosen move's probability is
basic and the flow holds; at every one of the opponent the value is basic and the chosen answer's row holds. So a
program that grew by some moves starts from the basis of the last program, extended by a chosen move at every new
information set. From there a few dozen pivots are enough; without a basis the method needs thousands.
"""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray
from ..public_tree import PublicTree
from .linear_program import AT_LOWER, BASIC, Basis, ProgramSolution
from .sequence_form import Kept, Mask, SequenceForm

UNKNOWN_STATUS = -1
"""The status of a column or row that no program has had so far."""


class StartingBasis:
    """Remembers the last status of every column and row in one player's programs on one tree."""

    def __init__(self, form: SequenceForm) -> None:
        self._form = form
        self._columns = np.full(form.size, UNKNOWN_STATUS, np.int8)
        self._rows = np.full(form.size, UNKNOWN_STATUS, np.int8)

    def of(self, kept: Kept, preferred: FloatArray) -> Basis:
        """A basis of the program of `kept`.

        preferred: float64 (num_nodes, k). At an information set that no program has had so far, the program's move with
            the largest entry is chosen.
        """
        form, tree = self._form, self._form.tree
        half = form.size // 2
        is_value = np.arange(form.size) >= half
        columns = np.where(self._columns == UNKNOWN_STATUS, np.where(is_value, BASIC, AT_LOWER), self._columns)
        rows = np.where(self._rows == UNKNOWN_STATUS, np.where(is_value, BASIC, AT_LOWER), self._rows)
        new_flows = (kept.rows & (self._rows == UNKNOWN_STATUS))[:half].reshape(-1, tree.num_types)
        new_values = (kept.columns & (self._columns == UNKNOWN_STATUS))[half:].reshape(-1, tree.num_types)
        plans, answers = (mask.reshape(-1, tree.num_types) for mask in (kept.columns[:half], kept.rows[half:]))
        columns[:half][_chosen(tree, new_flows, plans, preferred)] = BASIC
        rows[half:][_chosen(tree, new_values, answers, preferred)] = AT_LOWER
        return Basis(columns[kept.columns], rows[kept.rows])

    def learn(self, kept: Kept, solution: ProgramSolution) -> None:
        """Remember where the program of `kept` ended."""
        self._columns[kept.columns] = solution.basis.columns
        self._rows[kept.rows] = solution.basis.rows


def _chosen(tree: PublicTree, sets: Mask, moves: Mask, preferred: FloatArray) -> Mask:
    """bool (num_nodes * k,): one of `moves` at each information set of `sets`, the first with the largest `preferred`.

    sets, moves: bool (num_nodes, k).
    preferred: float64 (num_nodes, k).
    """
    result = np.zeros(moves.shape, np.bool_)
    nodes, types = np.nonzero(moves & sets[np.maximum(tree.parent, 0)])
    order = np.lexsort((nodes, -preferred[nodes, types], types, tree.parent[nodes]))
    nodes, types = nodes[order], types[order]
    parents = tree.parent[nodes]
    first = np.ones(len(nodes), np.bool_)
    first[1:] = (parents[1:] != parents[:-1]) | (types[1:] != types[:-1])
    result[nodes[first], types[first]] = True
    return result.ravel()
