"""A pair of scores, exactly: Newton's method on the values that twins owe each other.

Let T(V) be the values of the pair's rounds when "neither scores" is worth what V says of the twin. V is right when
T(V) = V. An equilibrium of the rounds at V tells how likely every result is; the values of playing it for ever solve a
2x2 linear system and are the next V. That is Newton's step (Pollatschek and Avi-Itzhak 1969), because the value of a
round moves with an outcome value at the rate of that outcome's probability. It need not come closer; then V <- T(V)
does, because it is a contraction: its factor is the chance that nobody scores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from .chain import self_play_values
from .equilibrium import RoundEquilibrium, RoundPolisher
from .game import FloatArray, RoundGame, result_probabilities, tic_tac_toe_round
from .linear_program import ProgramError
from .match import OutcomeValues, Pair, Score, outcome_values
from .response import exploitability, leaf_distribution
from .sequence_form import Levels
from .tree import GameTree

SETTLED = 1e-12
"""The values are right when a step moves none of them by this much, in match value."""

MAXIMUM_STEPS = 100

RunAll = Callable[[list[Callable[[], RoundEquilibrium]]], list[RoundEquilibrium]]
"""Calls functions, one after the other or at the same time, and returns what they return."""


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


class PairPolisher:
    """Solves one pair. tree, levels: the same tree, which must be a tic-tac-toe round's.

    following: the values of the scores that the pair leads to. references: by score, strategies for both seats to
    start from, and values: what they are worth, roughly. finish: what is done to a strategy before it counts. Raises
    ValueError for another tree.
    """

    def __init__(
        self, levels: Levels, pair: Pair, following: Mapping[Score, float], references: Mapping[Score, FloatArray],
        values: Mapping[Score, float], winning_score: int, finish: Callable[[FloatArray], FloatArray],
    ) -> None:  # fmt: skip
        if not isinstance(levels.tree, GameTree):
            raise ValueError("levels: not of a tic-tac-toe round's tree")
        self._tree = levels.tree
        self._pair = pair
        self._following = following
        self._values = {score: values[score] for score in pair}
        self._winning_score = winning_score
        self._finish = finish
        self._polishers = {score: RoundPolisher(levels, references[score]) for score in pair}

    def solve(self, run_all: RunAll) -> PairEquilibrium:
        """The equilibrium of the pair. Raises ProgramError when there is no getting to one."""
        values, smallest, num_programs = self._values, float("inf"), 0
        for step in range(1, MAXIMUM_STEPS + 1):
            games = {score: self._game(score, values) for score in self._pair}
            found = run_all([partial(self._polishers[score].solve, games[score]) for score in self._pair])
            num_programs += sum(equilibrium.num_programs for equilibrium in found)
            onwards = self._for_ever({s: e.strategy for s, e in zip(self._pair, found, strict=True)})
            if _distance(onwards, values) < SETTLED:
                chosen = run_all(
                    [partial(self._polishers[s].choose, games[s], e) for s, e in zip(self._pair, found, strict=True)]
                )
                return self._finished(chosen, step, num_programs + 2 * len(chosen))
            plain = {score: equilibrium.value for score, equilibrium in zip(self._pair, found, strict=True)}
            residual = _distance(plain, values)
            values = onwards if residual < smallest else plain
            smallest = min(smallest, residual)
        raise ProgramError(f"the values of {self._pair[0]} do not settle in {MAXIMUM_STEPS} steps")

    def _game(self, score: Score, values: Mapping[Score, float]) -> RoundGame:
        return tic_tac_toe_round(self._tree, self._outcome_values(score, values))

    def _outcome_values(self, score: Score, values: Mapping[Score, float]) -> OutcomeValues:
        return outcome_values(score, {**self._following, **values}, self._winning_score)

    def _for_ever(self, strategies: Mapping[Score, FloatArray]) -> dict[Score, float]:
        """The pair's values when these strategies are played for ever."""
        probabilities = {
            score: result_probabilities(leaf_distribution(self._tree, strategy))
            for score, strategy in strategies.items()
        }
        return self_play_values(self._pair, probabilities, self._following, self._winning_score)

    def _finished(self, chosen: list[RoundEquilibrium], num_steps: int, num_programs: int) -> PairEquilibrium:
        strategies = {s: self._finish(e.strategy) for s, e in zip(self._pair, chosen, strict=True)}
        values = self._for_ever(strategies)
        return PairEquilibrium(
            self._pair, values, {score: self._outcome_values(score, values) for score in self._pair}, strategies,
            {s: exploitability(self._game(s, values), strategies[s]).total for s in self._pair},
            num_steps, num_programs,
        )  # fmt: skip


def _distance(one: Mapping[Score, float], other: Mapping[Score, float]) -> float:
    return max(abs(one[score] - other[score]) for score in one)
