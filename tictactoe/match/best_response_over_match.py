"""The best response to a known strategy over a whole match, by policy iteration (Howard 1960).

docs/how-it-works.md derives the bound.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algorithms.arrays import TYPES, FloatArray, Rows, make_workspace
from ..algorithms.best_response import as_rows, best_response_of_rows, leaf_distribution
from ..errors import NoConvergenceError
from ..games.payoffs import ResultProbabilities, goal_prior, payoffs_by_outcome, result_probabilities, tic_tac_toe_round
from ..games.rules import RESULTS, OutcomeValues, Seat
from ..games.tic_tac_toe_tree import GameTree
from .head_to_head import (
    Group,
    MatchState,
    MatchStrategy,
    groups_of,
    next_state_or_winner,
    outcome_values_at,
    solve_group,
)
from .scores import ByScore, Score, all_scores, pairs_without_gaps

SMALLEST_IMPROVEMENT = 1e-14
"""Policy iteration ends when no value grows by more than this."""

MAXIMUM_IMPROVEMENTS = 1000
"""The limit of steps for a group of states, which needs only a few."""


@dataclass(frozen=True)
class ScoreResponse:
    """The results of best responders against the bot from one score on, in match value to the first mover."""

    score: Score
    value: float
    """The value of the bot against itself."""
    maximum: float
    """The value of a best responder in the first seat."""
    minimum: float
    """The value of the bot against a best responder in the second seat."""
    stage_gains: tuple[float, float]
    """The gain of a best response in this round alone, in match value, if `value` follows, by the responder's seat."""
    rounds: tuple[float, float]
    """The expected number of rounds from here on, by the responder's seat now."""
    bound: float
    """A bound on `exploitability`: expected visits times stage gains, summed over all states, in match value."""

    @property
    def exploitability(self) -> float:
        """The total exploitability from this score on: the sum of both best responders' gains."""
        return self.maximum - self.minimum


@dataclass(frozen=True, eq=False)
class MatchResponse:
    """The best response to a bot over the match."""

    scores: Mapping[Score, ScoreResponse]
    """The responses at every score from which no missing score can be reached."""
    strategies: Mapping[MatchState, FloatArray]
    """By the best responder's state, float64 (num_nodes, 3): the best response in its seat and the bot's moves in the
    other. Every look-up computes it again."""


def best_response_over_match(tree: GameTree, strategy: MatchStrategy, winning_score: int) -> MatchResponse:
    """The best response to a bot, from every score from which no missing score can be reached.

    strategy: the bot's strategy, by score, float64 (num_nodes, 3).

    Raises ValueError for arrays that are not strategies, EndlessMatchError if the best response is to play for ever,
    and NoConvergenceError if rounding keeps the values from settling.

    >>> from tictactoe import GameTree, UniformStrategy, best_response_over_match
    >>> tree = GameTree.build()
    >>> response = best_response_over_match(tree, UniformStrategy(tree, 1), 1)
    >>> round(response.scores[0, 0].maximum, 4), round(response.scores[0, 0].minimum, 4)
    (0.8208, -0.8877)
    """
    run = _Run(tree, strategy, winning_score)
    for group in groups_of(pairs_without_gaps(strategy, winning_score)):
        run.solve(group)
    return run.response()


_Improved = tuple[dict[MatchState, ResultProbabilities] | None, dict[MatchState, float]]
"""The probabilities of the results under a policy, and the values of playing it for ever; None if the policy is not an
answer."""


class _Best(NamedTuple):
    probabilities: dict[MatchState, ResultProbabilities]
    values: dict[MatchState, float]
    answered: dict[MatchState, float]
    """The values that the best policy answers."""


def _policy_iteration(group: Group, first: _Improved, improve: Callable[[dict[MatchState, float]], _Improved]) -> _Best:
    (probabilities, values), answered = first, first[1]
    for _ in range(MAXIMUM_IMPROVEMENTS):
        better, improved = improve(values)
        growth = max(improved[state] - values[state] for state in group)
        if growth > SMALLEST_IMPROVEMENT or probabilities is None:
            probabilities, values, answered = better, improved, values
        if growth <= SMALLEST_IMPROVEMENT:
            assert probabilities is not None
            return _Best(probabilities, values, answered)
    raise NoConvergenceError(
        f"score {group[0].score}: after {MAXIMUM_IMPROVEMENTS} improvements the best response still gains "
        f"{growth:.0e}; please report this with the solution"
    )


