"""Counterfactual regret minimization (CFR) on the shared sweep of kernels.py, by any rule of update_rules.py."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..checked_numbers import whole_number
from .arrays import TYPES, FloatArray, Rows, SweepState, make_workspace, pieces, plain, rows_of, zero_rows
from .best_response import expected_value, expected_value_of_rows, leaf_distribution, nash_conv_of_rows
from .game import BonusSchedule, Game
from .public_tree import PublicTree
from .rule_definition import BONUS_EPSILON, Restart
from .strategy import rounded_strategy
from .update_rules import UpdateRule

SINGLE_PRECISION_BITS = 24

NOT_JUDGED = -1.0
"""The value of an exploitability that was not measured, because files contain no nan."""


@dataclass(frozen=True, eq=False, kw_only=True)
class CFRState:
    """Everything that the rest of a run depends on, apart from the game and the options.

    A row of an array with num_nodes rows belongs to the move into a node, by the mover's type. The root's row is 0 in
    regrets and sums, 1 in the strategy.

    >>> from tictactoe import CFRSolver, kuhn_poker, update_rule
    >>> solver, other = (CFRSolver(kuhn_poker(), update_rule("dcfr")) for _ in range(2))
    >>> solver.run(20)
    >>> other.set_state(solver.state())
    >>> other.iteration, bool((other.average_strategy() == solver.average_strategy()).all())
    (20, True)
    """

    iteration: int
    """The number of iterations so far."""
    started_at: int
    """The iteration after which regrets and averages were last forgotten; 0 if never. A warm start makes it negative,
    because it counts as earlier iterations."""
    regrets: FloatArray
    """float64 (num_nodes, k), in payoff, weighted by the prior and the opponent's reach."""
    strategy_sums: FloatArray
    """float64 (num_nodes, k): the sums that are normalised to the average strategy."""
    current_strategy: FloatArray
    """float64 (num_nodes, k): the strategy of the next iteration."""
    skippable: NDArray[np.int8]
    """int8 (2, num_decision_nodes), by player: 1 if a sweep that does not reach a decision node may skip its
    subtree."""
    recent_sums: FloatArray | None = None
    """float64 (num_nodes, k), for a rule that averages twice: the sums since the last restart, whose running sum is
    strategy_sums."""


def in_single_precision(tree: PublicTree, state: CFRState) -> CFRState:
    """The state rounded to numbers that float32 can hold exactly, in float64 arrays.

    The current strategy is rounded to multiples of 2^-24 that sum to 1. Regrets or sums too large for float32 stay
    unchanged.
    """
    with np.errstate(over="ignore", under="ignore"):
        rounded = {name: getattr(state, name).astype(np.float32).astype(float) for name in ("regrets", "strategy_sums")}
    kept = {name: array for name, array in rounded.items() if np.isfinite(array).all()}
    strategy = rounded_strategy(tree, state.current_strategy, 0.0, SINGLE_PRECISION_BITS)
    return replace(state, current_strategy=strategy, **kept)


FLUSH_EVERY = 10
"""The number of iterations between regular flushes, counted from the first iteration.

A flush does the work that sweeps have postponed (see kernels.py). A run that stops between two regular flushes is
flushed there, too, which makes its state readable. Because a flush changes rounding, the next run first returns to the
last regular flush. Splitting a run into calls changes no bit of its result."""

FLUSH_EVERY_SAMPLED = 100
"""The same number for rules that sample. Their iterations touch few nodes, but a flush touches all."""

LONGEST_STRETCH = 200
"""The most iterations that a caller should run between two checks of the clock; a multiple of FLUSH_EVERY."""

