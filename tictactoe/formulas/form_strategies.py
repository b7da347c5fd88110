"""Strategies of closed forms as arrays for the rest of the library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache

import numpy as np

from ..algorithms.arrays import FloatArray
from ..algorithms.public_tree import read_only
from ..games.rules import Goal
from ..games.tic_tac_toe_tree import GameTree
from .answer_tables import PLANS, Choices, Share, answer_table
from .forms import Form


def strategy_of_form(tree: GameTree, form: Form, plan_chances: Sequence[float] = (1.0, 0.0, 0.0)) -> FloatArray:
    """float64 (num_nodes, 3), both seats: the probability of the move into a node, by the mover's goal.

    At positions that a seat's own moves never lead to, it makes the move that reaches its goal most often against
    random moves.

    plan_chances: how likely the plans A, B and C are drawn, if the form has three plans.
    """
    strategy = moves_elsewhere(tree).copy()
    chances = dict(zip(sorted(PLANS), plan_chances, strict=True))
    for choices in answer_table(form.table, tree):
        write_choices(tree, strategy, choices, chances)
    return strategy


def write_choices(tree: GameTree, strategy: FloatArray, choices: Choices, chances: Mapping[str, float]) -> None:
    """Write choices into a strategy, as behaviour probabilities.

    chances: by plan, how likely it is drawn.
    """
    for (node, goal), answers in choices.items():
        parts = {child: _chance(share, chances) for child, share in answers.items()}
        total = sum(parts.values())
        if total == 0.0:  # plans that are never drawn give the first answer
            parts, total = {child: float(child == min(parts)) for child in parts}, 1.0
        children = tree.children(node)
        strategy[children.start : children.stop, goal] = 0.0
        for child, part in parts.items():
            strategy[child, goal] = part / total


def _chance(share: Share, chances: Mapping[str, float]) -> float:
    return float(share) if isinstance(share, Fraction) else sum(chances[plan] for plan in sorted(share))


@cache
def moves_elsewhere(tree: GameTree) -> FloatArray:
    """float64 (num_nodes, 3), read-only: 1 for the best move against an opponent who moves at random from then on.

    That is the move that reaches the mover's goal most often, the lowest square of equals. The root's row is 1.
    """
    first, second = (_best_against_random(tree, seat) for seat in (0, 1))
    strategy = np.where(tree.mover[:, None] == 0, first, second)
    strategy[0] = 1.0
    return read_only(strategy)


def _best_against_random(tree: GameTree, seat: int) -> FloatArray:
    """float64 (num_nodes, 3): 1 for the best moves of a seat, 0 for its other moves and for the other seat."""
    chance = np.zeros((tree.num_nodes, len(Goal)))
    for outcome, goals in tree.rules.of_round.goals_true.items():
        leaves = np.flatnonzero(tree.leaf_class == int(outcome))
        for goal in goals[seat]:
            chance[leaves, int(goal)] = 1.0
    best = np.zeros((tree.num_nodes, len(Goal)))
    for depth in range(len(tree.nodes_by_depth) - 2, -1, -1):
        nodes, below = tree.nodes_by_depth[depth], tree.nodes_by_depth[depth + 1]
        nodes = nodes[tree.owner[nodes] >= 0]
        blocks, counts = np.searchsorted(below, tree.first_child[nodes]), tree.num_children[nodes]
        if depth % 2 != seat:
            chance[nodes] = np.add.reduceat(chance[below], blocks) / counts[:, None]
            continue
        chance[nodes] = np.maximum.reduceat(chance[below], blocks)
        good = chance[below] >= np.repeat(chance[nodes], counts, axis=0) - 1e-12  # equal but for rounding
        lowest = np.minimum.reduceat(np.where(good, below[:, None], tree.num_nodes), blocks)
        best[lowest, np.arange(len(Goal))] = 1.0
    return best
