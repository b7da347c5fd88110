"""A player's observation as numbers: all that the player may know of the round and the score.

An observation is a float32 vector of 106 numbers from 0 to 1, laid out as in docs/environments.md. An action is the
square minus 1, 0 to 8; an action mask is int8 (9,), 1 for the squares that may be marked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..algorithms.arrays import FloatArray
from ..checked_numbers import whole_number
from ..games.board import SQUARES
from ..games.rules import Goal, Seat
from ..games.tic_tac_toe_tree import GameTree
from ..match.scores import Score, checked_score

NUM_SQUARES = len(SQUARES)

Observations = NDArray[np.float32]
"""One observation, float32 (106,), or several, (n, 106)."""
Masks = NDArray[np.int8]
"""One action mask, int8 (9,), or several, (n, 9)."""

OWN_MARKS = slice(0, 9)
OPPONENTS_MARKS = slice(9, 18)
MOVES = slice(18, 99)
GOAL = slice(99, 102)
SEAT = slice(102, 104)
POINTS = slice(104, 106)
OBSERVATION_SIZE = 106


def observation(
    moves: Sequence[int], goal: Goal, seat: Seat, points: tuple[int, int] = (0, 0), winning_score: int | None = None
) -> Observations:
    """A player's observation, float32 (106,), laid out as in docs/environments.md.

    moves: the squares (1-9) played in this round, in order.
    points: the player's own points and the opponent's.
    winning_score: None for a single round.

    Raises ValueError for a move that is not a square, and for points below 0.

    >>> from tictactoe import Goal, Seat, observation
    >>> seen = observation((5, 1), Goal.TIE, Seat.FIRST, (2, 4), winning_score=5)
    >>> seen[:9].tolist(), seen[9:18].tolist()
    ([0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    >>> seen[99:].round(1).tolist()
    [0.0, 0.0, 1.0, 1.0, 0.0, 0.4000000059604645, 0.800000011920929]
    """
    result = np.zeros(OBSERVATION_SIZE, np.float32)
    for number, square in enumerate(moves):
        if square not in SQUARES or isinstance(square, bool):
            raise ValueError(f"moves: {square!r} is not a square, 1 to 9")
        marks = OWN_MARKS if number % 2 == seat else OPPONENTS_MARKS
        result[marks.start + square - 1] = 1.0
        result[MOVES.start + NUM_SQUARES * number + square - 1] = 1.0
    result[GOAL.start + goal] = 1.0
    result[SEAT.start + seat] = 1.0
    if winning_score is not None:
        result[POINTS] = np.divide(checked_score("points", points), whole_number("winning_score", winning_score, 1))
    return result


def action_mask(squares: Iterable[int]) -> Masks:
    """The action mask that allows these squares (1-9).

    >>> action_mask((1, 5)).tolist()
    [1, 0, 0, 0, 1, 0, 0, 0, 0]
    """
    result = np.zeros(NUM_SQUARES, np.int8)
    result[[square - 1 for square in squares]] = 1
    return result


Policy = Callable[[Observations, Masks], NDArray[np.floating]]
"""A function from n observations, float32 (n, 106), and masks, int8 (n, 9), to the probabilities of the actions, (n,
9).

A masked action has probability 0, and every row sums to 1, within PROBABILITY_TOLERANCE."""

PROBABILITY_TOLERANCE = 1e-4
"""The largest errors of probabilities and their sums, as in single precision; probabilities are divided by their
sum."""

MOST_POSITIONS_AT_ONCE = 16384
"""The largest number of observations in one call of a policy."""


def strategy_of_policy(
    tree: GameTree, policy: Policy, score: Score | None = None, winning_score: int | None = None
) -> FloatArray:
    """A policy as a strategy of the round, in both seats: float64 (num_nodes, 3).

    policy: called for every position of the tree and every goal. On the tree GameTree.build(rules), the strategy is the
    policy's play in an environment with merge_symmetric=True; for play on all nine squares use GameTree.build(rules,
    merge_symmetric=False).
    score, winning_score: the round of a match; None for a single round.

    Raises ValueError if the policy does not return probabilities.

    >>> from tictactoe import GameTree, SINGLE_ROUND, exploitability, strategy_of_policy, tic_tac_toe_round
    >>> tree = GameTree.build()
    >>> strategy = strategy_of_policy(tree, lambda seen, masks: masks / masks.sum(axis=1, keepdims=True))
    >>> round(exploitability(tic_tac_toe_round(tree, SINGLE_ROUND), strategy).total, 6)  # all moves of the tree alike
    1.034711
    """
    if (score is None) != (winning_score is None):
        raise ValueError("score: a round of a match has a score and a winning score, a single round has neither")
    shown, masks, seats = _positions(tree)
    probabilities = np.empty((tree.num_decision_nodes, NUM_SQUARES, len(Goal)))
    for goal in Goal:
        asked = shown.copy()
        asked[:, GOAL.start + goal] = 1.0
        if score is not None and winning_score is not None:
            points = np.where(seats[:, None] == Seat.FIRST, score, score[::-1])
            asked[:, POINTS] = points / winning_score
        probabilities[:, :, goal] = _ask(policy, asked, masks)
    result = np.ones((tree.num_nodes, len(Goal)))
    result[1:] = probabilities[_decision_above(tree), tree.square[1:] - 1]
    return result


def _decision_above(tree: GameTree) -> NDArray[np.intp]:
    return np.repeat(np.arange(tree.num_decision_nodes), tree.num_children[tree.decision_nodes])


@cache
def _positions(tree: GameTree) -> tuple[Observations, Masks, NDArray[np.int8]]:
    seats = tree.owner[tree.decision_nodes]
    nodes = tree.decision_nodes.tolist()
    shown = np.array([observation(tree.history(node), Goal.WIN, Seat(int(tree.owner[node]))) for node in nodes])
    shown[:, GOAL] = 0.0
    masks = np.zeros((tree.num_decision_nodes, NUM_SQUARES), np.int8)
    masks[_decision_above(tree), tree.square[1:] - 1] = 1
    return shown, masks, seats


def _ask(policy: Policy, shown: Observations, masks: Masks) -> FloatArray:
    starts = range(0, len(shown), MOST_POSITIONS_AT_ONCE)
    parts = [slice(start, start + MOST_POSITIONS_AT_ONCE) for start in starts]
    result = np.concatenate([np.asarray(policy(shown[part], masks[part]), np.float64) for part in parts])
    if result.shape != masks.shape:
        raise ValueError(f"policy: probabilities of shape {result.shape}, expected {masks.shape}")
    off = np.abs(result.sum(axis=1) - 1.0), result[masks == 0]
    if not (np.all(result >= 0.0) and all(np.all(each <= PROBABILITY_TOLERANCE) for each in off)):
        raise ValueError("policy: these are not probabilities of the allowed actions")
    result[masks == 0] = 0.0
    normalised: FloatArray = result / result.sum(axis=1, keepdims=True)
    return normalised
