"""Learning a game of a single player against chance by trial and error: by state, as `best_play` solves it.

Several histories may lead to one state. The table has a row for each move of each state, and how good
the greedy policy is follows exactly from the probabilities of chance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import CHANCE, NUM_TYPES, FloatArray, IntArray, SweepArrays, rows_of, zero_rows
from ..game_description import GameDescription
from ..single_player import best_play
from . import q_learning
from .learning_method import LearningFigures, LearningMethod
from .tabular_learning import PlayedTable


@dataclass(frozen=True, eq=False)
class StateGraph:
    """The states of a game of a single player, as a learner follows them: D states at which somebody moves, N moves."""

    states: tuple[Any, ...]
    """The D states at which the player or chance moves, the first one first."""
    owner: NDArray[np.int8]
    """int8 (D,): 0, or CHANCE."""
    first_move: IntArray
    """int32 (D + 1,): the moves of state d are first_move[d] to first_move[d + 1] - 1."""
    names: tuple[Any, ...]
    """By move: its name."""
    target: IntArray
    """int32 (N,): the state that a move leads to, or D + a number in `payoffs`."""
    chances: FloatArray
    """float64 (N,): how likely a move of chance comes; 0 for the player's."""
    payoffs: FloatArray
    """float64 (P,): what the player gets at the end."""
    order: tuple[int, ...]
    """The D states, each behind all that it leads to."""
    best_value: float
    """What the best play gets."""
    best_moves: Mapping[Any, Any]
    """By state: the best move."""

    @property
    def longest_round(self) -> int:
        """The most moves of a round."""
        lengths = np.zeros(len(self.states) + len(self.payoffs), np.int64)
        for state in self.order:
            lengths[state] = 1 + max(lengths[self.target[move]] for move in self.moves(state))
        return int(lengths[0])

    def moves(self, state: int) -> range:
        """The moves at a state, by number."""
        return range(int(self.first_move[state]), int(self.first_move[state + 1]))

    def greedy_moves(self, values: FloatArray) -> dict[Any, Any]:
        """By state of the player: the name of the move with the largest of `values`, (N,), the first of equals."""
        return {
            self.states[state]: self.names[max(self.moves(state), key=lambda move: values[move])]
            for state in np.flatnonzero(self.owner == 0).tolist()
        }

    def value_of(self, moves: Mapping[Any, Any]) -> float:
        """What a policy gets on average, exactly. moves: by state of the player, the name of the move."""
        values = np.concatenate([np.zeros(len(self.states)), self.payoffs])
        for state in self.order:
            at = self.moves(state)
            if self.owner[state] == CHANCE:
                values[state] = self.chances[at.start : at.stop] @ values[self.target[at.start : at.stop]]
            else:
                name = moves[self.states[state]]
                values[state] = values[self.target[next(move for move in at if self.names[move] == name)]]
        return float(values[0])


def state_graph(description: GameDescription[Any]) -> StateGraph:
    """The states of a game of a single player, with its exact solution. Raises ValueError as `best_play`.

    >>> from tictactoe.games.named_games import named_game
    >>> graph = state_graph(named_game("twenty-one").description)
    >>> round(graph.best_value, 6), round(graph.value_of(graph.best_moves), 6)
    (-0.046556, -0.046556)
    """
    best = best_play(description)
    (first,), (second,) = description.types
    decided = [state for state in best.values if description.owner(state) is not None]  # in the order of `best_play`
    decided.reverse()
    number = {state: place for place, state in enumerate(decided)}
    ends: dict[float, int] = {}
    owner, starts, names, target, chances = [], [0], [], [], []
    for state in decided:
        owner.append(description.owner(state))
        for name, after in description.moves(state):
            chance = float(description.chance(state, name, first, second)) if owner[-1] == CHANCE else 0.0  # type: ignore[attr-defined]
            if owner[-1] == CHANCE and chance == 0.0:
                continue
            place = number.get(after)
            if place is None:
                place = len(decided) + ends.setdefault(float(best.values[after]), len(ends))
            names.append(name)
            target.append(place)
            chances.append(chance)
        starts.append(len(names))
    return StateGraph(
        states=tuple(decided),
        owner=np.array(owner, np.int8),
        first_move=np.array(starts, np.int32),
        names=tuple(names),
        target=np.array(target, np.int32),
        chances=np.array(chances),
        payoffs=np.array(list(ends)),
        order=tuple(range(len(decided) - 1, -1, -1)),
        best_value=float(best.value),
        best_moves=best.moves,
    )


class StateLearner(PlayedTable):
    """Learns a game of a single player by playing it. `values` and `visits`, (N, 3), are its table: column 0 counts.

    >>> from tictactoe.games.named_games import named_game
    >>> learner = StateLearner(state_graph(named_game("twenty-one").description), LearningMethod())
    >>> learner.run(200_000)
    >>> -0.09 < learner.figures().value < -0.046556
    True
    """

    def __init__(self, graph: StateGraph, method: LearningMethod, *, seed: int = 0) -> None:
        self.graph = graph
        num_states, num_moves = len(graph.states), len(graph.names)
        empty: IntArray = np.zeros(num_states, np.int32)
        owner = graph.owner.copy()
        tree = SweepArrays(owner, graph.first_move, empty, graph.target, None, zero_rows(0, NUM_TYPES))
        payoffs, reaches = (np.zeros((size, NUM_TYPES, NUM_TYPES)) for size in (len(graph.payoffs), num_moves))
        payoffs[:, 0, 0], reaches[:, 0, 0] = graph.payoffs, graph.chances
        prior = np.zeros((NUM_TYPES, NUM_TYPES))
        prior[0, 0] = 1.0
        moves = np.arange(num_moves, dtype=np.int32)
        path = np.zeros((graph.longest_round, 2), np.int32)
        nobody = zero_rows(0, NUM_TYPES)
        lesson = q_learning.Lesson(tree, payoffs, rows_of(prior), moves, nobody, moves, reaches, False, path)
        super().__init__(lesson, method, (num_moves, NUM_TYPES), seed)

    def greedy_moves(self) -> dict[Any, Any]:
        """By state: the name of the move with the highest value, the first of equals."""
        return self.graph.greedy_moves(self.values[:, 0])

    def figures(self) -> LearningFigures:
        """How good the greedy policy is now: what it gets, and as exploitability how much more the best play gets."""
        value = self.graph.value_of(self.greedy_moves())
        return LearningFigures(self.rounds, self.nodes, value, value, max(0.0, self.graph.best_value - value))
