"""The strategy of one round as data for the page."""

from __future__ import annotations

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
    it, None for a player who plays alike at every score. The numbers are stored as they are: most are 0 or 1, so that
    float32 would save a fifth of the file only, and with all digits the page says of no move that it costs something
    where the program says that it costs nothing.
    """
    header = {
        "kind": "strategy",
        "tree": tree.fingerprint,
        "rules": str(tree.rules),
        "solution": solution,
        "score": score,
        "iteration": iteration,
        "outcome_values": values,
    }
    return encode(header, {"probability": strategy})
