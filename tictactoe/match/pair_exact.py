"""A pair of scores, exactly: Newton's method on the values that twins owe each other.

Let T(V) be the values of the pair's rounds when "neither scores" is worth what V says of the twin. V is right when
T(V) = V. An equilibrium of the rounds at V tells how likely every result is; the values of playing it for ever solve a
2x2 linear system and are the next V. That is Newton's step (Pollatschek and Avi-Itzhak 1969), because the value of a
round moves with an outcome value at the rate of that outcome's probability. It need not come closer; then V <- T(V)
does, because it is a contraction: its factor is the chance that nobody scores.
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
from ..algorithms.double_oracle import MAXIMUM_TRIALS, SETTLED, DoubleOracle, Equilibrium, Plan, checked
from ..algorithms.game import Game
from ..algorithms.update_rules import update_rule
from ..errors import ProgramError
from ..games.goals import OutcomeValues
from ..games.tic_tac_toe import result_probabilities, tic_tac_toe_round
from ..games.tic_tac_toe_tree import GameTree
from .markov_chain import MatchStrategy, largest_difference, pair_self_play_values
from .scores import Pair, Score, outcome_values

SMALLEST_STEP = 1e-12
"""The values are right when a step moves none of them by this much, in match value."""

MAXIMUM_STEPS = 100

ROUGH = 1e-3
"""A reference that is more exploitable than this part of what is at stake in a round is improved first."""

MOST_ITERATIONS = 1000
"""Of regret minimization, to improve a reference."""

LITTLE = 1e-7
"""Where less than this is at stake in a round, in match value, regret minimization gets as far as rounding allows, and
linear programs find nothing to hold on to."""

MOST_ITERATIONS_FOR_LITTLE = 20_000

Programs = Generator[list[Callable[[], Any]], list[Any], "PairEquilibrium"]
"""Yields functions that take long, to be called at the same time; is sent what they return."""


@dataclass(frozen=True, eq=False)
class PairEquilibrium:
    """A solved pair: of every score the value to its first mover (match value), what its round's results are worth
    with these values, the strategies, float64 (num_nodes, 3), and their exploitability in that round (NashConv)."""

    pair: Pair
    values: dict[Score, float]
    outcome_values: dict[Score, OutcomeValues]
    strategies: dict[Score, FloatArray]
    exploitabilities: dict[Score, float]
    num_steps: int
    num_programs: int


class _RegretMinimization:
    """Does for a round with little at stake what DoubleOracle does for the others, with the same methods."""

    def __init__(self, reference: FloatArray) -> None:
        self._reference = reference

    def plans(self, game: Game) -> list[Callable[[], Plan]]:
        return [partial(self._solve, game)]

    def _solve(self, game: Game) -> Plan:
        if exploitability(game, self._reference).total > SETTLED:
            self._reference = _learnt(game, SETTLED, MOST_ITERATIONS_FOR_LITTLE)
        return Plan(self._reference, 0)

    def join(self, game: Game, plans: Sequence[Plan]) -> Equilibrium:
        found = exploitability(game, plans[0].strategy)
        return Equilibrium(found.value, plans[0].strategy, found, 0)

    def settles(self, found: Equilibrium, before: float) -> bool:
        return True  # there is no other way

    def be_stricter(self) -> None:
        pass


def _learnt(game: Game, target: float, most_iterations: int) -> FloatArray:
    """The average strategy of regret minimization, float64 (num_nodes, 3), as soon as it is exploitable by no more than
    the target."""
    solver = CFRSolver(game, update_rule("rdcfr"))
    while solver.iteration < most_iterations:
        solver.run(LONGEST_STRETCH)
        if solver.evaluate(current=False).average_exploitability <= target:
            break
    return solver.average_strategy()


@dataclass(frozen=True, eq=False)
class PairPolisher:
    """Solves one pair on the tree of a round.

    following: the values of the scores that the pair leads to. references: the strategies to start from, and values:
    what they are worth, roughly. finish: what is done to a strategy before it counts, such as rounding.
    """

    tree: GameTree
    pair: Pair
    following: Mapping[Score, float]
    references: MatchStrategy
    values: Mapping[Score, float]
    winning_score: int
    finish: Callable[[FloatArray], FloatArray]

    def solve(self) -> Programs:
        """Returns the equilibrium of the pair. Raises ProgramError when there is no getting to one."""
        references = yield [partial(self._reference, score) for score in self.pair]
        solvers = {s: self._solver(s, reference) for s, reference in zip(self.pair, references, strict=True)}
        values, smallest, num_programs, trials = {s: self.values[s] for s in self.pair}, float("inf"), 0, 0
        before = dict.fromkeys(self.pair, float("inf"))
        for step in range(1, MAXIMUM_STEPS + 1):
            games = {score: self._game(score, values) for score in self.pair}
            work = {score: solvers[score].plans(games[score]) for score in self.pair}
            plans = iter((yield [plan for score in self.pair for plan in work[score]]))
            found = {s: solvers[s].join(games[s], list(islice(plans, len(work[s])))) for s in self.pair}
            num_programs += sum(equilibrium.num_programs for equilibrium in found.values())
            onwards = self._self_play_values({score: found[score].strategy for score in self.pair})
            moved = largest_difference(onwards.values(), values.values())
            gains = {s: found[s].largest_gain for s in self.pair if not solvers[s].settles(found[s], before[s])}
            if gains and max(gains.values()) >= moved:  # as long as the values move by more, they are mended first
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
                return self._finished(found, step, num_programs)
            plain = {score: equilibrium.value for score, equilibrium in found.items()}
            residual = largest_difference(plain.values(), values.values())
            values = onwards if residual < smallest else plain
            smallest = min(smallest, residual)
        raise ProgramError(f"the values of {self.pair[0]} do not settle in {MAXIMUM_STEPS} steps")

    def _solver(self, score: Score, reference: FloatArray) -> DoubleOracle | _RegretMinimization:
        if self._stake(score) < LITTLE:
            return _RegretMinimization(reference)
        return DoubleOracle(self.tree, reference)

    def _reference(self, score: Score) -> FloatArray:
        """The strategy to start from: what was given, or better than that where little is at stake."""
        game, strategy, stake = self._game(score, self.values), self.references[score], self._stake(score)
        if stake < LITTLE or exploitability(game, strategy).total <= ROUGH * stake:
            return strategy
        return _learnt(game, ROUGH * stake, MOST_ITERATIONS)

    def _stake(self, score: Score) -> float:
        return float(np.ptp(self._outcome_values(score, self.values)))

    def _game(self, score: Score, values: Mapping[Score, float]) -> Game:
        return tic_tac_toe_round(self.tree, self._outcome_values(score, values))

    def _outcome_values(self, score: Score, values: Mapping[Score, float]) -> OutcomeValues:
        return outcome_values(score, {**self.following, **values}, self.winning_score)

    def _self_play_values(self, strategies: MatchStrategy) -> dict[Score, float]:
        """The pair's values when these strategies are played for ever."""
        distributions = ((score, leaf_distribution(self.tree, strategies[score])) for score in self.pair)
        results = {score: result_probabilities(self.tree.rules, leaves) for score, leaves in distributions}
        return pair_self_play_values(self.pair, results, self.following, self.winning_score)

    def _finished(self, found: Mapping[Score, Equilibrium], num_steps: int, num_programs: int) -> PairEquilibrium:
        strategies = {score: self.finish(found[score].strategy) for score in self.pair}
        values = self._self_play_values(strategies)
        outcomes = {score: self._outcome_values(score, values) for score in self.pair}
        gained = {s: exploitability(self._game(s, values), strategies[s]).total for s in self.pair}
        return PairEquilibrium(self.pair, values, outcomes, strategies, gained, num_steps, num_programs)
