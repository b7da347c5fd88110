"""The joint solution of a pair of twin scores, as a fixed point of the values that they give each other.

Every check sets the pair's values to those of the average strategies. docs/how-it-works.md describes epochs, warm
starts and start values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..algorithms.arrays import FloatArray
from ..algorithms.cfr import LONGEST_STRETCH, CFRSolver, CFRState, Evaluation, in_single_precision
from ..algorithms.convergence import ConvergenceLog
from ..algorithms.game import Game
from ..games.payoffs import result_probabilities, tic_tac_toe_round
from ..games.rules import OutcomeValues
from ..games.tic_tac_toe_tree import GameTree
from .head_to_head import largest_difference, pair_self_play_values
from .options import MatchOptions
from .scores import Pair, Score, outcome_values

RESTART_RATIO = 0.1
"""An epoch ends when the exploitability is at most this part of the values' change since it began."""

CURRENT_JUDGED_EVERY = 5
"""The number of checks between evaluations of the current strategies. The first and the last check have one, too."""


def similar_score(pair: Pair, winning_score: int) -> Score | None:
    """The tied score, with a point more for both, from which a tied score can start warm; None if there is none."""
    first, second = pair[0]
    return Score(first + 1, second + 1) if first == second < winning_score - 1 else None


@dataclass(frozen=True, eq=False)
class PairState:
    """Everything that a pair needs to continue, apart from the options.

    Tuples are in the order of `pair`. Values and exploitabilities are in match value.
    """

    pair: Pair
    following: Mapping[Score, float]
    """The values of the scores that the pair leads to."""
    values: tuple[float, ...]
    """The pair's current values."""
    exploitabilities: tuple[float, ...]
    """The exploitabilities of the average strategies with these values."""
    epoch_values: tuple[float, ...]
    """The pair's values when the epoch began."""
    restart_due: bool
    """Whether the next iteration begins a new epoch."""
    converged: bool
    """Whether the exploitabilities have reached the target."""
    rounds: tuple[CFRState, ...]
    """The state of each twin's solver."""
    convergence: tuple[FloatArray, ...]
    """For each twin, float64 (num_checks, 4): iteration, exploitability of the average and of the current strategy
    (NOT_JUDGED if not measured), value."""
    holds: bool = False
    """Whether the pair is being solved with the start values of its options instead of `values`."""

    @property
    def iteration(self) -> int:
        return self.rounds[0].iteration


