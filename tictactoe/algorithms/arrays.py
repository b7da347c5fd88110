"""The bundles of arrays that kernels take, and their sizes.

A row is four float64: one number per private type of the player it is about, and a last lane that is always 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int32]
ByteArray = NDArray[np.int8]
Rows = NDArray[np.float64]
"""float64 (n, ROW), in C order."""

NUM_TYPES = 3
"""Private types per player, such as the cards of Kuhn poker."""

ROW = NUM_TYPES + 1
"""Numbers per row."""

MAXIMUM_LEAF_CLASSES = 128
"""Leaf classes per game, at most."""


class SweepArrays(NamedTuple):
    """What the kernels need to know of a tree with D decision nodes among N nodes, and nothing else.

    Decision nodes are numbered in preorder, so a subtree is a range of them. The children of decision
    node d are the nodes first_child[d] to first_child[d + 1] - 1.
    """

    owner: ByteArray  # (D,): 0 or 1, the player who moves
    first_child: IntArray  # (D + 1,): node numbers
    subtree_end: IntArray  # (D,): the first decision node after the subtree of d
    target: IntArray  # (N,): the decision node that a node is, or -1 - class for a leaf


class GameArrays(NamedTuple):
    """A game, read-only: N nodes, D decision nodes, C leaf classes, 3 private types per player."""

    tree: SweepArrays
    payoffs: NDArray[np.float64]
    """float64 (2, C, 3, 4): payoffs[player, class, h, g], payoff times the prior of (g, h), to `player` of type g at
    a leaf of the class when the opponent has type h. Lane 3 is 0."""
    prior: NDArray[np.float64]
    """float64 (2, 3, 4): prior[player, h, g], the joint probability of own type g and opponent's type h."""
    bonus: NDArray[np.float64]
    """float64 (N,): bonus of a leaf to player 0, player 1 gets minus it; times the epsilon of the iteration.
    Length 0: no bonus."""


class SweepState(NamedTuple):
    """What a solver carries from iteration to iteration. Rows are of the move INTO a node, by its mover's type."""

    regrets: Rows
    """float64 (N, 4), in the payoffs' unit; the root's row is unused here and below."""
    strategy_sums: Rows
    """float64 (N, 4): sum of averaging weight times own reach times strategy."""
    strategy: Rows
    """float64 (N, 4): the current strategy, probabilities."""
    skippable: NDArray[np.int8]
    """int8 (2, D), by player: 1 where the player's sweep may skip a subtree that the opponent does not reach, because
    an iteration with regret 0 would not change the strategy in it. 1 at the start, when every strategy is uniform."""


class Workspace(NamedTuple):
    """Scratch buffers. Between calls `mass` is all 0; the contents of the others mean nothing.

    M is MAXIMUM_LEAF_CLASSES: the rows of the decision nodes come after M rows for leaf classes.
    """

    reach: Rows
    """float64 (M + D, 4): opponent's reach, without prior."""
    value: Rows
    """float64 (M + D, 4): counterfactual values, of the leaf classes first, then of the decision nodes."""
    mass: NDArray[np.float64]
    """float64 (2, M + D, 4): each player's own reach times averaging weight, not yet in the strategy sums."""
    frozen: Rows
    """float64 (N, 4): the strategy before an iteration that does not alternate; the drawn moves of a sampled sweep."""
    open_nodes: NDArray[np.int32]
    """int32 (D,): the stack of decision nodes whose subtree a sweep is in."""


def make_workspace(num_nodes: int, num_decision_nodes: int) -> Workspace:
    """Zeroed scratch buffers for a tree of that size. One workspace serves one thread."""
    rows = (num_decision_nodes + MAXIMUM_LEAF_CLASSES, ROW)
    reach, value, mass, frozen = (np.zeros(shape) for shape in (rows, rows, (2, *rows), (num_nodes, ROW)))
    return Workspace(reach, value, mass, frozen, np.zeros(num_decision_nodes, np.int32))


def rows_of(columns: FloatArray) -> Rows:
    """float64 (n, ROW): the same numbers as float64 (n, NUM_TYPES) with the last lane, 0, that kernels expect."""
    result = np.zeros((len(columns), ROW))
    result[:, :NUM_TYPES] = columns
    return result
