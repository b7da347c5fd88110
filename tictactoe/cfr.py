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
from .rules import BONUS_EPSILON, UpdateRule

FLUSH_EVERY = 10
"""Lazily applied discounts and averages are brought up to date at every multiple of this many iterations, and where
the game changes or regrets are forgotten. Doing so elsewhere would change rounding, which exact ties amplify; so a run
that stops in between goes on from where they last were, and the way it is cut into calls changes no bit."""

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
    """Runs one round. The game's payoffs may be exchanged between runs (`game`), its tree may not."""

    def __init__(
        self,
        game: RoundGame,
        rule: UpdateRule,
        *,
        alternate_updates: bool = True,
        small_moves: SmallMoves | None = None,
    ) -> None:
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
            settled=np.zeros((2, tree.num_decision_nodes), np.int8),
        )
        self._average = np.zeros((tree.num_nodes, ROW))
        self._base: RoundState | None = None  # in between: the state at the last multiple of FLUSH_EVERY
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
            self.set_state(self._base)
        while self.iteration < end:
            next_flush = (self.iteration // FLUSH_EVERY + 1) * FLUSH_EVERY
            if next_flush > end and not then_changes:
                self._base = self.state()
            self._run_block(min(next_flush, end) - self.iteration)

    def _run_block(self, count: int) -> None:
        coefficients = self.rule.coefficients(self.iteration - self.started_at + 1, count)
        coefficients[:, BONUS_EPSILON] = self.small_moves.at(
            np.arange(self.iteration + 1.0, self.iteration + count + 1.0)
        )
        self.num_visits += kernels.run_iterations(
            self._game.arrays, coefficients, self.alternate_updates, self._arrays, self._work
        )
        self.iteration += count

    def restart(self) -> None:
        """Forget all regrets and averages: the next iteration is the first for the update rule. Goes on counting."""
        for array in self._arrays:
            array[:] = 0
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
