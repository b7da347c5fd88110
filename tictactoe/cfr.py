"""The solver of one round: counterfactual regret minimization on the shared sweep, by any rule of rules.py."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from . import kernels
from .arrays import NUM_TYPES, ROW, SolverState, make_workspace
from .game import FloatArray, RoundGame
from .options import SmallMoves
from .response import expected_value, padded_leaf_distribution, padded_nash_conv
from .rules import BONUS_EPSILON, Restart, UpdateRule

FLUSH_EVERY = 10
"""Lazily applied discounts and averages are brought up to date at every multiple of this many iterations, and where
the game changes or regrets are forgotten. Doing so elsewhere would change rounding, which exact ties amplify; so a run
that stops in between goes on from where they last were, and the way it is cut into calls changes no bit."""

FLUSH_EVERY_SAMPLED = 100
"""The same for rules that sample, whose iterations touch little: a flush touches everything."""

LONGEST_STRETCH = 200
"""Iterations that callers should run at most before they look at the clock and at requests to stop; a multiple of
FLUSH_EVERY."""


@dataclass(frozen=True, eq=False)
class RoundState:
    """Everything that the run of a round depends on from here, apart from the game and the options.

    regrets, strategy_sums, current_strategy: float64 (num_nodes, 3), of the move into a node by the mover's type; the
    root's row means nothing (0 in the first two, 1 in the last). Regrets are in the payoffs' unit, weighted with the
    prior and the opponent's reach. settled: int8 (2, num_decision_nodes), where a player's prediction is used up.
    started_at: the iteration after which regrets and averages were last forgotten; 0 if never.
    """

    iteration: int
    started_at: int
    regrets: FloatArray
    strategy_sums: FloatArray
    current_strategy: FloatArray
    settled: NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class RoundEvaluation:
    """What the average and the current strategies are worth, exactly, in the game as it is (no bonus).

    distribution: as response.leaf_distribution gives it, of the average strategies. The rest is in the payoffs' unit:
    the value of the average strategies to player 0, and NashConv of the average and of the current strategies.
    """

    distribution: FloatArray
    value: float
    average_exploitability: float
    current_exploitability: float


class RoundSolver:
    """Runs one round. The game's payoffs may be exchanged between runs (`game`), its tree may not.

    seed: of a rule that samples, whose draws depend on it and on the iteration alone. num_visits: decision nodes that
    sweeps have visited. Raises ValueError for what a rule that samples cannot do: no alternation, a bonus.
    """

    def __init__(
        self,
        game: RoundGame,
        rule: UpdateRule,
        *,
        alternate_updates: bool = True,
        small_moves: SmallMoves | None = None,
        seed: int = 0,
    ) -> None:
        if rule.samples and not alternate_updates:
            raise ValueError(f"alternate_updates: {rule.algorithm} has no other way than to alternate")
        if rule.samples and small_moves and small_moves.epsilon > 0.0:
            raise ValueError(f"small_moves: {rule.algorithm} knows no bonus")
        self._key = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
        self.flush_every = FLUSH_EVERY_SAMPLED if rule.samples else FLUSH_EVERY
        self._game = game
        self.rule = rule
        self.alternate_updates = alternate_updates
        self.small_moves = small_moves or SmallMoves()
        self.iteration = 0
        self.started_at = 0
        self.num_visits = 0
        tree = game.tree
        self._work = make_workspace(tree.num_nodes, tree.num_decision_nodes)
        self._arrays = SolverState(
            regrets=np.zeros((tree.num_nodes, ROW)),
            strategy_sums=np.zeros((tree.num_nodes, ROW)),
            strategy=np.zeros((tree.num_nodes, ROW)),
            settled=np.ones((2, tree.num_decision_nodes), np.int8),
        )
        self._average = np.zeros((tree.num_nodes, ROW))
        self._base: RoundState | None = None  # in between: the state at the last multiple of flush_every
        self._base_visits = 0
        kernels.normalise_sums(tree.sweep_arrays, self._arrays.strategy_sums, self._arrays.strategy)

    @property
    def game(self) -> RoundGame:
        return self._game

    @game.setter
    def game(self, game: RoundGame) -> None:
        self._game = game
        self._base = None

    def run(self, num_iterations: int, *, then_changes: bool = False) -> None:
        """Run full iterations: one update of each player. Releases the interpreter lock while it computes.

        then_changes: the game will be exchanged here, so that there is no need to remember the last flush.
        """
        end = self.iteration + num_iterations
        if self._base is not None and num_iterations > 0:
            self.num_visits = self._base_visits
            self.set_state(self._base)
        start = self.iteration
        while self.iteration < end:
            next_flush = (self.iteration // self.flush_every + 1) * self.flush_every
            # A block that begins after a restart of the rule, between two flushes, begins nothing to go on from.
            begins = self.iteration == start or self.iteration % self.flush_every == 0
            if begins and next_flush > end and not then_changes:
                self._base, self._base_visits = self.state(), self.num_visits
            restart = self.rule.restarts.get(self.iteration - self.started_at)
            if restart:
                self._start_from_average(restart)
            stops = [self.started_at + after for after in self.rule.restarts]
            block_end = min(stop for stop in (next_flush, end, *stops) if stop > self.iteration)
            self._run_block(block_end - self.iteration)

    def _run_block(self, count: int) -> None:
        coefficients = self.rule.coefficients(self.iteration - self.started_at + 1, count)
        coefficients[:, BONUS_EPSILON] = self.small_moves.at(
            np.arange(self.iteration + 1.0, self.iteration + count + 1.0)
        )
        if self.rule.samples:
            self.num_visits += kernels.run_sampled_iterations(
                self._game.arrays, coefficients, self._keys(count), self._arrays, self._work
            )
        else:
            self.num_visits += kernels.run_iterations(
                self._game.arrays, coefficients, self.alternate_updates, self._arrays, self._work
            )
        self.iteration += count

    def _keys(self, count: int) -> NDArray[np.uint64]:
        """uint64 (count, 2): what the draws in the next iterations depend on. A function of seed and iteration."""
        numbers = np.arange(2 * self.iteration, 2 * (self.iteration + count), dtype=np.uint64)
        keys: NDArray[np.uint64] = self._key + numbers * np.uint64(0xD1342543DE82EF95)
        return keys.reshape(count, 2)

    def _start_from_average(self, restart: Restart) -> None:
        """What `restart` says; goes on counting."""
        tree, arrays = self._game.tree, self._arrays
        first, counts = tree.first_child[tree.decision_nodes] - 1, tree.num_children[tree.decision_nodes]

        def sums(rows: FloatArray) -> FloatArray:
            """(num_nodes - 1, ROW): summed over the children of the decision node, at each of them."""
            result: FloatArray = np.repeat(np.add.reduceat(rows[1:], first, axis=0), counts, axis=0)
            return result

        kernels.normalise_sums(tree.sweep_arrays, arrays.strategy_sums, self._average)
        own_reach = sums(arrays.strategy_sums)
        weight = np.minimum(1.0, own_reach / (restart.blend * own_reach[:, :NUM_TYPES].max()))
        positive = np.maximum(arrays.regrets, 0.0)
        size = sums(positive)
        current = arrays.strategy[1:].copy()
        np.divide(positive[1:], size, out=current, where=size > 0.0)
        arrays.strategy[1:] = weight * self._average[1:] + (1.0 - weight) * current
        arrays.regrets[1:] = restart.factor * size * arrays.strategy[1:]
        arrays.strategy_sums[:] = 0.0
        arrays.settled[:] = 0

    def restart(self) -> None:
        """Forget all regrets and averages: the next iteration is the first for the update rule. Goes on counting."""
        for array in self._arrays:
            array[:] = 0
        self._arrays.settled[:] = 1
        kernels.normalise_sums(self._game.tree.sweep_arrays, self._arrays.strategy_sums, self._arrays.strategy)
        self.started_at = self.iteration
        self._base = None

    def average_strategy(self) -> FloatArray:
        """float64 (num_nodes, 3): the average strategy, uniform where it was never accumulated."""
        kernels.normalise_sums(self.game.tree.sweep_arrays, self._arrays.strategy_sums, self._average)
        return self._average[:, :NUM_TYPES].copy()

    def current_strategy(self) -> FloatArray:
        """float64 (num_nodes, 3): the strategy of the next iteration."""
        return self._arrays.strategy[:, :NUM_TYPES].copy()

    def evaluate(self, game: RoundGame | None = None) -> RoundEvaluation:
        """Value and exploitability of the average strategy, and exploitability of the current one.

        game: on the same tree, to evaluate in instead of the one that is being played.
        """
        game = game or self._game
        tree = game.tree
        kernels.normalise_sums(tree.sweep_arrays, self._arrays.strategy_sums, self._average)
        distribution = padded_leaf_distribution(tree, self._average, self._work)
        return RoundEvaluation(
            distribution,
            expected_value(game, distribution),
            padded_nash_conv(game, self._average, self._work),
            padded_nash_conv(game, self._arrays.strategy, self._work),
        )

    def resumable_state(self) -> RoundState:
        """A copy of the state to continue from: `state`, or in between flushes the state at the last one."""
        return self._base or self.state()

    def state(self) -> RoundState:
        """A copy of the state as it is."""
        arrays = self._arrays
        return RoundState(
            self.iteration,
            self.started_at,
            arrays.regrets[:, :NUM_TYPES].copy(),
            arrays.strategy_sums[:, :NUM_TYPES].copy(),
            arrays.strategy[:, :NUM_TYPES].copy(),
            arrays.settled.copy(),
        )

    def set_state(self, state: RoundState) -> None:
        """Continue from a state; raises ValueError when it is of another tree."""
        arrays = self._arrays
        shape = (self._game.tree.num_nodes, NUM_TYPES)
        for name in ("regrets", "strategy_sums", "current_strategy"):
            if getattr(state, name).shape != shape:
                raise ValueError(f"{name}: shape {getattr(state, name).shape}, expected {shape}")
        if state.settled.shape != arrays.settled.shape:
            raise ValueError(f"settled: shape {state.settled.shape}, expected {arrays.settled.shape}")
        arrays.regrets[:, :NUM_TYPES] = state.regrets
        arrays.strategy_sums[:, :NUM_TYPES] = state.strategy_sums
        arrays.strategy[:, :NUM_TYPES] = state.current_strategy
        arrays.settled[:] = state.settled
        self.iteration = state.iteration
        self.started_at = state.started_at
        self._base = None
