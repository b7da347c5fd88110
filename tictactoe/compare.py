"""Two strategies against each other over a whole match: exact probabilities, no sampling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .arrays import make_workspace
from .chain import State, groups_in_solve_order, solve_group
from .game import FloatArray, result_probabilities
from .match import Score, Seat, all_scores
from .response import both_seats, padded, padded_leaf_distribution, uniform_strategy
from .tree import GameTree


@dataclass(frozen=True)
class HeadToHead:
    """Probabilities that A wins the match against B, by A's seat in the first round."""

    wins_as_first: float
    wins_as_second: float
    rounds_as_first: float  # expected number of rounds
    rounds_as_second: float

    @property
    def wins(self) -> float:
        """With the first seat drawn by lot."""
        return (self.wins_as_first + self.wins_as_second) / 2.0


class UniformStrategy(Mapping[Score, FloatArray]):
    """The strategy that plays every move of the tree with equal probability, whatever the score and the goal.

    Uniform over the tree's moves: of moves that lead to images of one board there is only one.
    """

    def __init__(self, tree: GameTree, winning_score: int) -> None:
        self._scores = all_scores(winning_score)
        self._strategy = uniform_strategy(tree)
        self._strategy.flags.writeable = False

    def __getitem__(self, score: Score) -> FloatArray:
        if score not in self._scores:
            raise KeyError(score)
        return self._strategy

    def __iter__(self) -> Iterator[Score]:
        return iter(self._scores)

    def __len__(self) -> int:
        return len(self._scores)


def head_to_head(
    tree: GameTree, ours: Mapping[Score, FloatArray], theirs: Mapping[Score, FloatArray], winning_score: int,
) -> HeadToHead:  # fmt: skip
    """How often A, who plays `ours`, beats B, who plays `theirs`; by score float64 (num_nodes, 3), all scores needed.

    Raises KeyError for a missing score, ValueError for arrays that are no strategies.
    """
    work = make_workspace(tree.num_nodes, tree.num_decision_nodes)
    values: dict[State, float] = {}
    rounds: dict[State, float] = {}
    for group in groups_in_solve_order(winning_score):
        probabilities = {}
        for state in group:
            first, second = (ours, theirs) if state.seat is Seat.FIRST else (theirs, ours)
            both = both_seats(tree, first[state.score], second[state.score])
            probabilities[state] = result_probabilities(padded_leaf_distribution(tree, padded(tree, both), work))
        values |= solve_group(group, probabilities, values, winning_score)
        rounds |= solve_group(group, probabilities, rounds, winning_score, lambda state: 1.0)
    first_state, second_state = State(Seat.FIRST, Score(0, 0)), State(Seat.SECOND, Score(0, 0))
    return HeadToHead(
        (1.0 + values[first_state]) / 2.0, (1.0 + values[second_state]) / 2.0,
        rounds[first_state], rounds[second_state],
    )  # fmt: skip
