"""What optimization uses for the linear program of a game, beside counterfactual regret minimization.

Both work on the sequence form of `one_program`: plans x and y by sequence, payoffs x^T A y to player 0.

- `PDLP`: the primal-dual hybrid gradient method on the program, restarted from its average: Applegate, Diaz, Hinder,
  Lu, Lubin, O'Donoghue and Schudy 2021, "Practical large-scale linear programming using primal-dual hybrid gradient",
  arXiv 2106.04756. With diagonal scaling (Ruiz 2001; Pock and Chambolle 2011), adaptive steps, weights of primal and
  dual, and restarts when the error has fallen, as there; without presolving and feasibility polishing.
- `Optimistic`: optimistic mirror descent with dilated entropy: Lee, Kroer and Luo 2021, "Last-iterate convergence in
  extensive-form games", arXiv 2106.14326 (DOMWU); the weights of information sets are those of Kroer, Waugh,
  Kilinc-Karzan and Sandholm 2020, "Faster algorithms for extensive-form game solving via improved smoothing functions".
  The step is a parameter. Simultaneous updates; the average of all iterates is judged, and the last one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from tictactoe import Game
from tictactoe.algorithms.one_program import Sequences, _Form, equilibrium, program_of
from tictactoe.algorithms.ranked_game import RankedGame

MOST_ENTRIES = 100_000
NO_PROBABILITY = 1e-9
"""A move with a lower probability is outside the support. A singular value below this part of the norm counts as 0."""


def plans_of(game: Game, strategy: np.ndarray) -> list[np.ndarray]:
    """Both players' realization plans, by sequence. strategy: (num_nodes, k), by node and type."""
    found = []
    for numbered in _Form(game)._numbered:
        sequences, plan = numbered.sequences, np.zeros(int(numbered.sequences.starts[-1]))
        places = np.nonzero(numbered.of_move)
        plan[numbered.of_move[places]] = strategy[places]
        plan[0] = 1.0
        for before, start, end in zip(sequences.before, sequences.starts, sequences.starts[1:], strict=False):
            plan[start:end] *= plan[before]
        found.append(plan)
    return found


def condition(game: Game, plans: Sequence[np.ndarray]) -> tuple[tuple[int, int], float]:
    """How well an equilibrium's equations on its own support fix it: the dimensions that they leave to each player, and
    the smallest singular value above 0, divided by the norm of the payoffs.

    plans: an equilibrium. The equations say that its plans are realization plans, scaled by the norm, and that all
    played moves pay the same. They are the matrix B of docs/paper/restarts.tex, for games of several moves.
    """
    sequences = _Form(game).sequences
    shape = [int(each.starts[-1]) for each in sequences.players]
    payoffs = sparse.csr_matrix((sequences.paid, (sequences.first, sequences.second)), shape)
    norm = float(np.linalg.norm(payoffs.toarray(), 2))
    played = [np.flatnonzero(plan > NO_PROBABILITY) for plan in plans]
    flows = []
    for each, plan, moves in zip(sequences.players, plans, played, strict=True):
        reached, numbers = np.flatnonzero(plan[each.before] > NO_PROBABILITY), np.arange(len(each.before))
        ones = np.r_[np.ones(len(plan)), -np.ones(len(numbers))]
        places = np.r_[0, 1 + each.set_of, 1 + numbers], np.r_[np.arange(len(plan)), each.before]
        flows.append(norm * sparse.csr_matrix((ones, places))[np.r_[0, 1 + reached]][:, moves])
    pays = payoffs[played[0]][:, played[1]].T
    matrix = sparse.bmat([[flows[0], None], [pays, -flows[1].T]]).toarray()
    values = np.linalg.svd(matrix, compute_uv=False) / norm
    rank = int((values > NO_PROBABILITY).sum())
    return (matrix.shape[1] - rank, matrix.shape[0] - rank), float(values[rank - 1])


class Method:
    """A method with the members of CFRSolver that the benchmark uses; a visit is a step at an information set.

    Raises ValueError for a game without a matrix of payoffs.
    """

    def __init__(self, game: Game) -> None:
        if isinstance(game, RankedGame):
            raise ValueError("payoffs by strengths: no matrix")
        self._game, self._form = game, _Form(game)
        self.iteration = self.num_visits = 0
        self.sequences = self._form.sequences
        own, other = self.sequences.players
        self.num_sets = len(own.before) + len(other.before)

    def plans(self) -> tuple[np.ndarray, np.ndarray]:
        """By player and sequence; nearly feasible is enough."""
        raise NotImplementedError

    def step(self) -> None:
        raise NotImplementedError

    def run(self, iterations: int) -> None:
        for _ in range(iterations):
            self.step()
        self.iteration += iterations
        self.num_visits += 2 * iterations * self.num_sets

    def nash_conv(self) -> float:
        return self._form.equilibrium(*self.plans()).exploitability.total


