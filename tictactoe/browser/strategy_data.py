"""The strategy of one round as data for the page."""

from __future__ import annotations

from ..algorithms.arrays import FloatArray
from ..games.goals import OutcomeValues
from ..games.tic_tac_toe_tree import GameTree
from ..match.scores import Score
from .data_file import encode


def strategy_file(
    tree: GameTree,
    strategy: FloatArray,
    values: OutcomeValues,
    solution: str,
    score: Score | None,
    iteration: int,
    after_mistakes: FloatArray | None = None,
) -> bytes:
    """The data file of a strategy, float64 (num_nodes, 3): probability of the move into the node, by the mover's goal.

    values: outcome values of the round, to the first mover. solution: fingerprint of the strategy's solution. score:
    its score in the solution; None for an opponent with one strategy for all scores. after_mistakes: `Snapshot.beliefs`
    of a refined strategy, float64 (num_nodes, 3); None for one that is not refined.

    Probabilities keep all digits: most are 0 or 1, so float32 would save only a fifth of the file. With fewer digits,
    the page could show a cost for a move that costs nothing in the program.
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
    arrays = {"probability": strategy}
    if after_mistakes is not None:
        arrays["after_mistakes"] = after_mistakes
    return encode(header, arrays)
