"""The exact solution of a pair of scores, by Newton's method on the values that twins give each other.

The values of playing an equilibrium for ever are Newton's next values (Pollatschek and Avi-Itzhak 1969). If these do
not converge, the values of the rounds do.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from ..algorithms.arrays import FloatArray
from ..algorithms.best_response import exploitability, leaf_distribution
from ..algorithms.cfr import LONGEST_STRETCH, CFRSolver
from ..algorithms.game import Game
from ..algorithms.one_program import Equilibrium
from ..algorithms.punishing_double_oracle import (
    GAIN_TOLERANCE,
    MAXIMUM_TRIALS,
    DoubleOracle,
    Plan,
    Trembling,
    checked,
    magnified,
    met_player,
)
from ..algorithms.refinement import Refined, refine
from ..algorithms.update_rules import update_rule
from ..errors import ProgramError
from ..games.payoffs import result_probabilities, tic_tac_toe_round
from ..games.rules import OutcomeValues
from ..games.tic_tac_toe_tree import GameTree
from .head_to_head import MatchStrategy, largest_difference, pair_self_play_values
from .scores import Pair, Score, outcome_values

SMALLEST_STEP = 1e-12
"""The values have settled when a step moves none of them by this much, in match value."""

MAXIMUM_STEPS = 100
"""The limit of steps for one pair."""

REFERENCE_TOLERANCE = 1e-3
"""The part of a round's stake above which the exploitability of a reference is reduced first."""

MOST_REFERENCE_ITERATIONS = 1000
"""The limit of iterations of regret minimization that improve a reference."""

STAKE_TOO_SMALL_FOR_LP = 1e-7
"""Rounds with a smaller stake, in match value, are solved by regret minimization, as far as rounding allows, because
their payoffs differ too little for linear programs."""

MOST_SMALL_STAKE_ITERATIONS = 20_000
"""The limit of iterations of regret minimization in these rounds."""

Programs = Generator[list[Callable[[], Any]], list[Any], "PairEquilibrium"]
"""A generator of lists of slow functions, which may be called at the same time. It is sent their results."""


@dataclass(frozen=True, eq=False)
class PairEquilibrium:
    """A solved pair. Dictionaries are by score and have both twins."""

    pair: Pair
    values: dict[Score, float]
    """The match values to the first mover."""
    outcome_values: dict[Score, OutcomeValues]
    """The outcome values of the round with these values."""
    strategies: dict[Score, FloatArray]
    """The strategies, float64 (num_nodes, 3) each."""
    beliefs: dict[Score, FloatArray]
    """The beliefs, float64 (num_nodes, 3), as in `Refined`; empty if the strategies are not refined."""
    exploitabilities: dict[Score, float]
    """The NashConv of the strategies in the round, in match value."""
    num_steps: int
    num_programs: int
    """The number of linear programs solved."""


class _RegretMinimization:
    """A solver of rounds with a small stake, with the methods of DoubleOracle."""

    def __init__(self, reference: FloatArray) -> None:
        self._reference = reference

    def plans(self, game: Game) -> list[Callable[[], Plan]]:
        return [partial(self._solve, game)]

    def _solve(self, game: Game) -> Plan:
        if exploitability(game, self._reference).total > GAIN_TOLERANCE:
            self._reference = _learnt(game, GAIN_TOLERANCE, MOST_SMALL_STAKE_ITERATIONS)
        return Plan(self._reference, 0)

    def join(self, game: Game, plans: Sequence[Plan]) -> Equilibrium:
        found = exploitability(game, plans[0].strategy)
        return Equilibrium(found.value, plans[0].strategy, found, 0)

    def settles(self, found: Equilibrium, before: float) -> bool:
        return True  # there is no greater weight to try

    def be_stricter(self) -> None:
        pass


Models = tuple[Trembling, ...]
"""For each player, the opponent from whom the plan wins most."""

_Solver = DoubleOracle | _RegretMinimization
_Rounds = Generator[list[Callable[[], Any]], list[Any], dict[Score, Equilibrium]]


def _learnt(game: Game, target: float, most_iterations: int) -> FloatArray:
    solver = CFRSolver(game, update_rule("rdcfr"))
    while solver.iteration < most_iterations:
        solver.run(LONGEST_STRETCH)
        if solver.evaluate(current=False).average_exploitability <= target:
            break
    return solver.average_strategy()


