"""How much a perfect adversary can win against a bot over a whole match, exactly.

A bot is a strategy for both seats at every score. Its adversary faces a Markov decision process over seat and score,
because inside a round the best response is one walk over the tree, given what the results are worth to the adversary
later. Policy iteration (Howard 1960) per group of states that lead to each other: best responses to the present values;
the probabilities of the results under them; the values of going on like that for ever; until the values stop growing.

The bound. Let W be the values of the bot against itself, and let the stage gain of a state be what a best response in
that round alone gains over W, everything after it being worth W. The best adversary's advantage in a round, so
measured, is at most the stage gain; advantages add up over the rounds that it expects to play. So its total gain is
at most the sum over states of expected visits times stage gain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .arrays import NUM_TYPES, make_workspace
from .chain import Group, State, groups_in_solve_order, outcome_values, solve_group
from .game import FloatArray, ResultProbabilities, result_probabilities, tic_tac_toe_round
from .match import RESULTS, Score, Seat, all_scores, continuation
from .response import both_seats, padded, padded_best_response, padded_leaf_distribution
from .saved_response import SavedResponse
from .tree import GameTree

SETTLED = 1e-14
"""Policy iteration ends when no value grows by more than this."""

MAXIMUM_ROUNDS = 1000


@dataclass(frozen=True)
class ScoreResponse:
    """What perfect adversaries do to the bot from one score on; all in match value, to the player who moves first.

    value: the bot against itself. maximum: the most an adversary in the first seat can get. minimum: the least that
    the bot in the first seat can be held to. stage_gains: what a best response in this round alone gains over
    `value`, by the adversary's seat. rounds: the expected number of rounds from here on, by the adversary's seat now.
    bound: expected visits times stage gains, of both adversaries together.
    """

    score: Score
    value: float
    maximum: float
    minimum: float
    stage_gains: tuple[float, float]
    rounds: tuple[float, float]
    bound: float

    @property
    def exploitability(self) -> float:
        """Total exploitability from this score on: what both adversaries gain together."""
        return self.maximum - self.minimum


@dataclass(frozen=True, eq=False)
class MatchResponse:
    """The best response to a bot over the match.

    scores: by score, every score from which no missing one can be reached. strategies: float64 (num_nodes, 3), the
    best response in each round, in the adversary's own seat; the bot's moves in the other. num_improvements: rounds of
    policy iteration, over all groups.
    """

    scores: Mapping[Score, ScoreResponse]
    strategies: Mapping[State, FloatArray]
    num_improvements: int


def judgeable_scores(available: Mapping[Score, object], winning_score: int) -> list[Score]:
    """The scores from which no score is reachable that is not in `available`, in solve order."""
    good: set[Score] = set()
    for group in groups_in_solve_order(winning_score):
        pair = {state.score for state in group}
        needed = {continuation(score, *result, winning_score).score for score in pair for result in RESULTS}
        if all(score in available for score in pair) and all(
            score is None or score in pair or score in good for score in needed
        ):
            good |= pair
    return [score for score in all_scores(winning_score) if score in good]


def best_response_over_match(
    tree: GameTree, strategy: Mapping[Score, FloatArray], winning_score: int
) -> MatchResponse:
    """The best that an adversary can do against a bot that plays `strategy`, by score float64 (num_nodes, 3).

    Judges every score from which no missing one can be reached. Raises ValueError for arrays that are no strategies.
    """
    judged = set(judgeable_scores(strategy, winning_score))
    run = _Run(tree, strategy, winning_score)
    for group in groups_in_solve_order(winning_score):
        if all(state.score in judged for state in group):
            run.solve(group)
    return run.response()


class _Run:
    """Policy iteration, group by group. All values are to the adversary, or to the bot playing its own part."""

    def __init__(self, tree: GameTree, strategy: Mapping[Score, FloatArray], winning_score: int) -> None:
        self._tree = tree
        self._bot = strategy
        self._winning_score = winning_score
        self._work = make_workspace(tree.num_nodes, tree.num_decision_nodes)
        self._selfplay: dict[State, float] = {}
        self._best: dict[State, float] = {}
        self._gain: dict[State, float] = {}
        self._rounds: dict[State, float] = {}
        self._bound: dict[State, float] = {}
        self._strategies: dict[State, FloatArray] = {}
        self._num_improvements = 0

    def solve(self, group: Group) -> None:
        bots = {state: padded(self._tree, self._bot[state.score]) for state in group}
        alone = {state: self._probabilities(bots[state]) for state in group}
        self._selfplay |= solve_group(group, alone, self._selfplay, self._winning_score)
        for state in group:
            value, _ = self._respond(state, bots[state], self._selfplay)
            self._gain[state] = value - self._selfplay[state]
        # Playing like the bot is a policy too: every step from there improves it, and the values only grow.
        probabilities = alone
        values = solve_group(group, alone, self._best, self._winning_score)
        responses: dict[State, FloatArray] | None = None
        for _ in range(MAXIMUM_ROUNDS):
            answers = {state: self._respond(state, bots[state], self._best | values)[1] for state in group}
            better = {state: self._probabilities(answers[state]) for state in group}
            improved = solve_group(group, better, self._best, self._winning_score)
            self._num_improvements += 1
            settled = max(improved[state] - values[state] for state in group) <= SETTLED
            if not settled or responses is None:
                responses, probabilities, values = answers, better, improved
            if settled:
                break
        assert responses is not None
        self._strategies |= {state: responses[state][:, :NUM_TYPES].copy() for state in group}
        self._best |= values
        self._rounds |= solve_group(group, probabilities, self._rounds, self._winning_score, lambda state: 1.0)
        self._bound |= solve_group(group, probabilities, self._bound, self._winning_score, self._gain.__getitem__)

    def response(self) -> MatchResponse:
        scores = {}
        for score in all_scores(self._winning_score):
            first, second = State(Seat.FIRST, score), State(Seat.SECOND, score)
            if first in self._best and second in self._best:
                scores[score] = ScoreResponse(
                    score=score,
                    value=self._selfplay[first],
                    maximum=min(1.0, self._best[first]),  # not above by rounding
                    minimum=max(-1.0, -self._best[second]),
                    stage_gains=(self._gain[first], self._gain[second]),
                    rounds=(self._rounds[first], self._rounds[second]),
                    bound=self._bound[first] + self._bound[second],
                )
        return MatchResponse(scores, self._strategies, self._num_improvements)

    def _respond(self, state: State, bot: FloatArray, values: Mapping[State, float]) -> tuple[float, FloatArray]:
        """The adversary's best value in the round, and the strategies of it with the best response in its seat."""
        game = tic_tac_toe_round(self._tree, outcome_values(state, values, self._winning_score))
        return padded_best_response(game, int(state.seat), bot, self._work)

    def _probabilities(self, strategy: FloatArray) -> ResultProbabilities:
        return result_probabilities(padded_leaf_distribution(self._tree, strategy, self._work))


def round_responses(
    tree: GameTree, response: MatchResponse, winning_score: int, average: bool, iterations: Mapping[Score, int]
) -> list[SavedResponse]:
    """The best response of every judged score as it is saved beside the snapshot of the given iteration."""
    values = {State(Seat.FIRST, score): result.maximum for score, result in response.scores.items()}
    values |= {State(Seat.SECOND, score): -result.minimum for score, result in response.scores.items()}
    return [
        SavedResponse(
            score=score,
            iteration=iterations[score],
            average=average,
            outcome_values=(
                outcome_values(State(Seat.FIRST, score), values, winning_score),
                outcome_values(State(Seat.SECOND, score), values, winning_score),
            ),
            values=(result.maximum, -result.minimum),
            strategy=both_seats(
                tree,
                response.strategies[State(Seat.FIRST, score)],
                response.strategies[State(Seat.SECOND, score)],
            ),
            tree_fingerprint=tree.fingerprint,
        )
        for score, result in response.scores.items()
    ]