class _Run:
    def __init__(self, tree: GameTree, strategy: MatchStrategy, winning_score: int) -> None:
        self._tree = tree
        self._bot = strategy
        self._winning_score = winning_score
        self._work = make_workspace(tree.sweep_arrays)
        self._selfplay: dict[MatchState, float] = {}
        self._best: dict[MatchState, float] = {}
        self._gain: dict[MatchState, float] = {}
        self._rounds: dict[MatchState, float] = {}
        self._bound: dict[MatchState, float] = {}
        self._answered: dict[
            MatchState, dict[MatchState, float]
        ] = {}  # by state, the values of its group that lead to it

    def solve(self, group: Group) -> None:
        bots = {state: as_rows(self._tree, self._bot[state.score]) for state in group}
        alone = {state: self._probabilities(bots[state]) for state in group}
        self._selfplay |= solve_group(group, alone, self._selfplay, self._winning_score)
        for state in group:
            value, _ = self._respond(state, bots[state], self._selfplay)
            self._gain[state] = max(0.0, value - self._selfplay[state])  # not negative by rounding

        def improve(values: dict[MatchState, float]) -> _Improved:
            known = ChainMap(values, self._best)
            answers = {state: self._respond(state, bots[state], known)[1] for state in group}
            better = {state: self._probabilities(answers[state]) for state in group}
            return better, solve_group(group, better, self._best, self._winning_score)

        # The first policy plays like the bot.
        first = solve_group(group, alone, self._best, self._winning_score)
        probabilities, values, answered = _policy_iteration(group, (None, first), improve)
        self._answered |= dict.fromkeys(group, answered)
        self._best |= values
        self._rounds |= solve_group(group, probabilities, self._rounds, self._winning_score, lambda state: 1.0)
        self._bound |= solve_group(group, probabilities, self._bound, self._winning_score, self._gain.__getitem__)

    def response(self) -> MatchResponse:
        scores = {}
        for score in all_scores(self._winning_score):
            first, second = (MatchState(seat, score) for seat in Seat)
            if first in self._best:  # and the second seat, too, because a pair is solved as a whole
                value = self._selfplay[first]
                scores[score] = ScoreResponse(
                    score=score,
                    value=value,
                    maximum=min(1.0, max(value, self._best[first])),  # rounding must move neither beyond its limits
                    minimum=max(-1.0, min(value, -self._best[second])),
                    stage_gains=(self._gain[first], self._gain[second]),
                    rounds=(self._rounds[first], self._rounds[second]),
                    bound=self._bound[first] + self._bound[second],
                )
        return MatchResponse(scores, ByScore(self._answered, self._strategy))

    def _strategy(self, state: MatchState) -> FloatArray:
        bot, values = as_rows(self._tree, self._bot[state.score]), ChainMap(self._answered[state], self._best)
        return self._respond(state, bot, values)[1][TYPES].copy()

    def _respond(self, state: MatchState, bot: Rows, values: Mapping[MatchState, float]) -> tuple[float, Rows]:
        game = tic_tac_toe_round(self._tree, outcome_values_at(state, values, self._winning_score))
        return best_response_of_rows(game, int(state.seat), bot, self._work)

    def _probabilities(self, strategy: Rows) -> ResultProbabilities:
        return result_probabilities(self._tree.rules, leaf_distribution(self._tree, strategy, self._work))


