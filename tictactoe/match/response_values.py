"""What best play against a known strategy is worth over a match, from each score on. Plain numpy: nothing is compiled.

`best_response_over_match` computes the same and more for every score, with compiled kernels. Here a score is solved
when somebody asks for it, together with those that may follow it; policy iteration solves a score and its twin, as
there. An interactive command has no time to load a compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algorithms.arrays import FloatArray
from ..algorithms.expected_values import first_siblings
from ..errors import NoConvergenceError
from ..games.goals import RESULTS, OutcomeValues, Seat
from ..games.payoffs import ResultProbabilities, goal_prior, payoffs_by_outcome
from ..games.tic_tac_toe_tree import GameTree
from .markov_chain import MatchState, next_state_or_winner, outcome_values_at, solve_group
from .scores import Score

SMALLEST_IMPROVEMENT = 1e-14
"""Policy iteration ends when no value grows by more than this."""

MAXIMUM_IMPROVEMENTS = 1000
"""Steps of policy iteration for a group of states. It needs a few."""


class ResponseValues:
    """Match values (-1 to 1) to the best responder to a strategy, by that player's seat and the score.

    strategy_at: the strategy at a score, float64 (num_nodes, 3). known: values that need not be computed.

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
        self._levels = _levels(tree)
        self._values: dict[MatchState, float] = dict(known or {})
        self._last_round: dict[Seat, _Round] = {}

    def value(self, state: MatchState) -> float:
        """Of going on with best play from the state. Raises NoConvergenceError if rounding keeps it from settling."""
        if state not in self._values:
            first = state.score if state.seat is Seat.FIRST else state.score.twin
            self._solve((MatchState(Seat.FIRST, first), MatchState(Seat.SECOND, first.twin)))
        return self._values[state]

    def outcome_values(self, state: MatchState) -> OutcomeValues:
        """What the results of the round at the state are worth to its first mover, if best play goes on."""
        self.value(state)
        return outcome_values_at(state, self._values, self._winning_score)

    def _solve(self, group: tuple[MatchState, MatchState]) -> None:
        following = {next_state_or_winner(state, result, self._winning_score) for state in group for result in RESULTS}
        later = [state for state in following if isinstance(state, MatchState) and state not in group]
        # The first guess, from the states that follow, decides nothing but how soon the values settle.
        guess = sum(map(self.value, later)) / max(len(later), 1)
        rounds, values = {state: self._round(state) for state in group}, dict.fromkeys(group, guess)
        for step in range(MAXIMUM_IMPROVEMENTS):
            known, answers = self._values | values, {}
            for state in group:
                answers[state] = rounds[state].results(outcome_values_at(state, known, self._winning_score))
            improved = solve_group(group, answers, self._values, self._winning_score)
            growth = max(improved[state] - values[state] for state in group)
            if step and growth <= SMALLEST_IMPROVEMENT:
                break
            values = improved
        else:
            raise NoConvergenceError(
                f"score {group[0].score}: after {MAXIMUM_IMPROVEMENTS} improvements the best response still gains "
                f"{growth:.0e}; please report this with the solution"
            )
        self._values |= values

    def _round(self, state: MatchState) -> _Round:
        """The round at the state; the last one of the seat once more if the strategy is the same."""
        strategy, last = self._strategy_at(state.score), self._last_round.get(state.seat)
        if last is None or last.strategy is not strategy:
            last = self._last_round[state.seat] = _Round(self._tree, self._levels, state.seat, strategy)
        return last


class _Level(NamedTuple):
    """The nodes of one depth, in the order of their parents, which are nodes of the level above."""

    nodes: NDArray[np.intp]
    starts: NDArray[np.intp]
    """Where the children of each parent begin."""
    parents: NDArray[np.intp]
    """Where these parents stand in the level above."""
    num_children: NDArray[np.intp]
    """Of these parents."""


def _levels(tree: GameTree) -> list[_Level]:
    """All levels but the root's."""
    result = []
    for above, nodes in pairwise(tree.nodes_by_depth):
        starts = first_siblings(tree, nodes)
        parents = np.searchsorted(above, tree.parent[nodes[starts]])
        result.append(_Level(nodes, starts, parents, np.diff(np.r_[starts, len(nodes)])))
    return result


class _Round:
    """A round of a player in `seat`, who plays best, against a strategy; quick for one worth of the results after
    another. Arrays go by goal of the player, then by node of a level."""

    def __init__(self, tree: GameTree, levels: Sequence[_Level], seat: Seat, strategy: FloatArray) -> None:
        self.strategy = strategy
        self._levels, self._seat = levels, seat
        rules, reach = tree.rules, tree.own_reach_of_player(1 - seat, strategy)
        chances = np.zeros((len(RESULTS), 3, tree.num_nodes))
        leaves = np.flatnonzero(tree.leaf_class >= 0)
        for number in range(len(RESULTS)):
            only = OutcomeValues(*(float(number == other) for other in range(len(RESULTS))))
            odds = payoffs_by_outcome(rules, only) * goal_prior(rules)
            odds = odds if seat is Seat.FIRST else odds.transpose(0, 2, 1)
            chances[number][:, leaves] = np.einsum("ngh,nh->gn", odds[tree.leaf_class[leaves]], reach[leaves])
        self._chances = [np.ascontiguousarray(chances[:, :, level.nodes]) for level in levels]
        """By level, float64 (results, 3, nodes): how likely the player's goal, the other's goal and moves lead to a
        leaf with the result, if the player moves there; 0 at other nodes."""

    def results(self, worth: OutcomeValues) -> ResultProbabilities:
        """How likely each result is if the player plays best, given what the results are worth to the first mover."""
        signed = np.array(worth) * (1.0 if self._seat is Seat.FIRST else -1.0)
        best = self._best_moves(signed)
        reach, total = np.ones((3, 1)), np.zeros(len(RESULTS))
        for depth, (level, chances) in enumerate(zip(self._levels, self._chances, strict=True)):
            reach = np.repeat(reach[:, level.parents], level.num_children, axis=1)
            if depth % 2 == self._seat:
                reach *= best[depth]
            total += np.einsum("rgn,gn->r", chances, reach)
        return ResultProbabilities(*total.tolist())

    def _best_moves(self, worth: FloatArray) -> dict[int, FloatArray]:
        """By the depth of the node where the player moves: how likely it makes each move; equally good ones alike."""
        best, below = {}, None
        for depth in range(len(self._levels) - 1, -1, -1):
            level = self._levels[depth]
            values = np.tensordot(worth, self._chances[depth], 1)
            if below is not None:
                values[:, self._levels[depth + 1].parents] = below
            if depth % 2 == self._seat:
                below = np.maximum.reduceat(values, level.starts, axis=1)
                equal = (values == np.repeat(below, level.num_children, axis=1)).astype(np.float64)
                number = np.add.reduceat(equal, level.starts, axis=1)
                best[depth] = equal / np.repeat(number, level.num_children, axis=1)
            else:
                below = np.add.reduceat(values, level.starts, axis=1)
        return best
