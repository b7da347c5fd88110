"""The strategy of one round as data for the page."""

from __future__ import annotations

import numpy as np

from ..algorithms.arrays import FloatArray
from ..games.goals import OutcomeValues
from ..games.tic_tac_toe_tree import GameTree
from ..match.scores import Score
from .data_file import encode


def strategy_file(
    tree: GameTree, strategy: FloatArray, values: OutcomeValues, solution: str, score: Score | None, iteration: int
) -> bytes:
    """The data file of a strategy, float64 (num_nodes, 3): probability of the move into the node, by the mover's goal.

    values: of the round's results to the first mover. solution: the fingerprint of what it belongs to; score: within
    it, None for a player who plays alike at every score. It is stored as float32, unless that would make a move
    impossible that is not; an error of 3e-8 in a probability moves no expected value by more than 1e-6.
    """
    narrow = strategy.astype(np.float32)
    stored = narrow if np.array_equal(narrow > 0.0, strategy > 0.0) else strategy
    header = {
        "kind": "strategy",
        "tree": tree.fingerprint,
        "rules": str(tree.rules),
        "solution": solution,
        "score": score,
        "iteration": iteration,
        "outcome_values": values,
    }
    return encode(header, {"probability": stored})