class ResponseValues:
    """Match values (-1 to 1) to the best responder to a strategy. They need no compiler.

    strategy_at: a function from a score to the strategy, float64 (num_nodes, 3).
    known: values that need not be computed.

    >>> from tictactoe import GameTree, UniformStrategy
    >>> tree = GameTree.build()
    >>> against_uniform = ResponseValues(tree, UniformStrategy(tree, 1).__getitem__, 1)
    >>> round(against_uniform.value(MatchState(Seat.FIRST, Score(0, 0))), 4)
    0.8208
    """

    def __init__(
        self,
        tree: GameTree,
        strategy_at: Callable[[Score], FloatArray],
        winning_score: int,
        known: Mapping[MatchState, float] | None = None,
    ) -> None:
        self._tree, self._strategy_at, self._winning_score = tree, strategy_at, winning_score
        above = zip(tree.nodes_by_depth, tree.levels, strict=False)
        self._places = [np.searchsorted(nodes, level.parents) for nodes, level in above]
        self._values: dict[MatchState, float] = dict(known or {})
        self._last_round: dict[Seat, _Round] = {}

    def value(self, state: MatchState) -> float:
        """The value of best play from the state on. Raises NoConvergenceError if rounding keeps it from settling."""
        if state not in self._values:
            first = state.score if state.seat is Seat.FIRST else state.score.twin
            self._solve((MatchState(Seat.FIRST, first), MatchState(Seat.SECOND, first.twin)))
        return self._values[state]

    def outcome_values(self, state: MatchState) -> OutcomeValues:
        """The outcome values of the round at the state, to its first mover."""
        self.value(state)
        return outcome_values_at(state, self._values, self._winning_score)

    def _solve(self, group: tuple[MatchState, MatchState]) -> None:
        following = {next_state_or_winner(state, result, self._winning_score) for state in group for result in RESULTS}
        later = [state for state in following if isinstance(state, MatchState) and state not in group]
        # The first guess, from the following states, only decides how soon the values settle.
        guess = sum(map(self.value, later)) / max(len(later), 1)
        rounds, values = {state: self._round(state) for state in group}, dict.fromkeys(group, guess)

        def improve(values: dict[MatchState, float]) -> _Improved:
            known = self._values | values
            worth = {state: outcome_values_at(state, known, self._winning_score) for state in group}
            answers = {state: rounds[state].results(worth[state]) for state in group}
            return answers, solve_group(group, answers, self._values, self._winning_score)

        self._values |= _policy_iteration(group, improve(values), improve).values

    def _round(self, state: MatchState) -> _Round:
        strategy, last = self._strategy_at(state.score), self._last_round.get(state.seat)
        if last is None or last.strategy is not strategy:
            last = self._last_round[state.seat] = _Round(self._tree, self._places, state.seat, strategy)
        return last


class _Round:
    """A round of a best responder in `seat` against a strategy. Arrays are by its goal, then by node of a level."""

    def __init__(self, tree: GameTree, places: Sequence[NDArray[np.intp]], seat: Seat, strategy: FloatArray) -> None:
        self.strategy = strategy
        self._levels, self._places, self._seat = tree.levels, places, seat
        rules, reach = tree.rules, tree.own_reach_of_player(1 - seat, strategy)
        chances = np.zeros((len(RESULTS), 3, tree.num_nodes))
        leaves = np.flatnonzero(tree.leaf_class >= 0)
        for number in range(len(RESULTS)):
            only = OutcomeValues(*(float(number == other) for other in range(len(RESULTS))))
            odds = payoffs_by_outcome(rules, only) * goal_prior(rules)
            odds = odds if seat is Seat.FIRST else odds.transpose(0, 2, 1)
            chances[number][:, leaves] = np.einsum("ngh,nh->gn", odds[tree.leaf_class[leaves]], reach[leaves])
        self._chances = [np.ascontiguousarray(chances[:, :, level.nodes]) for level in tree.levels]
        """By level, float64 (results, 3, nodes): the probability that the player's goal, the other's goal and moves
        lead to a leaf with the result, if the player moves there; 0 at other nodes."""

    def results(self, worth: OutcomeValues) -> ResultProbabilities:
        """The probabilities of the results, given the outcome values to the first mover."""
        signed = np.array(worth) * (1.0 if self._seat is Seat.FIRST else -1.0)
        best = self._best_moves(signed)
        reach, total = np.ones((3, 1)), np.zeros(len(RESULTS))
        for depth, (level, places, chances) in enumerate(zip(self._levels, self._places, self._chances, strict=True)):
            reach = np.repeat(reach[:, places], level.counts, axis=1)
            if depth % 2 == self._seat:
                reach *= best[depth]
            total += np.einsum("rgn,gn->r", chances, reach)
        return ResultProbabilities(*total.tolist())

    def _best_moves(self, worth: FloatArray) -> dict[int, FloatArray]:
        best, below = {}, None
        for depth in range(len(self._levels) - 1, -1, -1):
            level = self._levels[depth]
            values = np.tensordot(worth, self._chances[depth], 1)
            if below is not None:
                values[:, self._places[depth + 1]] = below
            if depth % 2 == self._seat:
                below = np.maximum.reduceat(values, level.starts, axis=1)
                equal = (values == np.repeat(below, level.counts, axis=1)).astype(np.float64)
                number = np.add.reduceat(equal, level.starts, axis=1)
                best[depth] = equal / np.repeat(number, level.counts, axis=1)
            else:
                below = np.add.reduceat(values, level.starts, axis=1)
        return best