@dataclass(frozen=True, eq=False)
class PairPolisher:
    """The solver of one pair on the tree of a round. Values are match values to the first mover."""

    tree: GameTree
    pair: Pair
    following: Mapping[Score, float]
    """The values of the scores that the pair leads to."""
    references: MatchStrategy
    """The strategies to start from."""
    values: Mapping[Score, float]
    """The approximate values of the pair's scores to start from."""
    winning_score: int
    finish: Callable[[FloatArray], FloatArray]
    """A function, such as rounding, applied to every strategy before it is judged and returned."""
    refined: bool = False
    """Whether the strategies play best even after mistakes (`refinement`)."""
    against: Callable[[Score, FloatArray], Sequence[tuple[float, FloatArray]]] = lambda score, reference: ()
    """A function from a score and its reference to the weights and strategies of players from whom plans win most."""

    def solve(self) -> Programs:
        """Solve the pair and return its equilibrium. Raises ProgramError if it finds none."""
        improved = yield [partial(self._reference, score) for score in self.pair]
        references: MatchStrategy = dict(zip(self.pair, improved, strict=True))
        models = {score: self._models(score, reference) for score, reference in references.items()}
        solvers = {score: self._solver(score, reference, models[score]) for score, reference in references.items()}
        values, smallest, num_programs, trials = {s: self.values[s] for s in self.pair}, float("inf"), 0, 0
        before = dict.fromkeys(self.pair, float("inf"))
        for step in range(1, MAXIMUM_STEPS + 1):
            found = yield from self._solved_rounds(solvers, values)
            num_programs += sum(equilibrium.num_programs for equilibrium in found.values())
            onwards = self._self_play_values({score: found[score].strategy for score in self.pair})
            moved = largest_difference(onwards.values(), values.values())
            gains = {s: found[s].largest_gain for s in self.pair if not solvers[s].settles(found[s], before[s])}
            if gains and max(gains.values()) >= moved:  # while the values move by more, they are corrected first
                trials += 1
                for score in gains:
                    solvers[score].be_stricter()
                before |= gains
                if trials < MAXIMUM_TRIALS:
                    continue
                for equilibrium in found.values():
                    checked(equilibrium)
            before, trials = dict.fromkeys(self.pair, float("inf")), 0
            if moved < SMALLEST_STEP:
                return (yield from self._finished(found, references, models, step, num_programs))
            plain = {score: equilibrium.value for score, equilibrium in found.items()}
            residual = largest_difference(plain.values(), values.values())
            values = onwards if residual < smallest else plain
            smallest = min(smallest, residual)
        raise ProgramError(f"the values of {self.pair[0]} do not settle in {MAXIMUM_STEPS} steps")

    def _solved_rounds(self, solvers: Mapping[Score, _Solver], values: Mapping[Score, float]) -> _Rounds:
        games = {score: self._game(score, values) for score in self.pair}
        work = {score: solvers[score].plans(games[score]) for score in self.pair}
        plans = iter((yield [plan for score in self.pair for plan in work[score]]))
        return {score: solvers[score].join(games[score], list(islice(plans, len(work[score])))) for score in self.pair}

    def _models(self, score: Score, reference: FloatArray) -> Models:
        met = self.against(score, reference)
        return tuple(met_player(self.tree, player, reference, met) for player in (0, 1))

    def _solver(self, score: Score, reference: FloatArray, models: Models) -> _Solver:
        is_small = self._stake(score) < STAKE_TOO_SMALL_FOR_LP
        return _RegretMinimization(reference) if is_small else DoubleOracle(self.tree, reference, models)

    def _reference(self, score: Score) -> FloatArray:
        game, strategy, stake = self._game(score, self.values), self.references[score], self._stake(score)
        if stake < STAKE_TOO_SMALL_FOR_LP or exploitability(game, strategy).total <= REFERENCE_TOLERANCE * stake:
            return strategy
        return _learnt(game, REFERENCE_TOLERANCE * stake, MOST_REFERENCE_ITERATIONS)

    def _refined(
        self, score: Score, strategy: FloatArray, reference: FloatArray, models: Models, values: Mapping[Score, float]
    ) -> Refined:
        if self._stake(score) < STAKE_TOO_SMALL_FOR_LP:
            return Refined(strategy, np.zeros_like(strategy), 0)
        return refine(magnified(self._game(score, values)), strategy, models, reference)

    def _stake(self, score: Score) -> float:
        return float(np.ptp(self._outcome_values(score, self.values)))

    def _game(self, score: Score, values: Mapping[Score, float]) -> Game:
        return tic_tac_toe_round(self.tree, self._outcome_values(score, values))

    def _outcome_values(self, score: Score, values: Mapping[Score, float]) -> OutcomeValues:
        return outcome_values(score, {**self.following, **values}, self.winning_score)

    def _self_play_values(self, strategies: MatchStrategy) -> dict[Score, float]:
        distributions = ((score, leaf_distribution(self.tree, strategies[score])) for score in self.pair)
        results = {score: result_probabilities(self.tree.rules, leaves) for score, leaves in distributions}
        return pair_self_play_values(self.pair, results, self.following, self.winning_score)

    def _finished(
        self,
        found: Mapping[Score, Equilibrium],
        references: MatchStrategy,
        models: Mapping[Score, Models],
        num_steps: int,
        num_programs: int,
    ) -> Programs:
        strategies = {score: self.finish(found[score].strategy) for score in self.pair}
        beliefs: dict[Score, FloatArray] = {}
        if self.refined:
            plain = self._self_play_values(strategies)
            refined = yield [
                partial(self._refined, s, strategies[s], references[s], models[s], plain) for s in self.pair
            ]
            strategies = {s: self.finish(each.strategy) for s, each in zip(self.pair, refined, strict=True)}
            num_programs += sum(each.num_programs for each in refined)
            beliefs = {score: each.beliefs for score, each in zip(self.pair, refined, strict=True)}
        values = self._self_play_values(strategies)
        outcomes = {score: self._outcome_values(score, values) for score in self.pair}
        gained = {s: exploitability(self._game(s, values), strategies[s]).total for s in self.pair}
        return PairEquilibrium(self.pair, values, outcomes, strategies, beliefs, gained, num_steps, num_programs)
