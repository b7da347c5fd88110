"""Counterfactual regret minimization (CFR) on the shared sweep of kernels.py, by any rule of update_rules.py."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import kernels
from .arrays import NUM_TYPES, ROW, FloatArray, Rows, SweepState, make_workspace, rows_of
from .best_response import expected_value, leaf_distribution_of_rows, nash_conv_of_rows
from .cfr_state import NOT_JUDGED, CFRState
from .checked_numbers import whole_number
from .game import BonusSchedule, Game
from .rule_definition import BONUS_EPSILON, Restart
from .update_rules import UpdateRule

FLUSH_EVERY = 10
"""Every this many iterations, counted from the first, all that sweeps have put off is done: discounts of regrets that
wait in factors, and own reach that waits at skipped subtrees (see kernels.py). That is a flush. A run that stops
elsewhere is flushed there, too, for whoever looks at it; but flushing changes rounding, which exact ties amplify. So
the next run goes back to the last regular flush first, and how a run is cut into calls changes no bit of it."""

FLUSH_EVERY_SAMPLED = 100
"""The same for rules that sample, whose iterations touch little: a flush touches everything."""

LONGEST_STRETCH = 200
"""Iterations that callers should run at most before they look at the clock and at requests to stop; a multiple of
FLUSH_EVERY."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What the average and the current strategies are worth, exactly, in the game as it is (no bonus).

    distribution: of the average strategies, as best_response.leaf_distribution gives it. The rest is in the payoffs'
    unit: the value of the average strategies to player 0, and NashConv of the average and of the current strategies,
    NOT_JUDGED where that was not asked for.
    """

    distribution: FloatArray
    value: float
    average_exploitability: float
    current_exploitability: float


class _Flush(NamedTuple):
    """Where a run stood at the last regular flush."""

    state: CFRState
    num_visits: int
    num_histories: int
    seconds: float


class CFRSolver:
    """Runs CFR on a game. The game's payoffs may be exchanged between runs (`game`), its tree may not.

    alternate_updates: whether the second player's update sees the first player's new strategy. bonus_schedule: of the
    game's bonus, if it has one. seed: of a rule that samples, whose draws depend on it and on the iteration alone.
    num_visits, num_histories, seconds: the decision nodes that sweeps have visited, the same with every visit counted
    once for each pair of types that the sweep works on at once, and the time that updates have taken, since the start
    or the last `set_state`. A full-width sweep works on all pairs that the prior allows (6 in Kuhn poker, 9 where every
    type can meet every other), a sampled one on the drawn pair, or on the own types that can meet the drawn one.
    Raises ValueError for what a rule that samples cannot do: no alternation, a bonus.

    >>> from tictactoe import CFRSolver, kuhn_poker, update_rule
    >>> solver = CFRSolver(kuhn_poker(), update_rule("pdcfr+"))
    >>> solver.run(400)
    >>> evaluation = solver.evaluate()
    >>> round(18 * evaluation.value, 6), evaluation.average_exploitability < 1e-8
    (-1.0, True)
    """

    def __init__(
        self,
        game: Game,
        rule: UpdateRule,
        *,
        alternate_updates: bool = True,
        bonus_schedule: BonusSchedule | None = None,
        seed: int = 0,
    ) -> None:
        self.bonus_schedule = bonus_schedule or BonusSchedule()
        rule.check_use(alternate_updates, self.bonus_schedule.epsilon > 0.0)
        self._key = np.random.SeedSequence(whole_number("seed", seed, 0)).generate_state(1, np.uint64)[0]
        self.flush_every = FLUSH_EVERY_SAMPLED if rule.samples else FLUSH_EVERY
        self._game = game
        self.rule = rule
        self.alternate_updates = alternate_updates
        self.iteration = 0
        self.started_at = 0
        self.num_visits = self.num_histories = 0
        self.seconds = 0.0
        tree = game.tree
        self._work = make_workspace(tree.num_nodes, tree.num_decision_nodes)
        regrets, strategy_sums, strategy = (np.zeros((tree.num_nodes, ROW)) for _ in range(3))
        skippable = np.ones((2, tree.num_decision_nodes), np.int8)
        self._arrays = SweepState(regrets, strategy_sums, strategy, skippable)
        self._twice = np.zeros((tree.num_nodes, ROW)) if rule.averages_twice else None
        self._average = np.zeros((tree.num_nodes, ROW))
        self._last_flush: _Flush | None = None  # while the solver stands between two regular flushes
        kernels.normalise_sums(tree.sweep_arrays, self._arrays.strategy_sums, self._arrays.strategy)

    @property
    def game(self) -> Game:
        return self._game

    @game.setter
    def game(self, game: Game) -> None:
        self._game = game
        self._last_flush = None  # the game was another one then

    def run(self, num_iterations: int) -> None:
        """Run full iterations: one update of each player. Releases the interpreter lock while it computes.

        Raises ValueError for a number of iterations that is not whole, or below 0.
        """
        num_iterations = whole_number("num_iterations", num_iterations, 0)
        end = self.iteration + num_iterations
        if self._last_flush is not None and num_iterations > 0:
            flush = self._last_flush
            self.set_state(flush.state)
            self.num_visits, self.num_histories, self.seconds = flush[1:]
        start = self.iteration
        while self.iteration < end:
            next_flush = (self.iteration // self.flush_every + 1) * self.flush_every
            # A block that begins after a restart of the rule, between two flushes, begins nothing to go on from.
            if next_flush > end and (self.iteration == start or self.iteration % self.flush_every == 0):
                self._last_flush = _Flush(self.state(), self.num_visits, self.num_histories, self.seconds)
            started = perf_counter()
            self._run_block(min(next_flush, end, self._next_restart() or end))
            self.seconds += perf_counter() - started

    def _next_restart(self) -> int | None:
        """The iteration after which the rule starts from its average the next time, None for never."""
        stops = (self.started_at + after for after, _ in self.rule.restarts())
        return next((stop for stop in stops if stop > self.iteration), None)

    def _run_block(self, end: int) -> None:
        """Run to iteration `end` in one call of a kernel."""
        first, count = self.iteration - self.started_at + 1, end - self.iteration
        restart = self.rule.restart_after(first - 1)
        if restart:
            self._take_average(restart)
            self._arrays.strategy_sums[:] = self._sums[:] = 0.0
        coefficients = self.rule.coefficients(first, count)
        coefficients[:, BONUS_EPSILON] = self.bonus_schedule.at(np.arange(self.iteration + 1.0, end + 1.0))
        arrays, game, work, rule = self._arrays, self._game.arrays, self._work, self.rule
        if rule.samples:
            how = rule.full_average, rule.draw_own_type
            visits, histories = kernels.run_sampled_iterations(
                game, coefficients, self._keys(count), *how, arrays, work
            )
        else:
            visits = kernels.run_iterations(game, coefficients, self.alternate_updates, arrays, work)
            histories = visits * int(np.count_nonzero(game.prior[0]))
        if self._twice is not None:
            self._twice += arrays.strategy_sums
        self.num_visits += visits
        self.num_histories += histories
        self.iteration = end

    def _keys(self, count: int) -> NDArray[np.uint64]:
        """uint64 (count, 2): what the draws in the next iterations depend on. A function of seed and iteration."""
        numbers = np.arange(2 * self.iteration, 2 * (self.iteration + count), dtype=np.uint64)
        keys: NDArray[np.uint64] = self._key + numbers * np.uint64(0xD1342543DE82EF95)
        return keys.reshape(count, 2)

    def _take_average(self, restart: Restart) -> None:
        """Regrets and current strategy become what `restart` says; the sums stay."""
        tree, arrays, sums = self._game.tree, self._arrays, self._sums
        kernels.normalise_sums(tree.sweep_arrays, sums, self._average)
        own_reach = tree.at_children(tree.sums_over_children(sums))[1:]
        old = restart.blend * own_reach[:, :NUM_TYPES].max()
        weight = np.minimum(1.0, own_reach / old) if old > 0.0 else np.ones_like(own_reach)
        positive = np.maximum(arrays.regrets, 0.0)
        size = tree.at_children(tree.sums_over_children(positive))[1:]
        current = arrays.strategy[1:].copy()
        np.divide(positive[1:], size, out=current, where=size > 0.0)
        arrays.strategy[1:] = weight * self._average[1:] + (1.0 - weight) * current
        arrays.regrets[1:] = restart.factor * size * arrays.strategy[1:]
        arrays.skippable[:] = 0

    def restart(self) -> None:
        """Forget all regrets and averages: the next iteration is the first for the update rule. Goes on counting."""
        for array in (*self._arrays, self._sums):
            array[:] = 0
        self._arrays.skippable[:] = 1
        kernels.normalise_sums(self._game.tree.sweep_arrays, self._arrays.strategy_sums, self._arrays.strategy)
        self.started_at = self.iteration
        self._last_flush = None

    @property
    def _sums(self) -> Rows:
        """What the average strategy is taken from."""
        return self._arrays.strategy_sums if self._twice is None else self._twice

    def start_warm(self, state: CFRState) -> None:
        """Begin from what was learnt in a similar game on the same tree, instead of from uniform strategies.

        The first iteration comes after a restart of the rule from the average strategy of `state`, with regrets as
        large as there. Raises ValueError for a rule that always starts cold, and as `set_state`.
        """
        if self.rule.warm_start_at is None:
            raise ValueError(f"state: {self.rule.algorithm} always starts cold")
        blank = np.zeros_like(state.strategy_sums)
        self.set_state(replace(state, iteration=0, started_at=-self.rule.warm_start_at, recent_sums=blank))
        self._take_average(Restart(1.0, 0.0))  # the first iteration's restart does so, too, but not where nobody came

    def average_strategy(self) -> FloatArray:
        """float64 (num_nodes, 3): the average strategy, uniform where it was never accumulated."""
        kernels.normalise_sums(self.game.tree.sweep_arrays, self._sums, self._average)
        return self._average[:, :NUM_TYPES].copy()

    def current_strategy(self) -> FloatArray:
        """float64 (num_nodes, 3): the strategy of the next iteration."""
        return self._arrays.strategy[:, :NUM_TYPES].copy()

    def evaluate(self, game: Game | None = None, state: CFRState | None = None, *, current: bool = True) -> Evaluation:
        """Value and exploitability of the average strategy, and exploitability of the current one if `current`.

        game: on the same tree, to evaluate in instead of the one that is being played. state: to evaluate instead of
        the solver's own, such as `resumable_state()`, which may be of an earlier iteration.
        """
        game = game or self._game
        tree = game.tree
        sums, strategy = self._sums, self._arrays.strategy
        if state is not None:
            self._check_shapes(state)
            sums, strategy = rows_of(state.strategy_sums), rows_of(state.current_strategy)
        kernels.normalise_sums(tree.sweep_arrays, sums, self._average)
        distribution = leaf_distribution_of_rows(tree, self._average, self._work)
        return Evaluation(
            distribution,
            expected_value(game, distribution),
            nash_conv_of_rows(game, self._average, self._work),
            nash_conv_of_rows(game, strategy, self._work) if current else NOT_JUDGED,
        )

    def resumable_state(self) -> CFRState:
        """The state to continue from, bit for bit: a copy of the present one, or between flushes that of the last."""
        return self._last_flush.state if self._last_flush else self.state()

    def state(self) -> CFRState:
        """A copy of the state as it is."""
        arrays = self._arrays
        return CFRState(
            iteration=self.iteration,
            started_at=self.started_at,
            regrets=arrays.regrets[:, :NUM_TYPES].copy(),
            strategy_sums=self._sums[:, :NUM_TYPES].copy(),
            recent_sums=None if self._twice is None else arrays.strategy_sums[:, :NUM_TYPES].copy(),
            current_strategy=arrays.strategy[:, :NUM_TYPES].copy(),
            skippable=arrays.skippable.copy(),
        )

    def set_state(self, state: CFRState) -> None:
        """Continue from a state, with `num_visits`, `num_histories` and `seconds` at 0.

        Raises ValueError when it is of another tree, or of a rule that averages otherwise.
        """
        arrays = self._arrays
        self._check_shapes(state)
        if (state.recent_sums is None) != (self._twice is None):
            raise ValueError(
                f"recent_sums: {'missing' if self._twice is not None else f'{self.rule.algorithm} has none'}"
            )
        self._sums[:, :NUM_TYPES] = state.strategy_sums
        if state.recent_sums is not None:
            arrays.strategy_sums[:, :NUM_TYPES] = state.recent_sums
        arrays.regrets[:, :NUM_TYPES] = state.regrets
        arrays.strategy[:, :NUM_TYPES] = state.current_strategy
        arrays.skippable[:] = state.skippable
        self.iteration = state.iteration
        self.started_at = state.started_at
        self.num_visits, self.num_histories, self.seconds = 0, 0, 0.0
        self._last_flush = None

    def _check_shapes(self, state: CFRState) -> None:
        shapes = dict.fromkeys(("regrets", "strategy_sums", "current_strategy"), (self._game.tree.num_nodes, NUM_TYPES))
        for name, shape in (*shapes.items(), ("skippable", self._arrays.skippable.shape)):
            if getattr(state, name).shape != shape:
                raise ValueError(f"{name}: shape {getattr(state, name).shape}, expected {shape}")
