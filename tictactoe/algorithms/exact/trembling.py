"""A player who errs now and then: of several equilibria, the programs pick one that punishes its mistakes."""

from __future__ import annotations

from typing import NamedTuple

from ..arrays import FloatArray
from ..public_tree import PublicTree
from ..strategy import uniform_strategy
from .sequence_form import behaviour

TREMBLE_PROBABILITY = 0.2
"""The probability that the trembling player makes a move at random."""

RANDOM_ROUND_PROBABILITY = 0.05
"""The probability of a round in which the trembling player makes every move at random."""


class Trembling(NamedTuple):
    """How the trembling player plays. Both arrays are float64 (num_nodes, k), by node and the player's type."""

    reach: FloatArray
    """The realization plan: how likely it makes all its moves on the way to a node."""
    strategy: FloatArray
    """The probabilities of moves; only the player's own rows count."""


def trembling_player(tree: PublicTree, player: int, reference: FloatArray) -> Trembling:
    """The player who makes every move at random with TREMBLE_PROBABILITY, and otherwise plays the reference.

    reference: float64 (num_nodes, k); only the player's own rows count.
    """
    random = uniform_strategy(tree)
    usually = (1.0 - TREMBLE_PROBABILITY) * reference + TREMBLE_PROBABILITY * random
    usual, at_random = (tree.own_reach_of_player(player, strategy) for strategy in (usually, random))
    reach = (1.0 - RANDOM_ROUND_PROBABILITY) * usual + RANDOM_ROUND_PROBABILITY * at_random
    return Trembling(reach, behaviour(tree, player, reach, usually))