class Simplex(Method):
    """The simplex method of HiGHS, which has no iterations of this kind: the first is all.

    Raises ValueError for a program of more than MOST_ENTRIES numbers, which may take hours.
    """

    is_done = False

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        if (size := len(program_of(self.sequences).entries)) > MOST_ENTRIES:
            raise ValueError(f"a program of {size:,} numbers")

    def run(self, iterations: int) -> None:
        self._found = equilibrium(self._game)
        self.iteration, self.is_done = iterations, True

    def nash_conv(self) -> float:
        return self._found.exploitability.total


class PDLP(Method):
    """minimise c^T x where K x >= q in some rows, = q in the others, and some x >= 0."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        program = program_of(self.sequences)
        shape = len(program.row_lower), len(program.costs)
        matrix = sparse.csr_matrix((program.entries, program.columns, program.starts), shape=shape)
        self._rows, self._columns = np.ones(shape[0]), np.ones(shape[1])
        for round_ in range(11):  # ten of Ruiz, one of Pock and Chambolle
            norm = (lambda m: abs(m).max(axis=1).toarray().ravel()) if round_ < 10 else lambda m: abs(m).sum(axis=1).A1
            by_row, by_column = (np.sqrt(norm(each)) for each in (matrix, matrix.T.tocsr()))
            by_row[by_row == 0], by_column[by_column == 0] = 1.0, 1.0
            matrix = sparse.diags(1 / by_row) @ matrix @ sparse.diags(1 / by_column)
            self._rows, self._columns = self._rows / by_row, self._columns / by_column
        self._matrix, self._transposed = matrix.tocsr(), matrix.T.tocsr()
        self._costs, self._bounds = program.costs * self._columns, program.row_lower * self._rows
        self._positive = np.isfinite(program.column_lower)
        self._answers = np.isinf(program.row_upper)
        self._x, self._y = np.zeros(shape[1]), np.zeros(shape[0])
        sizes = np.linalg.norm(self._costs), np.linalg.norm(self._bounds)
        self._weight = sizes[0] / sizes[1] if min(sizes) > 0 else 1.0
        self._size = 1.0 / max(abs(self._matrix).max(), 1e-300)
        self._begin(self._x, self._y)
        self._steps = 0

    def _begin(self, x: np.ndarray, y: np.ndarray) -> None:
        self._x, self._y, self._start = x, y, (x, y)
        self._sum_x, self._sum_y, self._sum, self._length = np.zeros_like(x), np.zeros_like(y), 0.0, 0
        self._error_at_start = self._error_before = self._error(x, y)

    def _error(self, x: np.ndarray, y: np.ndarray) -> float:
        """Of the conditions of Karush, Kuhn and Tucker, weighed as in the paper."""
        slack, reduced = self._bounds - self._matrix @ x, self._costs - self._transposed @ y
        primal = np.where(self._answers, np.maximum(slack, 0.0), slack)
        dual = np.where(self._positive, np.minimum(reduced, 0.0), reduced)
        gap = self._costs @ x - self._bounds @ y
        return float(np.sqrt(self._weight**2 * primal @ primal + dual @ dual / self._weight**2 + gap * gap))

    def step(self) -> None:
        while True:
            self._steps += 1
            one, two = self._size / self._weight, self._size * self._weight
            x = self._x - one * (self._costs - self._transposed @ self._y)
            x = np.where(self._positive, np.maximum(x, 0.0), x)
            y = self._y + two * (self._bounds - self._matrix @ (2 * x - self._x))
            y = np.where(self._answers, np.maximum(y, 0.0), y)
            dx, dy = x - self._x, y - self._y
            crossed = 2 * abs(dy @ (self._matrix @ dx))
            moved = self._weight * dx @ dx + dy @ dy / self._weight
            limit = moved / crossed if crossed > 0 else np.inf
            size = self._size
            self._size = min((1 - (self._steps + 1) ** -0.3) * limit, (1 + (self._steps + 1) ** -0.6) * size)
            if size <= limit:
                break
        self._x, self._y, self._length = x, y, self._length + 1
        self._sum_x, self._sum_y, self._sum = self._sum_x + size * x, self._sum_y + size * y, self._sum + size
        if self._length % 10 == 0:
            self._perhaps_restart()

    def _perhaps_restart(self) -> None:
        candidates = [(self._x, self._y), (self._sum_x / self._sum, self._sum_y / self._sum)]
        errors = [self._error(*each) for each in candidates]
        best = int(np.argmin(errors))
        error, start = errors[best], self._error_at_start
        enough, falling = error <= 0.2 * start, error <= 0.8 * start and error > self._error_before
        self._error_before = error
        if enough or falling or self._length >= 0.36 * self._steps:
            x, y = candidates[best]
            dx, dy = np.linalg.norm(x - self._start[0]), np.linalg.norm(y - self._start[1])
            if dx > 1e-300 and dy > 1e-300:
                self._weight = float(np.exp(0.5 * np.log(dy / dx) + 0.5 * np.log(self._weight)))
            self._begin(x, y)

    def plans(self) -> tuple[np.ndarray, np.ndarray]:
        candidates = [(self._x, self._y)]
        if self._sum:
            candidates.append((self._sum_x / self._sum, self._sum_y / self._sum))
        x, y = min(candidates, key=lambda each: self._error(*each))
        own = self.sequences.players[0]
        num_own, num_flows = int(own.starts[-1]) - 1, len(own.before)
        first, second = (x * self._columns)[:num_own], (y * self._rows)[num_flows:]
        return np.r_[1.0, np.maximum(first, 0.0)], np.r_[1.0, np.maximum(second, 0.0)]


class Treeplex:
    """A player's plans, and the prox-step of dilated entropy on them."""

    def __init__(self, sequences: Sequences) -> None:
        self._sets = sequences
        depth = np.zeros(len(sequences.before), np.intp)
        for number, before in enumerate(sequences.before):
            depth[number] = 0 if before == 0 else depth[sequences.set_of[before - 1]] + 1
        self.size = int(sequences.starts[-1])
        self._levels = []
        for level in range(int(depth.max(initial=-1)) + 1):
            sets = np.flatnonzero(depth == level)
            counts = np.diff(sequences.starts)[sets]
            starts = np.r_[0, np.cumsum(counts)[:-1]]
            numbers = np.repeat(sequences.starts[sets] - starts, counts) + np.arange(counts.sum())
            self._levels.append((sets, numbers, starts, np.repeat(np.arange(len(sets)), counts)))
        self.weights = np.zeros(len(sequences.before))
        below = np.zeros(self.size)
        for sets, numbers, starts, _ in reversed(self._levels):
            self.weights[sets] = 2.0 + 2.0 * np.maximum.reduceat(below[numbers], starts)
            np.add.at(below, sequences.before[sets], self.weights[sets])

    def uniform(self) -> np.ndarray:
        return self.plan(np.zeros(self.size))

    def plan(self, logits: np.ndarray) -> np.ndarray:
        """The plan that minimises -<logits, x> + the dilated entropy with these weights."""
        logits, behaviour = logits.copy(), np.ones(self.size)
        for sets, numbers, starts, place in reversed(self._levels):
            scaled = logits[numbers] / self.weights[sets][place]
            largest = np.maximum.reduceat(scaled, starts)
            powers = np.exp(scaled - largest[place])
            totals = np.add.reduceat(powers, starts)
            behaviour[numbers] = powers / totals[place]
            np.add.at(logits, self._sets.before[sets], self.weights[sets] * (largest + np.log(totals)))
        plan = np.ones(self.size)
        for sets, numbers, _, place in self._levels:
            plan[numbers] = behaviour[numbers] * plan[self._sets.before[sets]][place]
        return plan


