"""How much the best responder can win against a bot over a whole match, exactly.

A bot is a strategy for both seats at every score. Its adversary faces a Markov decision process over seat and score:
inside a round, one walk over the tree finds the best response, once the values of the next states are known. Policy
iteration (Howard 1960) solves every group of states that lead to each other. It repeats three steps until the values
stop growing: best responses to the present values; the probabilities of the results under these responses; the values
of playing the responses for ever.

The bound. Let W be the values of the bot against itself. Let the stage gain of a state be the gain over W of a best
response in that round alone, if everything after the round is worth W. The best adversary's advantage over W in a round
is at most the stage gain, and its advantages add up over the rounds that it expects to play. So its total gain is at
most the sum over states of expected visits times stage gain.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..algorithms.arrays import TYPES, FloatArray, Rows, make_workspace
from ..algorithms.best_response import as_rows, best_response_of_rows, leaf_distribution_of_rows
from ..errors import NoConvergenceError
from ..games.goals import Seat
from ..games.payoffs import ResultProbabilities, result_probabilities, tic_tac_toe_round
from ..games.tic_tac_toe_tree import GameTree
from .markov_chain import Group, MatchState, MatchStrategy, groups_of, outcome_values_at, solve_group
from .scores import Score, all_scores, pairs_without_gaps

SMALLEST_IMPROVEMENT = 1e-14
"""Policy iteration ends when no value grows by more than this."""

MAXIMUM_IMPROVEMENTS = 1000
"""Steps of policy iteration for a group of states. It needs a few; only the number of policies limits it."""


@dataclass(frozen=True)
class ScoreResponse:
    """What perfect adversaries gain against the bot from one score on. Values are match values to the first mover."""

    score: Score
    value: float
    """Of the bot against itself."""
    maximum: float
    """The most that an adversary in the first seat can get."""
    minimum: float
    """The least that an adversary in the second seat leaves to the bot."""
    stage_gains: tuple[float, float]
    """By the adversary's seat: what a best response in this round alone gains over `value`, in match value."""
    rounds: tuple[float, float]
    """By the adversary's seat now: the expected number of rounds from here on."""
    bound: float
    """Expected visits times stage gains, summed over the states of both adversaries, in match value."""

    @property
    def exploitability(self) -> float:
        """Total exploitability from this score on: what both adversaries gain together."""
        return self.maximum - self.minimum


@dataclass(frozen=True, eq=False)
class MatchResponse:
    """The best response to a bot over the match."""

    scores: Mapping[Score, ScoreResponse]
    """For every score from which no missing score can be reached."""
    strategies: Mapping[MatchState, FloatArray]
    """By the adversary's state, float64 (num_nodes, 3): the best response in the adversary's seat, the bot's moves in
    the other. Every look-up computes it anew, from the bot's strategy and a few values."""
    num_improvements: int
    """Steps of policy iteration, over all groups."""


def best_response_over_match(tree: GameTree, strategy: MatchStrategy, winning_score: int) -> MatchResponse:
    """The best response of an adversary to a bot, from every score from which no missing score can be reached.

    strategy: the bot's, by score, float64 (num_nodes, 3).

    Raises ValueError for arrays that are no strategies, EndlessMatchError if the adversary can do no better than play
    for ever, and NoConvergenceError if rounding keeps the values from settling.

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


class _Run:
    """Policy iteration, group by group. All values are to the adversary, or to the bot in the adversary's place."""

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
        self._answered: dict[MatchState, dict[MatchState, float]] = {}
        self._num_improvements = 0

    def solve(self, group: Group) -> None:
        bots = {state: as_rows(self._tree, self._bot[state.score]) for state in group}
        alone = {state: self._probabilities(bots[state]) for state in group}
        self._selfplay |= solve_group(group, alone, self._selfplay, self._winning_score)
        for state in group:
            value, _ = self._respond(state, bots[state], self._selfplay)
            self._gain[state] = max(0.0, value - self._selfplay[state])  # not negative by rounding
        # The first policy is to play like the bot. Every step improves the policy, and the values only grow.
        probabilities, values = alone, solve_group(group, alone, self._best, self._winning_score)
        answered: dict[MatchState, float] = {}
        for _ in range(MAXIMUM_IMPROVEMENTS):
            known = ChainMap(values, self._best)
            answers = {state: self._respond(state, bots[state], known)[1] for state in group}
            better = {state: self._probabilities(answers[state]) for state in group}
            improved = solve_group(group, better, self._best, self._winning_score)
            self._num_improvements += 1
            growth = max(improved[state] - values[state] for state in group)
            if growth > SMALLEST_IMPROVEMENT or not answered:
                answered, probabilities, values = values, better, improved
            if growth <= SMALLEST_IMPROVEMENT:
                break
        else:
            raise NoConvergenceError(
                f"score {group[0].score}: after {MAXIMUM_IMPROVEMENTS} improvements the best response still gains "
                f"{growth:.0e}; please report this with the solution"
            )
        self._answered |= dict.fromkeys(group, answered)
        self._best |= values
        self._rounds |= solve_group(group, probabilities, self._rounds, self._winning_score, lambda state: 1.0)
        self._bound |= solve_group(group, probabilities, self._bound, self._winning_score, self._gain.__getitem__)

    def response(self) -> MatchResponse:
        scores = {}
        for score in all_scores(self._winning_score):
            first, second = (MatchState(seat, score) for seat in Seat)
            if first in self._best:  # as is the second seat: a pair is solved as a whole
                value = self._selfplay[first]
                scores[score] = ScoreResponse(
                    score=score,
                    value=value,
                    maximum=min(1.0, max(value, self._best[first])),  # rounding puts neither beyond its limits
                    minimum=max(-1.0, min(value, -self._best[second])),
                    stage_gains=(self._gain[first], self._gain[second]),
                    rounds=(self._rounds[first], self._rounds[second]),
                    bound=self._bound[first] + self._bound[second],
                )
        return MatchResponse(scores, _Responses(self), self._num_improvements)

    def strategy(self, state: MatchState) -> FloatArray:
        """The best response at a state of `answered`, bit for bit as when its values were computed."""
        bot, values = as_rows(self._tree, self._bot[state.score]), ChainMap(self._answered[state], self._best)
        return self._respond(state, bot, values)[1][TYPES].copy()

    @property
    def answered(self) -> Mapping[MatchState, dict[MatchState, float]]:
        """By state: the values in its group from which the best response at the state is computed."""
        return self._answered

    def _respond(self, state: MatchState, bot: Rows, values: Mapping[MatchState, float]) -> tuple[float, Rows]:
        """The adversary's best value in the round, and the bot's strategy with the best response in its seat."""
        game = tic_tac_toe_round(self._tree, outcome_values_at(state, values, self._winning_score))
        return best_response_of_rows(game, int(state.seat), bot, self._work)

    def _probabilities(self, strategy: Rows) -> ResultProbabilities:
        return result_probabilities(self._tree.rules, leaf_distribution_of_rows(self._tree, strategy, self._work))


@dataclass(frozen=True, eq=False)
class _Responses(Mapping[MatchState, FloatArray]):
    run: _Run

    def __getitem__(self, state: MatchState) -> FloatArray:
        return self.run.strategy(state)

    def __iter__(self) -> Iterator[MatchState]:
        return iter(self.run.answered)

    def __len__(self) -> int:
        return len(self.run.answered)