class PairSolver:
    """The solver of a score and its twin.

    `step` runs both twins to the next stop. To run them at the same time, call `advance` for each twin up to
    `next_stop`, then `check`; no other method is safe to call concurrently.

    following: the value of every score that the pair leads to, to the first mover there.
    start: the states learnt at a similar pair, for a warm start.

    Attributes, in the order of `pair`, in match value:

    values: the twins' current values, or the start values while the pair keeps them.
    exploitabilities: the exploitabilities of the twins' average strategies.

    >>> from tictactoe import GameTree, MatchOptions, PairSolver, Score
    >>> options = MatchOptions(winning_score=1, maximum_subgame_exploitability=0.02)
    >>> solver = PairSolver(GameTree.build(), (Score(0, 0),), {}, options)
    >>> while not solver.converged:
    ...     solver.step()
    >>> abs(solver.values[0] + 1 / 13) < 0.02
    True
    """

    def __init__(
        self,
        tree: GameTree,
        pair: Pair,
        following: Mapping[Score, float],
        options: MatchOptions,
        *,
        start: Sequence[CFRState] = (),
    ) -> None:
        self.pair = pair
        self.following = dict(following)
        self.options = options
        self._held = None if options.start_from is None else tuple(options.start_from[score] for score in pair)
        self.values = self._held or (0.0,) * len(pair)
        self.exploitabilities = (np.inf,) * len(pair)
        self.converged = False
        self._holds = self._held is not None
        self._tree = tree
        self._epoch_values = self.values
        self._restart_due = [False] * len(pair)
        self._convergence = tuple(ConvergenceLog(options.check_exploitability_every) for _ in pair)
        games = (self._game(score, self.values) for score in pair)
        alternate, schedule = options.alternate_updates, options.bonus_schedule
        self._solvers = tuple(
            CFRSolver(game, options.algorithm, alternate_updates=alternate, bonus_schedule=schedule) for game in games
        )
        if start:
            for solver, learnt in zip(self._solvers, start, strict=True):
                solver.start_warm(learnt)
            if not self._holds:
                self._set_values(self._values_of([solver.evaluate(current=False) for solver in self._solvers]))
                self._epoch_values = self.values

    @property
    def iteration(self) -> int:
        return self._solvers[0].iteration

    @property
    def epoch_start(self) -> int:
        """The iteration at which the epoch began; negative after a warm start."""
        return self._solvers[0].started_at

    def outcome_values(self, score: Score, values: tuple[float, ...] | None = None) -> OutcomeValues:
        """The outcome values of a round at `score` to its first mover. values: the pair's own values; by default the
        current ones."""
        own = zip(self.pair, self.values if values is None else values, strict=True)
        return outcome_values(score, {**self.following, **dict(own)}, self.options.winning_score)

    def _game(self, score: Score, values: tuple[float, ...]) -> Game:
        with_bonus = self.options.small_move_epsilon > 0.0
        return tic_tac_toe_round(self._tree, self.outcome_values(score, values), with_bonus=with_bonus)

    def next_stop(self, limit: int | None = None) -> int:
        """The next iteration to advance both twins to: a check, a snapshot, the limit, or a pause."""
        periods = (self.options.check_exploitability_every, LONGEST_STRETCH)
        stops = [(self.iteration // period + 1) * period for period in periods]
        stops += [stop for stop in (self.options.next_snapshot(self.iteration), limit) if stop is not None]
        return min(stops)

    def step(self, limit: int | None = None) -> None:
        """Run both twins to the next stop and check them."""
        stop = self.next_stop(limit)
        self.check([self.advance(twin, stop) for twin in range(len(self.pair))])

    def advance(self, twin: int, stop: int) -> Evaluation:
        """Run one of the twins up to iteration `stop` and evaluate it."""
        solver = self._solvers[twin]
        if self._restart_due[twin]:
            self._restart_due[twin] = False
            solver.restart()
        solver.run(stop - solver.iteration)
        checks, between = divmod(stop, self.options.check_exploitability_every)
        return solver.evaluate(current=between == 0 and (checks == 1 or checks % CURRENT_JUDGED_EVERY == 0))

    def check(self, evaluations: Sequence[Evaluation]) -> None:
        """Update values, exploitabilities and the record of convergence, and perhaps end the epoch.

        evaluations: the results of `advance` for both twins.
        """
        self.exploitabilities = tuple(evaluation.average_exploitability for evaluation in evaluations)
        if self.iteration == 0 or self.iteration % self.options.check_exploitability_every > 0:
            return  # not a check: the other reasons to stop must not change the run
        values, held_before = self._values_of(evaluations), self._holds
        target = self.options.maximum_subgame_exploitability
        moved = largest_difference(values, self._epoch_values)
        is_close = max(self.exploitabilities) <= target and largest_difference(values, self.values) <= target
        self._holds = held_before and not (is_close or self._is_epoch_over(moved))
        if not self._holds:
            self._set_values(values)
        if is_close:  # Evaluate again with the values that will be saved, because the files must keep the promise.
            evaluations = [solver.evaluate() for solver in self._solvers]
            self.exploitabilities = tuple(evaluation.average_exploitability for evaluation in evaluations)
            self.converged = max(self.exploitabilities) <= target
        for log, found, value in zip(self._convergence, evaluations, values, strict=True):
            log.add(self.iteration, found.average_exploitability, found.current_exploitability, value)
        has_epochs = held_before or self.epoch_start >= 0  # none after a warm start
        if has_epochs and not self.converged and self._is_epoch_over(moved):
            self._epoch_values = values
            # The next `advance` restarts, but a state saved now must have what was learnt.
            self._restart_due = [True] * len(self.pair)

    def _is_epoch_over(self, moved: float) -> bool:
        target = self.options.maximum_subgame_exploitability
        return max(target, max(self.exploitabilities) / RESTART_RATIO) < moved

    def state(self, *, in_brief: bool = False) -> PairState:
        """The current state, with the values and exploitabilities of the average strategies.

        in_brief: use single precision, and the values and exploitabilities of the rounded strategies.
        """
        rounds = [solver.state() for solver in self._solvers]
        if in_brief:
            rounds = [in_single_precision(self._tree, state) for state in rounds]
        states = zip(self._solvers, rounds, strict=True)
        return self._state(self._values_of([solver.evaluate(state=at, current=False) for solver, at in states]), rounds)

    def resumable_state(self) -> PairState:
        """The state from which to continue bit for bit as if there had been no stop."""
        return self._state(self.values, [solver.resumable_state() for solver in self._solvers])

    def _state(self, values: tuple[float, ...], rounds: Sequence[CFRState]) -> PairState:
        states = zip(self._solvers, (self._game(score, values) for score in self.pair), rounds, strict=True)
        found = [solver.evaluate(game, state, current=False) for solver, game, state in states]
        return PairState(
            pair=self.pair,
            following=dict(self.following),
            values=values,
            exploitabilities=tuple(evaluation.average_exploitability for evaluation in found),
            epoch_values=self._epoch_values,
            restart_due=self._restart_due[0],
            converged=self.converged,
            rounds=tuple(rounds),
            convergence=tuple(log.rows for log in self._convergence),
            holds=self._holds,
        )

    def set_state(self, state: PairState) -> None:
        """Continue from a state of the same pair, options and following values.

        Raises ValueError for another pair or update rule, for start values that the options do not have, and for a
        false claim to have converged.
        """
        if state.pair != self.pair or dict(state.following) != self.following:
            raise ValueError(f"state: of the pair {state.pair} or of other following values, expected {self.pair}")
        held = self._held if state.holds else None
        if state.holds and held is None:
            raise ValueError("state: it has start values, which the options do not have")
        self._holds = state.holds
        self._set_values(state.values if held is None else held)
        for solver, round_state in zip(self._solvers, state.rounds, strict=True):
            solver.set_state(round_state)
        self.exploitabilities = state.exploitabilities
        self.converged = state.converged
        self._epoch_values = state.epoch_values
        self._restart_due = [state.restart_due] * len(self.pair)
        for log, rows in zip(self._convergence, state.convergence, strict=True):
            log.go_on_from(rows, state.iteration)
        if state.converged:  # by the criterion of `check`
            found, target = self.state(), self.options.maximum_subgame_exploitability
            worst, moved = max(found.exploitabilities), largest_difference(found.values, self.values)
            if not (worst <= target and moved <= target):
                raise ValueError(f"converged: the exploitability is {worst:.2e}, and the values move by {moved:.2e}")

    def _set_values(self, values: tuple[float, ...]) -> None:
        self.values = values
        for score, solver in zip(self.pair, self._solvers, strict=True):
            solver.game = self._game(score, values)

    def _values_of(self, evaluations: Sequence[Evaluation]) -> tuple[float, ...]:
        rules, found = self._tree.rules, zip(self.pair, evaluations, strict=True)
        results = {score: result_probabilities(rules, evaluation.distribution) for score, evaluation in found}
        values = pair_self_play_values(self.pair, results, self.following, self.options.winning_score)
        return tuple(values[score] for score in self.pair)