LONGEST_TABLE = 10_000
"""The most iterations whose coefficients are computed at once, but for a flush; a multiple of FLUSH_EVERY."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The exact quality of the average and the current strategies, in the game without its bonus.

    Values are in payoff; exploitabilities are NashConv.
    """

    distribution: FloatArray
    """float64 (num_classes, k, k): `leaf_distribution` of the average strategies; (0, k, k) for more than 64 types, and
    for hidden moves."""
    value: float
    """The value of the average strategies to player 0."""
    average_exploitability: float
    """NashConv of the average strategies."""
    current_exploitability: float
    """NashConv of the current strategies; NOT_JUDGED if it was not requested."""


class _Flush(NamedTuple):
    state: CFRState
    num_visits: int
    num_histories: int
    seconds: float


class CFRSolver:
    """Runs CFR on a game. `game` may be replaced between runs by another one on the same tree.

    alternate_updates: whether the second player's update sees the first player's new strategy.
    bonus_schedule: the factor of the game's bonus; 0 by default.
    seed: the seed of a rule that samples. Draws depend only on it and the iteration.

    The solver counts, from the start or the last `set_state`:

    num_visits: the decision nodes that sweeps have visited.
    num_histories: the same visits, each counted once for each pair of types that the sweep works on. These are all
        pairs that the prior allows; in a sampled sweep, the drawn pair, or the own types that can meet the opponent's
        drawn type.
    seconds: the time spent in updates.

    Raises ValueError for a rule that samples without alternation, or with a bonus.

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
        rule.check_use(alternate_updates, self.bonus_schedule.small_move_epsilon > 0.0)
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
        self._work = make_workspace(tree.sweep_arrays)
        regrets, strategy_sums, strategy = (zero_rows(tree.num_nodes, tree.num_types) for _ in range(3))
        skippable = np.ones((2, tree.num_decision_nodes), np.int8)
        self._arrays = SweepState(regrets, strategy_sums, strategy, skippable)
        self._twice = zero_rows(tree.num_nodes, tree.num_types) if rule.averages_twice else None
        self._average = zero_rows(tree.num_nodes, tree.num_types)
        self._last_flush: _Flush | None = None  # set only between two regular flushes
        self._in_one_call = not rule.samples and not rule.averages_twice
        self._normalise(self._arrays.strategy_sums, self._arrays.strategy)

    def _normalise(self, sums: Rows, out: Rows) -> None:
        self._game.sweeps()[0].normalise_sums(self._game.tree.sweep_arrays, sums, out)

    @property
    def game(self) -> Game:
        return self._game

    @game.setter
    def game(self, game: Game) -> None:
        self._game = game
        self._last_flush = None  # belongs to the old game

    def run(self, num_iterations: int) -> None:
        """Run full iterations: one update of each player. Releases the interpreter lock.

        Raises ValueError unless the number is whole and not negative.
        """
        num_iterations = whole_number("num_iterations", num_iterations, 0)
        end = self.iteration + num_iterations
        if self._last_flush is not None and num_iterations > 0:
            flush = self._last_flush
            self.set_state(flush.state)
            self.num_visits, self.num_histories, self.seconds = flush[1:]
        stop = start = self.iteration
        while self.iteration < end:
            next_flush = (self.iteration // self.flush_every + 1) * self.flush_every
            # A state to continue from is saved at the start of the call or at a regular flush, not at a restart in
            # between.
            if next_flush > end and (self.iteration == start or self.iteration % self.flush_every == 0):
                self._last_flush = _Flush(self.state(), self.num_visits, self.num_histories, self.seconds)
            started = perf_counter()
            if self.iteration == stop:
                coefficients = self._start_stretch(min(end, next_flush + LONGEST_TABLE))
                stop = self.iteration + len(coefficients)
            if self._in_one_call and self.iteration % self.flush_every == 0:
                next_flush = max(next_flush, stop // self.flush_every * self.flush_every)
            self._run_block(coefficients[self.iteration - stop :][: next_flush - self.iteration])
            self.seconds += perf_counter() - started

    def _start_stretch(self, end: int) -> FloatArray:
        """Restart if it is time, and return the coefficients of iterations until `end` or the next restart."""
        age = self.iteration - self.started_at
        restart = self.rule.restart_after(age)
        if restart:
            self._take_average(restart)
            self._arrays.strategy_sums[TYPES] = self._sums[TYPES] = 0.0
        restarts = (self.started_at + after for after, _ in self.rule.restarts())
        end = min(end, next((at for at in restarts if at > self.iteration), end))
        coefficients = self.rule.coefficients(age + 1, end - self.iteration)
        coefficients[:, BONUS_EPSILON] = self.bonus_schedule.at(np.arange(self.iteration + 1.0, end + 1.0))
        return coefficients

    def _run_block(self, coefficients: FloatArray) -> None:
        from . import sampling

        arrays, game, work, rule = self._arrays, self._game, self._work, self.rule
        if rule.samples:
            how = sampling.Sampling(rule.full_average, rule.draw_own_type, rule.exploration)
            state = sampling.SampledState(*(pieces(plain(rows)) for rows in arrays[:3]))
            mass, keys = pieces(plain(work.mass)).reshape(2, -1), self._keys(len(coefficients))
            sampled = game.sampled_arrays, coefficients, keys, how, state, mass, self._scratch
            visits, histories = sampling.run_sampled_iterations(*sampled)
        else:
            module, sweeps = game.sweeps()
            visits = module.run_stretches(sweeps, coefficients, self.flush_every, self.alternate_updates, arrays, work)
            histories = visits * int(np.count_nonzero(game.prior))
        if self._twice is not None:
            self._twice[TYPES] += arrays.strategy_sums[TYPES]
        self.num_visits += visits
        self.num_histories += histories
        self.iteration += len(coefficients)

    @cached_property
    def _scratch(self) -> Any:
        from . import sampling

        return sampling.make_scratch(self._game.sampled_arrays)

    def _keys(self, count: int) -> NDArray[np.uint64]:
        numbers = np.arange(2 * self.iteration, 2 * (self.iteration + count), dtype=np.uint64)
        keys: NDArray[np.uint64] = self._key + numbers * np.uint64(0xD1342543DE82EF95)
        return keys.reshape(count, 2)

    def _take_average(self, restart: Restart) -> None:
        tree, arrays, sums = self._game.tree, self._arrays, self._sums
        self._normalise(sums, self._average)
        own_reach = tree.at_children(tree.sums_over_children(sums[TYPES]))[1:]
        old = restart.blend * own_reach.max()
        weight = np.minimum(1.0, own_reach / old) if old > 0.0 else np.ones_like(own_reach)
        positive = np.maximum(arrays.regrets[TYPES], 0.0)
        size = tree.at_children(tree.sums_over_children(positive))[1:]
        current = arrays.strategy[TYPES][1:].copy()
        np.divide(positive[1:], size, out=current, where=size > 0.0)
        arrays.strategy[TYPES][1:] = weight * self._average[TYPES][1:] + (1.0 - weight) * current
        arrays.regrets[TYPES][1:] = restart.factor * size * arrays.strategy[TYPES][1:]
        arrays.skippable[:] = 0

    def restart(self) -> None:
        """Forget all regrets and averages. The next iteration is the rule's first; `iteration` keeps counting."""
        for array in (self._arrays.regrets, self._arrays.strategy_sums, self._sums):
            array[TYPES] = 0.0
        self._arrays.skippable[:] = 1
        self._normalise(self._arrays.strategy_sums, self._arrays.strategy)
        self.started_at = self.iteration
        self._last_flush = None

    @property
    def _sums(self) -> Rows:
        return self._arrays.strategy_sums if self._twice is None else self._twice

    def start_warm(self, state: CFRState) -> None:
        """Begin with the state of a similar game on the same tree instead of uniform strategies.

        The rule first restarts from the average strategy of `state`; regrets keep their size. Raises ValueError for a
        rule that always starts cold, and the errors of `set_state`.
        """
        if self.rule.warm_start_at is None:
            raise ValueError(f"state: {self.rule.name} always starts cold")
        blank = np.zeros_like(state.strategy_sums)
        self.set_state(replace(state, iteration=0, started_at=-self.rule.warm_start_at, recent_sums=blank))
        # The rule restarts in the first iteration, too, but keeps the current strategy where own reach is small.
        self._take_average(Restart(1.0, 0.0))

    def average_strategy(self) -> FloatArray:
        """float64 (num_nodes, k): the average strategy, uniform where its sums are 0."""
        self._normalise(self._sums, self._average)
        return self._average[TYPES].copy()

    def current_strategy(self) -> FloatArray:
        """float64 (num_nodes, k): the strategy of the next iteration."""
        return self._arrays.strategy[TYPES].copy()

    def evaluate(self, game: Game | None = None, state: CFRState | None = None, *, current: bool = True) -> Evaluation:
        """Value and exploitability of the average strategy, and exploitability of the current one if `current`.

        game: another game on the same tree; the solver's own by default.
        state: the solver's own by default.
        """
        game = game or self._game
        tree = game.tree
        sums, strategy = self._sums, self._arrays.strategy
        if state is not None:
            self._check_shapes(state)
            sums, strategy = rows_of(state.strategy_sums), rows_of(state.current_strategy)
        self._normalise(sums, self._average)
        if not game.in_lanes:
            distribution = np.zeros((0, tree.num_types, tree.num_types))
            value = expected_value_of_rows(game, self._average, self._work)
        else:
            distribution = leaf_distribution(tree, self._average, self._work)
            value = expected_value(game, distribution)
        return Evaluation(
            distribution,
            value,
            nash_conv_of_rows(game, self._average, self._work),
            nash_conv_of_rows(game, strategy, self._work) if current else NOT_JUDGED,
        )

    def resumable_state(self) -> CFRState:
        """The state to continue from, bit for bit: that of the last regular flush, or the current one."""
        return self._last_flush.state if self._last_flush else self.state()

    def state(self) -> CFRState:
        """A copy of the current state."""
        arrays = self._arrays
        return CFRState(
            iteration=self.iteration,
            started_at=self.started_at,
            regrets=arrays.regrets[TYPES].copy(),
            strategy_sums=self._sums[TYPES].copy(),
            recent_sums=None if self._twice is None else arrays.strategy_sums[TYPES].copy(),
            current_strategy=arrays.strategy[TYPES].copy(),
            skippable=arrays.skippable.copy(),
        )

    def set_state(self, state: CFRState) -> None:
        """Continue from a state, with `num_visits`, `num_histories` and `seconds` at 0.

        Raises ValueError for a state of another tree, or of a rule that averages differently.
        """
        arrays = self._arrays
        self._check_shapes(state)
        if (state.recent_sums is None) != (self._twice is None):
            raise ValueError(f"recent_sums: {'missing' if self._twice is not None else f'{self.rule.name} has none'}")
        self._sums[TYPES] = state.strategy_sums
        if state.recent_sums is not None:
            arrays.strategy_sums[TYPES] = state.recent_sums
        arrays.regrets[TYPES] = state.regrets
        arrays.strategy[TYPES] = state.current_strategy
        arrays.skippable[:] = state.skippable
        self.iteration = state.iteration
        self.started_at = state.started_at
        self.num_visits, self.num_histories, self.seconds = 0, 0, 0.0
        self._last_flush = None

    def _check_shapes(self, state: CFRState) -> None:
        shape = self._game.tree.num_nodes, self._game.tree.num_types
        shapes = dict.fromkeys(("regrets", "strategy_sums", "current_strategy"), shape)
        for name, shape in (*shapes.items(), ("skippable", self._arrays.skippable.shape)):
            if getattr(state, name).shape != shape:
                raise ValueError(f"{name}: shape {getattr(state, name).shape}, expected {shape}")