class Optimistic(Method):
    """Mirror descent from the uniform plan on: the logits are the sum of all gradients, the last one twice."""

    def __init__(self, game: Game, step: float) -> None:
        super().__init__(game)
        first, second, paid = self.sequences.first, self.sequences.second, self.sequences.paid
        self._plexes = [Treeplex(each) for each in self.sequences.players]
        shape = self._plexes[0].size, self._plexes[1].size
        self._matrix = sparse.csr_matrix((paid / max(np.abs(paid).max(initial=0.0), 1e-300), (first, second)), shape)
        self._transposed = self._matrix.T.tocsr()
        self._step = step
        self._now = [plex.uniform() for plex in self._plexes]
        self._gradients = [np.zeros(size) for size in shape]
        self._sums = [np.zeros(size) for size in shape]

    def step(self) -> None:
        gradients = [self._matrix @ self._now[1], -(self._transposed @ self._now[0])]
        self._gradients = [before + after for before, after in zip(self._gradients, gradients, strict=True)]
        moved = [self._step * (total + last) for total, last in zip(self._gradients, gradients, strict=True)]
        self._now = [plex.plan(logits) for plex, logits in zip(self._plexes, moved, strict=True)]
        self._sums = [total + plan for total, plan in zip(self._sums, self._now, strict=True)]

    def plans(self) -> Any:
        return self._sums

    def nash_conv(self) -> float:
        averages = [total / total[0] if total[0] else plan for total, plan in zip(self._sums, self._now, strict=True)]
        return min(self._form.equilibrium(*each).exploitability.total for each in (averages, self._now))
