"""The value of a description by one linear program in sequence form, with nothing of the library.

B. von Stengel, Efficient computation of behavior strategies, 1996.
"""

from itertools import product
from typing import Any

import highspy
import numpy as np

from .descriptions import CHANCE, known_type


class Program:
    """The program of a description. Columns are player 0's sequences and player 1's information sets."""

    def __init__(self, description: Any) -> None:
        self._game = description
        self._sequences: dict[Any, int] = {"": 0}  # player 0's, by information set and move
        self._flow: dict[Any, dict[int, float]] = {}  # by player 0's information set: its moves, less what leads there
        self._rows: dict[Any, dict[Any, float]] = {}  # by player 1's sequence: what its value is at most
        self._parents: dict[Any, Any] = {}  # by player 1's information set: the sequence that leads there
        self._hidden = hasattr(description, "sees")
        if not hasattr(description, "types"):
            self._walk((), description.root(), (), ("", "", 1))
            return
        for types in product(*description.types):
            if description.prior(*types):
                self._walk((), description.root(), types, ("", "", description.prior(*types)))

    def _walk(self, history: Any, state: Any, types: Any, so_far: tuple[Any, Any, float]) -> None:
        """so_far: the last sequence of player 0 and of player 1, and the chance of all that chance did."""
        first, second, chance = so_far
        owner = self._game.owner(state)
        if owner is None:
            row = self._rows.setdefault(second, {})
            row[first] = row.get(first, 0.0) + chance * float(self._game.payoff(state, *types))
            return
        where = None if owner == CHANCE else self._seen(history, state, owner, types)
        for name, below in self._game.moves(state):
            after = (first, second, chance)
            if owner == CHANCE:
                after = (first, second, chance * self._game.chance(state, name, *types))
            elif owner == 0:
                after = ((where, name), second, chance)
                column = self._sequences.setdefault((where, name), len(self._sequences))
                self._flow.setdefault(where, {self._sequences[first]: -1.0})[column] = 1.0
            else:
                after = (first, (where, name), chance)
                self._rows.setdefault((where, name), {})
                assert self._parents.setdefault(where, second) == second, "a player forgets"
            if after[2]:
                self._walk((*history, name), below, types, after)

    def _seen(self, history: Any, state: Any, owner: int, types: Any) -> Any:
        own = types[owner] if types else ""
        if self._hidden:
            return self._game.sees(state, owner), own
        return history, known_type(self._game, state, owner, own)

    def value(self) -> float:
        sets = {where: len(self._sequences) + 1 + number for number, where in enumerate(self._parents)}
        last = len(self._sequences)  # the column of the value, that of player 1's empty sequence
        rows, upper = [dict(each) for each in self._flow.values()], [0.0] * len(self._flow)
        for sequence, leaves in self._rows.items():
            row = {last if sequence == "" else sets[sequence[0]]: 1.0}
            row |= {self._sequences[first]: -payoff for first, payoff in leaves.items()}
            rows.append(row)
        below = {sequence: len(self._flow) + number for number, sequence in enumerate(self._rows)}
        if "" not in below:
            below[""] = len(rows)
            rows.append({last: 1.0})
        for where, sequence in self._parents.items():
            rows[below[sequence]][sets[where]] = -1.0
        upper += [0.0] * (len(rows) - len(upper))
        lower = [0.0] * len(self._flow) + [-np.inf] * (len(rows) - len(self._flow))
        return self._solved(rows, lower, upper, last + 1 + len(sets))

    def _solved(self, rows: list[dict[int, float]], lower: list[float], upper: list[float], num_columns: int) -> float:
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = num_columns, len(rows)
        value = len(self._sequences)
        model.col_cost_ = np.eye(1, num_columns, value)[0]
        model.sense_ = highspy.ObjSense.kMaximize
        model.col_lower_ = np.r_[1.0, np.zeros(value - 1), np.full(num_columns - value, -np.inf)]
        model.col_upper_ = np.r_[1.0, np.full(num_columns - 1, np.inf)]
        model.row_lower_, model.row_upper_ = np.array(lower), np.array(upper)
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_ = np.cumsum([0, *map(len, rows)])
        model.a_matrix_.index_ = np.array([column for row in rows for column in row])
        model.a_matrix_.value_ = np.array([entry for row in rows for entry in row.values()])
        solver = highspy.Highs()
        solver.setOptionValue("output_flag", False)
        solver.setOptionValue("threads", 1)  # as the library does: HiGHS has one number for a process
        for tolerance in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
            solver.setOptionValue(tolerance, 1e-10)
        solver.passModel(model)
        solver.run()
        assert solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
        return float(solver.getInfo().objective_function_value)


def value(description: Any) -> float:
    return Program(description).value()
