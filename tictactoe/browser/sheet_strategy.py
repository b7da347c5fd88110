"""A sheet as a strategy on the tree, and the exact cost of playing by it."""

from __future__ import annotations

import numpy as np

from ..algorithms.arrays import FloatArray
from ..algorithms.best_response import best_response_value
from ..games.board import Board
from ..games.goals import Goal, OutcomeValues
from ..games.payoffs import tic_tac_toe_round
from ..games.tic_tac_toe_tree import GameTree
from ..match.best_response_over_match import best_response_over_match
from ..match.scores import Score
from ..storage.solution import Solution
from .sheets import Sheet


def sheet_strategy(sheet: Sheet, tree: GameTree) -> FloatArray:
    """float64 (num_nodes, 3): the strategy of a player with the sheet, who chooses equally among remaining squares."""
    boards = [Board()]
    for node in range(1, tree.num_nodes):
        boards.append(boards[tree.parent[node]].play(int(tree.square[node])))
    result = np.zeros((tree.num_nodes, len(Goal)))
    known: dict[tuple[Board, Goal], dict[Board, float]] = {}
    for node in tree.decision_nodes:
        board = boards[node]
        for goal in Goal:
            if (board, goal) not in known:
                known[board, goal] = _chances(board, sheet.choices(board, goal))
            for child in tree.children(node):
                result[child, goal] = known[board, goal].get(boards[child].canonical(), 0.0)
    result[0] = 1.0
    return result


def _chances(board: Board, squares: tuple[int, ...]) -> dict[Board, float]:
    """The probability of each next board, in canonical form."""
    result: dict[Board, float] = {}
    for square in squares:
        after = board.play(square).canonical()
        result[after] = result.get(after, 0.0) + 1.0 / len(squares)
    return result


def costs_at(tree: GameTree, strategy: FloatArray, values: OutcomeValues, value: float) -> tuple[float, float]:
    """The largest cost of playing one round by a strategy, in points of winning chance, moving first and moving second.

    The opponent knows the strategy but not the goal drawn, and both play the rest of the match perfectly. values: the
    outcome values of the round, to the first mover. value: the value of the round between perfect players.
    """
    game = tic_tac_toe_round(tree, values)
    against_first, against_second = (best_response_value(game, adversary, strategy) for adversary in (1, 0))
    return 50.0 * (value + against_first), 50.0 * (against_second - value)


def costs_in_match(solution: Solution, strategy: FloatArray) -> tuple[float, float]:
    """The largest cost of playing a whole match by one strategy at every score, in points of winning chance.

    The first number is for moving first in the first round, the second for moving second. The opponent is that of
    `costs_at`.
    """
    everywhere = dict.fromkeys(solution.results, strategy)
    response = best_response_over_match(solution.tree, everywhere, solution.winning_score).scores[Score(0, 0)]
    value = solution.value[Score(0, 0)]
    return 50.0 * (value - response.minimum), 50.0 * (response.maximum - value)
